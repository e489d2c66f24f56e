"""Normal forms of integer operations: widening moves inside reshapes and broadcasts, constants are computed.

Laws `widening-moves` (an element is widened by itself, wherever it stands in a tile) and `integer-constants` (what
constants give, if anything is defined); `one-round`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ferrotile.check.facts import interval_of
from ferrotile.check.kernel import Node
from ferrotile.ir.enums import ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.types import INTEGERS, ScalarType, TileType

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering

Attributes = dict[str, Any]
"""The attributes of an operation, by their names."""

COMPARISONS: dict[ComparisonPredicate, Callable[[int, int], bool]] = {
    ComparisonPredicate.EQUAL: int.__eq__,
    ComparisonPredicate.NOT_EQUAL: int.__ne__,
    ComparisonPredicate.LESS_THAN: int.__lt__,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: int.__le__,
    ComparisonPredicate.GREATER_THAN: int.__gt__,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: int.__ge__,
}


def widening(graph: Numbering, node: Node) -> int | None:
    """`exti`: under the reshapes and broadcasts of its operand, and computed where that is a constant."""
    kind = graph.kernel.types[node.results[0]]
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType):
        return None
    signed = dict(node.attributes)["signedness"] is Signedness.Signed
    source = graph.ids[node.operands[0]]
    number = _widen(graph, source, kind.element, kind.shape, signed)
    narrow = graph.kernel.types[node.operands[0]]
    if isinstance(narrow, TileType) and isinstance(narrow.element, ScalarType):
        graph.widened[number, narrow.element.name] = (source, signed)
    return number


def _widen(graph: Numbering, number: int, element: ScalarType, shape: tuple[int, ...] | None, signed: bool) -> int:
    key = graph.interner.keys[number]
    match key:
        case ("splat", origin, own_shape, _):
            graph.laws.add("widening-moves")
            inner = _widen(graph, origin, element, None, signed)
            return inner if own_shape == shape else graph.intern(("splat", inner, own_shape, shape))
        case ("reshape", origin, origin_type, type_):
            graph.laws.add("widening-moves")
            inner = _widen(graph, origin, element, None, signed)
            return graph.intern(("reshape", inner, _as(graph, origin_type, element), _as(graph, type_, element)))
        case ("broadcast", origin, type_):
            graph.laws.add("widening-moves")
            inner = _widen(graph, origin, element, None, signed)
            return graph.intern(("broadcast", inner, _as(graph, type_, element)))
        case ("constant", source, data):
            graph.laws.add("integer-constants")
            value = _number(source, data, signed)
            return graph.intern(
                ("constant", str(element), value.to_bytes(_bytes(element.name), "little", signed=signed))
            )
        case _:
            return graph.intern(("exti", signed, str(element), number))


def only_value(graph: Numbering, index: int) -> int | None:
    """The number of a loop index that takes one value: the loop's constant bounds allow one round."""
    low, high = interval_of(graph.kernel, index)
    kind = graph.kernel.types[index]
    if low is None or low != high or not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType):
        return None
    graph.laws.add("one-round")
    return _splat(graph, kind, low)


def fixed_extents(graph: Numbering, node: Node) -> int | None:
    """`get_tensor_shape`, `get_index_space_shape`: each result by the number that the type fixes, if it fixes one."""
    graph.give(node, graph.intern((node.signature, *graph.numbers(node.operands))))
    for value in node.results:
        low, high = interval_of(graph.kernel, value)
        kind = graph.kernel.types[value]
        if low is not None and low == high and isinstance(kind, TileType):
            graph.laws.add("fixed-extents")
            graph.ids[value] = _splat(graph, kind, low)
    return graph.ids[node.results[0]] if node.results else None


def _quotient(lhs: int, rhs: int, attributes: Attributes) -> int | None:
    """Rounded as the operation says; nothing for a zero divisor. The one quotient beyond its type is not defined."""
    if rhs == 0:
        return None
    match attributes["rounding"]:
        case RoundingMode.NEGATIVE_INF:
            return lhs // rhs
        case RoundingMode.POSITIVE_INF:
            return -(-lhs // rhs)
        case _:
            return abs(lhs) // abs(rhs) * (1 if (lhs < 0) == (rhs < 0) else -1)


def _remainder(lhs: int, rhs: int, attributes: Attributes) -> int | None:
    """With the sign of the dividend; nothing for a zero divisor."""
    return None if rhs == 0 else abs(lhs) % abs(rhs) * (-1 if lhs < 0 else 1)


ARITHMETIC: dict[str, Callable[[int, int, Attributes], int | None]] = {
    "addi": lambda lhs, rhs, _: lhs + rhs,
    "subi": lambda lhs, rhs, _: lhs - rhs,
    "muli": lambda lhs, rhs, _: lhs * rhs,
    "maxi": lambda lhs, rhs, _: max(lhs, rhs),
    "mini": lambda lhs, rhs, _: min(lhs, rhs),
    "andi": lambda lhs, rhs, _: lhs & rhs,
    "ori": lambda lhs, rhs, _: lhs | rhs,
    "xori": lambda lhs, rhs, _: lhs ^ rhs,
    "divi": _quotient,
    "remi": _remainder,
}


def arithmetic(graph: Numbering, node: Node) -> int | None:
    """An operation of `ARITHMETIC` on two constants, wrapped around; where nothing is defined it is kept."""
    sides, attributes = _constants(graph, node), dict(node.attributes)
    kind = graph.kernel.types[node.results[0]]
    if sides is None or attributes.get("overflow", IntegerOverflow.NONE) is not IntegerOverflow.NONE:
        return None
    assert isinstance(kind, TileType) and isinstance(kind.element, ScalarType)
    signed = attributes.get("signedness") is not Signedness.Unsigned
    lhs, rhs = (_number(element, data, signed) for element, data in sides)
    value = ARITHMETIC[node.name](lhs, rhs, attributes)
    bits = kind.element.bits
    if value is None or (node.name == "divi" and signed and value >> (bits - 1) == 1):
        return None
    graph.laws.add("integer-constants")
    return _splat(graph, kind, value)


def _constants(graph: Numbering, node: Node) -> list[tuple[str, bytes]] | None:
    """Element and bytes of both operands, if both are one constant element repeated."""
    keys = [graph.interner.keys[graph.ids[value]] for value in node.operands]
    if any(key[0] != "splat" for key in keys):
        return None
    origins = [graph.interner.keys[key[1]] for key in keys]
    if any(origin[0] != "constant" for origin in origins):
        return None
    return [(origin[1], origin[2]) for origin in origins]


def _splat(graph: Numbering, kind: TileType, value: int) -> int:
    """The number of an integer constant of this type."""
    assert isinstance(kind.element, ScalarType)
    size, bits = _bytes(kind.element.name), kind.element.bits
    data = (value & ((1 << bits) - 1)).to_bytes(size, "little")
    return graph.intern(("splat", graph.intern(("constant", str(kind.element), data)), None, kind.shape))


def comparison(graph: Numbering, node: Node) -> int | None:
    """`cmpi` of two constants."""
    sides = _constants(graph, node)
    kind = graph.kernel.types[node.results[0]]
    if sides is None or not isinstance(kind, TileType):
        return None
    attributes = dict(node.attributes)
    signed = attributes["signedness"] is Signedness.Signed
    lhs, rhs = (_number(element, data, signed) for element, data in sides)
    graph.laws.add("integer-constants")
    return _splat(graph, kind, int(COMPARISONS[attributes["comparison_predicate"]](lhs, rhs)))


def positive(graph: Numbering, condition: int) -> tuple[int, bool]:
    """A condition without the `xori` with true around it, and whether there was an odd number of them."""
    is_negated = False
    true = graph.intern(("splat", graph.intern(("constant", "i1", b"\x01")), None, ()))
    while True:
        key = graph.interner.keys[condition]
        if len(key) != 3 or not isinstance(key[0], int) or graph.kernel.symbols.keys[key[0]][0] != "xori":
            return condition, is_negated
        if true not in key[1:]:
            return condition, is_negated
        condition = key[1] if key[2] == true else key[2]
        is_negated = not is_negated
        graph.laws.add("negated-branch")


def _number(element: str, data: bytes, signed: bool) -> int:
    bits = INTEGERS[element]
    value = int.from_bytes(data, "little") & ((1 << bits) - 1)
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _bytes(element: str) -> int:
    return max(1, INTEGERS[element] // 8)


def _as(graph: Numbering, type_: int, element: ScalarType) -> int:
    """The number of a tile type with another element."""
    symbols = graph.kernel.symbols
    kind = symbols.keys[type_]
    assert isinstance(kind, TileType)
    return symbols.intern(TileType(element, kind.shape))
