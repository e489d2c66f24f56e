"""Names of Rust variables: one value a name at a time, and a name again once its value is done with."""

from __future__ import annotations

from collections.abc import Iterable

from ferrotile.lift.rust import RustType


class Names:
    """Which names are taken until which text position."""

    def __init__(self, reserved: Iterable[str]) -> None:
        self.mutable: dict[str, RustType] = {}
        """Names that stand for a mutable variable, with its type."""
        self._until: dict[str, float] = dict.fromkeys(reserved, float("inf"))

    def take(self, wanted: str, now: int, until: float, *, reuse: bool = False) -> str:
        """Give `wanted`, or `wanted` with a number, that is free at position `now`; hold it through `until`.

        `reuse`: also one that is read for the last time at `now`, for what the reading statement itself declares.
        One operation may take several names, so none is free again before the next.
        """
        name, number = wanted, 1
        free = now if reuse else now - 0.5
        while self._until.get(name, -1.0) > free:
            number += 1
            name = f"{wanted}_{number}"
        self._until[name] = max(until, now + 0.5)
        self.mutable.pop(name, None)
        return name

    def fresh(self, wanted: str) -> str:
        """Give `wanted`, or `wanted` with a number, that no variable has or had; none will."""
        name, number = wanted, 1
        while name in self._until:
            number += 1
            name = f"{wanted}_{number}"
        self._until[name] = float("inf")
        return name

    def hold(self, name: str, until: float) -> None:
        """Keep a taken name longer."""
        self._until[name] = max(self._until.get(name, -1.0), until)
