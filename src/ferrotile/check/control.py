"""Branches and loops in the value graph.

Laws `negated-branch`, `if-passes-through` (a result that both branches give alike is that value; after a branch that
leaves, the other branch's), `carried-values-by-use` (carried values have no order), `carried-constant` (one that never
changes is its first value), `carried-twice` (two that start and go on alike are one).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ferrotile.check import fold
from ferrotile.check.kernel import Node

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering

Yields = tuple[int, ...]
"""What each `continue` of a loop passes on for one carried value."""


@dataclass(slots=True)
class Frame:
    """The innermost loop: the numbers that each `continue` and each `break` passes on."""

    depth: int = 0
    sites: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    breaks: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])


@dataclass(slots=True)
class Outcome:
    """What a block does besides giving values: its events by segment (an early exit ends one), and how it ends."""

    digest: tuple[Any, ...]
    ends: str
    has_events: bool
    has_writes: bool


@dataclass(slots=True)
class Control:
    """How a branch or loop takes part: its key as an event (`None`: it has no effect), and what numbers its results."""

    key: int | None
    has_writes: bool
    finish: Callable[[int | None], None]


def branch(graph: Numbering, node: Node, frame: Frame) -> Control:
    """Number an `if`."""
    condition, is_negated = fold.positive(graph, graph.ids[node.operands[0]])
    outcomes: list[Outcome] = []
    outer = graph.scope
    for side, block in enumerate(node.blocks):
        graph.scope = (*outer, (condition, side != is_negated))
        outcomes.append(graph.block(block, frame))
    graph.scope = outer
    key = None
    if node.exits or any(outcome.has_events for outcome in outcomes):
        digests = [outcome.digest for outcome in (reversed(outcomes) if is_negated else outcomes)]
        key = graph.intern(("if", node.hints, condition, *digests))
    writes = any(outcome.has_writes for outcome in outcomes)

    def finish(atom: int | None) -> None:
        for k, result in enumerate(node.results):
            # Branches that only read give the same values each time, but their tokens are still their own.
            tag = atom if writes or graph.kernel.is_token(result) else None
            if result in graph.kernel.live_values:
                _joined(graph, node, (condition, is_negated, tag), outcomes, k)

    return Control(key, writes, finish)


def _joined(graph: Numbering, node: Node, tag: tuple[int, bool, int | None], outcomes: list[Outcome], k: int) -> None:
    result = node.results[k]
    given: list[int] = []
    for block, outcome in zip(node.blocks, outcomes, strict=True):
        if outcome.ends == "yield" and block.end is not None:
            given.append(graph.ids[block.end.operands[k]])
    condition, is_negated, atom = tag
    if is_negated:
        given.reverse()
    if len(set(given)) == 1:
        graph.laws.add("if-passes-through")
        graph.ids[result] = given[0]
    elif not given:
        graph.ids[result] = graph.intern(("unreachable", graph.kernel.type_ids[result]))
    elif graph.kernel.is_token(result):
        first, second = (graph.order.atoms(number) for number in given)
        own = graph.intern(("if-token", condition, atom, first - second, second - first))
        graph.give_token(result, (first & second) | {own})
    else:
        graph.ids[result] = graph.intern(("if-value", condition, atom, *given))


def loop(graph: Numbering, node: Node, frame: Frame) -> Control:
    """Number a `for` or a `loop`."""
    return _Loop(graph, node, frame).number()


class _Loop:
    def __init__(self, graph: Numbering, node: Node, frame: Frame) -> None:
        self.graph = graph
        self.node = node
        self.depth = frame.depth + 1
        self.is_for = node.name == "for"
        self.block = node.blocks[0]
        first = 3 if self.is_for else 0
        self.arguments = self.block.arguments[1:] if self.is_for else self.block.arguments
        live = graph.kernel.live_values
        self.live = [
            k
            for k, argument in enumerate(self.arguments)
            if argument in live or (self.is_for and node.results[k] in live)
        ]
        self.start = {k: graph.ids[node.operands[first + k]] for k in self.live}
        self.fixed = {k for k in self.live if all(site.operands[k] == self.arguments[k] for site in node.sites)}
        self.split: dict[int, tuple[object, ...]] = {}
        self.leaf: dict[int, int] = {}

    def number(self) -> Control:
        while True:
            frame = Frame(self.depth)
            self._assign()
            outer, self.graph.scope = self.graph.scope, (*self.graph.scope, self.depth)
            outcome = self.graph.block(self.block, frame)
            self.graph.scope = outer
            yields = {k: tuple(site[k] for site in frame.sites) for k in self.live if k not in self.fixed}
            if not self._refine(yields):
                break
        self._note(yields)
        key = self._key(outcome, yields)
        eventful = outcome.has_events
        return Control(
            key if eventful else None,
            outcome.has_writes,
            lambda atom: self._results(atom if outcome.has_writes and atom is not None else key, atom, frame),
        )

    def _assign(self) -> None:
        graph, kernel = self.graph, self.graph.kernel
        if self.is_for:
            index = self.block.arguments[0]
            only = fold.only_value(graph, index)
            graph.ids[index] = graph.intern(("index", self.depth, kernel.type_ids[index])) if only is None else only
        for k in self.live:
            argument = self.arguments[k]
            if k in self.fixed:
                graph.ids[argument] = self.start[k]
                continue
            told_by = k if graph.by_position else self.split.get(k)
            key = ("carried", self.depth, kernel.type_ids[argument], self.start[k], told_by)
            self.leaf[k] = graph.intern(key)
            if kernel.is_token(argument):
                graph.give_token(argument, frozenset((self.leaf[k],)))
            else:
                graph.ids[argument] = self.leaf[k]

    def _refine(self, yields: dict[int, Yields]) -> bool:
        """Find carried values that never change, and tell apart those that start alike but go on differently."""
        groups: dict[int, list[int]] = {}
        for k in yields:
            groups.setdefault(self.leaf[k], []).append(k)
        constant = [k for group in groups.values() if all(self._stays(k, yields[k]) for k in group) for k in group]
        if constant:
            self.fixed.update(constant)
            self.split.clear()
            return True
        mixed = [k for group in groups.values() if len({yields[k] for k in group}) > 1 for k in group]
        for k in mixed:
            self.split[k] = (self.split.get(k), yields[k])
        return bool(mixed)

    def _stays(self, k: int, given: Yields) -> bool:
        own = self.graph.ids[self.arguments[k]]
        return all(number in (own, self.start[k]) for number in given)

    def _note(self, yields: dict[int, Yields]) -> None:
        laws = self.graph.laws
        if self.fixed:
            laws.add("carried-constant")
        if len(yields) > 1:
            laws.add("carried-values-by-use")
        if len({self.leaf[k] for k in yields}) < len(yields):
            laws.add("carried-twice")
        self.graph.carried[self.node.position] = {k: self.leaf[k] for k in yields}

    def _key(self, outcome: Outcome, yields: dict[int, Yields]) -> int:
        graph, node = self.graph, self.node
        carried: set[tuple[int, Yields]] = set()
        passed = graph.carried_tokens[node.position] = {}
        for k, given in yields.items():
            if not graph.kernel.is_token(self.arguments[k]):
                carried.add((self.leaf[k], given))
                continue
            passed[self.leaf[k]] = tuple(graph.order.atoms(number) for number in given)
            if not graph.relaxed:
                carried.add((self.leaf[k], given))
        bounds = graph.numbers(node.operands[:3]) if self.is_for else ()
        index = graph.kernel.type_ids[self.block.arguments[0]] if self.is_for else None
        return graph.intern((node.name, node.attributes, bounds, index, frozenset(carried), outcome.digest))

    def _results(self, values: int, atom: int | None, frame: Frame) -> None:
        graph = self.graph
        for k, result in enumerate(self.node.results):
            if result not in graph.kernel.live_values:
                continue
            owner = atom if atom is not None and graph.kernel.is_token(result) else values
            if self.is_for:
                number = self.start[k] if k in self.fixed else graph.intern(("after", owner, self.leaf[k]))
            else:
                number = self._broken(owner, tuple(site[k] for site in frame.breaks))
            if graph.kernel.is_token(result) and not self._is_start(number):
                graph.give_token(result, frozenset((number,)))
            else:
                graph.ids[result] = number

    def _broken(self, owner: int, given: Yields) -> int:
        """A result of a `loop`: what its breaks give, unless all give the first value of a constant one."""
        if len(set(given)) == 1 and self._is_start(given[0]):
            return given[0]
        return self.graph.intern(("after", owner, given))

    def _is_start(self, number: int) -> bool:
        return any(self.start[k] == number for k in self.fixed)
