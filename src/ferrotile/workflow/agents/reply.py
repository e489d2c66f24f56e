"""What a command left: its files, its verdict block, and what it says that it cost. Nothing but files is followed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ferrotile.core import FerrotileError, InputError, folders, store
from ferrotile.workflow.agents.tasks import CLAIM, TASKS
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.contract import Row
from ferrotile.workflow.run.routes import words_of
from ferrotile.workflow.run.words import STAGE_NAMES, Letter

MOST_BYTES = 16 << 20


def collect(work: Path, letter: Letter, target: Path) -> None:
    """Copy a stage's files out of a command's folder. Raises: FT821 for any other file, link or device; FT004."""
    rows = [Row(pattern, "") for pattern in TASKS[letter].files]
    try:
        for path in folders.regular_files(work):
            if path == CLAIM:
                continue
            if not any(row.matches(path) for row in rows):
                raise InputError("FT821", f"`{path}` is no file of this stage")
            store.write_bytes(target / path, folders.read_regular(work / path, MOST_BYTES))
    except InputError as error:
        raise InputError("FT821", error.message) from None


def claim(work: Path, letter: Letter) -> a.Claim:
    """The verdict block. Raises: FT823 when it is missing, malformed, or of another stage."""
    try:
        found = a.read(work / CLAIM, a.Claim)
    except FerrotileError as error:
        raise InputError("FT823", error.message) from None
    if found.stage != STAGE_NAMES[letter]:
        raise InputError("FT823", f"`verdict.json` is of the stage `{found.stage}`, not `{STAGE_NAMES[letter]}`")
    if found.verdict not in words_of(letter):
        raise InputError("FT823", f"`{found.verdict}` is no verdict of the stage `{found.stage}`")
    return found


def usage(output: bytes) -> tuple[int | None, float | None]:
    """Tokens and cost as the JSON that a coding agent prints last tells them; None for what it does not tell."""
    for line in reversed(output.decode(errors="replace").splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and ("usage" in value or "total_cost_usd" in value):
            return _tokens(value.get("usage")), _number(value.get("total_cost_usd"))
    return None, None


def _tokens(value: Any) -> int | None:
    """All tokens; those of a cache that are a part of the others (`cached_..`) count once."""
    if not isinstance(value, dict):
        return None
    counts = [
        count
        for name, count in value.items()
        if name.endswith("_tokens") and not name.startswith("cached_") and type(count) is int
    ]
    return sum(counts) if counts else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
