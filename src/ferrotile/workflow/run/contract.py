"""The output contract: every file that a run may hold, one row each; `accept` goes through it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.words import Letter


@dataclass(frozen=True, slots=True)
class Row:
    """One kind of file. `path` counts from the run's folder, or from that of a stage; `*` is one name."""

    path: str
    meaning: str
    model: type[a.Artifact] | None = None
    letter: Letter | None = None
    is_needed: bool = True

    def matches(self, path: str) -> bool:
        """Whether a relative path is of this kind."""
        return re.fullmatch(re.escape(self.path).replace(r"\*\*", ".+").replace(r"\*", "[^/]+"), path) is not None


AGENTS = "agents"
RUN: tuple[Row, ...] = (
    Row("request.json", "what was asked for", a.Request),
    Row("journal.json", "each step, before and after", a.Journal),
    Row("outcome.json", "how the run ended", a.Outcome),
    Row(".lock", "held while a process works here", is_needed=False),
    Row(f"{AGENTS}/**", "prompts, folders and logs of commands; nothing in it is evidence", is_needed=False),
)
STAGES: tuple[Row, ...] = (
    Row("preflight.json", "what doctor found", a.Preflight, Letter.PREFLIGHT),
    Row("analysis.json", "variants, and what they are judged by", a.Analysis, Letter.ANALYST),
    Row("reference/*.tileirbc", "the Tile IR of each variant", None, Letter.ANALYST),
    Row("author.json", "what became of each variant", a.Author, Letter.AUTHOR),
    Row("bundles/*/kernel.rs", "the Rust text", None, Letter.AUTHOR, False),
    Row("bundles/*/reference.tileirbc", "what it was made from", None, Letter.AUTHOR),
    Row("bundles/*/lowered.tileirbc", "what it lowers to", None, Letter.AUTHOR, False),
    Row("bundles/*/proof.json", "every claim, sealed", None, Letter.AUTHOR),
    Row("host.json", "the numbers of each variant", a.Host, Letter.HOST),
    Row("performance.json", "the machine code of each variant", a.Performance, Letter.PERFORMANCE),
    Row("ir-diff.json", "where the IR differs, and whose fault it is", a.IrDiff, Letter.IR_DIFF),
    Row("upstream/*/report.md", "a report for the compiler's makers", None, Letter.IR_DIFF, False),
    Row("upstream/*/reference.tileirbc", "the program that it takes", None, Letter.IR_DIFF, False),
    Row("upstream/*/lowered.tileirbc", "the equal program that it does not take", None, Letter.IR_DIFF, False),
    Row("residual.json", "launches, tuner, hints and machine code", a.Residual, Letter.RESIDUAL),
)
MANIFEST = Row("manifest.json", "a stage's verdict, and the digests of its files", a.Manifest)


def artifact_of(letter: Letter) -> Row:
    """The one file of a stage that has a schema of its own."""
    return next(row for row in STAGES if row.letter is letter and row.model is not None)


def strangers(letter: Letter, paths: list[str]) -> list[str]:
    """Which files of a stage's folder no row of the contract knows."""
    rows = (MANIFEST, *(row for row in STAGES if row.letter is letter))
    return [path for path in paths if not any(row.matches(path) for row in rows)]
