"""Compare two bytecode files: is B the program that A is?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ferrotile import check, ir
from ferrotile.check import Verdict
from ferrotile.check.machine import MachineVerdict, compare_machine_code
from ferrotile.core import InputError, ParameterMap
from ferrotile.workflow.guard import guarded


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer for two files; `machine` only on request."""

    verdict: Verdict
    machine: MachineVerdict | None = None


def diff(reference: Path, lowered: Path, parameters: Path | None, *, target: str, sass: bool = False) -> Comparison:
    """Compare two bytecode files; the first is the reference.

    `parameters` is a JSON file with a parameter map, or a proof.json; by default parameters pair by position.
    Either may be one kernel of a module with several, `file.tileirbc::kernel`.
    Raises: FT005, FT801, FT2xx; with `sass` FT001, FT002, FT003 too.
    """
    with guarded("decode"):
        ours, theirs = kernel_of(reference), kernel_of(lowered)
    mapped = None if parameters is None else read_parameters(parameters)
    with guarded("check"):
        verdict = check.check(ours, theirs, mapped, target)
    if not sass:
        return Comparison(verdict)
    with guarded("machine code"):
        return Comparison(verdict, compare_machine_code(ours, theirs, mapped, target))


def kernel_of(path: Path) -> bytes:
    """The bytes of a file, or of one kernel of it: `file.tileirbc::kernel`. Raises: FT226, FT2xx, FT801."""
    file, separator, name = str(path).partition("::")
    return ir.alone(read(Path(file)), name) if separator else read(path)


def read(path: Path) -> bytes:
    """The bytes of an input file. Raises: FT801."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("FT801", f"cannot read `{path}`: {(error.strerror or str(error)).lower()}") from None


def read_parameters(path: Path) -> ParameterMap:
    """A parameter map from a file of its own, or from a proof.json. Raises: FT005, FT801."""
    return ParameterMap.from_json(read(path))
