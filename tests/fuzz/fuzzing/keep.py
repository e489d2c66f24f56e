"""Failures as files: a Python file and its spec, which replay as tests; and the ledger of those that are known."""

from __future__ import annotations

import hashlib
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fuzzing.judge import Outcome
from fuzzing.program import Program

HERE = Path(__file__).resolve().parents[1]
FOUND = HERE / "found"
"""Kernels that failed once: generated text of our own, shrunk. Each passes now, or is named in the ledger."""

LEDGER = HERE / "ledger.toml"
NEW = HERE.parents[1] / "build" / "fuzz"
"""Where new failures go."""


@dataclass(frozen=True, slots=True)
class Known:
    """A failure that is understood and not cured yet: the kernel that shows it, and how it fails."""

    name: str
    file: str
    kind: str
    sentence: str
    reason: str

    def explains(self, outcome: Outcome) -> bool:
        """Whether an outcome fails in this way."""
        said = f"{outcome.code} {outcome.sentence}".strip()
        return outcome.kind == self.kind and re.search(self.sentence, said) is not None


@cache
def ledger(path: Path = LEDGER) -> tuple[Known, ...]:
    """The rows of the ledger."""
    return tuple(Known(**row) for row in tomllib.loads(path.read_text()).get("known", ()))


def explanation(outcome: Outcome, rows: tuple[Known, ...] | None = None) -> str | None:
    """The name of the known failure that an outcome is, if it is one."""
    rows = ledger() if rows is None else rows
    return next((row.name for row in rows if outcome.failed and row.explains(outcome)), None)


def save(program: Program, outcome: Outcome, folder: Path = NEW) -> Path:
    """Write a kernel and its spec, named by their digest; the Python file is given back."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(f"{program.text}\n{program.spec}".encode()).hexdigest()[:8]
    path = folder / f"{outcome.kind.lower()}_{digest}.py"
    path.write_text(program.text)
    said = " ".join(f"{outcome.kind} {outcome.code} {outcome.sentence}".split())
    path.with_suffix(".toml").write_text(f"# {said}\n{program.spec}")
    return path


def load(path: Path) -> Program:
    """A kernel that was saved."""
    return Program(path.read_text(), path.with_suffix(".toml").read_text())
