"""Record what generic kernels came to, for docs/generics.md: `python docs/generics_figures.py FOLDER`.

FOLDER is what `ferrotile generalize INPUTS --out FOLDER` wrote, in one run or in several; kept are counts per Python
kernel. `--total` with the folder of the inputs says how many specializations each kernel has there; what was not
generalized, or not in the time given, is then listed as such.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from counting import Count, count_folder, summary

from ferrotile.core import store
from ferrotile.lift import SourceFinder

DATA = Path(__file__).parent / "data" / "generics.json"


def recorded(folder: Path, finder: SourceFinder, inputs: list[Path], limit_s: int) -> dict[str, Any]:
    """The figures of a folder of generic kernels."""
    kernels: list[dict[str, Any]] = []
    counts: list[Count] = []
    covered: set[str] = set()
    for own in sorted(path.parent for path in folder.glob("*/generic.json")):
        written = json.loads((own / "generic.json").read_text())
        covered |= {_stem(one["input"]) for one in written["specializations"]}
        count = count_folder(own, finder)
        if count is not None:
            counts.append(count)
        kernels.append(_kernel(own.name, written, count))
    totals = Counter(_stem(path) for path in inputs)
    left_out = {name: many for name, many in sorted(totals.items()) if name not in covered}
    return {
        "limit_s": limit_s,
        "kernels": kernels,
        "inputs": sum(totals.values()),
        "left_out": left_out,
        "lines": summary(counts) if counts else {},
    }


def _kernel(name: str, written: dict[str, Any], count: Count | None) -> dict[str, Any]:
    verdicts = Counter(one["verdict"] for one in written["specializations"])
    return {
        "name": name,
        "kernel": written["kernel"],
        "specializations": len(written["specializations"]),
        "variants": len(written["variants"]),
        "guards": [variant["guard"] for variant in written["variants"]],
        "verdicts": dict(sorted(verdicts.items())),
        "seconds": written["seconds"],
        "python": None if count is None else count.python,
        "rust": None if count is None else count.rust,
        "names": None if count is None else count.names,
        "lost": None if count is None else len(count.lost),
        "lost_names": [] if count is None else list(count.lost),
    }


def _stem(path: str | Path) -> str:
    """Which kernel a file of the corpus is of: its name without the digest of the specialization."""
    return ".".join(Path(path).name.split(".")[:2])


def main(arguments: list[str]) -> int:
    """Read a folder and write the data file of the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source-map", action="append", default=[], metavar="FROM=TO")
    parser.add_argument("--total", type=Path, help="folder of all inputs")
    parser.add_argument("--limit", type=int, default=3600, help="seconds that a kernel was given")
    given = parser.parse_args(arguments)
    inputs = [] if given.total is None else sorted(given.total.glob("*.tileirbc"))
    finder = SourceFinder([tuple(one.split("=", 1)) for one in given.source_map])
    found = recorded(given.folder, finder, inputs, given.limit)
    if not found["kernels"]:
        print(f"`{given.folder}` holds no generic kernel", file=sys.stderr)
        return 2
    store.write_text(DATA, json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
