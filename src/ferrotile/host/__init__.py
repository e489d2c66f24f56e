"""Translated kernels put to use: as one C library or one Rust crate with their machine code, or in one crate to check.

Non-goals: no translation and no proof here; nothing is launched from Python; `make check-rust` runs its cargo itself.
"""

from ferrotile.host.abi import CODES, DTYPE_NUMBER, DTYPES
from ferrotile.host.crate import CheckCrate, write_check_crate
from ferrotile.host.crate_cases import Recorded, RecordedArray
from ferrotile.host.declaration import (
    ArrayFacts,
    AxisFacts,
    ConstantFacts,
    Facts,
    Kernel,
    Library,
    Relation,
    ScalarFacts,
    Slot,
    Translated,
    Variant,
)
from ferrotile.host.grid_rules import GridRule, NoRule, Observed, fit
from ferrotile.host.grouping import kernels_of
from ferrotile.host.library import build_library, check_crate, export_library
from ferrotile.host.relations import relations_of
from ferrotile.host.rust_crate import Crate, write_crate
from ferrotile.host.specialization import specialization
from ferrotile.host.unsafe_reasons import REASONS, Reason, may_leave_arrays, reasons
from ferrotile.host.writing import features, file_stem

__all__ = [
    "CODES",
    "DTYPES",
    "DTYPE_NUMBER",
    "REASONS",
    "ArrayFacts",
    "AxisFacts",
    "CheckCrate",
    "ConstantFacts",
    "Crate",
    "Facts",
    "GridRule",
    "Kernel",
    "Library",
    "NoRule",
    "Observed",
    "Reason",
    "Recorded",
    "RecordedArray",
    "Relation",
    "ScalarFacts",
    "Slot",
    "Translated",
    "Variant",
    "build_library",
    "check_crate",
    "export_library",
    "features",
    "file_stem",
    "fit",
    "kernels_of",
    "may_leave_arrays",
    "reasons",
    "relations_of",
    "specialization",
    "write_check_crate",
    "write_crate",
]
