"""Translate one kernel: decode, lift, lower, check, and the machine code on request."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ferrotile import bundle, check, ir, lift, lower
from ferrotile.check.machine import compare_machine_code
from ferrotile.core import (
    CODES,
    FerrotileError,
    InputError,
    Level,
    MachineKind,
    Place,
    Style,
    Unsupported,
    VerdictKind,
)
from ferrotile.core.rust_source import says_unsafe
from ferrotile.workflow.comparison import read
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.inputs import python_file
from ferrotile.workflow.output import write_folder
from ferrotile.workflow.record import EXIT_OF_VERDICT, Evidence, MachineResult, Options, Row, Task


@dataclass
class _Attempt:
    """What one translation has made so far; what is there when it stops is reported."""

    seconds: dict[str, float] = field(default_factory=dict)
    reference: bytes = b""
    module: ir.Module | None = None
    kernel: lift.RustKernel | None = None
    lowered: lower.Lowered | None = None
    python_lines: int = 0
    python: bytes | None = None
    style: Style = Style.FLUENT
    level: Level = Level.FAITHFUL

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time a step."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - began


def translate(task: Task, options: Options) -> Row:
    """Translate one input; every fault becomes a row, never an exception.

    Without a style in the options the text is fluent; a closer style is tried where that text is refused or differs.
    A text that needs no `unsafe` is tried first if the options ask for one.
    """
    if options.level is not Level.FAITHFUL:
        style = options.style or STYLES[0]
        tried = _translate_as(task, replace(options, out=None), style, Level.SAFE)
        if tried.evidence is not None:
            return tried if options.out is None else _translate_as(task, options, style, Level.SAFE)
    return _translate_faithfully(task, options)


def _translate_faithfully(task: Task, options: Options) -> Row:
    row = _translate_as(task, options, options.style or STYLES[0])
    for style in STYLES[1:] if options.style is None else ():
        if row.verdict not in (VerdictKind.DIFFERS, VerdictKind.REFUSED) or row.exit_code == InputError.exit_code:
            break
        closer = _translate_as(task, replace(options, out=None), style)
        if closer.evidence is not None:
            return _translate_as(task, options, style)
    return row


STYLES = (Style.FLUENT, Style.EXACT_LOOPS, Style.LITERAL)
"""From the text to read to the text closest to the reference."""


def _translate_as(task: Task, options: Options, style: Style, level: Level = Level.FAITHFUL) -> Row:
    attempt = _Attempt(style=style, level=level)
    try:
        row = _translate(task, options, attempt)
        if options.out is not None:
            row = _write(row, options.out / task.name, attempt)
    except FerrotileError as error:
        row = refused_row(task, options, _fault_of_input(error, attempt), attempt)
        if options.out is not None and attempt.reference and error.exit_code != InputError.exit_code:
            row = _written_refusal(row, options.out / task.name, attempt)
    row.seconds["total"] = sum(row.seconds.values())
    return row


def _fault_of_input(error: FerrotileError, attempt: _Attempt) -> FerrotileError:
    """What is wrong with the bytecode, where a step failed on a module that is not legal; else the error itself."""
    if attempt.module is None or error.exit_code == InputError.exit_code:
        return error
    try:
        with guarded("verify"):
            ir.verify(attempt.module)
    except InputError as fault:
        return fault
    return error


def refused_row(task: Task, options: Options, error: FerrotileError, attempt: _Attempt | None = None) -> Row:
    """The row of an input that was not translated."""
    attempt = attempt or _Attempt()
    python, rust = sides_of(error)
    row = Row(
        task.input, task.name, options.target, VerdictKind.REFUSED, error.exit_code,
        code=error.code, place=python or rust, rust_place=rust, message=error.message,
        hint=error.hint or CODES[error.code].cure, blame=check.blame_refusal(error.code, error.message),
        seconds=attempt.seconds,
    )  # fmt: skip
    return _with_parts(row, attempt)


def sides_of(error: FerrotileError) -> tuple[Place | None, Place | None]:
    """The Python place and the Rust place of an error, from its two places."""
    places = [place for place in (error.at, error.also) if place is not None]
    rust = next((place for place in places if place.file.endswith(".rs")), None)
    return next((place for place in places if place is not rust), None), rust


def compare_machine(row: Row, options: Options) -> Row:
    """Compare the machine code of a row that holds; faults of tools become a row of their own.

    Where a fluent text gets other machine code than the reference, closer ones are tried; the first with the same
    takes its place, else the fluent text stays. At level AUTO a text without `unsafe` that gets other machine code in
    every style gives way to a faithful one.
    """
    compared = _compare_machine(row, options)
    evidence = row.evidence
    if evidence is None or compared.sass not in OTHER_CODE:
        return compared
    level = Level.SAFE if row.rust is not None and not says_unsafe(row.rust) else Level.FAITHFUL
    task = Task(row.input, row.name, bytecode=evidence.reference)
    for style in STYLES[1:] if options.style is None else ():
        closer = _compare_machine(_translate_as(task, replace(options, out=None), style, level), options)
        if closer.sass is MachineKind.IDENTICAL:
            written = closer if row.folder is None else _translate_as(task, options, style, level)
            seconds = {**row.seconds, "closer": closer.seconds["total"]}
            return replace(closer, folder=written.folder, seconds=seconds)
    if level is Level.SAFE and options.level is Level.AUTO:
        plain = options if row.folder is not None else replace(options, out=None)
        return compare_machine(_translate_faithfully(task, replace(plain, level=Level.FAITHFUL)), options)
    return compared


OTHER_CODE = (MachineKind.DIFFERS, MachineKind.DEVICE_IDENTICAL)


def _compare_machine(row: Row, options: Options) -> Row:
    evidence = row.evidence
    if evidence is None:
        return row
    began = time.perf_counter()
    try:
        with guarded("machine code", own_input=True):
            verdict = compare_machine_code(evidence.reference, evidence.lowered, evidence.parameters, options.target)
    except FerrotileError as error:
        return replace(row, exit_code=error.exit_code, code=error.code, message=error.message, hint=error.hint)
    is_refused = verdict.target != options.target or verdict.kind is MachineKind.REFERENCE_REFUSED
    kind = MachineKind.REFERENCE_REFUSED if is_refused else verdict.kind
    other = (verdict.target, verdict.kind) if is_refused and verdict.kind is not MachineKind.REFERENCE_REFUSED else None
    difference = None if verdict.first_difference is None else str(verdict.first_difference)
    machine = MachineResult(kind, verdict.target, difference, verdict.counts, verdict.note, other)
    seconds = {**row.seconds, "sass": time.perf_counter() - began}
    seconds["total"] = sum(value for step, value in seconds.items() if step != "total")
    return replace(row, sass=kind, machine=machine, seconds=seconds)


def _translate(task: Task, options: Options, attempt: _Attempt) -> Row:
    if task.fault is not None:
        raise task.fault
    with guarded("decode"), attempt.step("decode"):
        attempt.reference = _read(task)
        attempt.module = module = ir.decode(attempt.reference)
    if not module.entries:
        raise InputError("FT804", f"`{task.input}` holds no kernel")
    if len(module.entries) > 1:
        hint = "translate them one by one, `file.tileirbc::name`"
        raise InputError("FT226", f"`{task.input}` holds {len(module.entries)} kernels", hint=hint)
    with guarded("lift", own_input=True), attempt.step("lift"):
        finder = lift.SourceFinder(list(options.source_map))
        attempt.kernel = kernel = lift.lift(
            module, finder, target=options.target, style=attempt.style, level=attempt.level
        )
        if attempt.level is Level.SAFE and says_unsafe(kernel.text):
            raise Unsupported("FT619", "the kernel has no text without `unsafe`")
    attempt.python_lines, attempt.python = _python_lines(module, finder), _python(module, finder)
    with guarded("lower", own_input=True), attempt.step("lower"):
        made = lower.lower(kernel.source, options.target, lower.version_for(module.version))
        attempt.lowered = lowered = bundle.launched(kernel.text, made, kernel.parameters)
    with guarded("check", own_input=True), attempt.step("check"):
        verdict = check.check(attempt.reference, lowered.bytecode, kernel.parameters, options.target)
    blamed = None
    if verdict.kind is VerdictKind.DIFFERS:
        blamed = check.blame(verdict, module, ir.decode(lowered.bytecode), kernel.source)
    row = Row(
        task.input, task.name, options.target, verdict.kind, EXIT_OF_VERDICT[verdict.kind],
        place=verdict.reference_place, rust_place=verdict.lowered_place, message=verdict.sentence,
        difference=verdict.difference, laws=verdict.laws, assumptions=verdict.assumptions, added=verdict.added,
        blame=blamed, seconds=attempt.seconds,
    )  # fmt: skip
    if verdict.holds:
        row = replace(row, evidence=Evidence(attempt.reference, lowered.bytecode, kernel.parameters, _identity(module)))
    return _with_parts(row, attempt)


def _with_parts(row: Row, attempt: _Attempt) -> Row:
    """Fill in what is known of the parts that were made."""
    if (module := attempt.module) is not None and module.entries:
        row = replace(row, kernel=_kernel_name(module), operations=module.op_count)
    if (kernel := attempt.kernel) is not None:
        row = replace(
            row, unsafe=kernel.unsafe_count, names_from=kernel.names_from, notes=tuple(kernel.notes),
            lines=kernel.line_count, rust=kernel.text, python_lines=attempt.python_lines, style=attempt.style,
        )  # fmt: skip
    if (lowered := attempt.lowered) is not None:
        row = replace(row, checks_in_kernel=lowered.checks_in_kernel, launch_checks=lowered.launch_checks)
    return row


def _read(task: Task) -> bytes:
    if task.bytecode is not None:
        return task.bytecode
    assert task.path is not None
    return read(task.path)


def _kernel_name(module: ir.Module) -> str:
    place = ir.place(module.entries[0])
    return place.function if place is not None and place.function else ir.attribute(module.entries[0], "sym_name")


def _identity(module: ir.Module) -> str:
    place = ir.place(module.entries[0])
    return f"{place.file if place is not None else ''}::{_kernel_name(module)}"


def _python_lines(module: ir.Module, finder: lift.SourceFinder) -> int:
    """Lines of the kernel's Python function, blank ones and comments left out; 0 without its source."""
    place = ir.place(module.entries[0])
    syntax = None if place is None else finder.find(place.file)
    if place is None or syntax is None:
        return 0
    around = [
        node
        for node in ast.walk(syntax.tree)
        if isinstance(node, ast.FunctionDef) and node.name == place.function and node.lineno <= place.line + 1
    ]
    function = max(around, key=lambda node: node.lineno, default=None)
    if function is None:
        return 0
    lines = syntax.lines[function.lineno - 1 : function.end_lineno]
    return sum(1 for line in lines if line.strip() and not line.strip().startswith("#"))


def _python(module: ir.Module, finder: lift.SourceFinder) -> bytes | None:
    """The Python file that a module was made from, if it is at hand."""
    place = ir.place(module.entries[0])
    return None if place is None else python_file(place.file, finder)


def _files(attempt: _Attempt) -> dict[str, bytes]:
    files = {"reference.tileirbc": attempt.reference}
    if attempt.kernel is not None:
        files["kernel.rs"] = attempt.kernel.text.encode()
    if attempt.lowered is not None:
        files["lowered.tileirbc"] = attempt.lowered.bytecode
    return files


def _write(row: Row, folder: Path, attempt: _Attempt) -> Row:
    kernel = attempt.kernel
    parameters, source = (None, None) if kernel is None else (kernel.parameters, kernel.source)
    row = replace(row, folder=folder)
    write_folder(folder, _files(attempt), row, parameters, source, attempt.python)
    return row


def _written_refusal(row: Row, folder: Path, attempt: _Attempt) -> Row:
    try:
        return _write(row, folder, attempt)
    except FerrotileError as error:
        return replace(row, exit_code=error.exit_code, code=error.code, message=error.message, hint=error.hint)
