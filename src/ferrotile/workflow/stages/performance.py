"""Stage E: is it as fast? Without a GPU there is one proof: the machine code is the reference's.

Everything else is `not measured`, which is never DONE.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ferrotile import bundle
from ferrotile.check.machine import FALLBACK_TARGET, compare_cubins
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
    """Compare two programs for one target; what cannot be compared is a row that says why.

    What tileiras refuses for the target is compared for `FALLBACK_TARGET`, and the row says so.
    """
    target, assemble = how if isinstance(how, tuple) else (how, tools.assemble)
    row = Timed(
        name=name, kind=MachineKind.SKIPPED, target=target, difference=None, instructions=(0, 0), note="",
        device_time="not measured",
    )  # fmt: skip
    try:
        with guarded("machine code", own_input=True):
            return row.model_copy(update=_compared(programs, parameters, target, assemble))
    except EnvironmentFault as error:
        return row.model_copy(update={"note": f"{error.code}: {error.message}"})
    except FerrotileError as error:
        return row.model_copy(update={"kind": MachineKind.DIFFERS, "difference": f"{error.code}: {error.message}"})


def _compared(
    programs: list[bytes], parameters: ParameterMap | None, target: str, assemble: Assemble
) -> dict[str, object]:
    """What a row says of two programs. Raises: FT001, FT002, FT003, FT005, FT006, FT008."""
    refusals: list[str] = []
    for chosen in dict.fromkeys((target, FALLBACK_TARGET)):
        reference = assemble(programs[0], chosen)
        if reference.cubin is None:
            refusals.append(f"tileiras refuses the reference for {chosen}: {reference.refusal}")
            continue
        lowered = assemble(programs[1], chosen)
        found: dict[str, object] = {"target": chosen, "note": "; ".join(refusals)}
        if lowered.cubin is None:
            return found | {"kind": MachineKind.DIFFERS, "difference": f"{REFUSED}{lowered.refusal}"}
        verdict = compare_cubins(reference.cubin, lowered.cubin, parameters)
        found |= {"kind": verdict.kind, "instructions": verdict.counts}
        if verdict.kind is MachineKind.IDENTICAL:
            return found | {"device_time": "equal: the same machine code"}
        return found | {"difference": str(verdict.first_difference)}
    return {"kind": MachineKind.REFERENCE_REFUSED, "note": "; ".join(refusals)}


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
    elsewhere = tuple(f"{row.name}: compared for {row.target}, since {row.note}" for row in rows if row.note)
    return Verdict(Word.DONE, None, (f"{len(rows)} variants have the reference's machine code", *elsewhere))


def _why(row: Timed) -> str:
    return row.difference or row.note
