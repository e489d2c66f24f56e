"""The first place, in the program order of the reference, where two programs differ.

Both graphs are walked in parallel from the effects down; a pair of values with equal numbers is not entered. What is
reported is the deepest pair that differs itself, not the store that shows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ferrotile.check import finding
from ferrotile.check.align import aligned
from ferrotile.check.finding import Finding, Words, between
from ferrotile.check.kernel import Block, Kind, Node
from ferrotile.check.numbering import Numbering
from ferrotile.check.origin import WRAPPINGS, carried_argument, is_other_part, peel, unassumed, unwrapped
from ferrotile.check.refine import effects, exits_before, missing_order
from ferrotile.check.sentence import article, constant_of

MAX_PAIRS = 50_000
"""How many pairs of values are looked at for the first place; the verdict does not depend on it."""

Parent = tuple[Node, Node] | None


def first_difference(reference: Numbering, lowered: Numbering) -> Finding:
    """The first finding of a parallel walk."""
    return _Search(reference, lowered).first()


class _Search:
    def __init__(self, reference: Numbering, lowered: Numbering) -> None:
        self.reference = reference
        self.lowered = lowered
        self.words = Words(reference, lowered)
        self.times = tuple(Counter(graph.ids[v] for v in graph.kernel.live_values) for graph in (reference, lowered))
        self.found: list[Finding] = []
        self.doubtful: list[Finding] = []
        self.partners: dict[int, int] = {}
        self.paired: list[tuple[Node, Node]] = []
        self.work: list[tuple[int, int, Parent, int]] = []
        self.entered: set[tuple[int, int]] = set()
        self._unchanged: dict[int, int] = {}
        self.seen_nodes: set[tuple[int, int]] = set()

    def first(self) -> Finding:
        mine, theirs = self.reference.kernel, self.lowered.kernel
        if mine.hints != theirs.hints:
            from ferrotile import ir

            sentence = finding.hint_sentence("the kernel", mine.hints, theirs.hints)
            self.found.append(Finding(-1, "hint", sentence, ir.place(mine.entry), ir.place(theirs.entry)))
        self._blocks(mine.body, theirs.body, None)
        while self.work and len(self.entered) < MAX_PAIRS:
            self._values(*self.work.pop())
        for pair in self.paired:
            self._order(*pair)
        if not self.found and not self.doubtful:
            self._last_resort()
        return min(self.found or self.doubtful, key=lambda item: item.position)

    def _last_resort(self) -> None:
        """Nothing was found by the walk: the first value of the reference that the lowered program lacks."""
        for node in self.reference.kernel.nodes:
            if any(
                v in self.reference.kernel.live_values and self.reference.ids[v] not in self.times[1]
                for v in node.results
            ):
                sentence = f"the lowered program has no `{node.name}` with the same operands"
                self.found.append(Finding(node.position, "operation", sentence, node.place, None))
                return
        self.found.append(Finding(0, "operation", "the lowered program does more than the reference", None, None))

    # Effects

    def _blocks(self, first: Block, second: Block, owners: Parent) -> None:
        exits = [exits_before(first), exits_before(second)]
        for mine, theirs in self._aligned(first, second):
            if mine is not None and theirs is not None:
                self._nodes(mine, theirs)
                if exits[0][mine.position] != exits[1][theirs.position]:
                    sentence = f"the lowered program moves `{mine.name}` past an exit of the block that it stands in"
                    self.found.append(between("order", mine, theirs, sentence))
            elif mine is not None:
                mine = self._first_effect(mine)
                sentence = f"the reference has {article(mine.name)} here, the lowered program has none"
                place = owners[1].place if owners else None
                self.found.append(Finding(mine.position, "operation", sentence, mine.place, place))
            elif theirs is not None:
                self._extra(first, theirs, owners)
        ends = [block.end.name if block.end is not None else "yield" for block in (first, second)]
        if ends[0] != ends[1] and owners is not None:
            sentence = f"a block ends with `{ends[0]}` in the reference, with `{ends[1]}` in the lowered program"
            self.found.append(between("operation", *owners, sentence))

    def _first_effect(self, node: Node) -> Node:
        """The first effect that a branch is there for."""
        while node.name == "if":
            inner = next((found for block in node.blocks for found in effects(self.reference, block)), None)
            if inner is None:
                return node
            node = inner
        return node

    def _extra(self, first: Block, node: Node, owners: Parent) -> None:
        """An effect of the lowered program alone: it is placed before the reference's end of that block."""
        position = first.nodes[-1].position if first.nodes else (owners[0].position if owners else 0)
        place = owners[0].place if owners else None
        sentence = f"the lowered program has {article(node.name)} that the reference does not have"
        self.found.append(Finding(position, "operation", sentence, place, node.place))

    def _aligned(self, first: Block, second: Block) -> Iterator[tuple[Node | None, Node | None]]:
        """Effects of two blocks, paired: equal ones first, the others in order and by name."""
        partner = {self.lowered.atoms[node.position]: node for node in effects(self.lowered, second)}
        left: list[Node] = []
        for node in effects(self.reference, first):
            other = partner.pop(self.reference.atoms[node.position], None)
            if other is None:
                left.append(node)
            else:
                yield node, other
        yield from aligned(self.reference, self.lowered, left, list(partner.values()))

    def _nodes(self, first: Node, second: Node) -> None:
        """Two nodes that stand for one another."""
        if (first.position, second.position) in self.seen_nodes:
            return
        self.seen_nodes.add((first.position, second.position))
        if first.name != second.name:
            sentence = f"the reference has {article(first.name)} here, the lowered program {article(second.name)}"
            self.found.append(between("operation", first, second, sentence))
            return
        if first.name == "assume":
            self.found.extend(self.words.assumptions(first, second))
        else:
            self.found.extend(finding.attribute_findings(first, second))
        if first.padding is not None and first.padding != second.padding:
            self.found.append(finding.padding_finding(first, second))
        self._pair(first, second)
        self._operands(first, second)
        if first.kind is Kind.BODY:
            self._bodies(first, second)
        elif first.kind is Kind.CONTROL:
            if first.name != "if":
                self._carried(first, second)
            for block, other in zip(first.blocks, second.blocks, strict=True):
                self._blocks(block, other, (first, second))

    def _pair(self, first: Node, second: Node) -> None:
        """Take two effects as one another's partner, for the comparison of order at the end."""
        mine, theirs = (g.atoms.get(n.position) for g, n in ((self.reference, first), (self.lowered, second)))
        if mine is not None and theirs is not None:
            self.partners.setdefault(mine, theirs)
            self.paired.append((first, second))

    def _order(self, first: Node, second: Node) -> None:
        """What the lowered program lets an effect pass; doubtful if it is not known which effects correspond."""
        missing = missing_order(self.reference, self.lowered, first, second, self.partners)
        if missing:
            report = finding.order_finding(self.reference, first, second, missing)
            sure = all(atom in self.partners or self.lowered.order.knows(atom) for atom in missing)
            (self.found if sure else self.doubtful).append(report)

    def _bodies(self, first: Node, second: Node) -> None:
        ends = first.blocks[0].end, second.blocks[0].end
        if ends[0] is not None and ends[1] is not None:
            self._push(zip(ends[0].operands, ends[1].operands, strict=False), (first, second))

    def _operands(self, first: Node, second: Node) -> None:
        """Operands, but for what a loop carries: another value, two swapped, or one made otherwise."""
        count = {"for": 3, "loop": 0}.get(first.name, len(first.operands))
        mine, theirs = first.operands[:count], second.operands[:count]
        if len(mine) != len(theirs) or (count > 3 and first.slots != second.slots):
            self._count(first, second)
            return
        unequal = [k for k in range(count) if self._ids(mine[k], theirs[k])[0] != self._ids(mine[k], theirs[k])[1]]
        if len(unequal) == 2:
            i, j = unequal
            if self._same(mine[i], theirs[j]) and self._same(mine[j], theirs[i]):
                self.found.append(self.words.swapped(first, second, (i, j)))
                return
        for k in unequal:
            self.work.append((mine[k], theirs[k], (first, second), k))

    def _count(self, first: Node, second: Node) -> None:
        """Optional operands that only one side has."""
        pairs = zip(first.slots, second.slots, strict=True)
        unequal = [(a[0], a[1], b[1]) for a, b in pairs if a[1] != b[1]]
        name, mine, theirs = next((slot for slot in unequal if slot[0] != "token"), unequal[0])
        words = ["none" if size == 0 else "one" if size == 1 else str(size) for size in (mine, theirs)]
        sentence = f"`{first.name}` has {words[0]} of `{name}` in the reference, {words[1]} in the lowered program"
        self.found.append(between("operand", first, second, sentence))

    def _carried(self, first: Node, second: Node) -> None:
        """Carried values of two loops: those that start alike, then those in the same place."""
        mine = self.reference.carried.get(first.position, {})
        theirs = self.lowered.carried.get(second.position, {})
        alike = {leaf: j for j, leaf in theirs.items()}
        taken = set(mine.values()) & set(alike)
        for k, leaf in mine.items():
            if leaf in alike:
                self._carry(first, second, k, alike[leaf])
            elif k in theirs and theirs[k] not in taken and self._have_one_type(first, second, k):
                self._carry(first, second, k, k)

    def _have_one_type(self, first: Node, second: Node, k: int) -> bool:
        """Whether two loops carry one type in the same place."""
        mine, theirs = carried_argument(first, k), carried_argument(second, k)
        return self.reference.kernel.type_ids[mine] == self.lowered.kernel.type_ids[theirs]

    def _carry(self, first: Node, second: Node, k: int, j: int) -> None:
        offsets = [3 if node.name == "for" else 0 for node in (first, second)]
        start = (first.operands[offsets[0] + k], second.operands[offsets[1] + j])
        if not self.reference.kernel.is_token(start[0]):
            self._push([start], (first, second))
            for site, other in zip(first.sites, second.sites, strict=False):
                self._push([(site.operands[k], other.operands[j])], (site, other))

    # Values

    def _push(self, values: object, parent: Parent) -> None:
        for mine, theirs in values:  # type: ignore[attr-defined]
            self.work.append((mine, theirs, parent, -1))

    def _ids(self, mine: int, theirs: int) -> tuple[int, int]:
        return self.reference.ids[mine], self.lowered.ids[theirs]

    def _same(self, mine: int, theirs: int) -> bool:
        return self.reference.ids[mine] == self.lowered.ids[theirs]

    def _values(self, mine: int, theirs: int, parent: Parent, index: int) -> None:
        if self._same(mine, theirs) or (mine, theirs) in self.entered:
            return
        if self._is_carried_pair(mine, theirs):
            self._enter(mine, theirs)
            return
        first, second = self._peel(mine, theirs, parent)
        if first is None or second is None:
            return
        self._unchanged[second] = theirs
        a, b = self.reference.kernel.definitions[first], self.lowered.kernel.definitions[second]
        if constant_of(self.reference, first) is not None and constant_of(self.lowered, second) is not None:
            self.found.append(self.words.constant(first, second, parent))
        elif a.node is None and b.node is None:
            self._parameters(first, second, parent, index)
        elif a.node is None or b.node is None or (a.is_argument, a.node.name) != (b.is_argument, b.node.name):
            self._replaced(first, second, parent, index)
        elif is_other_part(a, b) and parent is not None:
            self._operand(first, second, parent, index)
        elif self._is_other_value(first, second):
            self._replaced(first, second, parent, index)
        elif (first, second) not in self.entered:
            self._enter(first, second)

    def _enter(self, first: int, second: int) -> None:
        """Two values made by operations of one name: the difference is in there, or further back."""
        self.entered.add((first, second))
        a, b = self.reference.kernel.definitions[first], self.lowered.kernel.definitions[second]
        assert a.node is not None and b.node is not None
        if not a.is_argument:
            self._results(first, second, a.node, b.node)
        else:
            shift = 1 if a.node.name == "for" else 0
            self._carry(a.node, b.node, a.index - shift, b.index - shift)

    def _is_carried_pair(self, mine: int, theirs: int) -> bool:
        """Whether both are what two corresponding loops carry, be it unchanged on one side."""
        a, b = self.reference.kernel.definitions[mine], self.lowered.kernel.definitions[theirs]
        if a.node is None or b.node is None or (a.is_argument, a.index) != (b.is_argument, b.index):
            return False
        if a.node.name != "for" or b.node.name != "for" or (a.is_argument and a.index == 0):
            return False
        is_seen = (a.node.position, b.node.position) in self.seen_nodes
        return is_seen or (not a.is_argument and len(a.node.results) == len(b.node.results))

    def _is_other_value(self, mine: int, theirs: int) -> bool:
        """Whether one value merely stands where the other should. Otherwise an operation changed: then the lowered
        program makes the first less often than the reference, and the second more often."""
        return not (self._is_rarer(self.reference.ids[mine], 1) and self._is_rarer(self.lowered.ids[theirs], 0))

    def _is_rarer(self, number: int, side: int) -> bool:
        """Whether one side makes a value less often than the other side."""
        return self.times[side][number] < self.times[1 - side][number]

    def _results(self, first: int, second: int, mine: Node, theirs: Node) -> None:
        a, b = self.reference.kernel.definitions[first], self.lowered.kernel.definitions[second]
        if mine.kind is not Kind.CONTROL:
            kinds = self.reference.kernel.type_ids[first], self.lowered.kernel.type_ids[second]
            if kinds[0] != kinds[1]:
                self.found.append(finding.type_finding(self.reference, self.lowered, first, second, (mine, theirs)))
        self._nodes(mine, theirs)
        if mine.name == "if":
            for block, other in zip(mine.blocks, theirs.blocks, strict=True):
                if block.end is not None and other.end is not None and block.end.name == other.end.name == "yield":
                    self._push([(block.end.operands[a.index], other.end.operands[b.index])], (mine, theirs))
        elif mine.name == "for":
            self._carry(mine, theirs, a.index, b.index)
        elif mine.name == "loop":
            for site, other in zip(mine.breaks, theirs.breaks, strict=False):
                self._push([(site.operands[a.index], other.operands[b.index])], (site, other))

    def _parameters(self, first: int, second: int, parent: Parent, index: int) -> None:
        mine, theirs = (
            graph.interner.keys[graph.ids[value]] for graph, value in ((self.reference, first), (self.lowered, second))
        )
        if mine[1] != theirs[1]:
            self._replaced(first, second, parent, index)
        elif mine[2] != theirs[2] and parent is not None:
            self.found.append(finding.type_finding(self.reference, self.lowered, first, second, parent))
        elif mine[3] != theirs[3]:
            self.found.append(self.words.facts(mine[3], theirs[3], first, second))

    def _replaced(self, first: int, second: int, parent: Parent, index: int) -> None:
        """Two values that have nothing in common: a missing operation, or another operand."""
        found = self.reference.kernel.definitions[first]
        node = found.node
        is_made = node is not None and not found.is_argument and node.name != "constant"
        if node is not None and is_made and self._is_rarer(self.reference.ids[first], 1):
            is_left_out = any(self._corresponds(v, second) for v in node.operands)
            if parent is None or is_left_out or not self._is_other_value(first, second):
                self.found.append(self.words.replaced(first, second, node))
                return
        if parent is not None:
            self._operand(first, second, parent, index)

    def _corresponds(self, mine: int, theirs: int) -> bool:
        """Whether two values are equal, or what two corresponding loops carry."""
        if self._same(mine, theirs):
            return True
        value = self._unchanged.get(theirs, theirs)
        return self._is_carried_pair(mine, value)

    def _operand(self, first: int, second: int, parent: tuple[Node, Node], index: int) -> None:
        if index >= 0:
            self.found.append(self.words.operand(*parent, index, (first, second)))
            return
        mine, theirs = self.words.values(first, second)
        sentence = f"`{parent[0].name}` passes on {mine} in the reference, {theirs} in the lowered program"
        self.found.append(between("operand", *parent, sentence))

    def _peel(self, mine: int, theirs: int, parent: Parent) -> tuple[int | None, int | None]:
        """Step through whatever the numbers ignore; shapes of repeated elements and assumptions are compared here."""
        first = peel(self.reference, mine)
        second = peel(self.lowered, theirs)
        keys = [g.interner.keys[g.ids[v]] for g, v in ((self.reference, first), (self.lowered, second))]
        if self._facts(first, second, keys):
            return None, None
        names = WRAPPINGS.get(keys[0][0])
        if names is None or keys[0][0] != keys[1][0]:
            return first, second
        source, other = unwrapped(self.reference, first, names), unwrapped(self.lowered, second, names)
        kinds = self.reference.kernel.types[first], self.lowered.kernel.types[second]
        nodes = (self.reference.kernel.definitions[first].node, self.lowered.kernel.definitions[second].node)
        if kinds[0].shape != kinds[1].shape and nodes[0] is not None and nodes[1] is not None:
            found = finding.type_finding(self.reference, self.lowered, first, second, (nodes[0], nodes[1]))
            self.found.append(found)
            return None, None
        is_same = self._same(source, other) or (keys[0][0] == "splat" and keys[0][1] == keys[1][1])
        if not is_same and self._is_carried_pair(source, other):
            self.work.append((source, other, parent, -1))
            return None, None
        return (None, None) if is_same else (source, other)

    def _facts(self, first: int, second: int, keys: list[Any]) -> bool:
        """Whether two values are one but for what is assumed of them; reported if so."""
        bases = [
            key[1] if key[0] == "facts" else self._number(side, v)
            for side, key, v in zip((0, 1), keys, (first, second), strict=True)
        ]
        facts = [key[2] if key[0] == "facts" else frozenset() for key in keys]
        if bases[0] != bases[1]:
            return False
        base, other = unassumed(self.reference, first), unassumed(self.lowered, second)
        self.found.append(self.words.facts(facts[0], facts[1], base, other))
        return True

    def _number(self, side: int, value: int) -> int:
        return (self.reference, self.lowered)[side].ids[value]
