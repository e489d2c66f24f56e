"""The folder of kernels: a bundle for each specialization, whose kernel.rs may be edited, and what it compiles to."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from ferrotile import bundle, check, ir, lower
from ferrotile.backend.arguments import Word, word
from ferrotile.backend.counters import Ran
from ferrotile.backend.facts import LaunchFacts
from ferrotile.core import FerrotileError, InputError, Unsupported, VerdictKind, store, tools
from ferrotile.ir.types import TileType
from ferrotile.workflow import Options, Row, Task, translate

log = logging.getLogger("ferrotile.backend")
KERNEL = "kernel.rs"
PROVED = (VerdictKind.EQUAL, VerdictKind.REFINES)


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells a file from the one that was there before."""

    changed_ns: int
    size: int

    @staticmethod
    def of(path: Path) -> Stamp:
        """The stamp of a file. Raises: FT613 when it is gone."""
        try:
            facts = path.stat()
        except OSError:
            raise InputError("FT613", f"`{path}` is missing") from None
        return Stamp(facts.st_mtime_ns, facts.st_size)


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """A proved kernel, ready to load: machine code, entry, and its parameters in their order."""

    cubin: bytes
    entry: str
    words: tuple[Word, ...]
    ran: Ran
    facts: LaunchFacts


@dataclass(frozen=True, slots=True)
class Proved:
    """Two programs that are the same: what of the second is launched, and what a launch must see to."""

    lowered: bytes
    verdict: VerdictKind
    facts: tuple[str, ...]


class Shelf:
    """Bundles in a folder, each made at the first launch of its specialization. `folder`: None: the user's cache."""

    def __init__(self, folder: Path | None, translate_one: Callable[[Task, Options], Row] = translate) -> None:
        self.folder = folder or tools.cache_folder() / "backend"
        self._translate = translate_one

    def bundle_of(self, kernel: str, reference: bytes, target: str) -> Path:
        """The bundle of a specialization, translated unless it is there. Raises: as `translate` refuses; FT620."""
        digest = hashlib.sha256(target.encode() + b"\n" + reference).hexdigest()
        folder = self.folder / f"{kernel}-{digest[:16]}"
        if not (folder / bundle.PROOF).is_file():
            self._make(folder, kernel, reference, target)
        return folder

    def program(self, folder: Path) -> Program:
        """What a bundle's kernel.rs compiles to; an edited one is lowered and compared again.

        Raises: FT4xx the text does not compile; FT605 tileiras refuses it; FT609 a launch cannot see to a fact;
        FT613 FT614 the bundle is not whole; FT620 it is not proved.
        """
        proof = bundle.read(folder)
        if proof.seal != proof.right_seal():
            raise InputError("FT614", f"the proof of `{folder}` was edited after it was sealed")
        text = _read(folder / KERNEL)
        is_edited = bundle.digest(text) != proof.sha256[KERNEL]
        proved = _compared(folder, proof, text) if is_edited else _as_sealed(folder, proof)
        if is_edited:
            log.warning("%s was edited: %s, and is launched from now on", folder / KERNEL, proved.verdict)
        return _program(folder, proof, proved, bundle.digest(text))

    def _make(self, folder: Path, kernel: str, reference: bytes, target: str) -> None:
        with store.scratch() as scratch:
            row = self._translate(Task(kernel, "made", bytecode=reference), Options(target=target, out=scratch))
            if row.verdict not in PROVED:
                raise _refusal(row)
            made = {path.name: path.read_bytes() for path in (scratch / "made").iterdir()}
        if not (folder / bundle.PROOF).is_file():  # unless another process made it meanwhile
            store.replace_folder(folder, made)
        log.info("%s: %s to the reference, now in %s", kernel, row.verdict, folder)


def _refusal(row: Row) -> FerrotileError:
    """Why a translation is not launched."""
    if row.verdict is VerdictKind.REFUSED:
        return Unsupported(row.code or "FT620", f"`{row.kernel}`: {row.message}", at=row.place, hint=row.hint)
    return Unsupported("FT620", f"`{row.kernel}` is {row.verdict}: {row.message}", at=row.place)


def _as_sealed(folder: Path, proof: bundle.Proof) -> Proved:
    """What proof.json says of the files that it is about."""
    name = "lowered.tileirbc"
    lowered = _read(folder / name)
    if bundle.digest(lowered) != proof.sha256[name]:
        raise InputError("FT613", f"`{folder / name}` is not the file that was proved")
    if proof.verdict not in PROVED:
        raise Unsupported("FT620", f"`{proof.kernel}` is {proof.verdict}: {proof.sentence}")
    return Proved(lowered, proof.verdict, (*proof.assumptions, *proof.launch_checks))


def _compared(folder: Path, proof: bundle.Proof, text: bytes) -> Proved:
    """An edited kernel.rs against the reference, which must be the one that proof.json is about."""
    reference = _read(folder / "reference.tileirbc")
    if bundle.digest(reference) != proof.sha256["reference.tileirbc"]:
        raise InputError("FT613", f"`{folder / 'reference.tileirbc'}` is not the file that was proved")
    version = lower.version_for(ir.decode(reference).version)
    rust = text.decode(errors="replace")
    lowered = bundle.launched(rust, lower.lower(proof.rust_source(rust), proof.target, version), proof.parameters)
    verdict = check.check(reference, lowered.bytecode, proof.parameters, proof.target)
    if not verdict.holds:
        message = f"`{folder / KERNEL}` was edited and is {verdict.kind}: {verdict.sentence}"
        raise Unsupported("FT620", message, at=verdict.lowered_place, also=verdict.reference_place)
    return Proved(lowered.bytecode, verdict.kind, (*verdict.assumptions, *lowered.launch_checks))


def _program(folder: Path, proof: bundle.Proof, proved: Proved, rust: str) -> Program:
    assert proof.parameters is not None
    facts = LaunchFacts.of(proof, proved.facts)
    assembled = tools.assemble(proved.lowered, proof.target)
    if assembled.cubin is None:
        refusal = f"tileiras does not compile `{proof.kernel}` for {proof.target}: {assembled.refusal}"
        raise Unsupported("FT605", refusal)
    (entry,) = ir.decode(proved.lowered).entries
    kinds = [cast(TileType, value.type) for value in entry.regions[0].block.args]
    roles = proof.parameters.lowered
    ran = Ran(proof.kernel, folder.name, rust, bundle.digest(assembled.cubin), str(proved.verdict))
    words = tuple(word(role, kind) for role, kind in zip(roles, kinds, strict=True))
    return Program(assembled.cubin, str(ir.attribute(entry, "sym_name")), words, ran, facts)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        raise InputError("FT613", f"`{path}` is missing") from None


class Watched:
    """A bundle whose kernel.rs is looked at before a launch; a refusal stands until the file changes."""

    def __init__(self, shelf: Shelf, folder: Path) -> None:
        self._shelf, self.path = shelf, folder / KERNEL
        self._lock = threading.Lock()
        self._stamp: Stamp | None = None
        self._made: Program | FerrotileError | None = None

    def program(self) -> tuple[Program, Stamp]:
        """The program of the kernel.rs that is there now, and its stamp.

        Raises: as `Shelf.program`; the same again until the file changes.
        """
        stamp = Stamp.of(self.path)
        with self._lock:  # or threads that launch it for the first time would each compile it
            if stamp != self._stamp or self._made is None:
                try:
                    self._made = self._shelf.program(self.path.parent)
                except FerrotileError as error:
                    log.error("%s", error)
                    self._made = error
                self._stamp = stamp
            made = self._made
        if isinstance(made, FerrotileError):
            raise made
        return made, stamp
