"""What cutile 0.5.0 reads in one way only: operations refused although their row has a form."""

from __future__ import annotations

from xdsl.ir import Operation

from ferrotile.core.errors import Unsupported
from ferrotile.ir import attribute, place, row
from ferrotile.ir.enums import Signedness
from ferrotile.ir.types import ScalarType, TileType


def require_readable(op: Operation) -> None:
    """Refuse an operation whose integers cutile would read with another sign.

    Raises: FT301 for `i4` read as unsigned, FT302 for `i1` read as signed.
    """
    if "signedness" not in row(op).field:
        return
    values = op.results if row(op).name == "ftoi" else op.operands
    elements = {value.type.element for value in values if isinstance(value.type, TileType)}
    is_signed = attribute(op, "signedness") is Signedness.Signed
    if is_signed and ScalarType("i1") in elements:
        raise Unsupported("FT302", f"`{row(op).name}` of a signed `i1` has no Rust form: a `bool` is 0 or 1", place(op))
    if not is_signed and ScalarType("i4") in elements:
        raise Unsupported("FT301", "an unsigned 4-bit integer has no Rust type", place(op))
