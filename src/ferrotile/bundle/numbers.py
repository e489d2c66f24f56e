"""Both programs on the same inputs, through the interpreter: bit for bit where they are claimed to be one.

A kernel whose blocks go through many tiles may take hours at the usual extents. Such a one is given smaller arrays,
of which the answer tells: all of a launch is run, of the same specialization. How much is decided by loop rounds, not
by time, so that every machine gives the same answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ferrotile import ir
from ferrotile.bundle.inputs import VARIANTS, arguments
from ferrotile.bundle.proof import Proof
from ferrotile.bundle.step import Step, held, skipped
from ferrotile.core import InputError, ParameterMap, Unsupported, VerdictKind
from ferrotile.interp import Options, Sameness, same_results
from ferrotile.lift.source import KernelSymbol, parse_symbol

NAME = "numbers"
GRID = (2, 2, 1)
LIMITS = Options(round_limit=100_000, races=False)
ENOUGH_ROUNDS = 1024
"""Loop rounds of a block; what has more gets smaller arrays, as far as that helps."""
SHRINKS = (1, 2, 4, 8, 16)
"""What the usual extents are divided by, one after the other."""
TOO_MANY_ROUNDS = "FT252"


def replay(proof: Proof, files: Mapping[str, bytes]) -> Step | str:
    """Run reference and lowered program on every variant of inputs; text says where they differ. Raises: FT2xx."""
    if proof.verdict not in (VerdictKind.EQUAL, VerdictKind.REFINES) or proof.parameters is None:
        return skipped(NAME, f"not compared: {proof.verdict} claims no equal numbers")
    reference, lowered = ir.decode(files["reference.tileirbc"]), ir.decode(files["lowered.tileirbc"])
    symbol = parse_symbol(str(ir.attribute(reference.entries[0], "sym_name")))
    if symbol is None or arguments(symbol, VARIANTS[0]) is None:
        return skipped(NAME, "not compared: the kernel's name spells no signature to make inputs for")
    count, shrink = 0, SHRINKS[0]
    for variant in VARIANTS:
        try:
            found, shrink = _compared((reference, lowered), proof.parameters, symbol, variant, shrink)
        except (InputError, Unsupported) as error:
            return skipped(NAME, f"not compared: {error.message}")
        if not found.equal:
            return f"on {variant} inputs {found}"
        count += sum(array.size for array in found.reference.arrays)
    return held(NAME, _sentence(count, shrink))


def _sentence(count: int, shrink: int) -> str:
    said = f"the same bits in {count} elements, {len(VARIANTS)} kinds of inputs, {np.prod(GRID)} blocks each"
    if shrink == 1:
        return said
    return f"{said}; extents divided by up to {shrink}: else a block has more than {ENOUGH_ROUNDS} loop rounds"


def _compared(
    programs: tuple[ir.Module, ir.Module], parameters: ParameterMap, symbol: KernelSymbol, variant: str, first: int
) -> tuple[Sameness, int]:
    """Both programs on one variant of inputs, and by what its extents were divided: `first`, or more.

    The smallest inputs may take as many rounds as the limits let them. Raises: FT250, FT251, FT252.
    """
    for shrink in (shrink for shrink in SHRINKS if shrink >= first):
        is_last = shrink == SHRINKS[-1]
        limits = LIMITS if is_last else replace(LIMITS, round_limit=ENOUGH_ROUNDS)
        given = arguments(symbol, variant, shrink=shrink)
        assert given is not None
        try:
            with np.errstate(all="ignore"):
                return same_results(*programs, parameters, given, GRID, options=limits), shrink
        except Unsupported as error:
            if is_last or error.code != TOO_MANY_ROUNDS:
                raise
    raise AssertionError("unreachable: the last of the shrinks returns or raises")
