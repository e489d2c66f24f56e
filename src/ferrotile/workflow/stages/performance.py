"""Stage E: is it as fast? Without a GPU there is one proof: the machine code is the reference's.

Everything else is `not measured`, which is never DONE.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ferrotile import bundle
from ferrotile.check.machine import compare_cubins
from ferrotile.core import EnvironmentFault, FerrotileError, MachineKind, ParameterMap, tools
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.run.artifacts import Performance, Timed, read, write
from ferrotile.workflow.run.context import Context, Verdict, bundles
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages.untrue import require_equal

FILE = "performance.json"
Assemble = Callable[[bytes, str], tools.Assembled]


def make(context: Context, folder: Path) -> None:
    """Compare the machine code of every variant. Raises: FT004."""
    write(folder / FILE, Performance(rows=compared(context, tools.assemble)))


def confirm(context: Context, folder: Path) -> None:
    """Compare again, assembled afresh: the cache is no evidence. Raises: FT811, FT812."""
    rows = compared(context, tools.assemble_afresh)
    require_equal("the machine code", read(folder / FILE, Performance).rows, rows)


def compared(context: Context, assemble: Assemble) -> tuple[Timed, ...]:
    """One row for each variant."""
    names = [variant.name for variant in context.analysis.variants]
    target = context.request.target
    rows = []
    for place in bundles(context.folder(Letter.AUTHOR), names):
        programs = [(place / name).read_bytes() for name in ("reference.tileirbc", "lowered.tileirbc")]
        rows.append(machine_row(place.name, programs, bundle.read(place).parameters, (target, assemble)))
    return tuple(rows)


def machine_row(
    name: str, programs: list[bytes], parameters: ParameterMap | None, how: tuple[str, Assemble] | str
) -> Timed:
    """Compare two programs for one target; what cannot be compared is a row that says why."""
    target, assemble = how if isinstance(how, tuple) else (how, tools.assemble)
    kind, difference, counts, note = MachineKind.SKIPPED, None, (0, 0), ""
    try:
        with guarded("machine code", own_input=True):
            reference, lowered = (assemble(program, target) for program in programs)
            if reference.cubin is None:
                kind, note = MachineKind.REFERENCE_REFUSED, f"tileiras refuses the reference: {reference.refusal}"
            elif lowered.cubin is None:
                kind, difference = MachineKind.DIFFERS, f"{REFUSED}{lowered.refusal}"
            else:
                found = compare_cubins(reference.cubin, lowered.cubin, parameters)
                first = found.first_difference
                kind, counts, difference = found.kind, found.counts, None if first is None else str(first)
    except EnvironmentFault as error:
        note = f"{error.code}: {error.message}"
    except FerrotileError as error:
        kind, difference = MachineKind.DIFFERS, f"{error.code}: {error.message}"
    time = "equal: the same machine code" if kind is MachineKind.IDENTICAL else "not measured"
    return Timed(
        name=name, kind=kind, target=target, difference=difference, instructions=counts, note=note, device_time=time
    )


REFUSED = "tileiras takes the reference and refuses the Rust: "
"""How a difference begins that is the compiler's doing where both programs are equal."""


def verdict(folder: Path) -> Verdict:
    """DONE when every variant has the reference's machine code. Raises: FT811."""
    rows = read(folder / FILE, Performance).rows
    if skipped := [row for row in rows if row.kind is MachineKind.SKIPPED]:
        return Verdict(Word.BLOCKED, Owner.ENV, tuple(f"{row.name}: {row.note}" for row in skipped))
    bad = [row for row in rows if row.kind is not MachineKind.IDENTICAL]
    if bad:
        reasons = (f"{row.name}: device time not measured, machine code {row.kind}: {_why(row)}" for row in bad)
        return Verdict(Word.INVESTIGATE, None, tuple(reasons))
    return Verdict(Word.DONE, None, (f"{len(rows)} variants have the reference's machine code",))


def _why(row: Timed) -> str:
    return row.difference or row.note
