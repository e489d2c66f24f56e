"""Branches on a constant: the block that runs stands in the branch's place, before exits are settled.

Law `branch-taken`. Only where the condition of a branch is one number in every round is known from a value graph, so
this follows a first numbering. What stands behind a taken block that leaves is never reached, and is left out.
"""

from __future__ import annotations

from collections.abc import Mapping

from ferrotile.check import fold
from ferrotile.check.kernel import Block, Kernel, Kind, Node
from ferrotile.check.numbering import Numbering

Sides = Mapping[int, int]
"""By the position of a branch, which of its blocks runs."""


def sides_taken(graph: Numbering) -> dict[int, int]:
    """Which block each branch with a constant condition runs."""
    found: dict[int, int] = {}
    for node in graph.kernel.nodes:
        if node.name != "if" or not node.live or graph.ids[node.operands[0]] < 0:
            continue
        condition, is_negated = fold.positive(graph, graph.ids[node.operands[0]])
        key = graph.interner.keys[condition]
        if key[0] == "splat":
            key = graph.interner.keys[key[1]]
        match key:
            case ("constant", _, bytes() as data):
                found[node.position] = 0 if any(data) != is_negated else 1
            case _:
                pass
    return found


def take(kernel: Kernel, sides: Sides) -> None:
    """Put the blocks that run in the place of their branches; to be called before exits are settled."""
    if not sides:
        return
    kernel.laws.add("branch-taken")
    given: dict[int, int] = {}
    _take(kernel.body, None, sides, given)
    kernel.nodes = kernel.body.all_nodes()
    for node in kernel.nodes:
        node.operands = tuple(_last(given, value) for value in node.operands)
        node.token = _last(given, node.token)


def _take(block: Block, owner: Node | None, sides: Sides, given: dict[int, int]) -> None:
    nodes: list[Node] = []
    for node in block.nodes:
        node.parent = owner
        side = sides.get(node.position)
        if side is None:
            nodes.append(node)
            for inner in node.blocks:
                _take(inner, node, sides, given)
            continue
        inner = node.blocks[side]
        _take(inner, owner, sides, given)
        end = inner.end
        if end is not None and end.name != "yield":
            nodes.extend(inner.nodes)
            break
        nodes.extend(one for one in inner.nodes if one.kind is not Kind.END)
        if end is not None:
            given.update(zip(node.results, end.operands, strict=True))
    block.nodes[:] = nodes


def _last(given: Mapping[int, int], value: int) -> int:
    while value in given:
        value = given[value]
    return value
