"""`python -m ferrotile.bench RUN.jsonl`: print a run's figures; exit code 1 when a limit is missed."""

import sys
from pathlib import Path

from ferrotile.bench.figures import figures, read_lines
from ferrotile.core import FerrotileError

if __name__ == "__main__":
    try:
        found = figures(read_lines(Path(sys.argv[1]).read_text().splitlines() if len(sys.argv) > 1 else sys.stdin))
    except FerrotileError as error:
        sys.exit(str(error))
    print(found.to_text())
    sys.exit(0 if found.is_met else 1)
