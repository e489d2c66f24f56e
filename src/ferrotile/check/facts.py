"""What `assume` says about values: a set of facts in one normal form, and which facts hold anyway.

Law `facts-are-a-set`: order, repetition and place of assumptions on one value do not matter, their strongest
common form does. Law `facts-of-parameters`: an assumption at the top level of the kernel on an entry parameter
holds for every use of it, since the kernel's start passes it. Law `implied-bounds`: a bound that follows from what
the value is (block ids, grid sizes, fixed extents, loop indices, constants) says nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import gcd
from typing import Any

from ferrotile.check.kernel import Kernel, Kind, Node
from ferrotile.ir import Bounded, DivBy, SameElements
from ferrotile.ir.enums import Signedness
from ferrotile.ir.types import PartitionViewType, ScalarType, TensorViewType, TileType

Fact = tuple[Any, ...]
Facts = frozenset[Fact]
Interval = tuple[int | None, int | None]
UNKNOWN: Interval = (None, None)
MAX_STEPS = 8
"""How far back a bound is looked for."""


def facts_of(predicates: Iterable[object]) -> Facts:
    """The normal form of some assumptions on one value.

    Example:
        >>> sorted(facts_of([DivBy(16), Bounded(0, None), DivBy(4)]), key=str)
        [('bounded', 0, None), ('div_by', 16, None, None)]
    """
    divisors: dict[tuple[int | None, int | None], int] = {}
    found: set[Fact] = set()
    low: int | None = None
    high: int | None = None
    for predicate in predicates:
        match predicate:
            case DivBy(divisor, every, along):
                known = divisors.get((every, along), 1)
                divisors[every, along] = known * divisor // (gcd(known, divisor) or 1)
            case Bounded(lb, ub):
                low, high = tighter((low, high), (lb, ub))
            case SameElements(values):
                found.add(("same_elements", values))
            case _:
                found.add(("other", predicate))
    found.update(("div_by", d, *where) for where, d in divisors.items() if d != 1)
    if (low, high) != UNKNOWN:
        found.add(("bounded", low, high))
    return frozenset(found)


def merge(first: Facts, second: Facts) -> Facts:
    """The facts of both sets."""
    return facts_of([*map(_predicate, first), *map(_predicate, second)])


def _predicate(fact: Fact) -> object:
    match fact:
        case ("div_by", divisor, every, along):
            return DivBy(divisor, every, along)
        case ("bounded", low, high):
            return Bounded(low, high)
        case ("same_elements", values):
            return SameElements(values)
        case _:
            return fact[1]


def tighter(first: Interval, second: Interval) -> Interval:
    """The values that lie in both intervals."""
    lows = [low for low, _ in (first, second) if low is not None]
    highs = [high for _, high in (first, second) if high is not None]
    return (max(lows) if lows else None, min(highs) if highs else None)


def parameter_facts(kernel: Kernel, roles: tuple[Hashable, ...]) -> dict[Hashable, Facts]:
    """The facts of each role, from the live assumptions at the top level of the kernel."""
    owner: dict[int, Hashable] = dict(zip(kernel.body.arguments, roles, strict=True))
    found: dict[Hashable, list[object]] = {}
    for node in kernel.body.nodes:
        if node.exits:
            break
        if node.kind is Kind.ASSUME and node.live and node.operands[0] in owner:
            role = owner[node.results[0]] = owner[node.operands[0]]
            found.setdefault(role, []).append(dict(node.attributes)["predicate"])
    if found:
        kernel.laws.update(("facts-are-a-set", "facts-of-parameters"))
    return {role: facts_of(predicates) for role, predicates in found.items()}


def without_implied(facts: Facts, interval: Interval) -> Facts:
    """The facts without a bound that the interval of the value implies."""
    bound = next((fact for fact in facts if fact[0] == "bounded"), None)
    if bound is None:
        return facts
    low, high = bound[1:]
    if low is not None and interval[0] is not None and interval[0] >= low:
        low = None
    if high is not None and interval[1] is not None and interval[1] <= high:
        high = None
    rest = facts - {bound}
    return rest if (low, high) == UNKNOWN else rest | {("bounded", low, high)}


def interval_of(kernel: Kernel, value: int, steps: int = MAX_STEPS) -> Interval:
    """Bounds of an integer scalar that follow from its definition alone (assumptions are not used)."""
    found = kernel.definitions[value]
    node = found.node
    if node is None or steps == 0:
        return UNKNOWN
    if found.is_argument:
        return _index_interval(kernel, node, found.index, steps)
    match node.name:
        case "constant":
            number = constant_integer(kernel, node)
            return (number, number)
        case "get_tile_block_id":
            return (0, None)
        case "get_num_tile_blocks":
            return (1, None)
        case "assume":
            return interval_of(kernel, node.operands[0], steps - 1)
        case "maxi" | "mini":
            return _extreme_interval(kernel, node, steps)
        case "get_tensor_shape" | "get_index_space_shape":
            extent = fixed_extent(kernel.types[node.operands[0]], found.index)
            return UNKNOWN if extent is None or extent > _most(kernel.types[value]) else (extent, extent)
        case _:
            return UNKNOWN


def _index_interval(kernel: Kernel, node: Node, index: int, steps: int) -> Interval:
    if node.name != "for" or index != 0 or dict(node.attributes).get("unsignedCmp"):
        return UNKNOWN
    (low, start), (_, end), (step, last_step) = (interval_of(kernel, v, steps - 1) for v in node.operands[:3])
    if end is None:
        return (low, None)
    if low is not None and low == start and step is not None and step == last_step and step > 0 and low < end:
        return (low, low + (end - 1 - low) // step * step)
    return (low, end - 1)


def _extreme_interval(kernel: Kernel, node: Node, steps: int) -> Interval:
    if dict(node.attributes).get("signedness") is not Signedness.Signed:
        return UNKNOWN
    (low_a, high_a), (low_b, high_b) = (interval_of(kernel, v, steps - 1) for v in node.operands)
    lows, highs = (low_a, low_b), (high_a, high_b)
    if node.name == "maxi":
        low = max((v for v in lows if v is not None), default=None)
        return (low, None if None in highs else max(v for v in highs if v is not None))
    high = min((v for v in highs if v is not None), default=None)
    return (None if None in lows else min(v for v in lows if v is not None), high)


def _most(kind: object) -> int:
    """The largest number of a signed integer type; -1 for what is none."""
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType) or not kind.element.is_integer:
        return -1
    return 2 ** (kind.element.bits - 1) - 1


def fixed_extent(kind: object, axis: int) -> int | None:
    """The extent of an array along an axis in elements, or of a partition of it in tiles, if the type fixes it."""
    match kind:
        case TensorViewType():
            return kind.shape[axis]
        case PartitionViewType():
            extent = kind.tensor_view.shape[kind.dim_map[axis]]
            return None if extent is None else -(-extent // kind.tile_shape[axis])
        case _:
            return None


def constant_integer(kernel: Kernel, node: Node) -> int | None:
    """The value of an integer constant all of whose elements are given by one; else `None`."""
    kind = kernel.types[node.results[0]]
    data: bytes = dict(node.attributes)["value"]
    if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType) or not kind.element.is_integer:
        return None
    if len(data) != max(1, kind.element.bits // 8):
        return None
    return int.from_bytes(data, "little", signed=kind.element.bits > 1)
