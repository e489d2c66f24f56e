"""Make a kernel ready to run: number its values, and turn each operation into one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.ir import Operation, Region, SSAValue

from ferrotile import ir
from ferrotile.core import Unsupported
from ferrotile.interp.run import Step

Builder = Callable[["Plan", Operation], Step]


class Plan:
    """Numbers for values, and the steps of blocks. `is_watched`: whether the run has a watcher."""

    def __init__(self, builders: dict[str, Builder], pure: Builder, *, is_watched: bool) -> None:
        self._numbers: dict[SSAValue, int] = {}
        self._builders = builders
        self._pure = pure
        self.is_watched = is_watched

    @property
    def size(self) -> int:
        """How many values have a number."""
        return len(self._numbers)

    def slot(self, value: SSAValue) -> int:
        """The number of a value."""
        return self._numbers.setdefault(value, len(self._numbers))

    def one(self, op: Operation, name: str) -> int | None:
        """The number of a single operand; `None` if it is absent."""
        value = ir.operand(op, name)
        return None if value is None else self.slot(value)

    def need(self, op: Operation, name: str) -> int:
        """The number of an operand that is always there."""
        found = self.one(op, name)
        assert found is not None
        return found

    def many(self, op: Operation, name: str) -> tuple[int, ...]:
        """The numbers of the operands of a name."""
        return tuple(self.slot(value) for value in ir.operands(op, name))

    def results(self, op: Operation) -> tuple[int, ...]:
        """The numbers of the results."""
        return tuple(self.slot(value) for value in op.results)

    def arguments(self, region: Region) -> tuple[int, ...]:
        """The numbers of what a region is given."""
        return tuple(self.slot(value) for value in region.block.args)

    def steps(self, region: Region) -> list[Step]:
        """The operations of a region; none if it is empty."""
        return [self.step(op) for op in region.block.ops] if region.blocks else []

    def step(self, op: Operation) -> Step:
        """One operation. Raises: FT250."""
        meaning = ir.row(op).evaluate
        if isinstance(meaning, ir.Refusal):
            raise Unsupported(meaning.code, f"`{op.name}` cannot be interpreted: {meaning.why}", at=ir.place(op))
        builder = self._pure if isinstance(meaning, ir.Meaning) else self._builders[ir.row(op).name]
        made, results = builder(self, op), self.results(op)
        return _watched(made, op, results) if self.is_watched and results else made


def _watched(step: Step, op: Operation, results: tuple[int, ...]) -> Step:
    """The step, followed by a call of the watcher."""

    def watched(env: list[Any], run: Any) -> Any:
        signal = step(env, run)
        if signal is None:
            run.watch(op, tuple(env[slot] for slot in results), run.block)
        return signal

    return watched
