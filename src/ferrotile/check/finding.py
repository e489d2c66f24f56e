"""One difference between the two programs, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ferrotile.check.facts import Facts, facts_of
from ferrotile.check.kernel import Node
from ferrotile.check.numbering import Numbering
from ferrotile.check.sentence import VERBS, article, describe, spell
from ferrotile.check.tokens import Atoms
from ferrotile.check.verdict import Difference
from ferrotile.core import Place

VIEW_PARTS = ("tile_shape", "dim_map", "traversal_strides", "sparse_dim")


@dataclass(frozen=True, slots=True)
class Finding:
    """A difference; `position` is where it stands in the reference, in program order."""

    position: int
    kind: Difference
    sentence: str
    reference_place: Place | None
    lowered_place: Place | None


def between(kind: Difference, first: Node, second: Node, sentence: str) -> Finding:
    """A finding at two nodes."""
    return Finding(first.position, kind, sentence, first.place, second.place)


class Words:
    """Says how two values or nodes differ."""

    def __init__(self, reference: Numbering, lowered: Numbering) -> None:
        self.reference = reference
        self.lowered = lowered

    def values(self, first: int, second: int) -> tuple[str, str]:
        """Two values in words; told apart by their lines if the words are the same."""
        words = [describe(graph, value) for graph, value in ((self.reference, first), (self.lowered, second))]
        if words[0] == words[1]:
            words = [
                word + line_of(graph.kernel.definitions[value].node)
                for word, (graph, value) in zip(words, ((self.reference, first), (self.lowered, second)), strict=True)
            ]
        return words[0], words[1]

    def operand(self, first: Node, second: Node, index: int, values: tuple[int, int]) -> Finding:
        """Another value stands in one operand."""
        mine, theirs = self.values(*values)
        name = operand_name(first, index)
        sentence = f"`{name}` of `{first.name}` is {mine} in the reference, {theirs} in the lowered program"
        return between("operand", first, second, sentence)

    def swapped(self, first: Node, second: Node, indices: tuple[int, int]) -> Finding:
        """Two operands have changed places."""
        names = [operand_name(first, index) for index in indices]
        mine = self.values(first.operands[indices[0]], second.operands[indices[0]])
        sentence = (
            f"`{names[0]}` and `{names[1]}` of `{first.name}` are swapped: "
            f"`{names[0]}` is {mine[0]} in the reference, {mine[1]} in the lowered program"
        )
        return between("operand", first, second, sentence)

    def constant(self, first: int, second: int, parent: tuple[Node, Node] | None) -> Finding:
        """Another constant; where its user stands, since front ends move constants about."""
        mine, theirs = self.values(first, second)
        verb = VERBS.get(parent[0].name) if parent is not None and parent[0].name == parent[1].name else None
        if verb is not None:
            sentence = (
                f"the reference {verb} {mine}, the lowered program by {theirs}"
                if verb.endswith(" by")
                else (f"the reference {verb} {mine}, the lowered program {theirs}")
            )
        else:
            sentence = f"the reference has the constant {mine}, the lowered program {theirs}"
        nodes = parent or tuple(
            graph.kernel.definitions[value].node for graph, value in ((self.reference, first), (self.lowered, second))
        )
        assert nodes[0] is not None and nodes[1] is not None
        return between("constant", nodes[0], nodes[1], sentence)

    def replaced(self, first: int, second: int, node: Node) -> Finding:
        """The reference computes a value that the lowered program does not."""
        other = self.lowered.kernel.definitions[second].node
        theirs = describe(self.lowered, second)
        sentence = f"the reference has {article(node.name)} here, the lowered program uses {theirs}"
        return Finding(node.position, "operation", sentence, node.place, place_of(other, self.lowered))

    def facts(self, first: Facts, second: Facts, value: int, other: int) -> Finding:
        """The same value with other assumptions."""
        position, node = self._assumption(self.reference, value)
        _, other_node = self._assumption(self.lowered, other)
        what = describe(self.reference, value)
        mine, theirs = (facts_text(facts - shared) for facts, shared in ((first, second), (second, first)))
        kind = "divisibility" if any(fact[0] != "bounded" for fact in first ^ second) else "bound"
        sentence = f"the reference assumes {mine} of {what}, the lowered program {theirs}"
        places = place_of(node, self.reference), place_of(other_node, self.lowered)
        return Finding(position, kind, sentence, *places)

    def assumptions(self, first: Node, second: Node) -> list[Finding]:
        """Two assumptions, on values that may themselves differ."""
        facts = [facts_of([node.attributes[0][1]]) for node in (first, second)]
        return [self.facts(facts[0], facts[1], first.operands[0], second.operands[0])] if facts[0] != facts[1] else []

    @staticmethod
    def _assumption(graph: Numbering, value: int) -> tuple[int, Node | None]:
        """The first live assumption on a value, and where it stands."""
        for node in graph.kernel.nodes:
            if node.name == "assume" and node.live and node.operands[0] == value:
                return node.position, node
        node = graph.kernel.definitions[value].node
        return (node.position if node is not None else 0), node


def place_of(node: Node | None, graph: Numbering) -> Place | None:
    """The place of a node; of the kernel for `None`."""
    from ferrotile import ir

    return node.place if node is not None else ir.place(graph.kernel.entry)


def line_of(node: Node | None) -> str:
    """A hint where a value was made, if that is known."""
    place = node.place if node is not None else None
    return f" (line {place.line})" if place is not None else ""


def operand_name(node: Node, index: int) -> str:
    """The name of an operand by its position."""
    for name, size in node.slots:
        if name == "token":
            continue
        if index < size:
            return name if size == 1 else f"{name}[{index}]"
        index -= size
    return f"operand {index}"


def facts_text(facts: Facts) -> str:
    """Assumptions in words."""
    words: list[str] = []
    for fact in sorted(facts, key=str):
        match fact:
            case ("div_by", divisor, None, None):
                words.append(f"divisible by {divisor}")
            case ("div_by", divisor, every, along):
                words.append(f"every {every} along {along} divisible by {divisor}")
            case ("bounded", low, high):
                words.append(f"bounded by {'?' if low is None else low} and {'?' if high is None else high}")
            case _:
                words.append(spell(fact[1:]))
    return ", ".join(words) or "nothing"


def attribute_findings(first: Node, second: Node) -> list[Finding]:
    """What differs between two nodes of one name besides operands: attributes, hints."""
    found: list[Finding] = []
    for (name, mine), (_, theirs) in zip(first.attributes, second.attributes, strict=True):
        if mine != theirs:
            sentence = (
                f"`{name}` of `{first.name}` is {spell(mine)} in the reference, {spell(theirs)} in the lowered program"
            )
            found.append(between("attribute", first, second, sentence))
    if first.hints != second.hints:
        found.append(between("hint", first, second, hint_sentence(f"`{first.name}`", first.hints, second.hints)))
    return found


def hint_sentence(what: str, mine: tuple[tuple[str, Any], ...], theirs: tuple[tuple[str, Any], ...]) -> str:
    """The first hint that differs."""
    first, second = dict(mine), dict(theirs)
    name = next(key for key in sorted({*first, *second}) if first.get(key) != second.get(key))
    mine_text, theirs_text = _hint(first, name), _hint(second, name)
    return f"hint `{name}` of {what} is {mine_text} in the reference, {theirs_text} in the lowered program"


def _hint(hints: dict[str, Any], name: str) -> str:
    return spell(hints[name]).strip("`") if name in hints else "absent"


def type_finding(
    reference: Numbering, lowered: Numbering, first: int, second: int, nodes: tuple[Node, Node]
) -> Finding:
    """Another type; for a view, the part that differs."""
    mine, theirs = reference.kernel.types[first], lowered.kernel.types[second]
    for part in VIEW_PARTS:
        one, other = getattr(mine, part, None), getattr(theirs, part, None)
        if type(mine) is type(theirs) and one != other:
            sentence = f"`{part}` of the view is {spell(one)} in the reference, {spell(other)} in the lowered program"
            return between("type", *nodes, sentence)
    if hasattr(mine, "tensor_view") and type(mine) is type(theirs):
        mine, theirs = mine.tensor_view, theirs.tensor_view
    sentence = f"`{nodes[0].name}` gives `{mine}` in the reference, `{theirs}` in the lowered program"
    return between("type", *nodes, sentence)


def padding_finding(first: Node, second: Node) -> Finding:
    """Lanes outside the array read another value."""
    mine, theirs = (spell(node.padding) for node in (first, second))
    sentence = f"`{first.name}` pads with {mine} in the reference, with {theirs} in the lowered program"
    return between("padding", first, second, sentence)


def order_finding(reference: Numbering, first: Node, second: Node, missing: Atoms) -> Finding:
    """The lowered program lets an event pass one that the reference waits for."""
    named = [node for node in reference.kernel.nodes if reference.atoms.get(node.position) in missing]
    if named:
        sentence = f"the reference keeps `{first.name}` after the `{named[0].name}`{line_of(named[0])}"
    else:
        sentence = f"the reference orders `{first.name}` after earlier memory operations"
    return between("order", first, second, f"{sentence}, the lowered program does not")
