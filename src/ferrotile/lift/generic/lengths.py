"""Lengths of tiles in merged kernels: where they stand, and which of them the type of another statement settles."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ferrotile.lift.generic.tokens import Token

_WORDS = re.compile(r"\w+")
_VIEW = re.compile(
    r"let \w+ (?:: .*)?= (?:(\w+) \. partition \(|tiles \( (\w+) ,) (?:const_)?shape ! \[ ([^]]*) \] \) ;$"
)


def lengths_of(type_: str) -> list[str]:
    """The lengths in the type of a tile; none without a type."""
    return _WORDS.findall(type_.partition("[")[2])


def view_of(text: str) -> tuple[str, list[str]] | None:
    """Of a statement that makes a view of tiles in the order of the axes: the array, and the lengths of the tiles."""
    found = _VIEW.match(text)
    return None if found is None else (found[1] or found[2], _WORDS.findall(found[3]))


def list_start(sample: Sequence[Token], index: int) -> int | None:
    """Where the list of a `shape!` or of a type begins that this number is a length in; None for another number."""
    depth = 0
    for at in range(index - 1, 0, -1):
        depth += (sample[at].text in ("]", ")", "}")) - (sample[at].text in ("[", "(", "{"))
        if depth < 0:
            return at if sample[at].text == "[" and sample[at - 1].text in ("!", "{") else None
    return None


def axis_of(sample: Sequence[Token], index: int, rank: int) -> int | None:
    """The axis that this number is the length of, where its list is the last of the statement or that of its type."""
    start = list_start(sample, index)
    if start is None:
        return None
    words = [token.text for token in sample[start:]]
    numbers = words[1 : words.index("]") : 2]
    is_last = "[" not in words[1:]
    return (index - start) // 2 if len(numbers) == rank and (is_last or sample[start - 1].text == "{") else None
