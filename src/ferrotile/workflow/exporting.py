"""Export proved translations as a C library: only what is proved, only what proof.json was written for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import ferrotile
from ferrotile import bundle, host, lift
from ferrotile.core import InputError, Unsupported, VerdictKind, tools
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.verification import bundles

_PROVED = (VerdictKind.EQUAL, VerdictKind.REFINES)


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How to export. `targets`: architectures to embed machine code for; `tree`: the runtime's.

    `is_late`: the programs are embedded too, and compiled at the first call where there is no machine code. Without
    targets, machine code is embedded of all that were translated for, or of none with `is_late`.
    """

    targets: tuple[str, ...] = ()
    tree: Path | None = None
    builds: bool = True
    source_map: tuple[tuple[str, str], ...] = ()
    is_late: bool = False


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export made: the crate, and the library if it was built."""

    library: host.Library
    binary: Path | None


def export_c(folders: list[Path], out: Path, options: ExportOptions) -> Exported:
    """Write, and build, a library of all bundles in the folders.

    Raises: FT602 not proved; FT605 tileiras refuses; FT608 a target that nothing was translated for; FT61x no whole
    bundle; what `host.export_library` and `host.build_library` raise.
    """
    with guarded("export"):
        translations = [one.translated for one in proved(folders, options.targets, is_late=options.is_late)]
        tree = options.tree or Path(ferrotile.__file__).parents[2]
        finder = lift.SourceFinder(list(options.source_map))
        library = host.export_library(translations, out, tree, finder)
        return Exported(library, host.build_library(library) if options.builds else None)


@dataclass(frozen=True, slots=True)
class Proved:
    """A bundle that may be exported: as host takes it, and its Rust text."""

    translated: host.Translated
    rust: str


def proved(folders: list[Path], targets: tuple[str, ...], *, is_late: bool = False) -> list[Proved]:
    """The bundles in the folders for the targets, all of them when there are none.

    `is_late`: all bundles, to be compiled at the first call, with machine code for the targets only.
    Raises: FT602 not proved; FT605 tileiras refuses; FT608 a target that nothing was translated for; FT61x no whole
    bundle.
    """
    found = [bundle_folder for folder in folders for bundle_folder in bundles(folder)]
    made = [one for folder in found if (one := _translated(folder, targets, is_late)) is not None]
    for target in targets:
        if all(one.translated.target != target for one in made):
            raise InputError("FT608", f"no bundle was translated for `{target}`; translate with `--target {target}`")
    return made


def _translated(folder: Path, targets: tuple[str, ...], is_late: bool) -> Proved | None:
    """A bundle as host takes it, with its machine code; None for another target."""
    proof = bundle.read(folder)
    is_embedded = proof.target in targets or (not targets and not is_late)
    if not is_embedded and not is_late:
        return None
    if proof.verdict not in _PROVED:
        raise Unsupported("FT602", f"`{folder}` is {proof.verdict}, and only what is proved is exported")
    assert proof.parameters is not None
    if proof.seal != proof.right_seal():
        raise InputError("FT614", f"the proof of `{folder}` was edited after it was sealed")
    files = {name: _read(folder, name, proof.sha256[name]) for name in bundle.FILES}
    lowered = files["lowered.tileirbc"]
    translated = host.Translated(
        folder.name, proof.target, files["reference.tileirbc"], lowered,
        _machine_code(folder, lowered, proof.target) if is_embedded else None, proof.parameters,
        (*proof.launch_checks, *proof.assumptions), is_late,
    )  # fmt: skip
    return Proved(translated, files["kernel.rs"].decode())


def _machine_code(folder: Path, lowered: bytes, target: str) -> bytes:
    assembled = tools.assemble(lowered, target)
    if assembled.cubin is None:
        raise Unsupported("FT605", f"tileiras refuses `{folder}` for `{target}`: {assembled.refusal}")
    return assembled.cubin


def _read(folder: Path, name: str, claimed: str) -> bytes:
    try:
        data = (folder / name).read_bytes()
    except OSError:
        raise InputError("FT613", f"`{folder / name}` is missing") from None
    if bundle.digest(data) != claimed:
        raise InputError("FT613", f"`{folder / name}` is not the file that was proved")
    return data
