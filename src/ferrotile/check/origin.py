"""Steps back from a value to what it is, through operations that the value graph does not tell from their operand."""

from __future__ import annotations

from collections.abc import Iterator

from ferrotile.check.kernel import Definition, Node
from ferrotile.check.numbering import Numbering

REARRANGING = ("assume", "reshape", "broadcast", "bitcast", "permute", "ptr_to_ptr")


def is_other_part(first: Definition, second: Definition) -> bool:
    """Whether two values are different results, or arguments, of operations of one name that carry nothing."""
    assert first.node is not None
    if first.node.name in ("for", "loop", "if"):
        return first.node.name == "for" and first.is_argument and 0 in (first.index, second.index)
    return first.is_argument or first.index != second.index


def carried_argument(node: Node, k: int) -> int:
    """The block argument of a carried value."""
    return node.blocks[0].arguments[k + 1 if node.name == "for" else k]


def peel(graph: Numbering, value: int) -> int:
    """The value that a passed-through one is."""
    while True:
        source = next((v for v in _sources(graph, value) if graph.ids[v] == graph.ids[value]), None)
        if source is None:
            return value
        value = source


def _sources(graph: Numbering, value: int) -> Iterator[int]:
    found = graph.kernel.definitions[value]
    node = found.node
    if node is None:
        return
    if node.name in REARRANGING:
        yield node.operands[0]
    elif node.name == "if":
        for block in node.blocks:
            if block.end is not None and block.end.name == "yield":
                yield block.end.operands[found.index]
    elif node.name == "for" and (found.index or not found.is_argument):
        yield node.operands[3 + found.index - (1 if found.is_argument else 0)]
    elif node.name == "loop" and found.is_argument:
        yield node.operands[found.index]


def unwrapped(graph: Numbering, value: int, names: tuple[str, ...]) -> int:
    """What was brought to another shape by operations of these names to give a value."""
    while True:
        found = graph.kernel.definitions[value]
        node = found.node
        if node is None or found.is_argument or not (node.name in names or node.name in REARRANGING):
            return value
        if node.name not in names and graph.ids[node.operands[0]] != graph.ids[value]:
            return value
        value = node.operands[0]


WRAPPINGS = {"splat": ("reshape", "broadcast"), "reshape": ("reshape",), "broadcast": ("broadcast",)}
"""The operations behind a key of the value graph that stands for a chain of them."""


def unassumed(graph: Numbering, value: int) -> int:
    """What an assumption is about."""
    while (node := graph.kernel.definitions[value].node) is not None and node.name == "assume":
        value = node.operands[0]
    return value
