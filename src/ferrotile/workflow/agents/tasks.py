"""What each stage asks of a command: the files it may write, and its task in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ferrotile.workflow.run.words import Letter

CLAIM = "verdict.json"
LAUNCH = "launch.json"
HOLES = "holes.rs"


@dataclass(frozen=True, slots=True)
class AgentTask:
    """`files`: patterns of what may be written besides verdict.json; `text`: what to do."""

    files: tuple[str, ...]
    text: str


COMMON = """
Rules: write only in the folder that the prompt names, only these files: {files}, verdict.json. Anything else, and any
link, fails the try; `TMPDIR` is for scratch. All other paths of the prompt are to be read. Nothing you say is believed:
your files are checked as those of ferrotile's own stage are, and the verdict is computed from them. Write verdict.json
last, by `schemas/verdict.json`: {{"stage": "{stage}", "verdict": .., "owner": null}}, with `tokens` and `cost_usd` if
you know them. What it says must be true.
"""
_DRAFT = "`draft` holds what ferrotile's own stage wrote: copy it, and change only what the task names.\n"

TASKS: Mapping[Letter, AgentTask] = {
    Letter.ANALYST: AgentTask(
        ("analysis.json",),
        "Analyse the operator. What `variants` says must be what the bytecode says. Yours to choose, from its source "
        "and tests: `tolerances`, `grids`, `autotune`, `baseline`, `notes`. Verdicts: PASS, BLOCKED.\n" + _DRAFT,
    ),
    Letter.AUTHOR: AgentTask(
        ("bundles/*/kernel.rs", "bundles/*/launch.json", "bundles/*/holes.rs"),
        "Write bundles/NAME/kernel.rs for every variant of analysis.json: one `#[cutile::module]` of plain functions, "
        "which must lower to a program that `ferrotile diff` calls EQUAL or REFINES to the reference. `draft/NAME` has "
        "the lifted text where lifting succeeded, and launch.json: module, entry, generics, what is known of the "
        "parameters, and the map of parameters. Where yours differs, write bundles/NAME/launch.json too. "
        "Where the draft has holes.json, lifting left those functions open: bundles/NAME/holes.rs with them, by their "
        "signatures, is enough in the place of kernel.rs. "
        "Verdict: COMPILED.\n",
    ),
    Letter.IR_DIFF: AgentTask(
        ("ir-diff.json",),
        "Explain the failure. `rows` must stay as they are; `actions` are yours: what the author should do about which "
        "variant (kind `note` with a sentence, or kind `style`). Verdicts: FAIL_FIXABLE with owner kernel if there are "
        "actions, else the draft's.\n" + _DRAFT,
    ),
    Letter.HOST: AgentTask(
        ("host.json",),
        "Say whether the numbers are the same. Every result is compared again. Verdicts: ALL_PASS, FAIL, BLOCKED.\n"
        + _DRAFT,
    ),
    Letter.PERFORMANCE: AgentTask(
        ("performance.json",),
        "Say whether it is as fast. Every row is made again. Verdicts: DONE, INVESTIGATE, BLOCKED.\n" + _DRAFT,
    ),
    Letter.RESIDUAL: AgentTask(
        ("residual.json",),
        "Say what keeps a variant from being as fast. `rows` must stay as they are; `actions` are yours. Verdicts: "
        "FIXABLE with owner kernel if there are actions, else ALIGNED or BLOCKED.\n" + _DRAFT,
    ),
}


def text_of(letter: Letter, stage: str) -> str:
    """The whole text of a stage's task."""
    task = TASKS[letter]
    return f"# {stage}\n\n{task.text}{COMMON.format(files=', '.join(task.files), stage=stage)}"
