"""All forms of each kernel of a run, aligned by source line, with what was found of them; the report page shows it."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ferrotile import bundle, host, ir, lift
from ferrotile.core import FerrotileError, InputError, tools
from ferrotile.lift.source import ArrayParameter, ConstantParameter, ParameterName, ScalarParameter, annotate
from ferrotile.workflow.correspondence import Keys, Line, rust_keys, rust_lines, sass_lines, tile_ir_lines
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.run.artifacts import Journal, Outcome, read
from ferrotile.workflow.timed import Times, times_of
from ferrotile.workflow.verification import bundles

OUTCOME, JOURNAL = "outcome.json", "journal.json"


@dataclass(frozen=True, slots=True)
class SideOptions:
    """`machine_code`: assemble what is shown, which takes seconds a kernel. `times`: a file of a bench, or an
    analysis.json that its times were filled into.
    """

    machine_code: bool = True
    times: Path | None = None
    source_map: tuple[tuple[str, str], ...] = ()
    progress: Callable[[str], None] = lambda _: None


@dataclass(frozen=True, slots=True)
class Panel:
    """One form of a kernel; `note` says where it is from, or why it is not there."""

    title: str
    note: str
    lines: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Sided:
    """One kernel: its proof, its forms, and what was counted."""

    name: str
    proof: bundle.Proof
    panels: tuple[Panel, ...]
    arguments: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    unsafe_reasons: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sides:
    """A run or a folder of bundles. `end` and `steps` are those of a run; `times` is None without measurements."""

    folder: Path
    kernels: tuple[Sided, ...]
    end: str | None = None
    steps: tuple[str, ...] = ()
    times: Times | None = None


def sides_of(folder: Path, options: SideOptions) -> Sides:
    """Every kernel of a run's folder, or of a folder of bundles. Raises: FT610 there is none; FT61x, FT811; FT716
    the times are of other kernels.
    """
    with guarded("report"):
        outcome = read(folder / OUTCOME, Outcome) if (folder / OUTCOME).is_file() else None
        where = folder
        if outcome is not None:
            read(folder / JOURNAL, Journal)
            if outcome.kernels is None:
                raise InputError("FT610", f"the run in `{folder}` ended as {outcome.end} without a kernel")
            where = folder / outcome.kernels
        finder = lift.SourceFinder(list(options.source_map))
        kernels = []
        for one in bundles(where):
            options.progress(one.name)
            kernels.append(_sided(one, finder, options))
        steps = () if outcome is None else outcome.steps
        times = None if options.times is None else times_of(options.times, [one.name for one in kernels])
        return Sides(folder, tuple(kernels), None if outcome is None else str(outcome.end), steps, times)


def _sided(folder: Path, finder: lift.SourceFinder, options: SideOptions) -> Sided:
    proof = bundle.read(folder)
    reference = (folder / "reference.tileirbc").read_bytes()
    module = ir.decode(reference)
    entry = module.entries[0]
    place = ir.place(entry)
    file = "" if place is None else place.file
    text = tools.disassemble_bytecode(reference, places=True)
    tile_ir = tile_ir_lines(text, file)
    rust, keys_of = _rust(folder, module, file)
    panels = (
        _python(file, tile_ir, finder),
        Panel("Tile IR", "the reference", tuple(tile_ir)),
        rust,
        _sass(folder, proof, keys_of, options),
    )
    parameters = annotate(entry, finder).parameters
    unsafe = dict(host.reasons("\n".join(line.text for line in rust.lines)))
    return Sided(
        folder.name, proof, panels,
        tuple((one.rust, _kind(one)) for one in parameters if not one.is_constant),
        tuple((one.rust, repr(one.symbol.value)) for one in parameters if isinstance(one.symbol, ConstantParameter)),
        unsafe,
    )  # fmt: skip


def _kind(parameter: ParameterName) -> str:
    match parameter.symbol:
        case ArrayParameter() as array:
            return f"{array.dtype}, rank {array.rank}"
        case ScalarParameter(dtype):
            return dtype
    return type(parameter.symbol).__name__.removesuffix("Parameter").lower()


def _rust(folder: Path, reference: ir.Module, file: str) -> tuple[Panel, dict[int, Keys]]:
    path, lowered = folder / "kernel.rs", folder / "lowered.tileirbc"
    if not path.is_file():
        return Panel("Rust", "none: the kernel was refused"), {}
    keys_of = rust_keys(reference, ir.decode(lowered.read_bytes()), file) if lowered.is_file() else {}
    lines = tuple(rust_lines(path.read_text(), keys_of))
    return Panel("Rust", "kernel.rs, paired with operations by their order", lines), keys_of


def _sass(folder: Path, proof: bundle.Proof, keys_of: dict[int, Keys], options: SideOptions) -> Panel:
    path = folder / "lowered.tileirbc"
    if not path.is_file():
        return Panel("SASS", "none: nothing was lowered")
    if not options.machine_code:
        return Panel("SASS", "none: not asked for")
    try:
        made = tools.assemble_with_lines(path.read_bytes(), proof.target)
        if made.cubin is None:
            return Panel("SASS", f"none: tileiras refuses it for {proof.target}: {made.refusal}")
        text = tools.disassemble_cubin(made.cubin, lines=True)
    except FerrotileError as error:
        return Panel("SASS", f"none: {error.message}")
    lines = tuple(sass_lines(text, keys_of))
    return Panel("SASS", f"{proof.target}, of kernel.rs, assembled with line numbers", lines)


def _python(file: str, tile_ir: list[Line], finder: lift.SourceFinder) -> Panel:
    """The functions that operations come from."""
    syntax = finder.find(file) if file else None
    if syntax is None:
        return Panel("Python", f"none: `{file}` is not at hand" if file else "none: the bytecode names no file")
    used = {key for line in tile_ir for key in line.keys}
    shown = _shown(syntax.tree, used)
    lines: list[Line] = []
    for number in sorted(shown):
        if lines and number - 1 not in shown:
            lines.append(Line("⋯"))
        if number <= len(syntax.lines):
            lines.append(Line(syntax.lines[number - 1], (number,) if number in used else (), number))
    return Panel("Python", Path(file).name, tuple(lines))


def _shown(tree: ast.AST, used: set[int]) -> set[int]:
    """The lines of all functions in which a used line lies."""
    shown = set(used)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno is not None:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            lines = range(first, node.end_lineno + 1)
            if used.intersection(lines):
                shown.update(lines)
    return shown
