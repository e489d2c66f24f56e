"""Attributes that several operations share, written once."""

from ferrotile.ir.enums import (
    IntegerOverflow,
    MemoryOrderingSemantics,
    MemoryScope,
    MultimemReductionKind,
    RoundingMode,
    Signedness,
)
from ferrotile.ir.spec import FalsePer, Field, Kind, enum

ROUNDING = enum("rounding_mode", RoundingMode)
FTZ = Field("flush_to_zero", Kind.UNIT)
NAN = Field("propagate_nan", Kind.UNIT)
OVERFLOW = enum("overflow", IntegerOverflow)
SIGNEDNESS = enum("signedness", Signedness)
DIM = Field("dim", Kind.INT)
IDENTITIES = Field("identities", Kind.ARRAY)
ORDERING = enum("memory_ordering_semantics", MemoryOrderingSemantics)
SCOPE = enum("memory_scope", MemoryScope)
OPTIONAL_SCOPE = enum("memory_scope", MemoryScope, optional=True)
HINTS = Field("optimization_hints", Kind.HINTS, optional=True)
REDUCTION = enum("reduction", MultimemReductionKind)


def inbounds(since: tuple[int, int]) -> Field:
    """One bool per index: the tile is known to lie inside the array along that axis."""
    return Field("inbounds", Kind.BOOLS, since=since, default=FalsePer("index"))
