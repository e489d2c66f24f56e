"""`make fuzz`: judge thousands of generated kernels, save what fails, and print what became of the rest.

python tests/fuzz/run.py [--kernels 10000] [--jobs 2] [--first 1000] [--minutes 0]
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
import time
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fuzzing.hunt import Tally, hunt
from fuzzing.keep import save

from ferrotile import ir

MOST = 25
"""Lines of a list that are printed."""


def one_chunk(number: int, count: int) -> tuple[Tally, str | None]:
    """Judge one chunk; what failed is saved here, where it was shrunk."""
    found = hunt(count, number)
    if found.failure is None:
        return found.tally, None
    program, outcome = found.failure
    return found.tally, f"{outcome.kind} {outcome.code}: {outcome.sentence} ({save(program, outcome)})"


def listed(title: str, counts: Counter[str]) -> None:
    """Print counts, the largest first."""
    if not counts:
        return
    print(f"{title}:")
    for name, count in counts.most_common(MOST):
        print(f"  {count:6}  {name[:160]}")
    if len(counts) > MOST:
        print(f"          and {len(counts) - MOST} more")


def never_reached(tally: Tally) -> list[str]:
    """Operations of the table that no generated kernel has."""
    return sorted(row.name for row in ir.table() if not row.preview and row.full_name not in tally.operations)


def report(tally: Tally, failures: list[str], seconds: float) -> None:
    """Print all that is known at the end."""
    refused = sum(tally.front_end.values())
    share = 100 * refused / max(refused + tally.kernels, 1)
    print(f"\n{tally.kernels} kernels in {seconds:.0f} s: {dict(tally.verdicts)}")
    print(f"cuda.tile refused {refused} more ({share:.1f} % of all drawn)")
    print(
        f"{tally.compared} agree with plain Python, in {tally.elements} elements; {tally.open} have no defined result"
    )
    print(f"style of the text that was proved: {dict(tally.styles)}")
    listed("not fluent, because the fluent text was", tally.closer)
    by_code = Counter(text.split(" ")[0] for text in tally.refusals.elements())
    listed("refused, by code", by_code)
    listed("refused, by sentence", tally.refusals)
    listed("refused by cuda.tile", tally.front_end)
    listed("known failures", tally.known)
    listed("not interpreted", tally.not_interpreted)
    rows = never_reached(tally)
    print(f"operations never reached ({len(rows)}): {', '.join(rows)}")
    print(f"failures: {len(failures)}", *failures, sep="\n  ")


def main() -> int:
    """Run it; the exit code is 1 when something failed."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kernels", type=int, default=10_000)
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--first", type=int, default=1000, help="the first seed; chunks take one each")
    options.add_argument("--chunk", type=int, default=50, help="kernels of one seed")
    options.add_argument("--minutes", type=float, default=0, help="stop after so many; 0: run to the end")
    given = options.parse_args()
    tally, failures, began = Tally(), [], time.monotonic()
    numbers = iter(range(given.first, given.first + -(-given.kernels // given.chunk)))
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=20) as pool:
        waiting: dict[Future[tuple[Tally, str | None]], int] = {}
        for number in itertools.islice(numbers, given.jobs * 2):
            waiting[pool.submit(one_chunk, number, given.chunk)] = number
        while waiting:
            done = next(as_completed(waiting))
            at = waiting.pop(done)
            try:
                part, failure = done.result()
            except BrokenProcessPool:
                failures.append(
                    f"a process died while it judged the kernels of seed {at}, or of {sorted(waiting.values())}"
                )
                break
            tally.include(part)
            failures += [failure] if failure else []
            seconds = time.monotonic() - began
            print(f"{tally.kernels:6} kernels, {seconds:6.0f} s, {len(failures)} failures {failure or ''}", flush=True)
            late = given.minutes and seconds > given.minutes * 60
            if not late and (number := next(numbers, None)) is not None:
                waiting[pool.submit(one_chunk, number, given.chunk)] = number
    report(tally, failures, time.monotonic() - began)
    return 1 if failures or tally.kernels < given.kernels else 0


if __name__ == "__main__":
    sys.exit(main())
