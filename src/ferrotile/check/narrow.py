"""Normal form of a reduction or scan of widened integers that is narrowed again: that of the integers themselves.

Law `narrow-fold`. Sums and products wrap around alike in any width; the largest and smallest of widened integers are
the widened largest and smallest, where widening and comparison have the same sign.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ferrotile.check.kernel import Node
from ferrotile.ir import IntAttr
from ferrotile.ir.enums import IntegerOverflow, Signedness
from ferrotile.ir.types import ScalarType, TileType

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


def narrowed(graph: Numbering, node: Node) -> int | None:
    """The number of a `trunci` of such a fold."""
    key = graph.interner.keys[graph.ids[node.operands[0]]]
    if key[0] != "fold" or len(key[2]) != 1 or not _wraps(node.attributes):
        return None
    kind, wide = graph.kernel.types[node.results[0]], graph.kernel.types[node.operands[0]].element
    element = kind.element
    source, signed = graph.widened.get((key[2][0], element.name), (None, False))
    if source is None:
        return None
    how = _way(graph, key[3][0], signed)
    name, given, *_ = graph.kernel.symbols.keys[key[1]]
    if how is None or dict(given)["identities"] != (IntAttr(wide, _start(how, wide, signed)),):
        return None
    graph.laws.add("narrow-fold")
    start = (IntAttr(element, _start(how, element, signed)),)
    attributes = tuple((word, start if word == "identities" else value) for word, value in given)
    signature = _signature(graph, name, attributes, TileType(element, kind.shape), 1)
    yielded = _combined(graph, key[3][0], element)
    return graph.intern(("fold", signature, (source,), (yielded,), key[4]))


def _wraps(attributes: tuple[tuple[str, Any], ...]) -> bool:
    return dict(attributes).get("overflow", IntegerOverflow.NONE) is IntegerOverflow.NONE


def _way(graph: Numbering, yielded: int, signed: bool) -> str | None:
    """The one operation that combines the two arguments of the body, if it does the same in any width."""
    key = graph.interner.keys[yielded]
    if len(key) != 3 or not isinstance(key[0], int):
        return None
    sides = [graph.interner.keys[number] for number in key[1:]]
    name, attributes, *_ = graph.kernel.symbols.keys[key[0]]
    if [(side[0], side[2]) for side in sides] != [("body", 0), ("body", 1)]:
        return None
    if name in ("addi", "muli"):
        return name if _wraps(attributes) else None
    is_alike = (dict(attributes).get("signedness") is Signedness.Signed) is signed
    return name if name in ("maxi", "mini") and is_alike else None


def _start(how: str, element: ScalarType, signed: bool) -> int:
    """The number that changes nothing, as `identities` spells it."""
    top = 1 << element.bits - 1
    match how:
        case "addi":
            return 0
        case "muli":
            return 1
        case "maxi":
            return -top if signed else 0
        case _:
            return top - 1 if signed else -1


def _combined(graph: Numbering, yielded: int, element: ScalarType) -> int:
    """What the body of the narrow fold yields."""
    signature, *sides = graph.interner.keys[yielded]
    name, attributes, *_ = graph.kernel.symbols.keys[signature]
    type_ = graph.kernel.symbols.intern(TileType(element, ()))
    arguments = [graph.intern((*graph.interner.keys[side][:3], type_)) for side in sides]
    narrow = _signature(graph, name, attributes, TileType(element, ()), 1, 1)
    return graph.intern((narrow, *arguments))


def _signature(
    graph: Numbering, name: str, attributes: tuple[tuple[str, Any], ...], kind: TileType, *slots: int
) -> int:
    symbols = graph.kernel.symbols
    return symbols.intern((name, attributes, (), (symbols.intern(kind),), slots))
