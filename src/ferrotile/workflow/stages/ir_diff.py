"""Stage C: after a failure, where do the programs differ, and who is at fault? It changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ferrotile import bundle, check
from ferrotile.check import Verdict as Checked
from ferrotile.core import MachineKind, store
from ferrotile.workflow.run.artifacts import Compared, Explained, Host, IrDiff, Performance, Timed, read, write
from ferrotile.workflow.run.context import Context, Verdict, bundles
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages.actions import require_sound
from ferrotile.workflow.stages.performance import REFUSED
from ferrotile.workflow.stages.untrue import require_equal

FILE = "ir-diff.json"
Fault = Literal["none", "translation", "upstream", "unknown"]
PROGRAMS = ("reference.tileirbc", "lowered.tileirbc")


def make(context: Context, folder: Path) -> None:
    """Explain every variant; write a report for each that the compiler is at fault for. Raises: FT004."""
    rows = explained(context)
    write(folder / FILE, IrDiff(asked_by=asker(context), rows=rows))
    add_reports(context, folder)


def add_reports(context: Context, folder: Path) -> None:
    """Write `upstream/NAME` for each variant that the compiler is at fault for. Raises: FT004, FT811."""
    for row in read(folder / FILE, IrDiff).rows:
        if row.fault != "upstream":
            continue
        for name in PROGRAMS:
            data = (_place(context, row.name) / name).read_bytes()
            store.write_bytes(folder / "upstream" / row.name / name, data)
        store.write_text(folder / "upstream" / row.name / "report.md", _report(context, row))


def asker(context: Context) -> Letter:
    """The stage that failed last."""
    return context.done[-1].letter


def explained(context: Context) -> tuple[Explained, ...]:
    """What check, numbers and machine code say of each variant. Raises: FT5xx, FT610, FT811."""
    numbers: dict[str, Compared] = {}
    machine: dict[str, Timed] = {}
    if context.has(Letter.HOST):
        numbers = {one.name: one for one in context.latest(Letter.HOST, Host).results}
    if asker(context) is Letter.PERFORMANCE:
        machine = {row.name: row for row in context.latest(Letter.PERFORMANCE, Performance).rows}
    names = [variant.name for variant in context.analysis.variants]
    return tuple(_explained(context, name, numbers.get(name), machine.get(name)) for name in names)


def confirm(context: Context, folder: Path) -> None:
    """Explain again; actions must be ones that an author can heed. Raises: FT811, FT812."""
    report = read(folder / FILE, IrDiff)
    require_equal("the asking stage", report.asked_by, asker(context))
    require_equal("the explanation", report.rows, explained(context))
    require_sound(report.actions, {row.name for row in report.rows})


def verdict(folder: Path) -> Verdict:
    """Whose fault it is. Raises: FT811."""
    report = read(folder / FILE, IrDiff)
    reasons = tuple(f"{row.name}: {_words(row)}" for row in report.rows if row.fault != "none" or _is_other(row))
    faults = {row.fault for row in report.rows}
    if "upstream" in faults:
        return Verdict(Word.FAIL_COMPILER_BUG, None, reasons)
    if report.actions or "translation" in faults:
        return Verdict(Word.FAIL_FIXABLE, Owner.KERNEL, reasons)
    if "unknown" in faults:
        return Verdict(Word.BLOCKED, None, reasons)
    return Verdict(Word.PASS_WITH_NOTES if reasons else Word.PASS, None, reasons)


def _explained(context: Context, name: str, numbers: Compared | None, machine: Timed | None) -> Explained:
    place = _place(context, name)
    reference, lowered = ((place / program).read_bytes() for program in PROGRAMS)
    found = check.check(reference, lowered, bundle.read(place).parameters, context.request.target)
    outcome = "skipped" if numbers is None else numbers.outcome
    return Explained(
        name=name,
        verdict=found.kind,
        sentence=found.sentence,
        difference=found.difference,
        place=None if found.reference_place is None else str(found.reference_place),
        rust_place=None if found.lowered_place is None else str(found.lowered_place),
        numbers=outcome,
        machine=MachineKind.SKIPPED if machine is None else machine.kind,
        machine_difference=None if machine is None else machine.difference,
        fault=_fault(found, outcome, machine),
    )


def _fault(found: Checked, numbers: str, machine: Timed | None) -> Fault:
    """Equal programs that leave other numbers are a riddle: check or the interpreter is wrong."""
    if not found.holds:
        return "translation"
    if numbers == "FAILED":
        return "unknown"
    if machine is not None and (machine.difference or "").startswith(REFUSED):
        return "upstream"
    return "none"


def _is_other(row: Explained) -> bool:
    return row.machine in (MachineKind.DIFFERS, MachineKind.DEVICE_IDENTICAL)


def _words(row: Explained) -> str:
    parts = [f"{row.verdict}: {row.sentence}"]
    parts += [f"numbers {row.numbers}"] * (row.numbers == "FAILED")
    parts += [f"machine code {row.machine}: {row.machine_difference}"] * _is_other(row)
    return "; ".join(parts)


def _place(context: Context, name: str) -> Path:
    return bundles(context.folder(Letter.AUTHOR), [name])[0]


def _report(context: Context, row: Explained) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in bundle.versions().items() if version)
    return (
        f"# `{row.name}` for {context.request.target}\n\n{row.machine_difference}\n\n"
        f"Both programs are beside this file. ferrotile's check says {row.verdict}: {row.sentence}\n\n"
        f"The programs are whole, not reduced. Versions: {versions}.\n"
    )
