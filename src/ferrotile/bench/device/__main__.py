"""`python -m ferrotile.bench.device PACK --out FILE.jsonl`: `ferrotile bench run` where little is installed.

Needed: numpy, ml_dtypes, pydantic, cuda-bindings, cupti-python; tileiras if the pack has bytecode. Exit codes: 0
measured, 2 a wrong pack, 4 no GPU, a missing package, or a harness that cannot be trusted.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ferrotile.bench.device.run import run_pack, summary_of
from ferrotile.core import FerrotileError


def main(arguments: list[str]) -> int:
    """Measure and write one line a pair."""
    parser = argparse.ArgumentParser(prog="python -m ferrotile.bench.device", description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quads", type=int, help="launches of each side, halved; the default follows from the time")
    given = parser.parse_args(arguments)
    try:
        timings = run_pack(given.pack, given.out, given.quads, lambda line: print(line, file=sys.stderr, flush=True))
        print(json.dumps(summary_of(timings).to_json(), indent=1))
    except FerrotileError as error:
        print(f"{error.code}: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
