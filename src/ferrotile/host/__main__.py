"""`python -m ferrotile.host KERNELS CRATE WORKSPACE`: what `make check-rust` runs before cargo."""

from __future__ import annotations

import sys
from pathlib import Path

from ferrotile.core import FerrotileError
from ferrotile.host.crate import write_check_crate


def main(arguments: list[str]) -> int:
    kernels, crate, workspace = map(Path, arguments)
    try:
        written = write_check_crate(kernels, crate, workspace)
    except FerrotileError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(
        f"{written.module_count} distinct kernels of {written.file_count} files in {written.manifest}", file=sys.stderr
    )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
