"""A run's steps, its outcome, and its acceptance, as text and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from rich.text import Text

if TYPE_CHECKING:
    from ferrotile.workflow.run import Acceptance, Outcome, Step

_GOOD = ("OK", "PASS", "COMPILED", "ALL_PASS", "DONE")
_ENDS = {"COMPLETE": "green", "GAP": "yellow", "STOP": "bold red"}


def step_text(step: Step) -> list[Text]:
    """A line for a step, and one for each reason."""
    word = str(step.verdict.word)
    owner = f" ({step.verdict.owner})" if step.verdict.owner else ""
    took = "before" if step.seconds is None else f"{step.seconds:.1f} s"
    head = Text.assemble(
        f"{step.name}  {step.stage:12}", (f"{word}{owner}", "green" if word in _GOOD else "yellow"), f"  {took}"
    )
    return [head, *(Text(f"      {reason}") for reason in step.verdict.reasons)]


def step_json(step: Step) -> dict[str, Any]:
    """A step as a JSON line."""
    verdict = step.verdict
    return {
        "step": step.name,
        "stage": step.stage,
        "verdict": str(verdict.word),
        "owner": None if verdict.owner is None else str(verdict.owner),
        "reasons": list(verdict.reasons),
        "seconds": step.seconds,
    }


def outcome_text(outcome: Outcome) -> list[Text]:
    """How the run ended, what is not shown, and what to do next."""
    lines = [Text.assemble((str(outcome.end), _ENDS[str(outcome.end)]), f" after {' '.join(outcome.steps)}")]
    lines += [Text(f"  not shown: {gap}") for gap in outcome.gaps]
    if outcome.kernels is not None:
        lines.append(Text(f"  kernels: {outcome.kernels}"))
    return lines


def outcome_json(outcome: Outcome) -> dict[str, Any]:
    """The last JSON line of a run."""
    return {"outcome": outcome.model_dump(mode="json")}


def acceptance_text(acceptance: Acceptance) -> list[Text]:
    """A line for each check, and the answer last."""
    lines = []
    for check in acceptance.checks:
        mark, style = ("held", "green") if check.holds else ("open", "yellow") if check.is_open else ("WRONG", "red")
        code = f"{check.code}: " if check.code else ""
        lines.append(Text.assemble((f"{mark:6}", style), f"{check.name}: {code}{check.sentence}"))
    if acceptance.outcome is not None:
        lines += [Text(f"  not shown: {gap}") for gap in acceptance.outcome.gaps]
    answer = ("ACCEPTED", "bold green") if acceptance.accepted else ("NOT ACCEPTED", "bold red")
    return [*lines, Text.assemble(answer, f" {acceptance.root}")]


def acceptance_json(acceptance: Acceptance) -> dict[str, Any]:
    """The answer as one JSON line."""
    return {
        "run": str(acceptance.root),
        "accepted": acceptance.accepted,
        "checks": [asdict(check) for check in acceptance.checks],
        "gaps": [] if acceptance.outcome is None else list(acceptance.outcome.gaps),
    }
