"""Outcomes and errors as text and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console, RenderableType
from rich.text import Text

from ferrotile.core import FerrotileError, VerdictKind
from ferrotile.report.excerpt import side_by_side
from ferrotile.workflow import blame_json

if TYPE_CHECKING:
    from ferrotile.check import Blame, Verdict
    from ferrotile.workflow import Comparison, Row

STYLES = {
    VerdictKind.EQUAL: "green",
    VerdictKind.REFINES: "green",
    VerdictKind.DIFFERS: "bold red",
    VerdictKind.UNPROVED: "yellow",
    VerdictKind.REFUSED: "yellow",
}


def row_text(row: Row, source_map: Sequence[tuple[str, str]]) -> list[RenderableType]:
    """What to tell about an outcome beyond its line in the table: message, hint, both places, machine code."""
    parts: list[RenderableType] = []
    head = Text.assemble((str(row.verdict), STYLES[row.verdict]), f" {row.input}: ")
    head.append(f"{row.code}: {row.message}" if row.code else row.message)
    parts.append(head)
    if row.hint:
        parts.append(Text(f"  help: {row.hint}"))
    parts += blame_text(row.blame)
    if row.machine is not None and row.machine.difference:
        parts.append(Text(f"  machine code: {row.machine.kind}; {row.machine.difference}"))
    if row.machine is not None and row.machine.note:
        parts.append(Text(f"  machine code: {row.machine.note}"))
    python = None if row.place is row.rust_place else row.place
    if (sides := side_by_side(python, row.rust_place, source_map, row.rust)) is not None:
        parts.append(sides)
    return parts


def blame_text(blame: Blame | None) -> list[RenderableType]:
    """Whose fault it is, if that is known."""
    return [] if blame is None else [Text(f"  owner: {blame.owner}; {blame.sentence}")]


def error_text(error: FerrotileError, source_map: Sequence[tuple[str, str]] = ()) -> list[RenderableType]:
    """An error: code and sentence, help, and the lines it is about."""
    parts: list[RenderableType] = [Text.assemble((f"{error.code}: ", "bold red"), error.message)]
    if error.hint:
        parts.append(Text(f"  help: {error.hint}"))
    places = [place for place in (error.at, error.also) if place is not None]
    rust = next((place for place in places if place.file.endswith(".rs")), None)
    python = next((place for place in places if place is not rust), None)
    if (sides := side_by_side(python, rust, source_map, None)) is not None:
        parts.append(sides)
    return parts


def error_json(error: FerrotileError) -> dict[str, Any]:
    """An error as the JSON line of a command that gives one answer."""
    return {
        "verdict": str(VerdictKind.REFUSED),
        "code": error.code,
        "message": error.message,
        "place": None if error.at is None else str(error.at),
        "rust_place": None if error.also is None else str(error.also),
        "hint": error.hint,
    }


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    """The answer of `diff --json`."""
    verdict, machine = comparison.verdict, comparison.machine
    line: dict[str, Any] = {
        "verdict": str(verdict.kind),
        "step": verdict.step,
        "sentence": verdict.sentence,
        "difference": verdict.difference,
        "place": None if verdict.reference_place is None else str(verdict.reference_place),
        "lowered_place": None if verdict.lowered_place is None else str(verdict.lowered_place),
        "laws": list(verdict.laws),
        "assumptions": list(verdict.assumptions),
        "added": list(verdict.added),
        **blame_json(comparison.blame),
    }
    if machine is not None:
        line["sass"] = str(machine.kind)
        line["sass_detail"] = {
            "target": machine.target,
            "first_difference": None if machine.first_difference is None else str(machine.first_difference),
            "instructions": list(machine.counts),
            "note": machine.note,
        }
    return line


def comparison_text(comparison: Comparison) -> list[RenderableType]:
    """The answer of `diff` for people."""
    verdict, machine = comparison.verdict, comparison.machine
    parts: list[RenderableType] = [
        Text.assemble((str(verdict.kind), STYLES[verdict.kind]), f" ({verdict.step}): {verdict.sentence}")
    ]
    parts += blame_text(comparison.blame)
    parts += [Text(f"  {line}") for line in _evidence(verdict)]
    if (sides := side_by_side(verdict.reference_place, verdict.lowered_place, (), None)) is not None:
        parts.append(sides)
    if machine is not None:
        counts = f"{machine.counts[0]} and {machine.counts[1]} instructions"
        difference = f"; {machine.first_difference}" if machine.first_difference is not None else ""
        parts.append(Text(f"machine code for {machine.target}: {machine.kind}, {counts}{difference}"))
    if machine is not None and machine.note:
        parts.append(Text(f"  {machine.note}"))
    return parts


def print_all(console: Console, parts: Sequence[RenderableType]) -> None:
    """Print renderables one after the other."""
    for part in parts:
        console.print(part)


def _evidence(verdict: Verdict) -> list[str]:
    titled = (("law", verdict.laws), ("assumes", verdict.assumptions), ("adds", verdict.added))
    return [f"{title}: {entry}" for title, entries in titled for entry in entries]
