"""Normal forms of single operations: the exact laws on reshapes, broadcasts, constants and assumptions.

Laws `constant-bits`, `reshape-chain` (a reshape of a reshape is one; to the same shape it is nothing), `splat`
(however a single element comes to fill a tile, the tile is that element, repeated), `broadcast-chain`, `same-type` (a
bit cast to the same type and a permutation that moves nothing are nothing), `implied-bounds`.
Each function gives the number of the one result, or `None` where no law applies.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import TYPE_CHECKING

from ferrotile.check import fold, narrow, words
from ferrotile.check.facts import facts_of, interval_of, merge, without_implied
from ferrotile.check.kernel import Node
from ferrotile.check.permutations import permuted
from ferrotile.check.tokens import NOTHING
from ferrotile.ir.types import ScalarType, TileType

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


def _shape(graph: Numbering, value: int) -> tuple[int, ...] | None:
    kind = graph.kernel.types[value]
    return kind.shape if isinstance(kind, TileType) else None


def _constant(graph: Numbering, node: Node) -> int | None:
    kind = graph.kernel.types[node.results[0]]
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType):
        return None
    data = splat_bytes(kind, node.attributes[0][1])
    if data is None:
        return None
    return graph.intern(("splat", graph.intern(("constant", str(kind.element), data)), None, kind.shape))


def splat_bytes(kind: TileType, data: bytes) -> bytes | None:
    """The bytes of one element of a constant, if all its elements are alike and byte-sized, or it is a bool."""
    assert isinstance(kind.element, ScalarType)
    count, bits = prod(kind.shape), kind.element.constant_bits
    if bits == 1 and (count == 1 or data in (b"\x00", b"\xff")):
        return bytes([data[0] & 1])
    size = max(1, bits // 8)
    if len(data) == size and (bits >= 8 or count == 1):
        return data
    return data[:size] if bits >= 8 and len(data) == size * count and data == data[:size] * count else None


def _same_type(graph: Numbering, node: Node) -> int | None:
    source = node.operands[0]
    if graph.kernel.type_ids[source] != graph.kernel.type_ids[node.results[0]]:
        return None
    graph.laws.add("same-type")
    return graph.ids[source]


def _bitcast(graph: Numbering, node: Node) -> int | None:
    number = words.part(graph, node) or _same_type(graph, node)
    kind = graph.kernel.types[node.results[0]]
    key = graph.interner.keys[graph.ids[node.operands[0]]]
    if number is not None or key[0] != "splat" or not isinstance(kind, TileType):
        return number
    origin = graph.interner.keys[key[1]]
    if origin[0] != "constant" or not isinstance(kind.element, ScalarType) or kind.element.bits != 8 * len(origin[2]):
        return None
    graph.laws.add("constant-bits")
    return graph.intern(("splat", graph.intern(("constant", str(kind.element), origin[2])), None, kind.shape))


def _permute(graph: Numbering, node: Node) -> int:
    order = tuple(node.attributes[0][1])
    if order == tuple(range(len(order))):
        graph.laws.add("same-type")
    return permuted(graph, graph.ids[node.operands[0]], order, graph.kernel.type_ids[node.results[0]])


def _splat(graph: Numbering, source: int, shape: tuple[int, ...]) -> int | None:
    """The number of a single element, or of a tile of equal elements, brought to another shape."""
    key = graph.interner.keys[graph.ids[source]]
    if key[0] == "splat":
        origin, own_shape = key[1], key[2]
    else:
        own = _shape(graph, source)
        if own is None or any(extent != 1 for extent in own):
            return None
        origin, own_shape = graph.ids[source], own
    graph.laws.add("splat")
    return origin if own_shape == shape else graph.intern(("splat", origin, own_shape, shape))


def _reshape(graph: Numbering, node: Node) -> int | None:
    source, result = node.operands[0], node.results[0]
    shape = _shape(graph, result)
    if shape is None:
        return None
    number = _splat(graph, source, shape)
    if number is not None:
        return number
    origin, origin_type = graph.ids[source], graph.kernel.type_ids[source]
    key = graph.interner.keys[origin]
    if key[0] == "reshape":
        graph.laws.add("reshape-chain")
        origin, origin_type = key[1], key[2]
    kind = graph.kernel.type_ids[result]
    return origin if origin_type == kind else graph.intern(("reshape", origin, origin_type, kind))


def _broadcast(graph: Numbering, node: Node) -> int | None:
    source, result = node.operands[0], node.results[0]
    shape = _shape(graph, result)
    if shape is None:
        return None
    number = _splat(graph, source, shape)
    if number is not None:
        return number
    origin = graph.ids[source]
    if graph.kernel.type_ids[source] == graph.kernel.type_ids[result]:
        return origin
    key = graph.interner.keys[origin]
    if key[0] == "broadcast":
        graph.laws.add("broadcast-chain")
        origin = key[1]
    return graph.intern(("broadcast", origin, graph.kernel.type_ids[result]))


def _assume(graph: Numbering, node: Node) -> int | None:
    source = node.operands[0]
    number = graph.ids[source]
    key = graph.interner.keys[number]
    facts = facts_of([node.attributes[0][1]])
    if key[0] == "parameter" and (node.parent is None or merge(key[3], facts) == key[3]):
        return number
    base = number
    if key[0] == "facts":
        graph.laws.add("facts-are-a-set")
        base, facts = key[1], merge(key[2], facts)
    rest = without_implied(facts, interval_of(graph.kernel, source))
    if rest != facts:
        graph.laws.add("implied-bounds")
    return base if not rest else graph.intern(("facts", base, rest))


def _make_token(graph: Numbering, node: Node) -> int | None:
    return graph.order.number(NOTHING)


def _join_tokens(graph: Numbering, node: Node) -> int | None:
    graph.laws.add("token-sets")
    return graph.order.number(NOTHING.union(*(graph.order.atoms(graph.ids[v]) for v in node.operands)))


SPECIAL: dict[str, Callable[[Numbering, Node], int | None]] = {
    "constant": _constant,
    "bitcast": _bitcast,
    "ptr_to_ptr": _same_type,
    "permute": _permute,
    "reshape": _reshape,
    "broadcast": _broadcast,
    "assume": _assume,
    "make_token": _make_token,
    "join_tokens": _join_tokens,
    "trunci": lambda graph, node: words.part(graph, node) or narrow.narrowed(graph, node),
    "shri": words.part,
    "xori": lambda graph, node: words.part(graph, node) or fold.arithmetic(graph, node),
    "reduce": words.fold,
    "scan": words.fold,
    "exti": fold.widening,
    "cmpi": fold.comparison,
    **{name: fold.arithmetic for name in fold.ARITHMETIC if name != "xori"},
    "get_tensor_shape": fold.fixed_extents,
    "get_index_space_shape": fold.fixed_extents,
}
"""What numbers the result of an operation that a law knows."""
