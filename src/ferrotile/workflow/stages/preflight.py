"""Preflight: is everything there? The findings are those of `doctor`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ferrotile.workflow.doctor import examine
from ferrotile.workflow.run.artifacts import Looked, Preflight, read, write
from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.words import Owner, Word

FILE = "preflight.json"


def make(context: Context, folder: Path) -> None:
    """Look at everything. Raises: FT004."""
    del context
    findings = tuple(Looked.model_validate(asdict(finding)) for finding in examine())
    write(folder / FILE, Preflight(findings=findings))


def confirm(context: Context, folder: Path) -> None:
    """Findings are about the machine of the run, which may be gone: only their form is looked at. Raises: FT811."""
    del context
    read(folder / FILE, Preflight)


def verdict(folder: Path) -> Verdict:
    """OK when everything needed is well. Raises: FT811."""
    wrong = [one for one in read(folder / FILE, Preflight).findings if one.is_needed and not one.is_well]
    if not wrong:
        return Verdict(Word.OK)
    return Verdict(Word.NOT_OK, Owner.ENV, tuple(f"{one.name}: {one.found}; cure: {one.cure}" for one in wrong))
