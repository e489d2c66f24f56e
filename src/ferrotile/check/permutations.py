"""Normal form of permuted tiles: law `permute-chain`, one permuted twice is permuted once, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ferrotile.check.numbering import Numbering


def permuted(graph: Numbering, number: int, order: tuple[int, ...], type_: int) -> int:
    """The number of a permuted tile; one permuted twice is permuted once, or not at all."""
    inner = permutation(graph, number)
    if inner is not None:
        graph.laws.add("permute-chain")
        order = tuple(inner[axis] for axis in order)
        number = graph.interner.keys[number][1]
    if order == tuple(range(len(order))):
        return number
    return graph.intern((graph.kernel.symbols.intern(("permute", order, type_)), number))


def permutation(graph: Numbering, number: int | None) -> tuple[int, ...] | None:
    """By which order of axes a number is that of a permuted tile."""
    if number is None:
        return None
    first = graph.interner.keys[number][0]
    head = graph.kernel.symbols.keys[first] if isinstance(first, int) else ()
    return head[1] if head and head[0] == "permute" else None
