"""All conformance checks, in one list; importing the families registers them."""

from __future__ import annotations

import control_checks
import conversions
import elementwise
import harness
import memory_checks
import whole

from ferrotile import ir
from ferrotile.ir.meaning import Meaning

FAMILIES = (elementwise, conversions, whole, memory_checks, control_checks)
CHECKS = harness.CHECKS

WITHIN: dict[str, str] = {
    "break": "loop", "continue": "for", "yield": "if", "entry": "return", "module": "return", "global": "get_global",
    "constant": "reshape", "int_to_ptr": "offset", "ptr_to_int": "offset", "ptr_to_ptr": "offset", "unpack": "pack",
    "make_tensor_view": "load_view_tko", "make_partition_view": "load_view_tko",
    "make_strided_view": "load_view_tko", "make_gather_scatter_view": "load_view_tko",
}  # fmt: skip
"""Operations that the checks of another operation run as well."""


def operations() -> list[str]:
    """Operations with checks of their own, in the order of the table."""
    own = {one.op for one in CHECKS}
    return [row.name for row in ir.table() if row.name in own]


def unchecked() -> list[str]:
    """Operations that nothing checks, but those that the interpreter refuses."""
    refused = {row.name for row in ir.table() if isinstance(row.evaluate, ir.Refusal)}
    return [row.name for row in ir.table() if row.name not in {*operations(), *WITHIN, *refused}]


def is_elementwise(name: str) -> bool:
    """Whether the row of an operation holds its meaning."""
    return any(row.name == name and isinstance(row.evaluate, Meaning) for row in ir.table())
