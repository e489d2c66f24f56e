"""Replay of the machine-code claim: both programs are assembled afresh, without the cache."""

from __future__ import annotations

from collections.abc import Mapping

from ferrotile.bundle.proof import Machine, Proof, digest
from ferrotile.bundle.step import Step, held, skipped
from ferrotile.bundle.versions import versions
from ferrotile.check.machine import compare_cubins
from ferrotile.core import MachineKind, tools

NAME = "machine code"
TOOLS = ("tileiras", "ptxas", "nvdisasm")


def replay(proof: Proof, files: Mapping[str, bytes]) -> Step | str:
    """The claim about machine code; text says why it is not true. Raises: FT001 and what comparing cubins raises."""
    claim = proof.sass
    if claim is None:
        return skipped(NAME, "not recorded: translated without `--sass`")
    for name in TOOLS:
        here, there = versions()[name], proof.versions.get(name)
        if here != there:
            return skipped(NAME, f"{name} {there} is not here ({here or 'none'} is): machine code not replayed")
    refused = claim.kind is MachineKind.REFERENCE_REFUSED
    if refused and tools.assemble_afresh(files["reference.tileirbc"], proof.target).cubin is not None:
        return f"tileiras takes the reference for {proof.target}, and proof.json says that it refuses"
    if refused and claim.other_target is None:
        return held(NAME, f"tileiras refuses the reference for {proof.target}, as proof.json says")
    return _compared(proof, claim, files)


def _compared(proof: Proof, claim: Machine, files: Mapping[str, bytes]) -> Step | str:
    wanted = claim.kind if claim.other_target is None else claim.other_target.kind
    made = [tools.assemble_afresh(files[name], claim.target) for name in ("reference.tileirbc", "lowered.tileirbc")]
    if made[0].cubin is None:
        return f"tileiras refuses the reference for {claim.target}: {made[0].refusal}"
    if made[1].cubin is None:
        if wanted is MachineKind.DIFFERS:
            return held(NAME, f"tileiras refuses the lowered program for {claim.target}, as proof.json says")
        return f"tileiras refuses the lowered program for {claim.target}: {made[1].refusal}"
    cubins = (made[0].cubin, made[1].cubin)
    if claim.sha256 is not None and tuple(map(digest, cubins)) != claim.sha256:
        return "tileiras makes other cubins than those of proof.json"
    verdict = compare_cubins(*cubins, proof.parameters)
    if (verdict.kind, verdict.counts) != (wanted, claim.instructions):
        counts = "{} and {} instructions".format(*verdict.counts)
        return f"machine code is {verdict.kind} with {counts}, and proof.json says {wanted}"
    version = versions()["tileiras"]
    return held(NAME, f"{verdict.kind} for {claim.target}, {verdict.counts[0]} instructions, by tileiras {version}")
