"""What the workflow takes and gives: frozen records that can be sent between processes."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ferrotile.core import Level, MachineKind, ParameterMap, Place, Style, VerdictKind
from ferrotile.workflow.sample import Sample

if TYPE_CHECKING:
    from ferrotile.check import Blame

EXIT_OK, EXIT_DIFFERS, EXIT_INPUT, EXIT_REFUSED, EXIT_ENVIRONMENT, EXIT_UNPROVED, EXIT_OURS = 0, 1, 2, 3, 4, 5, 70
SEVERITY = (EXIT_OURS, EXIT_ENVIRONMENT, EXIT_INPUT, EXIT_DIFFERS, EXIT_UNPROVED, EXIT_REFUSED, EXIT_OK)
"""Exit codes, worst first."""
EXIT_OF_VERDICT = {
    VerdictKind.EQUAL: EXIT_OK,
    VerdictKind.REFINES: EXIT_OK,
    VerdictKind.DIFFERS: EXIT_DIFFERS,
    VerdictKind.UNPROVED: EXIT_UNPROVED,
    VerdictKind.REFUSED: EXIT_REFUSED,
}


@dataclass(frozen=True, slots=True)
class Options:
    """How to translate. `sample`: whose machine code to compare when `sass`; None: that of all."""

    target: str = "sm_90"
    out: Path | None = None
    sass: bool = False
    sample: Sample | None = None
    jobs: int = 1
    source_map: tuple[tuple[str, str], ...] = ()
    signature: str | None = None
    style: Style | None = None
    """How closely the text keeps to the reference; None: fluent, and closer only where that is needed."""
    level: Level = Level.FAITHFUL
    """SAFE, AUTO: without `unsafe` where that is proved; AUTO, with `sass`: and where the machine code is the same."""


@dataclass(frozen=True, slots=True)
class Task:
    """One input: a bytecode file, or bytecode made of a Python kernel. `name` is that of its folder."""

    input: str
    name: str
    path: Path | None = None
    bytecode: bytes | None = None
    fault: Any = None
    """A FerrotileError that came up while the input was looked for."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the machine-code step needs of a translation that holds."""

    reference: bytes
    lowered: bytes
    parameters: ParameterMap
    kernel: str
    """Which kernel this is a specialization of, for sampling: source file and function."""


@dataclass(frozen=True, slots=True)
class MachineResult:
    """What the machine-code step came to; `other_target` is what was compared where the reference was refused."""

    kind: MachineKind
    target: str
    difference: str | None = None
    counts: tuple[int, int] = (0, 0)
    note: str = ""
    other_target: tuple[str, MachineKind] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome for one input. Units: `seconds` per step; `operations` and `lines` are counts."""

    input: str
    name: str
    target: str
    verdict: VerdictKind
    exit_code: int
    kernel: str = ""
    sass: MachineKind = MachineKind.SKIPPED
    code: str | None = None
    place: Place | None = None
    rust_place: Place | None = None
    message: str = ""
    hint: str | None = None
    difference: str | None = None
    blame: Blame | None = None
    """Whose fault a difference or a refusal is."""
    laws: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    unsafe: int | None = None
    checks_in_kernel: int | None = None
    launch_checks: tuple[str, ...] = ()
    names_from: str | None = None
    style: Style | None = None
    notes: tuple[str, ...] = ()
    operations: int = 0
    lines: int = 0
    python_lines: int = 0
    machine: MachineResult | None = None
    folder: Path | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    evidence: Evidence | None = None
    rust: str | None = None
    """The kernel's text, for the excerpts of error messages."""

    def to_json(self) -> dict[str, Any]:
        """The JSON line of the command line: the promised keys first, then what explains them."""
        line: dict[str, Any] = {
            "input": self.input,
            "kernel": self.kernel,
            "target": self.target,
            "verdict": str(self.verdict),
            "sass": str(self.sass),
            "code": self.code,
            "place": None if self.place is None else str(self.place),
            "unsafe": self.unsafe,
            "checks_in_kernel": self.checks_in_kernel,
            "seconds": {step: round(seconds, 6) for step, seconds in self.seconds.items()},
            "message": self.message,
            "rust_place": None if self.rust_place is None else str(self.rust_place),
            "difference": self.difference,
            **blame_json(self.blame),
            "hint": self.hint,
            "laws": list(self.laws),
            "assumptions": list(self.assumptions),
            "added": list(self.added),
            "launch_checks": list(self.launch_checks),
            "names_from": self.names_from,
            "style": None if self.style is None else self.style.value,
            "operations": self.operations,
            "lines": self.lines,
            "python_lines": self.python_lines,
            "folder": None if self.folder is None else str(self.folder),
        }
        if self.machine is not None:
            line["sass_detail"] = machine_json(self.machine)
        return line


def blame_json(blame: Blame | None) -> dict[str, str | None]:
    """Owner, entry of FOUND.md and workaround as JSON; all null where nobody is to blame, or it is not known."""
    return {"owner": None, "upstream": None, "workaround": None} if blame is None else blame.to_json()


def machine_json(machine: MachineResult) -> dict[str, Any]:
    """The machine-code result as JSON."""
    other = machine.other_target
    return {
        "kind": str(machine.kind),
        "target": machine.target,
        "first_difference": machine.difference,
        "instructions": list(machine.counts),
        "note": machine.note,
        "other_target": None if other is None else {"target": other[0], "kind": str(other[1])},
    }


def worst(codes: list[int]) -> int:
    """The exit code for several outcomes."""
    return min(codes, key=SEVERITY.index, default=EXIT_OK)
