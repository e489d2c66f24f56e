"""Stage F: what keeps a variant from being as fast? Launches, tuner, hints, and the machine code of closer styles."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ferrotile import bundle, ir
from ferrotile.core import InputError, MachineKind, Style
from ferrotile.workflow.record import Task
from ferrotile.workflow.run.artifacts import Action, Performance, Residual, Residue, Timed, Tried, Variant, read, write
from ferrotile.workflow.run.context import Context, Verdict, bundles
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages.actions import require_sound
from ferrotile.workflow.stages.author import closer
from ferrotile.workflow.stages.facts import effective_hints
from ferrotile.workflow.stages.performance import machine_row
from ferrotile.workflow.stages.untrue import require_equal
from ferrotile.workflow.translation import translate

FILE = "residual.json"


def make(context: Context, folder: Path) -> None:
    """Look at every variant that is not shown to be as fast. Raises: FT004."""
    rows = residues(context)
    helped = ((row.name, _first_identical(row)) for row in rows)
    actions = tuple(Action(name=name, kind="style", value=style.value) for name, style in helped if style is not None)
    write(folder / FILE, Residual(rows=rows, actions=actions))


def confirm(context: Context, folder: Path) -> None:
    """Look again; a style that is asked for must be one that was tried and helps. Raises: FT811, FT812."""
    report, found = read(folder / FILE, Residual), residues(context)
    require_equal("the residue", report.rows, found)
    require_sound(report.actions, {row.name for row in found})
    tried = {row.name: {one.style.value: one.kind for one in row.tried} for row in found}
    for action in report.actions:
        if action.kind == "style" and tried[action.name].get(action.value) is not MachineKind.IDENTICAL:
            raise InputError("FT812", f"the style `{action.value}` does not help `{action.name}`")


def residues(context: Context) -> tuple[Residue, ...]:
    """One row for each variant whose machine code is not the reference's. Raises: FT2xx, FT610, FT811."""
    rows = {row.name: row for row in context.latest(Letter.PERFORMANCE, Performance).rows}
    left = [one for one in context.analysis.variants if rows[one.name].kind is not MachineKind.IDENTICAL]
    return tuple(_residue(context, variant, rows[variant.name]) for variant in left)


def verdict(folder: Path) -> Verdict:
    """FIXABLE when there is something to do. Raises: FT811."""
    report = read(folder / FILE, Residual)
    if report.actions:
        asked = tuple(f"{one.name}: {one.kind} `{one.value}`" for one in report.actions)
        return Verdict(Word.FIXABLE, Owner.KERNEL, asked)
    reasons = tuple(f"{row.name}: {_words(row)}" for row in report.rows)
    is_dark = any(row.kind is MachineKind.SKIPPED for row in report.rows)
    return Verdict(Word.BLOCKED if is_dark else Word.ALIGNED, None, reasons)


def _residue(context: Context, variant: Variant, machine: Timed) -> Residue:
    place = bundles(context.folder(Letter.AUTHOR), [variant.name])[0]
    reference, lowered = (ir.decode((place / f"{side}.tileirbc").read_bytes()) for side in ("reference", "lowered"))
    configurations = context.analysis.autotune
    return Residue(
        name=variant.name,
        launches=(len(reference.entries), len(lowered.entries)),
        tuner_space=None if configurations is None else len(configurations),
        reference_hints=effective_hints(reference, context.request.target),
        lowered_hints=effective_hints(lowered, context.request.target),
        kind=machine.kind,
        difference=machine.difference,
        instructions=machine.instructions,
        tried=tuple(_until_identical(_tried(context, variant, one) for one in closer(bundle.read(place).style))),
    )


def _until_identical(tried: Iterator[Tried]) -> Iterator[Tried]:
    for one in tried:
        yield one
        if one.kind is MachineKind.IDENTICAL:
            return


def _tried(context: Context, variant: Variant, style: Style) -> Tried:
    path = context.folder(Letter.ANALYST) / variant.reference
    row = translate(Task(variant.input, variant.name, path), context.options(style=style))
    if row.evidence is None:
        return Tried(style=style, verdict=row.verdict, kind=MachineKind.SKIPPED)
    programs = [row.evidence.reference, row.evidence.lowered]
    found = machine_row(variant.name, programs, row.evidence.parameters, context.request.target)
    return Tried(style=style, verdict=row.verdict, kind=found.kind)


def _first_identical(row: Residue) -> Style | None:
    return next((one.style for one in row.tried if one.kind is MachineKind.IDENTICAL), None)


def _words(row: Residue) -> str:
    hints = "the same hints" if row.reference_hints == row.lowered_hints else "other hints"
    tried = ", ".join(f"{one.style.value} {one.kind}" for one in row.tried) or "no closer style"
    return f"{row.launches[0]} and {row.launches[1]} launches, {hints}, machine code {row.kind}; tried: {tried}"
