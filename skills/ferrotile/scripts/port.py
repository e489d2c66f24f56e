"""Port one operator and print what may be said of it: `python port.py INPUT DIR [further options of ferrotile run]`.

INPUT is what `ferrotile run` takes. Only ACCEPTED may be reported as a port; everything else comes with the reason. The
exit code is 0 accepted, 5 true but not everything is shown, else that of `ferrotile run` or `accept`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any


def told(*words: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and JSON lines of a ferrotile command."""
    done = subprocess.run(["ferrotile", *words, "--json"], stdout=subprocess.PIPE, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main(source: str, folder: str, *options: str) -> int:
    """Run, accept, and print the lines to report."""
    code, lines = told("run", source, "--out", folder, *options)
    outcome = next((line["outcome"] for line in lines if "outcome" in line), None)
    if outcome is None:
        fault = lines[-1] if lines else {}
        print(f"no run: {fault.get('code')}: {fault.get('message')} ({fault.get('hint')})")
        return code
    code, lines = told("accept", folder)
    answer = lines[-1]
    print(f"{'ACCEPTED' if answer['accepted'] else 'NOT ACCEPTED'} after {' '.join(outcome['steps'])}")
    for check in answer["checks"]:
        if check["code"]:
            print(f"wrong: {check['name']}: {check['code']}: {check['sentence']}")
    for gap in answer["gaps"]:
        print(f"not shown: {gap}")
    if outcome["kernels"]:
        print(f"kernels: {folder}/{outcome['kernels']}")
    return code if code != 5 else outcome["exit_code"]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit((__doc__ or "").splitlines()[0])
    sys.exit(main(*sys.argv[1:]))
