"""Enumerated attributes of Tile IR; member names and numbers are those of the bytecode.

Source: cuda.tile 1.7.0 `_bytecode/encodings.py` (names, numbers); cutile-ir 0.5.0 (pointers of 13.5).
"""

from enum import Enum


class AtomicRMWMode(Enum):
    """What an atomic read-modify-write does with the old value."""

    AND = 0
    OR = 1
    XOR = 2
    ADD = 3
    ADDF = 4
    MAX = 5
    MIN = 6
    UMAX = 7
    UMIN = 8
    XCHG = 9


class ComparisonOrdering(Enum):
    """Whether a float comparison with a NaN is false (ordered) or true (unordered)."""

    UNORDERED = 0
    ORDERED = 1


class ComparisonPredicate(Enum):
    """The relation that a comparison tests."""

    EQUAL = 0
    NOT_EQUAL = 1
    LESS_THAN = 2
    LESS_THAN_OR_EQUAL = 3
    GREATER_THAN = 4
    GREATER_THAN_OR_EQUAL = 5


class IntegerOverflow(Enum):
    """Which wrap-around an integer operation promises not to have (no signed, no unsigned)."""

    NONE = 0
    NSW = 1
    NUW = 2
    NW = 3


class MemoryOrderingSemantics(Enum):
    """How a memory operation is ordered with those of other threads."""

    WEAK = 0
    RELAXED = 1
    ACQUIRE = 2
    RELEASE = 3
    ACQ_REL = 4


class MemoryScope(Enum):
    """Between which threads an ordering holds."""

    TL_BLK = 0
    DEVICE = 1
    SYS = 2


class MultimemReductionKind(Enum):
    """The reduction that a multicast memory operation performs."""

    ADD = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    UMIN = 6
    UMAX = 7


class RoundingMode(Enum):
    """How a result is rounded; APPROX and FULL name the accuracy of a device function."""

    NEAREST_EVEN = 0
    ZERO = 1
    NEGATIVE_INF = 2
    POSITIVE_INF = 3
    APPROX = 4
    FULL = 5
    NEAREST_INT_TO_ZERO = 6
    NEAREST_AWAY = 7


class Signedness(Enum):
    """How the bits of a signless integer are read."""

    Unsigned = 0
    Signed = 1


class SymbolVisibility(Enum):
    """Whether a global can be seen from outside its module."""

    Public = 0
    Private = 1


class PaddingValue(Enum):
    """What lanes outside a view read as."""

    Zero = 0
    NegZero = 1
    Nan = 2
    PosInf = 3
    NegInf = 4


class PointerAttribute(Enum):
    """What a pointer reaches: memory of one device, of a peer through NVLink, or of all devices of a switch."""

    Default = 0
    Unicast = 1
    Multicast = 2


SINCE: dict[Enum, tuple[int, int]] = {
    RoundingMode.NEAREST_AWAY: (13, 4),
    PointerAttribute.Unicast: (13, 5),
    PointerAttribute.Multicast: (13, 5),
}
"""Values that came after the first version of their attribute. Source: cutile-ir 0.5.0 `requirements.rs`."""
