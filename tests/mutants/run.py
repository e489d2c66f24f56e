"""`make mutants`: mutate kernels of our own, and every kernel of the corpus or a sample, and see what check says.

`make mutants ARGS=--write` takes every kernel of the corpus and writes the score that docs/mutants.md shows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from score import SWAPPED, Score, Task, score

from ferrotile.core import InputError
from ferrotile.core.pool import run_all

SCORE = Path(__file__).parent / "score.json"
PER_KIND, PER_CORPUS_KERNEL = 1, 8
RIGHT_PLACES = 0.98
"""The share of mutants whose first place must be the mutated operation's."""


def own_kernels() -> Iterator[tuple[str, bytes]]:
    """The examples, and each kernel of the zoo once."""
    from ferrotile.capture import discover, export

    for path in sorted((ROOT / "examples").glob("*.py")):
        for capture in export(path):
            yield capture.name, capture.bytecode
    rows = {(path, kernel): (path, kernel, one) for path, kernel, one in discover(ROOT / "tests" / "zoo" / "kernels")}
    for row in rows.values():
        with suppress(InputError):  # a kernel for another target
            for capture in export(*row):
                yield f"{row[0].stem}.{capture.name}", capture.bytecode


def corpus_kernels(step: int) -> Iterator[tuple[str, bytes]]:
    """Every `step`-th kernel of the corpus, if it is there, from all parts of it early on."""
    folder = Path(os.environ.get("FERROTILE_CORPUS", ROOT.parent / "shared" / "corpus"))
    files = sorted(folder.rglob("*.tileirbc"))[::step]
    if not files:
        print("the corpus is not here", file=sys.stderr)
    stride = 23
    for path in (path for start in range(stride) for path in files[start::stride]):
        yield path.stem, path.read_bytes()


def tasks(corpus_step: int) -> list[Task]:
    """What to do with each kernel."""
    own = [Task(name, data, per_kind=PER_KIND) for name, data in own_kernels()]
    others = enumerate(corpus_kernels(corpus_step))
    return [*own, *(Task(name, data, turn, per_kernel=PER_CORPUS_KERNEL) for turn, (name, data) in others)]


def failed(task: Task, code: int | None) -> Score:
    """The score of a kernel whose process died."""
    return Score(wrong=[f"the process died with exit code {code}: {task.name}"])


def main() -> int:
    """Print the tables; fail if a mutant is missed, too few have the right place, or a rewrite is not EQUAL."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus-step", type=int, default=40, help="take every n-th kernel of the corpus")
    parser.add_argument("--write", action="store_true", help="take the whole corpus and write the score")
    parser.add_argument("--jobs", type=int, default=2, help="how many processes work")
    parser.add_argument("-v", action="store_true", help="show mutants that are found, but elsewhere")
    options = parser.parse_args()
    found = Score()
    for _, part in run_all(score, tasks(1 if options.write else options.corpus_step), options.jobs, failed):
        found.merge(part)
    if options.write:
        SCORE.write_text(json.dumps(found.record(), indent=1) + "\n")
    show(found)
    if found.total("place") < RIGHT_PLACES * found.total("mutants"):
        found.wrong.append(f"only {found.total('place')} of {found.total('mutants')} mutants have the right place")
    print("\n".join([*found.wrong, *(found.elsewhere if options.v else [])]))
    return 1 if found.wrong else 0


def show(found: Score) -> None:
    """The tables."""
    columns = ("mutants", "differs", "refines", "alike", "kind", "place", "rejected")
    print(f"{found.kernels} kernels\n{'mutation':<44}" + "".join(f"{column:>9}" for column in columns))
    for name, tally in found.mutations.items():
        print(f"{name:<44}" + "".join(f"{getattr(tally, column):>9}" for column in columns))
    print(f"{'in all':<44}" + "".join(f"{found.total(column):>9}" for column in columns))
    print(f"{SWAPPED:<44}{found.swapped[0]:>9}{found.swapped[1]:>9}")
    for row in found.alike:
        print(f"the same program by `{row['law']}`, {row['times']} times: {row['mutation']} in {row['kernel']}")
    print(f"\n{'harmless rewrite':<56}{'kernels':>9}{'EQUAL':>9}")
    for title, (count, equal) in found.rewrites.items():
        print(f"{title:<56}{count:>9}{equal:>9}")


if __name__ == "__main__":
    sys.exit(main())
