"""Machine code of a pack that travels as bytecode: compiled where it is measured, by all cores."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from ferrotile.bench.device.plan import PairPlan, Plan, SidePlan
from ferrotile.bench.device.timing import Timing
from ferrotile.core import store, tools
from ferrotile.core.pool import run_all

BYTECODE, MACHINE_CODE = ".tileirbc", ".cubin"
LIMIT_S = 300.0


def compiled(folder: Path, plan: Plan, jobs: int | None = None) -> tuple[Plan, list[Timing]]:
    """The plan with machine code in place of bytecode; pairs that do not compile as void timings, with the reason.

    Raises: FT3xx when tileiras is missing.
    """
    images = sorted({side.image for pair in plan.pairs for side in (pair.reference, pair.ours)})
    waiting = [image for image in images if image.endswith(BYTECODE)]
    work = partial(_compile, folder, plan.target)
    refused: dict[str, str] = {}
    for index, reason in run_all(work, waiting, jobs or os.cpu_count() or 1, _dead, LIMIT_S):
        if reason:
            refused[waiting[index]] = reason
    kept: list[PairPlan] = []
    void: list[Timing] = []
    for pair in plan.pairs:
        reasons = [refused[side.image] for side in (pair.reference, pair.ours) if side.image in refused]
        if reasons:
            void.append(Timing.nothing(pair, "FT714", reasons[0]))
        else:
            kept.append(pair.model_copy(update={"reference": _side(pair.reference), "ours": _side(pair.ours)}))
    return plan.model_copy(update={"pairs": tuple(kept)}), void


def _side(side: SidePlan) -> SidePlan:
    return side.model_copy(update={"image": side.image.replace(BYTECODE, MACHINE_CODE)})


def _compile(folder: Path, target: str, image: str) -> str:
    assembled = tools.assemble((folder / image).read_bytes(), target)
    if assembled.cubin is None:
        return f"tileiras refuses it for {target}: {assembled.refusal}"
    store.write_bytes(folder / image.replace(BYTECODE, MACHINE_CODE), assembled.cubin)
    return ""


def _dead(image: str, exit_code: int | None) -> str:
    return f"tileiras was not done after {LIMIT_S:g} s" if exit_code is None else f"the compiler died: {exit_code}"
