"""`python -m ferrotile.bench.device PACK --out FILE.jsonl`: measure a pack on this machine's GPU.

First the harness is checked on kernels of known ratio; if it cannot be trusted nothing is measured. Exit codes: 0
measured, 1 the harness cannot be trusted, 2 a wrong pack, 4 no GPU or a package is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ferrotile.bench.device.calibration import calibrate
from ferrotile.bench.device.images import compiled
from ferrotile.bench.device.measure import measure_all
from ferrotile.bench.device.plan import read_plan
from ferrotile.bench.device.summary import summarize
from ferrotile.core import FerrotileError, store


def main(arguments: list[str]) -> int:
    """Measure and write one line a pair."""
    parser = argparse.ArgumentParser(prog="python -m ferrotile.bench.device", description=__doc__)
    parser.add_argument("pack", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--quads", type=int, help="launches of each side, halved; the default follows from the time")
    given = parser.parse_args(arguments)
    try:
        plan, timings = compiled(given.pack, read_plan(given.pack))
        with store.scratch() as folder:
            known, wrong = calibrate(folder)
        for timing in timings:
            print(f"{timing.name}: {timing.void}", file=sys.stderr)
        for timing in known:
            print(f"calibration: {timing.name}: {timing.ratio or timing.void}", file=sys.stderr)
        if wrong:
            print("; ".join(wrong), file=sys.stderr)
            return 1
        for index, timing in measure_all(given.pack, list(plan.pairs), given.quads):
            timings.append(timing)
            told = timing.void or timing.ratio
            print(f"{len(timings)} of {len(plan.pairs)} {plan.pairs[index].name}: {told}", file=sys.stderr, flush=True)
        store.write_text(given.out, "".join(f"{timing.to_json()}\n" for timing in (*known, *timings)))
        if any(not timing.void for timing in timings):
            print(json.dumps(summarize(timings).to_json(), indent=1))
    except FerrotileError as error:
        print(f"{error.code}: {error.message}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
