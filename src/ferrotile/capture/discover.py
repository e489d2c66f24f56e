"""Find the kernels of a folder of Python files that have a spec file beside them."""

from __future__ import annotations

from pathlib import Path

from ferrotile.capture.spec import Specialization, read_spec
from ferrotile.core import InputError


def discover(folder: Path | str) -> list[tuple[Path, str, Specialization]]:
    """Every (file, kernel, specialization) of a folder, by file name, in the order of each spec file.

    A Python file without a spec file beside it is passed over; no file is loaded.
    Raises: FT101 when there is no folder, FT106 and FT107 for a wrong spec file.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("FT101", f"there is no folder `{folder}`")
    return [
        (path, row.kernel, row)
        for path in sorted(folder.glob("*.py"))
        if path.with_suffix(".toml").is_file()
        for row in read_spec(path.with_suffix(".toml")).specialization
    ]
