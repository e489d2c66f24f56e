"""Which `Constant` parameter of the Python kernel a number of a line came from, for generic kernels."""

from __future__ import annotations

import re
from collections.abc import Sequence

Named = tuple[int, str]
"""A number and the Rust name of the parameter that it is the value of."""

LEAST = 4
"""Smaller numbers are ranks, axes and factors as often as they are a parameter's."""

_NUMBER = re.compile(r"(?<![\w.@<])(?<!<_, )(\d+)(i32)?(?![\w.@])|[\[\]]")


class Line(str):
    """A line of a kernel with the named numbers that stand in the Python expressions it was made from."""

    __slots__ = ("named",)
    named: tuple[Named, ...]

    def __new__(cls, text: str, named: Sequence[Named]) -> Line:
        line = super().__new__(cls, text)
        line.named = tuple(named)
        return line


def marked(line: str) -> str:
    """The line with `@NAME` behind every number that a named one gave, in the order of the Python expression.

    Example:
        >>> marked(Line("let x = load(a, [i, 0], shape![64, 64]);", [(64, "TILE_M"), (64, "TILE_N")]))
        'let x = load(a, [i, 0], shape![64@TILE_M, 64@TILE_N]);'
    """
    if not isinstance(line, Line) or not line.named or line.startswith("//"):
        return line
    used: set[int] = set()
    last = -1

    def mark(found: re.Match[str]) -> str:
        nonlocal last
        if found[1] is None:
            used.clear()
            return found[0]
        indices = [k for k, (value, _) in enumerate(line.named) if value == int(found[1]) and k not in used]
        if not indices:
            return found[0]
        last = next((k for k in indices if k > last), indices[0])
        used.add(last)
        return f"{found[0]}@{line.named[last][1]}"

    return _NUMBER.sub(mark, line)
