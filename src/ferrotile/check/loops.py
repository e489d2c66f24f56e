"""Loops in the value graph.

Laws `carried-values-by-use` (carried values have no order), `carried-constant` (one that never changes is its first
value), `carried-twice` (two that start and go on alike are one), `invariant-result` (what every `break` gives, and no
iteration changes), `no-round` (a loop that never runs is its first values).

All carried values of a loop are first taken to keep their first value, and those that do not to be one where they
start alike. What a round over the body contradicts is taken back, until a round contradicts nothing: then all that is
still assumed, in the loops inside as well, holds in every iteration by induction.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ferrotile.check import fold
from ferrotile.check.control import Control, Frame, Outcome
from ferrotile.check.depend import Slice, atoms_of
from ferrotile.check.facts import interval_of
from ferrotile.check.kernel import Node

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering

Yields = tuple[int, ...]
"""What each `continue` of a loop passes on for one carried value."""


def loop(graph: Numbering, node: Node) -> Control:
    """Number a `for` or a `loop`."""
    if node.name == "for" and not node.exits and _has_no_round(graph, node):
        return Control(None, False, False, lambda atom: _pass_by(graph, node))
    return _Loop(graph, node).number()


def _has_no_round(graph: Numbering, node: Node) -> bool:
    """Whether the bounds of a counted loop are constants that allow no round."""
    low, high, step = (interval_of(graph.kernel, value)[0] for value in node.operands[:3])
    top = interval_of(graph.kernel, node.operands[1])[1]
    if low is None or step is None or high is None or high != top:
        return False
    return low >= high and step > 0 and not dict(node.attributes).get("unsignedCmp")


def _pass_by(graph: Numbering, node: Node) -> None:
    graph.laws.add("no-round")
    for result, first in zip(node.results, node.operands[3:], strict=True):
        graph.ids[result] = graph.ids[first]


class _Loop:
    def __init__(self, graph: Numbering, node: Node) -> None:
        self.graph = graph
        self.node = node
        self.depth = 1 + sum(isinstance(item, int) for item in graph.scope)
        self.is_for = node.name == "for"
        self.block = node.blocks[0]
        first = 3 if self.is_for else 0
        self.arguments = self.block.arguments[1:] if self.is_for else self.block.arguments
        live = graph.kernel.live_values
        self.live = [
            k
            for k, argument in enumerate(self.arguments)
            if (argument in live or (self.is_for and node.results[k] in live)) and argument not in graph.dropped
        ]
        self.start = {k: graph.ids[node.operands[first + k]] for k in self.live}
        # What an earlier round of an outer loop has contradicted a later one would: it assumes less.
        self.changing = graph.changing.setdefault(node.position, set())
        self.split: dict[int, tuple[object, ...]] = {}
        self.leaf: dict[int, int] = {}
        self.yields: dict[int, Yields] = {}
        self.next: dict[int, set[int]] = {}

    def number(self) -> Control:
        """Number the body until nothing that was assumed is contradicted, then the loop itself."""
        graph = self.graph
        laws = set(graph.laws)
        while True:
            frame = Frame()
            self._assign()
            outer, graph.scope = graph.scope, (*graph.scope, self.depth)
            outcome = graph.block(self.block, frame)
            graph.scope = outer
            self.yields = {k: tuple(site[k] for site in frame.sites) for k in self.live}
            if not self._take_back():
                break
            graph.laws.clear()
            graph.laws.update(laws)
        self._note()
        key = graph.loops[self.node.position] = self._key(outcome)
        owner = key if not outcome.has_writes else None
        return Control(
            key if outcome.has_events or self.node.exits else None,
            outcome.has_events,
            outcome.has_writes,
            lambda atom: self._results(atom if owner is None else owner, atom, frame),
        )

    def _assign(self) -> None:
        graph, kernel = self.graph, self.graph.kernel
        if self.is_for:
            index = self.block.arguments[0]
            only = fold.only_value(graph, index)
            graph.ids[index] = graph.intern(("index", self.depth, kernel.type_ids[index])) if only is None else only
        for argument in self.arguments:
            if argument in graph.dropped:
                graph.ids[argument] = graph.intern(("dropped", self.depth, argument, id(kernel)))
        for k in self.live:
            argument = self.arguments[k]
            if k not in self.changing:
                graph.ids[argument] = self.start[k]
                continue
            told_by = k if graph.by_position else self.split.get(k)
            key = ("carried", self.depth, kernel.type_ids[argument], self.start[k], told_by)
            self.leaf[k] = graph.intern(key)
            if kernel.is_token(argument):
                graph.give_token(argument, frozenset((self.leaf[k],)))
            else:
                graph.ids[argument] = self.leaf[k]

    def _take_back(self) -> bool:
        """Take back what was assumed and does not hold; whether the body must be numbered again."""
        wrong = [k for k, given in self.yields.items() if k not in self.changing and set(given) - {self.start[k]}]
        if wrong:
            self.changing.update(wrong)
            return True
        groups: dict[int, list[int]] = {}
        for k in sorted(self.changing):
            groups.setdefault(self.leaf[k], []).append(k)
        mixed = [k for group in groups.values() if len({self.yields[k] for k in group}) > 1 for k in group]
        for k in mixed:
            self.split[k] = (self.split.get(k), self.yields[k])
        return bool(mixed)

    def _note(self) -> None:
        laws, graph = self.graph.laws, self.graph
        if len(self.changing) < len(self.live):
            laws.add("carried-constant")
        if len(self.changing) > 1:
            laws.add("carried-values-by-use")
        if len({self.leaf[k] for k in self.changing}) < len(self.changing):
            laws.add("carried-twice")
        graph.carried[self.node.position] = {k: self.leaf[k] for k in sorted(self.changing)}
        graph.carried_tokens[self.node.position] = {
            self.leaf[k]: tuple(graph.order.atoms(number) for number in self.yields[k])
            for k in sorted(self.changing)
            if graph.kernel.is_token(self.arguments[k])
        }

    def _key(self, outcome: Outcome) -> int:
        graph, node = self.graph, self.node
        bounds = graph.numbers(node.operands[:3]) if self.is_for else ()
        index = graph.kernel.type_ids[self.block.arguments[0]] if self.is_for else None
        passed = self._slice(atoms_of(outcome.digest))
        return graph.intern((node.name, self.depth, (node.attributes, index), bounds, passed, outcome.digest))

    def _slice(self, roots: Iterable[int]) -> Slice:
        """The carried values that some numbers depend on, directly or by way of each other."""
        given = {self.leaf[k]: self.yields[k] for k in self.changing}
        found: set[int] = set()
        todo = list(self._carried(roots))
        while todo:
            leaf = todo.pop()
            if leaf in found:
                continue
            found.add(leaf)
            if leaf not in self.next:
                self.next[leaf] = self._carried(given[leaf])
            todo.extend(self.next[leaf])
        return frozenset((leaf, given[leaf]) for leaf in found)

    def _carried(self, roots: Iterable[int]) -> set[int]:
        return self.graph.dependence.carried(roots, self.depth)

    def _results(self, values: int | None, atom: int | None, frame: Frame) -> None:
        graph = self.graph
        assert values is not None
        for k, result in enumerate(self.node.results):
            if result not in graph.kernel.live_values:
                continue
            owner = atom if atom is not None and graph.kernel.is_token(result) else values
            if self.is_for and self.arguments[k] in graph.dropped:
                number = graph.intern(("dropped", self.depth - 1, result, id(graph.kernel)))
            elif not self.is_for:
                number = self._broken(owner, tuple(site[k] for site in frame.breaks))
            elif k in self.changing:
                # Without order in the numbers, what tokens pass on is compared by itself.
                is_loose = graph.relaxed and graph.kernel.is_token(result)
                number = self._after(owner, (self.leaf[k],), () if is_loose else (self.leaf[k],))
            else:
                number = self.start[k]
            graph.ids[result] = number
            if graph.kernel.is_token(result) and graph.interner.keys[number][0] != "order":
                graph.give_token(result, frozenset((number,)))

    def _after(self, owner: int, given: Yields, roots: Yields) -> int:
        return self.graph.intern(("after", self.depth, owner, given, self._slice(roots)))

    def _broken(self, owner: int, given: Yields) -> int:
        """A result of a `loop`: what its breaks give, if that is one value in whatever iteration."""
        if len(set(given)) == 1 and not self.graph.dependence.is_within(given[0], self.depth):
            self.graph.laws.add("invariant-result")
            return given[0]
        return self._after(owner, given, given)
