"""Compare the machine code of two kernels: device code, its resources, and the launch code beside it.

Equal SASS alone says nothing about values that reach the device through TMA descriptors, since those are
built by x86 code in `.nv.host`; hence three answers: `identical` (all equal), `device-identical` (only the
launch code differs: no proof of anything alone), `differs`. Compared modulo symbol names, and modulo the
order of parameters as the parameter map tells it. Left out: symbol and string tables, debug sections, tool
notes, and sm_100's `.nv.merc*`/`.nv.capmerc*` (a second, retargetable copy of the same code).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from ferrotile.check import machine_layout as layout_of
from ferrotile.check.machine_elf import Elf, Section, read_elf
from ferrotile.check.machine_host import compare_host
from ferrotile.check.machine_sass import Line, instruction_count, normalise, plain_names
from ferrotile.core import MachineKind, ParameterMap, Unsupported, tools

FALLBACK_TARGET = "sm_100"
"""Where programs are compared that tileiras refuses for the target."""
_LEFT_OUT = (
    ".shstrtab",
    ".strtab",
    ".symtab",
    ".debug",
    ".rela.debug",
    ".note",
    ".nv.merc",
    ".nv.capmerc",
    ".nv.callgraph",
)
_TREATED_APART = (".text.", ".nv.info", ".nv.host", ".nv.constant0.")


@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: the part (sass, info, section, host) and the text of either side."""

    part: str
    reference: str
    lowered: str

    def __str__(self) -> str:
        return f"{self.part}: `{self.reference}` against `{self.lowered}`"


@dataclass(frozen=True, slots=True)
class MachineVerdict:
    """What the comparison came to. `counts`: SASS instructions of reference and lowered."""

    kind: MachineKind
    target: str = ""
    first_difference: Difference | None = None
    counts: tuple[int, int] = (0, 0)
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Kernel:
    """One kernel of a cubin, prepared for comparison."""

    name: str
    elf: Elf
    layout: layout_of.Layout
    attributes: tuple[str, ...]
    lines: tuple[Line, ...]
    registers: int


def compare_machine_code(
    reference: bytes, lowered: bytes, parameters: ParameterMap | None, target: str
) -> MachineVerdict:
    """Assemble both programs and compare them; `sm_100` is compared where tileiras refuses the reference.

    The answer's kind is `reference-refused` when no target takes the reference; its note says what happened.
    Raises: FT001, FT002, FT003, FT005, FT006, FT008.
    """
    note = ""
    for chosen in dict.fromkeys((target, FALLBACK_TARGET)):
        ours = tools.assemble(reference, chosen)
        if ours.cubin is None:
            note = f"{note}; " * bool(note) + f"tileiras refuses the reference for {chosen}: {ours.refusal}"
            continue
        theirs = tools.assemble(lowered, chosen)
        if theirs.cubin is None:
            refused = Difference("tileiras", "accepted", theirs.refusal or "refused")
            return MachineVerdict(MachineKind.DIFFERS, chosen, refused, note=note)
        verdict = compare_cubins(ours.cubin, theirs.cubin, parameters)
        return MachineVerdict(verdict.kind, chosen, verdict.first_difference, verdict.counts, note)
    return MachineVerdict(MachineKind.REFERENCE_REFUSED, target, note=note)


def compare_cubins(reference: bytes, lowered: bytes, parameters: ParameterMap | None = None) -> MachineVerdict:
    """Compare two cubins of one kernel each. Raises: FT001, FT002, FT003, FT005, FT006, FT008."""
    ours = _prepare(reference, None if parameters is None else parameters.reference)
    theirs = _prepare(lowered, None if parameters is None else parameters.lowered)
    counts = (instruction_count(ours.lines), instruction_count(theirs.lines))
    device = _sass(ours, theirs) or _resources(ours, theirs) or _sections(ours, theirs)
    if device is not None:
        return MachineVerdict(MachineKind.DIFFERS, first_difference=device, counts=counts)
    sections = (ours.elf.section(".nv.host"), theirs.elf.section(".nv.host"))
    host = compare_host(*sections, (ours.name, theirs.name), (ours.layout, theirs.layout))
    if host is not None:
        difference = Difference(f"host, {host.what}", host.reference, host.lowered)
        return MachineVerdict(MachineKind.DEVICE_IDENTICAL, first_difference=difference, counts=counts)
    return MachineVerdict(MachineKind.IDENTICAL, counts=counts)


def _prepare(cubin: bytes, roles: tuple[layout_of.Role, ...] | None) -> _Kernel:
    elf = read_elf(cubin)
    kernels = [s.name.removeprefix(".text.") for s in elf.sections if s.name.startswith(".text.")]
    if len(kernels) != 1:
        raise Unsupported(
            "FT008", f"machine code is compared of modules with one kernel, and this one has {len(kernels)}"
        )
    (name,) = kernels
    attributes = layout_of.read_attributes(_data(elf, f".nv.info.{name}"))
    module_wide = layout_of.read_attributes(_data(elf, ".nv.info"))
    layout = layout_of.read_layout(attributes, roles)
    lines = normalise(tools.disassemble_cubin(cubin), name, layout)
    described = layout_of.describe_attributes((*module_wide, *attributes), layout, elf, name)
    return _Kernel(name, elf, layout, described, lines, layout_of.register_count(module_wide))


def _sass(ours: _Kernel, theirs: _Kernel) -> Difference | None:
    for left, right in zip_longest(ours.lines, theirs.lines):
        if left is None or right is None:
            return Difference(
                "sass", "end of code" if left is None else left.shown, "end of code" if right is None else right.shown
            )
        if left.text != right.text:
            return Difference("sass", left.shown, right.shown)
    return None


def _resources(ours: _Kernel, theirs: _Kernel) -> Difference | None:
    if ours.registers != theirs.registers:
        return Difference("registers", str(ours.registers), str(theirs.registers))
    if parameter := layout_of.differing_parameter(ours.layout, theirs.layout):
        return Difference("parameter", *parameter)
    for left, right in zip_longest(ours.attributes, theirs.attributes, fillvalue="absent"):
        if left != right:
            return Difference("info", left, right)
    return None


def _sections(ours: _Kernel, theirs: _Kernel) -> Difference | None:
    """Every other section: shared memory, constants, globals, and what a later tileiras may add."""
    left, right = _other_sections(ours), _other_sections(theirs)
    for name in sorted({*left, *right}):
        if left.get(name) != right.get(name):
            return Difference(f"section `{name}`", _brief(left.get(name)), _brief(right.get(name)))
    return None


def _other_sections(kernel: _Kernel) -> dict[str, tuple[int, bytes, str]]:
    found = {}
    for section in kernel.elf.sections:
        if not section.name or section.name.startswith(_LEFT_OUT):
            continue
        name = plain_names(section.name, kernel.name)
        if section.name.startswith(_TREATED_APART):
            if section.name.startswith(".nv.constant0."):
                found[name] = (
                    0,
                    section.data.strip(b"\0"),
                    kernel.layout.describe_size(section.size - kernel.layout.base),
                )
        elif section.name.startswith(".rela"):
            continue
        else:
            found[name] = (section.size, section.data, _relocations(kernel, section))
    return found


def _relocations(kernel: _Kernel, section: Section) -> str:
    return plain_names(
        " ".join(f"{r.offset:#x}:{r.kind}:{r.symbol.name}+{r.addend}" for r in kernel.elf.relocations(section)),
        kernel.name,
    )


def _brief(content: tuple[int, bytes, str] | None) -> str:
    if content is None:
        return "absent"
    size, data, relocations = content
    return f"{size} bytes {data[:32].hex()} {relocations}".strip()


def _data(elf: Elf, name: str) -> bytes:
    section = elf.section(name)
    return b"" if section is None else section.data
