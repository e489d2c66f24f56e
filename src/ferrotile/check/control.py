"""Branches in the value graph, and what they share with loops.

Laws `negated-branch`, `if-passes-through` (a result that both branches give alike is that value; after a branch that
leaves, the other branch's).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ferrotile.check import fold
from ferrotile.check.kernel import Block, Node

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


@dataclass(slots=True)
class Frame:
    """The innermost loop: the numbers that each `continue` and each `break` passes on."""

    sites: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])
    breaks: list[tuple[int, ...]] = field(default_factory=list[tuple[int, ...]])


@dataclass(slots=True)
class Outcome:
    """What a block does besides giving values: its events by segment (an early exit ends one), and how it ends.

    `has_events` is about events alone: leaving a loop is nothing that is seen outside.
    """

    digest: tuple[Any, ...]
    ends: str
    has_events: bool
    has_writes: bool


@dataclass(slots=True)
class Control:
    """How a branch or loop takes part: its key among the events of its block (`None`: it has no effect, and control
    never leaves the block there), and what numbers its results."""

    key: int | None
    has_events: bool
    has_writes: bool
    finish: Callable[[int | None], None]


def branch(graph: Numbering, node: Node, frame: Frame) -> Control:
    """Number an `if`."""
    condition, is_negated = fold.positive(graph, graph.ids[node.operands[0]])
    blocks = node.blocks[::-1] if is_negated else node.blocks
    outcomes: list[Outcome] = []
    outer = graph.scope
    for side, block in enumerate(blocks):
        graph.scope = (*outer, (condition, bool(side)))
        outcomes.append(graph.block(block, frame))
    graph.scope = outer
    key = None
    events = any(outcome.has_events for outcome in outcomes)
    if node.exits or events:
        key = graph.intern(("if", node.hints, condition, *(outcome.digest for outcome in outcomes)))
    writes = any(outcome.has_writes for outcome in outcomes)

    def finish(atom: int | None) -> None:
        for k, result in enumerate(node.results):
            # Branches that only read give the same values each time, but their tokens are still their own.
            tag = atom if writes or graph.kernel.is_token(result) else None
            if result in graph.kernel.live_values:
                ends = list(zip(blocks, outcomes, strict=True))
                _joined(graph, node.results[k], (condition, tag), ends, k)

    return Control(key, events, writes, finish)


def _joined(
    graph: Numbering, result: int, tag: tuple[int, int | None], ends: list[tuple[Block, Outcome]], k: int
) -> None:
    """Number result `k` of a branch, from what its blocks give."""
    given = [
        graph.ids[block.end.operands[k]] for block, outcome in ends if outcome.ends == "yield" and block.end is not None
    ]
    condition, atom = tag
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
