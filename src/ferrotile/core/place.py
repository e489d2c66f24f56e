"""Where something stands in a source file, with the chain of helpers that were inlined to get there."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A source position, innermost first: `caller` is where `function` was called from.

    Units: lines count from 1, columns from 0.
    Example:
        >>> outer = Place("kernel.py", 30, 4, "softmax")
        >>> str(Place("maths.py", 12, 8, "row_max", outer))
        'maths.py:12:8 (row_max) < kernel.py:30:4 (softmax)'
    """

    file: str
    line: int
    column: int
    function: str = ""
    caller: Place | None = None

    def __str__(self) -> str:
        return " < ".join(place.head for place in self.chain())

    @property
    def head(self) -> str:
        """This position alone, without its callers."""
        function = f" ({self.function})" if self.function else ""
        return f"{self.file}:{self.line}:{self.column}{function}"

    def chain(self) -> tuple[Place, ...]:
        """This place and its callers, innermost first."""
        places: list[Place] = []
        here: Place | None = self
        while here is not None:
            places.append(here)
            here = here.caller
        return tuple(places)
