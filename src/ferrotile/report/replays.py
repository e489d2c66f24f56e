"""The replay of a bundle as text and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

if TYPE_CHECKING:
    from ferrotile.bundle import Replay

_STYLES = {"held": "green", "FAILED": "bold red", "skipped": "yellow"}


_MARKS = {
    (True, True): ("ok", "green"),
    (True, False): ("PART", "bold yellow"),
    (False, True): ("WRONG", "bold red"),
    (False, False): ("WRONG", "bold red"),
}


def replay_text(replay: Replay) -> list[Text]:
    """One line for the bundle, one for each claim."""
    if replay.proof is None or replay.fault is not None:
        assert replay.fault is not None
        return [Text.assemble((f"{replay.fault.code}: ", "bold red"), f"{replay.fault.message}")]
    replayed = sum(1 for step in replay.steps if step.outcome != "skipped")
    answer = f"{replayed} of {len(replay.steps)} claims replayed, all true"
    if not replay.is_whole:
        answer = (
            f"only {replayed} of {len(replay.steps)} claims replayed, not what it rests on: this proves nothing here"
        )
    if not replay.holds:
        answer = f"{len(replay.failures)} claims are not true; do not trust it"
    head = Text.assemble(
        _MARKS[replay.holds, replay.is_whole],
        f" {replay.folder}: {replay.proof.verdict}; {answer}",
    )
    lines = [head]
    for step in replay.steps:
        code = f"{step.code}: " if step.code else ""
        lines.append(
            Text.assemble("  ", (f"{step.outcome:8}", _STYLES[step.outcome]), f"{step.name}: {code}{step.sentence}")
        )
    return lines


def replay_json(replay: Replay) -> dict[str, Any]:
    """One JSON line for a bundle."""
    line: dict[str, Any] = {
        "bundle": str(replay.folder),
        "ok": replay.holds and replay.is_whole,
        "verdict": None if replay.proof is None else str(replay.proof.verdict),
        "code": None if replay.fault is None else replay.fault.code,
        "message": None if replay.fault is None else replay.fault.message,
        "steps": [
            {"name": str(step.name), "outcome": str(step.outcome), "code": step.code, "sentence": step.sentence}
            for step in replay.steps
        ],
    }
    if replay.fault is None and replay.failures:
        line["code"], line["message"] = replay.failures[0].code, replay.failures[0].sentence
    return line
