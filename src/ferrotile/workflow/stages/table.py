"""The stages, one row each: who makes its artifacts by default, who confirms them, who computes the verdict."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ferrotile.workflow.run.context import Context, Verdict
from ferrotile.workflow.run.words import Letter
from ferrotile.workflow.stages import analyst, author, host, ir_diff, performance, preflight, residual


@dataclass(frozen=True, slots=True)
class Stage:
    """`make` writes the artifacts of a stage into a folder, `confirm` raises where they claim what is not so,
    `verdict` computes the stage's verdict from them and nothing else.
    """

    make: Callable[[Context, Path], None]
    confirm: Callable[[Context, Path], None]
    verdict: Callable[[Path], Verdict]


STAGES: Mapping[Letter, Stage] = {
    Letter.PREFLIGHT: Stage(preflight.make, preflight.confirm, preflight.verdict),
    Letter.ANALYST: Stage(analyst.make, analyst.confirm, analyst.verdict),
    Letter.AUTHOR: Stage(author.make, author.confirm, author.verdict),
    Letter.HOST: Stage(host.make, host.confirm, host.verdict),
    Letter.PERFORMANCE: Stage(performance.make, performance.confirm, performance.verdict),
    Letter.IR_DIFF: Stage(ir_diff.make, ir_diff.confirm, ir_diff.verdict),
    Letter.RESIDUAL: Stage(residual.make, residual.confirm, residual.verdict),
}
