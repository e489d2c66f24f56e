"""Equal programs but for memory order and load padding: does the lowered side only add?

Sound for REFINES: the events and values of both sides correspond one to one. More order allows fewer behaviours, and
a padding where the reference has none gives a value to lanes that were undefined.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ferrotile.check.finding import Finding, order_finding, padding_finding
from ferrotile.check.kernel import Block, Kind, Node
from ferrotile.check.numbering import Numbering
from ferrotile.check.tokens import NOTHING, Atoms

Pair = tuple[Node, Node]


@dataclass(frozen=True, slots=True)
class Refinement:
    """What the lowered side adds."""

    kinds: tuple[str, ...]
    added: tuple[str, ...]


def refine(reference: Numbering, lowered: Numbering) -> Refinement | Finding:
    """Compare order and padding of corresponding events; the first that the lowered side weakens is the finding."""
    added: list[str] = []
    kinds: dict[str, None] = {}
    worst: list[Finding] = []
    for first, second in pairs(reference, lowered, reference.kernel.body, lowered.kernel.body):
        if first.padding != second.padding:
            if first.padding is None:
                kinds["fills lanes outside arrays"] = None
                added.append(f"padding `{name_of(second.padding)}` of the `{first.name}` at {first.place}")
            else:
                worst.append(padding_finding(first, second))
        missing = missing_order(reference, lowered, first, second)
        if missing:
            worst.append(order_finding(reference, first, second, missing))
        elif missing_order(lowered, reference, second, first):
            kinds["orders more memory operations"] = None
            added.append(f"order before the `{first.name}` at {first.place}")
    if worst:
        return min(worst, key=lambda finding: finding.position)
    return Refinement(tuple(kinds), tuple(added))


def pairs(reference: Numbering, lowered: Numbering, first: Block, second: Block) -> Iterator[Pair]:
    """Corresponding events, branches and loops, in the order of the reference."""
    partner = {lowered.atoms[node.position]: node for node in effects(lowered, second)}
    for node in effects(reference, first):
        other = partner.get(reference.atoms[node.position])
        if other is None:
            continue
        yield node, other
        for block, other_block in zip(node.blocks, other.blocks, strict=True):
            yield from pairs(reference, lowered, block, other_block)


def effects(graph: Numbering, block: Block) -> Iterator[Node]:
    """The nodes of a block that have an effect."""
    return (node for node in block.nodes if node.position in graph.atoms)


def exits_before(block: Block) -> dict[int, int]:
    """For each node of a block, how many nodes through which control may leave come before it."""
    count = 0
    found: dict[int, int] = {}
    for node in block.nodes:
        found[node.position] = count
        count += node.exits
    return found


def missing_order(
    strong: Numbering, weak: Numbering, first: Node, second: Node, partners: dict[int, int] | None = None
) -> Atoms:
    """What `first` comes after in its graph, and `second` does not come after in its own.

    `partners` gives, for effects of the first graph, those of the second that stand for them.
    """
    if first.kind is Kind.EVENT:
        return _missing(weak, weak.before[second.position], strong.before[first.position], partners)
    others = weak.carried_tokens.get(second.position, {})
    for leaf, given in strong.carried_tokens.get(first.position, {}).items():
        for atoms, other_atoms in zip(given, others.get(leaf, ()), strict=False):
            missing = _missing(weak, other_atoms, atoms, partners)
            if missing:
                return missing
    return NOTHING


def _missing(weak: Numbering, larger: Atoms, smaller: Atoms, partners: dict[int, int] | None) -> Atoms:
    if not partners:
        return weak.order.missing(larger, smaller)
    return frozenset(atom for atom in smaller if weak.order.missing(larger, frozenset((partners.get(atom, atom),))))


def name_of(padding: object) -> str:
    """A padding value in words."""
    return getattr(padding, "name", "none").lower()
