"""What a stage may read: the request, and the folders of the stages before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ferrotile.core import Style
from ferrotile.workflow.record import Options
from ferrotile.workflow.run.artifacts import Analysis, Author, Model, Request, read
from ferrotile.workflow.run.contract import artifact_of
from ferrotile.workflow.run.router import Said
from ferrotile.workflow.run.words import Letter, Owner, Word

STAGES = "stages"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What code computes from a stage's artifacts; `reasons` in sentences."""

    word: Word
    owner: Owner | None = None
    reasons: tuple[str, ...] = ()

    def said_by(self, letter: Letter) -> Said:
        """The verdict as the router takes it."""
        return Said(letter, self.word, self.owner)


@dataclass(frozen=True, slots=True)
class Done:
    """A stage that has run: its folder's number and its verdict."""

    letter: Letter
    attempt: int
    verdict: Verdict

    @property
    def name(self) -> str:
        """Letter and number, the name of its folder."""
        return f"{self.letter}{self.attempt}"


@dataclass(frozen=True, slots=True)
class Context:
    """A run as a stage sees it."""

    root: Path
    request: Request
    done: tuple[Done, ...] = ()

    @property
    def said(self) -> tuple[Said, ...]:
        """The verdicts so far."""
        return tuple(one.verdict.said_by(one.letter) for one in self.done)

    def attempts(self, letter: Letter) -> int:
        """How often a stage has run."""
        return sum(1 for one in self.done if one.letter is letter)

    def has(self, letter: Letter) -> bool:
        """Whether a stage has run."""
        return self.attempts(letter) > 0

    def folder(self, letter: Letter) -> Path:
        """The folder of a stage's latest run."""
        return self.root / STAGES / f"{letter}{self.attempts(letter)}"

    def latest(self, letter: Letter, model: type[Model]) -> Model:
        """The artifact of a stage's latest run. Raises: FT811."""
        return read(self.folder(letter) / artifact_of(letter).path, model)

    @property
    def analysis(self) -> Analysis:
        """What the analyst wrote. Raises: FT811."""
        return self.latest(Letter.ANALYST, Analysis)

    @property
    def author(self) -> Author:
        """What the author wrote last. Raises: FT811."""
        return self.latest(Letter.AUTHOR, Author)

    def options(self, out: Path | None = None, style: Style | None = None) -> Options:
        """How to translate in this run."""
        asked = self.request
        return Options(
            target=asked.target, out=out, source_map=asked.source_map, signature=asked.signature, style=style
        )

    def before(self, count: int) -> Context:
        """The run as it was after `count` steps."""
        return Context(self.root, self.request, self.done[:count])


def bundles(folder: Path, names: Sequence[str]) -> list[Path]:
    """The bundles of an author's folder, in the order of the variants."""
    return [folder / "bundles" / name for name in names]
