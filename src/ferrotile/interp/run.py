"""The state of a launch while it runs, as every step of a plan sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir import Operation

from ferrotile.core import Unsupported
from ferrotile.interp.finding import Block, Log
from ferrotile.interp.memory import Memory
from ferrotile.interp.races import Races
from ferrotile.interp.value import Value

Watcher = Callable[[Operation, tuple[Value, ...], Block], None]
"""Called with each operation that gave values, the values, and the block."""

Signal = tuple[str, list[Value]]
"""Why a block of operations ended (yield, continue, break, return), and with which values."""

Step = Callable[[list[Any], "Run"], "Signal | None"]
"""One operation, made ready: reads and writes numbered values."""


@dataclass
class Run:
    """One launch: memory, findings, and where we are."""

    memory: Memory
    log: Log
    races: Races
    grid: Block
    order: str
    round_limit: int
    watch: Watcher | None = None
    block: Block = (0, 0, 0)
    rounds: int = 0
    prints: list[str] = field(default_factory=list)
    globals: dict[str, int] = field(default_factory=dict)
    local: dict[tuple[Block, int], int] = field(default_factory=dict)

    def count_round(self) -> None:
        """Count a round of a loop. Raises: FT252 when a block has too many."""
        self.rounds += 1
        if self.rounds > self.round_limit:
            raise Unsupported("FT252", f"block {self.block} runs more than {self.round_limit} loop rounds")


def run_steps(steps: list[Step], env: list[Any], run: Run) -> Signal | None:
    """Do operations one after the other, until one ends the block."""
    for step in steps:
        signal = step(env, run)
        if signal is not None:
            return signal
    return None
