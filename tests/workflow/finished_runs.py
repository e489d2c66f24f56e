"""Runs for tests: a small operator with two variants, and a forger who edits a finished run and seals it again."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ferrotile.workflow import run as runs
from ferrotile.workflow.run.artifacts import Outcome

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = str(EXAMPLES / "vector_add.py")
VARIANTS = ("vector_add.f32", "vector_add.f16-any-length")


def run(root: Path, source: str = SMALL, **options: Any) -> Outcome:
    """A run of our own stages."""
    return runs.run(root, runs.request_of(source, "sm_90", {}), **options)


def digests(root: Path) -> dict[str, str]:
    """Every file of a run but its journal, which holds times."""
    paths = sorted(path for path in root.rglob("*") if path.is_file() and path.name not in ("journal.json", ".lock"))
    return {path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def copied(source: Path, target: Path) -> Path:
    """A run of one's own to spoil."""
    return Path(shutil.copytree(source, target))


def edited(path: Path, edit: Callable[[dict[str, Any]], object]) -> None:
    """Edit a JSON file in place."""
    value = json.loads(path.read_text())
    edit(value)
    path.write_text(json.dumps(value))


def sealed(root: Path, step: str) -> None:
    """What a careful forger does after an edit: the manifest and the journal fit the files again."""
    folder = root / "stages" / step
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "manifest.json"]
    found = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    edited(folder / "manifest.json", lambda manifest: manifest.update(sha256=found))
    digest = hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()

    def update(journal: dict[str, Any]) -> None:
        for entry in journal["entries"]:
            if f"{entry['letter']}{entry['attempt']}" == step:
                entry["manifest"] = digest

    edited(root / "journal.json", update)
