"""How the body of a fold takes its words apart.

What is put together outside is taken apart to that depth and no deeper: an exclusive or, a widening or a bit cast that
the body has no need to turn back was written for another purpose, and is part of the operand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ferrotile.check.facts import constant_integer
from ferrotile.check.kernel import Node

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


@dataclass(frozen=True, slots=True)
class Seams:
    """How the body of a fold takes words apart: at which bits, into which elements there, and masked with what."""

    cuts: frozenset[int]
    masks: frozenset[int]
    elements: frozenset[tuple[int, str]]


def seams_of(graph: Numbering, fold: Node) -> Seams:
    """The bits that the body shifts and narrows to, with the width of its words; and what it masks them with."""
    kernel, found = graph.kernel, {0}
    for node in fold.blocks[0].nodes:
        amounts = (maker(graph, value) for value in node.operands[1:] if node.name in ("shri", "shli"))
        found.update(
            constant_integer(kernel, one) or 0 for one in amounts if one is not None and one.name == "constant"
        )
        if node.name == "trunci":
            width = kernel.types[node.results[0]].element.bits
            found.update(width + shift for shift in tuple(found))
    kind = kernel.types[fold.operands[0]]
    cuts = frozenset(found | {getattr(getattr(kind, "element", None), "bits", 0)})
    masks = (literal(graph, node.operands[1]) for node in fold.blocks[0].nodes if node.name == "xori")
    casts = [node for node in fold.blocks[0].nodes if node.name == "bitcast"]
    elements = {(_lowest_bit(graph, node.operands[0]), kernel.types[node.results[0]].element.name) for node in casts}
    return Seams(cuts, frozenset(mask for mask in masks if mask is not None), frozenset(elements))


def _lowest_bit(graph: Numbering, value: int) -> int:
    """At which bit of the body's word a part of it begins."""
    node = maker(graph, value)
    if node is None or node.name not in ("shri", "trunci", "xori", "bitcast"):
        return 0
    amount = literal(graph, node.operands[1]) if node.name == "shri" else 0
    return (amount or 0) + _lowest_bit(graph, node.operands[0])


def literal(graph: Numbering, value: int) -> int | None:
    """The bits of a constant scalar, whatever type they are given."""
    node = maker(graph, value)
    if node is None or node.name not in ("constant", "bitcast"):
        return None
    return literal(graph, node.operands[0]) if node.operands else int.from_bytes(node.attributes[0][1], "little")


def maker(graph: Numbering, value: int) -> Node | None:
    """The node that a value is a result of."""
    definition = graph.kernel.definitions[value]
    return None if definition.is_argument else definition.node
