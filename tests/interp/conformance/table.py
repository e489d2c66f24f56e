"""Print which operations conform on which types: `python tests/interp/conformance/table.py` (`make conformance`)."""

from __future__ import annotations

import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "check")]


def main() -> int:
    """Run every check, print the table; the exit code is 1 if one fails."""
    from all_checks import CHECKS, WITHIN, operations, unchecked

    start = time.perf_counter()
    faults = {check.title: check.run() for check in CHECKS}
    types = list(dict.fromkeys(check.dtype for check in CHECKS))
    print(f"{'operation':<26}" + "".join(f"{name:>11}" for name in types))
    for op in operations():
        row = f"{op:<26}"
        for name in types:
            mine = [check for check in CHECKS if (check.op, check.dtype) == (op, name)]
            bad = sum(bool(faults[check.title]) for check in mine)
            row += f"{(f'{bad} of {len(mine)}!' if bad else str(len(mine))) if mine else '.':>11}"
        print(row)
    print("\nrun by the checks of others: " + ", ".join(f"{name} ({by})" for name, by in WITHIN.items()))
    failing = [title for title, found in faults.items() if found]
    for title in failing:
        print(f"FAILS {title}: {faults[title][0]}")
    pairs = len({(check.op, check.dtype) for check in CHECKS})
    print(
        f"{len(operations())} operations, {pairs} operations x types, {len(CHECKS)} checks, {len(failing)} failing, "
        f"{len(unchecked())} operations unchecked, {time.perf_counter() - start:.1f} s"
    )
    return bool(failing or unchecked())


if __name__ == "__main__":
    sys.exit(main())
