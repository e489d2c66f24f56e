"""Every form that a kernel takes on its way, one after the other, for learning and for finding faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pprint import pformat

from ferrotile import check, ir, lift, lower
from ferrotile.core import EnvironmentFault, InputError, tools
from ferrotile.workflow.comparison import read
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.record import Options, Task


@dataclass(frozen=True, slots=True)
class Form:
    """One form: what it is, and its text in `language`."""

    title: str
    text: str
    language: str = "text"


def trace(task: Task, options: Options) -> Iterator[Form]:
    """The forms of one input; each is given as soon as it is made, so that a fault shows what was before it.

    Raises: whatever code the step at fault has.
    """
    reference = _bytes_of(task)
    yield _disassembled("reference Tile IR, as tileirdisasm shows it", reference)
    with guarded("decode"):
        module = ir.decode(reference)
    yield Form(
        f"decoded module, bytecode {module.version[0]}.{module.version[1]}, {module.op_count} operations",
        ir.print_generic(module),
    )
    with guarded("verify"):
        ir.verify(module)
    yield Form("verifier", "the module is well formed")
    with guarded("lift", own_input=True):
        kernel = lift.lift(module, lift.SourceFinder(list(options.source_map)))
    yield Form("parameter map", _parameters(kernel))
    yield Form("specialization that the Rust is lowered for", _specialization(kernel.source))
    yield Form(
        f"kernel.rs, names from the {kernel.names_from}, {kernel.unsafe_count} unsafe blocks", kernel.text, "rust"
    )
    if kernel.notes:
        yield Form("notes of lift", "\n".join(kernel.notes))
    with guarded("lower", own_input=True):
        lowered = lower.lower(kernel.source, options.target, lower.version_for(module.version))
    yield _disassembled("lowered Tile IR, as tileirdisasm shows it", lowered.bytecode)
    yield Form(
        f"checks: {lowered.checks_in_kernel} left in the kernel", "\n".join(lowered.launch_checks) or "none at launch"
    )
    with guarded("check", own_input=True):
        verdict = check.check(reference, lowered.bytecode, kernel.parameters, options.target)
    yield Form(f"verdict: {verdict.kind}", _verdict(verdict))


def _bytes_of(task: Task) -> bytes:
    if task.fault is not None:
        raise task.fault
    if task.bytecode is not None:
        return task.bytecode
    if task.path is None:
        raise InputError("FT801", f"`{task.input}` does not exist")
    return read(task.path)


def _disassembled(title: str, bytecode: bytes) -> Form:
    try:
        return Form(title, tools.disassemble_bytecode(bytecode, places=True), "mlir")
    except EnvironmentFault as error:
        return Form(title, f"not shown: {error.message}")


def _parameters(kernel: lift.RustKernel) -> str:
    sides = {"reference": kernel.parameters.reference, "lowered": kernel.parameters.lowered}
    return "\n".join(f"{side} {k}: {role}" for side, roles in sides.items() for k, role in enumerate(roles))


def _specialization(source: lower.RustSource) -> str:
    fields = asdict(source)
    del fields["text"]
    return pformat(
        {name: value for name, value in fields.items() if value not in (None, ())}, sort_dicts=False, width=110
    )


def _verdict(verdict: check.Verdict) -> str:
    lines = [verdict.sentence, f"found by: {verdict.step}"]
    for title, entries in (("law", verdict.laws), ("assumes", verdict.assumptions), ("adds", verdict.added)):
        lines += [f"{title}: {entry}" for entry in entries]
    places = (("reference", verdict.reference_place), ("lowered", verdict.lowered_place))
    return "\n".join([*lines, *(f"{side}: {place}" for side, place in places if place is not None)])
