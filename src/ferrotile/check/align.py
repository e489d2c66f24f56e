"""Pair the effects of two blocks that are not equal: by what they share first, then in order."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from ferrotile.check.kernel import Node
from ferrotile.check.numbering import Numbering

MAX_SCORES = 10_000
"""How many pairs are scored; blocks with more effects are paired in order alone."""

Aligned = tuple["Node | None", "Node | None"]


def aligned(reference: Numbering, lowered: Numbering, left: list[Node], right: list[Node]) -> Iterator[Aligned]:
    """Pairs of effects, those that are alone last."""
    left, right = list(left), list(right)
    if len(left) * len(right) <= MAX_SCORES:
        yield from _by_score(reference, lowered, left, right)
    matcher = SequenceMatcher(None, [n.name for n in left], [n.name for n in right], autojunk=False)
    for _, i, i_end, j, j_end in matcher.get_opcodes():
        mine, theirs = left[i:i_end], right[j:j_end]
        for k in range(max(len(mine), len(theirs))):
            yield (mine[k] if k < len(mine) else None), (theirs[k] if k < len(theirs) else None)


def _by_score(reference: Numbering, lowered: Numbering, left: list[Node], right: list[Node]) -> Iterator[Aligned]:
    """Take out of both lists, best first, the pairs that share operands."""
    scores = [
        (-score, i, j)
        for i, mine in enumerate(left)
        for j, theirs in enumerate(right)
        if (score := _score(reference, lowered, mine, theirs))
    ]
    taken: list[tuple[Node, Node]] = []
    for _, i, j in sorted(scores):
        mine, theirs = left[i], right[j]
        if not any(mine is a or theirs is b for a, b in taken):
            taken.append((mine, theirs))
    yield from taken
    left[:] = [node for node in left if not any(node is a for a, _ in taken)]
    right[:] = [node for node in right if not any(node is b for _, b in taken)]


def _score(reference: Numbering, lowered: Numbering, mine: Node, theirs: Node) -> int:
    """How many operands two effects of one name share."""
    if mine.name != theirs.name:
        return 0
    pairs = zip(mine.operands, theirs.operands, strict=False)
    shared = sum(reference.ids[a] == lowered.ids[b] for a, b in pairs)
    return 2 * shared + (mine.signature == theirs.signature) if shared else 0
