"""Compare two bytecode files: is B the program that A is?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ferrotile import bundle, check, ir
from ferrotile.check import Blame, Verdict
from ferrotile.check.machine import MachineVerdict, compare_machine_code
from ferrotile.core import InputError, ParameterMap, VerdictKind
from ferrotile.core.rust_source import RustSource
from ferrotile.workflow.guard import guarded


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer for two files; `machine` only on request, `blame` where they differ and the Rust text is at hand."""

    verdict: Verdict
    machine: MachineVerdict | None = None
    blame: Blame | None = None


def diff(
    reference: Path,
    lowered: Path,
    parameters: Path | None,
    *,
    target: str,
    sass: bool = False,
    rust: Path | None = None,
    facts: tuple[str, ...] = (),
) -> Comparison:
    """Compare two bytecode files; the first is the reference.

    `rust` is the text that the second was lowered from, by default the `kernel.rs` beside it: with it the answer says
    whose fault a difference is.

    `parameters` is a JSON file with a parameter map, or a proof.json; by default parameters pair by position.
    Either may be one kernel of a module with several, `file.tileirbc::kernel`.
    `facts` may be assumed of every launch; who launches the second program answers for them.
    Raises: FT005, FT503, FT801, FT2xx; with `sass` FT001, FT002, FT003 too.
    """
    with guarded("decode"):
        ours, theirs = kernel_of(reference), kernel_of(lowered)
    mapped = None if parameters is None else read_parameters(parameters)
    with guarded("check"):
        verdict = check.check(ours, theirs, mapped, target, facts)
        blamed = None
        if verdict.kind is VerdictKind.DIFFERS:
            blamed = check.blame(verdict, ir.decode(ours), ir.decode(theirs), _rust_source(lowered, rust))
    if not sass:
        return Comparison(verdict, blame=blamed)
    with guarded("machine code"):
        return Comparison(verdict, compare_machine_code(ours, theirs, mapped, target), blamed)


def _rust_source(lowered: Path, rust: Path | None) -> RustSource | None:
    """The Rust text of a lowered file, with its specialization where that stands in a proof beside it."""
    path = rust if rust is not None else lowered.parent / "kernel.rs"
    if rust is None and not path.is_file():
        return None
    text = read(path).decode(errors="replace")
    try:
        return bundle.read(path.parent).rust_source(text)
    except (InputError, ValueError):
        return RustSource(text, path.name, "", "")


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
