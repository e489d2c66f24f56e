"""What defines a value: the operation of a mnemonic, a constant, what was spread over a shape."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from ferrotile.ir import attribute, operand, row
from ferrotile.ir.types import TileType


def definer(value: SSAValue | None, name: str) -> Operation | None:
    """The operation that defines `value`, if its mnemonic is `name`."""
    owner = value.owner if value is not None else None
    return owner if isinstance(owner, Operation) and row(owner).name == name else None


def constant_of(value: SSAValue) -> int | None:
    """The integer of a splat constant."""
    op = definer(value, "constant")
    type_ = value.type
    if op is None or not isinstance(type_, TileType):
        return None
    data: bytes = attribute(op, "value")
    width = max(1, getattr(type_.element, "bits", 64) // 8)
    return int.from_bytes(data, "little", signed=True) if len(data) == width else None


def is_zero(value: SSAValue) -> bool:
    """Whether a tile is all zeros, spread or not."""
    while (op := definer(value, "broadcast") or definer(value, "reshape")) is not None:
        value = op.operands[0]
    constant = definer(value, "constant")
    return constant is not None and not any(attribute(constant, "value"))


def spread_source(value: SSAValue | None) -> SSAValue:
    """The rank-0 value under `broadcast(reshape(x))`, or the value itself."""
    assert value is not None
    spread = definer(value, "broadcast")
    shaped = definer(operand(spread, "source") if spread is not None else value, "reshape")
    source = operand(shaped, "source") if shaped is not None else None
    return source if source is not None and shape_of_tile(source) == () else value


def shape_of_tile(value: SSAValue) -> tuple[int, ...]:
    """The shape of a tile."""
    assert isinstance(value.type, TileType)
    return value.type.shape
