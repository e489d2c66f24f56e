"""Translated kernels put to use: as one C library with their machine code, or in one crate that cargo can check.

Non-goals: no translation and no proof here; nothing is launched from Python; `make check-rust` runs its cargo itself.
"""

from ferrotile.host.abi import CODES, DTYPE_NUMBER, DTYPES
from ferrotile.host.crate import CheckCrate, write_check_crate
from ferrotile.host.declaration import Kernel, Library, Translated, Variant
from ferrotile.host.library import build_library, export_library

__all__ = [
    "CODES",
    "DTYPES",
    "DTYPE_NUMBER",
    "CheckCrate",
    "Kernel",
    "Library",
    "Translated",
    "Variant",
    "build_library",
    "export_library",
    "write_check_crate",
]
