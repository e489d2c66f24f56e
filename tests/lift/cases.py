"""A kernel around operations that are more than an expression over their operands, and what lift makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from surround import Surround

Build = Callable[[Surround], object]


@dataclass(frozen=True)
class Case:
    """One kernel; `refusal` is the code that lift gives for it, `None` where the Rust is the same program."""

    row: str
    name: str
    build: Build
    refusal: str | None = None

    def __str__(self) -> str:
        return f"{self.row}-{self.name}"

    def bytes(self) -> bytes:
        """The kernel as bytecode."""
        kernel = Surround()
        self.build(kernel)
        return kernel.bytes()


def named(row: str, builds: dict[str, Build], **refusals: str) -> list[Case]:
    """Cases of one row, with the codes of those that are refused."""
    assert set(refusals) <= set(builds)
    return [Case(row, name, build, refusals.get(name)) for name, build in builds.items()]
