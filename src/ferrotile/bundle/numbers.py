"""Both programs on the same inputs, through the interpreter: bit for bit where they are claimed to be one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ferrotile import ir
from ferrotile.bundle.inputs import VARIANTS, arguments
from ferrotile.bundle.proof import Proof
from ferrotile.bundle.step import Step, held, skipped
from ferrotile.core import InputError, Unsupported, VerdictKind
from ferrotile.interp import Options, same_results
from ferrotile.lift.source import parse_symbol

NAME = "numbers"
GRID = (2, 2, 1)
LIMITS = Options(round_limit=100_000, races=False)


def replay(proof: Proof, files: Mapping[str, bytes]) -> Step | str:
    """Run reference and lowered program on every variant of inputs; text says where they differ. Raises: FT2xx."""
    if proof.verdict not in (VerdictKind.EQUAL, VerdictKind.REFINES) or proof.parameters is None:
        return skipped(NAME, f"not compared: {proof.verdict} claims no equal numbers")
    reference, lowered = ir.decode(files["reference.tileirbc"]), ir.decode(files["lowered.tileirbc"])
    symbol = parse_symbol(str(ir.attribute(reference.entries[0], "sym_name")))
    inputs = {variant: None if symbol is None else arguments(symbol, variant) for variant in VARIANTS}
    count = 0
    for variant, given in inputs.items():
        if given is None:
            return skipped(NAME, "not compared: the kernel's name spells no signature to make inputs for")
        try:
            with np.errstate(all="ignore"):
                found = same_results(reference, lowered, proof.parameters, given, GRID, options=LIMITS)
        except (InputError, Unsupported) as error:
            return skipped(NAME, f"not compared: {error.message}")
        if not found.equal:
            return f"on {variant} inputs {found}"
        count += sum(array.size for array in found.reference.arrays)
    return held(
        NAME, f"the same bits in {count} elements, {len(VARIANTS)} kinds of inputs, {np.prod(GRID)} blocks each"
    )
