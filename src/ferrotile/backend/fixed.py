"""A launcher that answers every launch with one program, whatever the kernel: the whole way of a launch, nothing made.

For finding faults. What is launched need not be proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferrotile import bundle
from ferrotile.backend.arguments import Word
from ferrotile.backend.counters import Counters, Ran
from ferrotile.backend.driver import Driver
from ferrotile.backend.facts import LaunchFacts
from ferrotile.backend.launcher import Found, Launcher
from ferrotile.backend.shelf import Program, Shelf, Stamp, Watched


@dataclass(frozen=True, slots=True)
class Fixed:
    """A program: machine code, entry, where each of its parameters comes from, and the facts that it needs of a launch.

    `constants`: which arguments are no parameters of it; of a tuple, which of its items.
    """

    cubin: bytes
    entry: str
    words: tuple[Word, ...]
    facts: tuple[str, ...]
    constants: tuple[Any, ...]


class FixedLauncher(Launcher):
    """Launches one program. `folder` has the kernel.rs that is looked at before a launch, and `proof` is about it."""

    def __init__(self, driver: Driver, fixed: Fixed, proof: bundle.Proof, folder: Path) -> None:
        super().__init__(driver, Shelf(folder), Counters())
        ran = Ran(proof.kernel, folder.name, "", bundle.digest(fixed.cubin), str(proof.verdict))
        facts = LaunchFacts.of(proof, fixed.facts)
        program = Program(fixed.cubin, fixed.entry, fixed.words, ran, facts)
        self._only: Found = (_Always(Shelf(folder), folder, program), fixed.constants)

    def _new(self, kernel: Any, arguments: Sequence[Any]) -> Found:
        return self._only


class _Always(Watched):
    """A file that is never read: the program is given."""

    def __init__(self, shelf: Shelf, folder: Path, program: Program) -> None:
        super().__init__(shelf, folder)
        self._given = program

    def program(self) -> tuple[Program, Stamp]:
        """The program, and the stamp of the file beside it. Raises: FT613 there is no kernel.rs."""
        return self._given, Stamp.of(self.path)
