"""Replay of a bundle: each claim is made again from the files alone, and compared with what proof.json says."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from ferrotile import check, ir, lower
from ferrotile.bundle import machine, numbers
from ferrotile.bundle.launched import launched
from ferrotile.bundle.proof import FILES, Proof, digest, read
from ferrotile.bundle.step import Outcome, Step, failed, held, skipped
from ferrotile.bundle.versions import versions
from ferrotile.core import EnvironmentFault, FerrotileError, VerdictKind


class Where(StrEnum):
    """Names of the steps, in their order."""

    FILES = "files"
    SEAL = "seal"
    SOURCE = "python source"
    RUST = "kernel.rs"
    VERDICT = "verdict"
    MACHINE = "machine code"
    NUMBERS = "numbers"


@dataclass(frozen=True, slots=True)
class Replay:
    """What the replay of one bundle came to; `fault` where it is no bundle at all."""

    folder: Path
    proof: Proof | None
    steps: tuple[Step, ...] = ()
    fault: FerrotileError | None = None

    @property
    def holds(self) -> bool:
        """Whether every claim that could be replayed is true."""
        return self.fault is None and not self.failures

    @property
    def is_whole(self) -> bool:
        """Whether the two claims that everything else rests on were replayed: what kernel.rs is, and the verdict."""
        if self.proof is None or self.proof.verdict is VerdictKind.REFUSED:
            return self.fault is None
        essential = [step for step in self.steps if step.name in (Where.RUST, Where.VERDICT)]
        return all(step.outcome is not Outcome.SKIPPED for step in essential)

    @property
    def failures(self) -> tuple[Step, ...]:
        """The claims that are not true."""
        return tuple(step for step in self.steps if step.outcome is Outcome.FAILED)


@dataclass(frozen=True)
class Evidence:
    """A bundle's claims and files."""

    proof: Proof
    files: dict[str, bytes]
    find_source: Callable[[str], bytes | None]

    @cached_property
    def module(self) -> ir.Module:
        """The reference. Raises: FT2xx."""
        return ir.decode(self.files["reference.tileirbc"])

    @property
    def is_refusal(self) -> bool:
        """Whether nothing is claimed to be proved."""
        return self.proof.verdict is VerdictKind.REFUSED


def replay(
    folder: Path, *, with_numbers: bool = False, find_source: Callable[[str], bytes | None] = lambda _: None
) -> Replay:
    """Replay all claims of a bundle that need no GPU; with numbers both programs also run on the same inputs.

    `find_source` gives the Python file that a place names, if it is here. Nothing is raised: a folder that is no bundle
    becomes a replay with a fault (FT610, FT611, FT612).
    """
    try:
        proof = read(folder)
    except FerrotileError as error:
        return Replay(folder, None, fault=error)
    files: dict[str, bytes] = {}
    for name in FILES:
        try:
            files[name] = (folder / name).read_bytes()
        except OSError:
            continue
    evidence = Evidence(proof, files, find_source)
    return Replay(folder, proof, tuple(_steps(evidence, with_numbers)))


def _steps(evidence: Evidence, with_numbers: bool) -> Iterator[Step]:
    proof = evidence.proof
    yield _files(evidence)
    yield _seal(proof)
    yield _tried(Where.SOURCE, evidence, "FT613", _source)
    yield _tried(Where.RUST, evidence, "FT615", _rust)
    yield _tried(Where.VERDICT, evidence, "FT616", _verdict)
    yield _tried(Where.MACHINE, evidence, "FT617", lambda given: machine.replay(given.proof, given.files))
    if with_numbers:
        yield _tried(Where.NUMBERS, evidence, "FT618", lambda given: numbers.replay(given.proof, given.files))


def _tried(name: Where, evidence: Evidence, code: str, step: Callable[[Evidence], Step | str]) -> Step:
    """A step; text is why it failed. What the machine lacks skips it, other faults mean that the claim is not true."""
    missing = [name for name in evidence.proof.sha256 if name not in evidence.files]
    if missing:
        return skipped(name, f"not replayed: `{missing[0]}` is missing")
    try:
        answer = step(evidence)
    except EnvironmentFault as error:
        return skipped(name, f"not replayed: {error.message}")
    except FerrotileError as error:
        return failed(name, error.code, error.message)
    return failed(name, code, answer) if isinstance(answer, str) else answer


def _files(evidence: Evidence) -> Step:
    wrong = []
    for name, claimed in evidence.proof.sha256.items():
        if name not in evidence.files:
            wrong.append(f"`{name}` is missing")
        elif digest(evidence.files[name]) != claimed:
            wrong.append(f"`{name}` is not the file that was proved")
    wrong += [f"`{name}` is not in proof.json" for name in evidence.files if name not in evidence.proof.sha256]
    if wrong:
        return failed(Where.FILES, "FT613", "; ".join(wrong))
    return held(Where.FILES, f"{len(evidence.files)} files have the digests of proof.json")


def _seal(proof: Proof) -> Step:
    if proof.seal != proof.right_seal():
        return failed(Where.SEAL, "FT614", "proof.json was edited after it was sealed")
    return held(Where.SEAL, "the claims are those that were sealed")


def _source(evidence: Evidence) -> Step:
    """The Python file may have changed since: that is no fault of the bundle, which is about the bytecode."""
    claimed, place = evidence.proof.source_sha256, ir.place(evidence.module.entries[0])
    if claimed is None or place is None:
        return skipped(Where.SOURCE, "not recorded: the Python file was not at hand")
    found, name = evidence.find_source(place.file), Path(place.file).name
    if found is None:
        return skipped(Where.SOURCE, f"not compared: `{name}` is not here")
    if digest(found) != claimed:
        return skipped(Where.SOURCE, f"not compared: `{name}` was changed since")
    return held(Where.SOURCE, f"`{name}` is the file that was translated")


def _rust(evidence: Evidence) -> Step | str:
    proof = evidence.proof
    if evidence.is_refusal:
        return skipped(Where.RUST, "nothing is claimed of a refused kernel")
    text = evidence.files["kernel.rs"].decode(errors="replace")
    made = lower.lower(proof.rust_source(text), proof.target, lower.version_for(evidence.module.version))
    lowered = launched(text, made, proof.parameters)
    if lowered.bytecode != evidence.files["lowered.tileirbc"]:
        if age := _age(proof, "ferrotile", "cutile"):
            return skipped(Where.RUST, f"not replayed: with other versions it lowers to other bytecode ({age})")
        return "`kernel.rs` lowers to other bytecode than `lowered.tileirbc`"
    if (lowered.launch_checks, lowered.checks_in_kernel) != (proof.launch_checks, proof.checks_in_kernel):
        return "`kernel.rs` needs other checks than proof.json lists"
    if (count := unsafe_blocks(text)) != proof.unsafe:
        return f"`kernel.rs` has {count} unsafe blocks, and proof.json says {proof.unsafe}"
    return held(Where.RUST, f"cutile {versions()['cutile']} lowers it to `lowered.tileirbc`, byte for byte")


def unsafe_blocks(text: str) -> int:
    """How many unsafe blocks a Rust text has, outside of comments and strings."""
    return sum(1 for found in _RUST_PIECES.findall(text) if found.startswith("unsafe"))


_RUST_PIECES = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|\bunsafe\s*\{')


def _age(proof: Proof, *names: str) -> str:
    """Which other versions the proof was written by; empty for the same."""
    here = versions()
    others = [name for name in names if proof.versions.get(name) != here[name]]
    return ", ".join(f"{name} {proof.versions.get(name)} there, {here[name] or 'none'} here" for name in others)


def _verdict(evidence: Evidence) -> Step | str:
    proof, files = evidence.proof, evidence.files
    if evidence.is_refusal:
        return skipped(Where.VERDICT, "nothing is claimed of a refused kernel")
    verdict = check.check(files["reference.tileirbc"], files["lowered.tileirbc"], proof.parameters, proof.target)
    if verdict.kind is not proof.verdict:
        return f"proof.json says {proof.verdict}, and the files are {verdict.kind}: {verdict.sentence}"
    pairs = {
        "laws": (proof.laws, verdict.laws),
        "assumptions": (proof.assumptions, verdict.assumptions),
        "added": (proof.added, verdict.added),
        "sentence": (proof.sentence, verdict.sentence),
        "difference": (proof.difference, verdict.difference),
        "place": (proof.place, _text(verdict.reference_place)),
        "rust_place": (proof.rust_place, _text(verdict.lowered_place)),
        "kernel": (proof.kernel, _kernel(evidence.module)),
    }
    for name, (claimed, found) in pairs.items():
        if claimed != found:
            age = _age(proof, "ferrotile")
            return f"`{name}` is {_brief(found)}, and proof.json says {_brief(claimed)}" + (f" ({age})" if age else "")
    return held(Where.VERDICT, f"{verdict.kind} by the same {len(verdict.laws)} laws and the same assumptions")


def _kernel(module: ir.Module) -> str:
    entry = module.entries[0]
    place = ir.place(entry)
    return place.function if place is not None and place.function else ir.attribute(entry, "sym_name")


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _brief(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value) or "none"
    return "absent" if value is None else f"`{value}`"
