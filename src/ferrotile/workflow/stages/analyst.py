"""Stage A: capture the input, keep the Tile IR of every variant, and say what the bytecode says about it."""

from __future__ import annotations

from pathlib import Path

from ferrotile.bundle import digest, versions
from ferrotile.capture import Index, is_capture, read_index
from ferrotile.core import FerrotileError, InputError, store
from ferrotile.lift.source import SourceFinder
from ferrotile.workflow.comparison import read as read_input
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.inputs import expand
from ferrotile.workflow.record import Task
from ferrotile.workflow.run.artifacts import Analysis, Fault, Tolerance, Variant, read, write
from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.words import Owner, Word
from ferrotile.workflow.stages.facts import variant_of
from ferrotile.workflow.stages.kernels import kernels_of
from ferrotile.workflow.stages.untrue import require_equal

FILE = "analysis.json"
FLOATS = ("f", "bf", "tf")


def make(context: Context, folder: Path) -> None:
    """Capture and analyse. Raises: FT004, FT803."""
    capture(context, folder)
    write(folder / FILE, analysis_of(context, folder))


def capture(context: Context, folder: Path) -> None:
    """Keep the bytecode of every variant below `reference`; what cannot be captured is left out. Raises: FT004."""
    for name, _, bytecode in captured(context)[0]:
        store.write_bytes(folder / "reference" / f"{name}.tileirbc", bytecode)


def captured(context: Context) -> tuple[list[tuple[str, str, bytes]], list[Fault]]:
    """Name, input and bytecode of every variant, and what could not be captured. Raises: FT803."""
    found: list[tuple[str, str, bytes]] = []
    faults: list[Fault] = []
    with guarded("capture"):
        tasks = expand([context.request.input], context.options())
    for task in tasks:
        try:
            found.append((task.name, task.input, _bytes(task)))
        except FerrotileError as error:
            fault = Fault(input=task.input, code=error.code, message=error.message, exit_code=error.exit_code)
            faults.append(fault)
    return found, faults


def analysis_of(context: Context, folder: Path) -> Analysis:
    """What the kept bytecode says. Raises: FT803."""
    found, faults = captured(context)
    variants: list[Variant] = []
    for name, source, bytecode in found:
        try:
            with guarded("analysis"):
                variants.append(variant_of(name, source, bytecode))
        except FerrotileError as error:
            fault = Fault(input=source, code=error.code, message=error.message, exit_code=error.exit_code)
            faults.append(fault)
    del folder
    index = _index(context)
    grids = _grids(index)
    programs = {name: bytecode for name, _, bytecode in found}
    dtypes = sorted({dtype for variant in variants for dtype in variant.dtypes if dtype.startswith(FLOATS)})
    return Analysis(
        target=context.request.target,
        variants=tuple(variants),
        faults=tuple(faults),
        tolerances={dtype: Tolerance() for dtype in dtypes},
        grids=grids,
        operator=_operator(context, index),
        kernels=kernels_of(variants, programs, index, SourceFinder(list(context.request.source_map))),
        versions=versions(),
        notes=("both programs must leave the same bits: the tolerances are zero", *_UNKNOWN[grids is None]),
    )


_UNKNOWN = {True: ("no launch was recorded: grids and tuner space are not known",), False: ()}


def _index(context: Context) -> Index | None:
    """The recorded launches, where the input is a capture. Raises: FT116."""
    folder = Path(context.request.input)
    return read_index(folder) if folder.is_dir() and is_capture(folder) else None


def _grids(index: Index | None) -> dict[str, tuple[tuple[int, ...], ...]] | None:
    """The grids of the recorded launches of each variant."""
    if index is None:
        return None
    return {one.name: tuple(sorted({launch.grid for launch in one.launches})) for one in index.exported}


def _operator(context: Context, index: Index | None) -> str:
    """The public function that launches the kernels, where the capture knows one; else the input's own name."""
    known = dict.fromkeys(name for one in index.exported for name in one.operators) if index is not None else {}
    return ", ".join(known) or Path(context.request.input.partition("::")[0]).stem


def confirm(context: Context, folder: Path) -> None:
    """The kept bytecode is what the input gives again, and the analysis says what is in it. Raises: FT811, FT812."""
    analysis = read(folder / FILE, Analysis)
    require_equal("the target of the analysis", analysis.target, context.request.target)
    variants = []
    for variant in analysis.variants:
        path = folder / variant.reference
        if path.parent != folder / "reference":
            raise InputError("FT812", f"`{variant.reference}` is not below `reference`")
        variants.append(variant_of(variant.name, variant.input, read_input(path)))
    require_equal("the analysis", analysis.variants, tuple(variants))
    if analysis.measured:
        raise InputError("FT812", "the analysis has measured times, and no bench was run")
    if is_at_hand(context):
        programs = {name: bytecode for name, _, bytecode in captured(context)[0]}
        again = {name: digest(bytecode) for name, bytecode in programs.items()}
        _confirm_kernels(context, analysis, programs)
        require_equal("the captured reference", {one.name: one.sha256 for one in analysis.variants}, again)


def _confirm_kernels(context: Context, analysis: Analysis, programs: dict[str, bytes]) -> None:
    """Constants, guards and grid rules are what the input gives again. Raises: FT812."""
    if analysis.kernels and all(variant.name in programs for variant in analysis.variants):
        finder = SourceFinder(list(context.request.source_map))
        kernels = kernels_of(analysis.variants, programs, _index(context), finder)
        require_equal("the kernels of the analysis", analysis.kernels, kernels)


def is_at_hand(context: Context) -> bool:
    """Whether the input is on this machine."""
    return Path(context.request.input.partition("::")[0]).exists()


def verdict(folder: Path) -> Verdict:
    """PASS when everything was captured and there is something. Raises: FT811."""
    analysis = read(folder / FILE, Analysis)
    if analysis.faults:
        reasons = tuple(f"{fault.input}: {fault.code}: {fault.message}" for fault in analysis.faults)
        return Verdict(Word.BLOCKED, Owner.ENV, reasons)
    if not analysis.variants:
        return Verdict(Word.BLOCKED, Owner.ENV, ("the input holds no kernel",))
    return Verdict(Word.PASS, None, (f"{len(analysis.variants)} variants of {_kernels(analysis)}",))


def _kernels(analysis: Analysis) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(variant.kernel for variant in analysis.variants))


def _bytes(task: Task) -> bytes:
    if task.fault is not None:
        raise task.fault
    if task.bytecode is not None:
        return task.bytecode
    assert task.path is not None
    return read_input(task.path)
