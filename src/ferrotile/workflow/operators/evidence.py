"""From an accepted run to a commit: the kernels with their proofs, and a message that holds the evidence."""

from __future__ import annotations

from pathlib import Path

import ferrotile
from ferrotile.bundle import FILES, PROOF, digest
from ferrotile.core import InputError, folders
from ferrotile.workflow.operators.records import Operator, Try
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES
from ferrotile.workflow.run.journal import checked_manifest
from ferrotile.workflow.run.words import Letter
from ferrotile.workflow.stages import author, host, performance


def kernels(run: Path) -> dict[str, bytes]:
    """The bundles of a run's last author, by path, with the digests that `accept` compared. Raises: FT813, FT811."""
    outcome = a.read(run / "outcome.json", a.Outcome)
    folder = _folder(run, outcome, Letter.AUTHOR)
    manifest = checked_manifest(folder, None)
    found = {}
    for name, wanted in manifest.sha256.items():
        parts = Path(name).parts
        if parts[0] == "bundles" and parts[-1] in (*FILES, PROOF):
            data = folders.read_regular(folder / name, a.MOST_BYTES)
            if digest(data) != wanted:
                raise InputError("FT813", f"`{name}` is not the file that was recorded")
            found["/".join(parts[1:])] = data
    return found


def message(operator: Operator, run: Path, last: Try, target: str) -> str:
    """The message of the commit: what was proved of each variant, by what, and what is not shown. Raises: FT811."""
    outcome = a.read(run / "outcome.json", a.Outcome)
    translations = a.read(_folder(run, outcome, Letter.AUTHOR) / author.FILE, a.Author)
    numbers = {one.name: one for one in a.read(_folder(run, outcome, Letter.HOST) / host.FILE, a.Host).results}
    folder = _folder(run, outcome, Letter.PERFORMANCE)
    machine = {one.name: one for one in a.read(folder / performance.FILE, a.Performance).rows}
    variants = a.read(run / STAGES / "A1" / "analysis.json", a.Analysis).variants
    reference = {one.name: one.sha256 for one in variants}
    lines = [
        f"{operator.name}: cuTile Rust, the same program as the reference",
        "",
        f"Made by ferrotile {ferrotile.__version__} for {target}; author: {translations.author}.",
        f"`ferrotile accept` made {last.judged.checks} checks again: {_answer(last)}.",
        f"Steps: {' '.join(outcome.steps)}; run {last.confinement}.",
    ]
    for one in translations.translations:
        timed = machine[one.name]
        lines += [
            "",
            f"{one.name}",
            f"  check: {one.verdict}, {one.unsafe} unsafe, {one.checks_in_kernel} checks in the kernel",
            f"  numbers: {numbers[one.name].outcome}, {numbers[one.name].sentence}",
            f"  machine code: {timed.kind} for {timed.target}, {timed.instructions[1]} instructions; "
            f"device time {timed.device_time}",
            *((f"  compared for {timed.target}, since {timed.note}",) if timed.note and timed.target != target else ()),
            f"  reference sha256: {reference[one.name]}",
        ]
    return "\n".join([*lines, *(f"\nNot shown: {gap}" for gap in last.judged.gaps)])


def _answer(last: Try) -> str:
    return "accepted" if last.judged.accepted else "true, but not everything is shown"


def _folder(run: Path, outcome: a.Outcome, letter: Letter) -> Path:
    """The folder of a stage's last run."""
    return run / STAGES / [step for step in outcome.steps if step.startswith(letter)][-1]
