"""The one number that a `constant` operation holds."""

from __future__ import annotations

import struct

from xdsl.ir import Operation

from ferrotile import ir

Number = int | float
_FLOATS = {"f16": "<e", "f32": "<f", "f64": "<d"}


def splat_value(op: Operation) -> Number | None:
    """The number that every element of a `constant` has; None when elements differ or the type is unusual."""
    data = ir.attribute(op, "value")
    element = getattr(getattr(op.results[0].type, "element", None), "name", "")
    if not isinstance(data, bytes) or not isinstance(element, str):
        return None
    if element in _FLOATS and len(data) == struct.calcsize(_FLOATS[element]):
        return struct.unpack(_FLOATS[element], data)[0]
    if element == "bf16" and len(data) == 2:
        return struct.unpack("<f", b"\0\0" + data)[0]
    if (
        element.startswith("i")
        and element[1:].isdigit()
        and int(element[1:]) >= 8
        and len(data) * 8 == int(element[1:])
    ):
        return int.from_bytes(data, "little", signed=True)
    return None
