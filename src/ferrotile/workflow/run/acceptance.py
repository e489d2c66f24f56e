"""Accept a run: every file by the contract, every claim and verdict made again, the route followed.

Nothing that the run says of itself is believed. Only this may call a run accepted.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from ferrotile.core import EnvironmentFault, FerrotileError, InputError, folders
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES as FOLDER
from ferrotile.workflow.run.context import Context, Done, Verdict
from ferrotile.workflow.run.contract import AGENTS, RUN, artifact_of, strangers
from ferrotile.workflow.run.contract import STAGES as FILES
from ferrotile.workflow.run.drive import OUTCOME, REQUEST, outcome_of
from ferrotile.workflow.run.journal import JOURNAL, checked_manifest
from ferrotile.workflow.run.router import following
from ferrotile.workflow.run.words import End, Letter, Word
from ferrotile.workflow.stages.analyst import is_at_hand
from ferrotile.workflow.stages.table import STAGES


@dataclass(frozen=True, slots=True)
class Checked:
    """One thing that was looked at. `is_open`: it could not be made again on this machine."""

    name: str
    sentence: str
    code: str | None = None
    is_open: bool = False

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong with it."""
        return self.code is None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What came of all checks, and how the run ended by the verdicts that were computed again."""

    root: Path
    checks: tuple[Checked, ...]
    outcome: a.Outcome | None

    @property
    def accepted(self) -> bool:
        """Whether the run is what it says, and everything is shown."""
        is_true = all(check.holds for check in self.checks) and bool(self.checks)
        return is_true and self.outcome is not None and self.outcome.end is End.COMPLETE

    @property
    def exit_code(self) -> int:
        """0 accepted; 4 something could not be made again here; 2 no run; 5 true, but not all is shown; 1 not true."""
        wrong = [check for check in self.checks if not check.holds]
        if any(check.code == "FT814" for check in wrong):
            return 2
        if any(not check.is_open for check in wrong):
            return 1
        if wrong:
            return 4
        return 0 if self.accepted else 5


def accept(root: Path) -> Acceptance:
    """Check a run's folder; what is wrong is in the answer, nothing of it is raised. Raises: FT021."""
    if not (root / REQUEST).is_file():
        missing = Checked("request.json", f"`{root}` holds no run", "FT814")
        return Acceptance(root, (missing,), None)
    # A folder that nobody here may write needs no lock.
    with folders.held(root) if os.access(root, os.W_OK) else nullcontext():
        checks: list[Checked] = []
        outcome = _outcome(root, checks)
    return Acceptance(root, tuple(checks), outcome)


def _outcome(root: Path, checks: list[Checked]) -> a.Outcome | None:
    """Fill in the checks; the outcome that the run should have, if it could be made out."""
    try:
        request = a.read(root / REQUEST, a.Request)
        journal = a.read(root / JOURNAL, a.Journal)
        claimed = a.read(root / OUTCOME, a.Outcome)
    except FerrotileError as error:
        checks.append(Checked("run", error.message, error.code))
        return None
    checks.append(_tried("files", lambda: _contract(root, journal)))
    context = Context(root, request)
    for entry in journal.entries:
        made = list(_step(context, entry))
        checks += [check for check, _ in made]
        verdict = made[-1][1]
        if verdict is None:
            return None
        context = Context(root, request, (*context.done, Done(entry.letter, entry.attempt, verdict)))
    checks.append(_tried("route", lambda: _route(context)))
    if not checks[-1].holds:
        return None
    found = outcome_of(context)
    checks.append(_tried("outcome", lambda: _same_outcome(claimed, found)))
    return found


def _contract(root: Path, journal: a.Journal) -> str:
    """Every file of the run is of a row of the contract, and the needed ones are there. Raises: FT020, FT815."""
    steps = {f"{entry.letter}{entry.attempt}": entry for entry in journal.entries}
    paths = folders.regular_files(root, skip=AGENTS)
    for path in paths:
        parts = path.split("/", 2)
        if parts[0] == FOLDER and len(parts) == 3:
            entry = steps.get(parts[1])
            if entry is None or strangers(entry.letter, [parts[2]]):
                raise InputError("FT815", f"`{path}` is no file of a run")
        elif not any(row.matches(path) for row in RUN):
            raise InputError("FT815", f"`{path}` is no file of a run")
    for name, entry in steps.items():
        inside = [path.split("/", 2)[2] for path in paths if path.startswith(f"{FOLDER}/{name}/")]
        for row in FILES:
            is_due = row.letter is entry.letter and row.is_needed and entry.word in _WHOLE
            if is_due and not any(row.matches(path) for path in inside):
                raise InputError("FT815", f"`{FOLDER}/{name}/{row.path}` is missing")
    return f"{len(paths)} files, each of a row of the contract"


_WHOLE = frozenset(Word) - {Word.MALFORMED, Word.BLOCKED}
"""A stage that was blocked, or whose answer was none, has what it came to."""


def _step(context: Context, entry: a.Entry) -> Iterator[tuple[Checked, Verdict | None]]:
    """The checks of one step; the last of them comes with the verdict, or with None where there is none."""
    name, stage = f"{entry.letter}{entry.attempt}", STAGES[entry.letter]
    folder = context.root / FOLDER / name
    found: list[Verdict] = []

    def files() -> str:
        _require_in_turn(context, entry)
        manifest = checked_manifest(folder, entry.manifest)
        said = (entry.letter, entry.attempt, entry.word, entry.owner)
        if said != (manifest.letter, manifest.attempt, manifest.word, manifest.owner):
            raise InputError("FT813", f"the manifest of `{name}` is not what the journal recorded")
        return f"{len(manifest.sha256)} files are those that were recorded"

    def artifact() -> str:
        if entry.word is Word.MALFORMED:
            found.append(Verdict(Word.MALFORMED, entry.owner, checked_manifest(folder, None).reasons))
            return "the command gave no answer in form"
        a.read(folder / artifact_of(entry.letter).path, artifact_of(entry.letter).model or a.Artifact)
        stage.confirm(context, folder)
        verdict = stage.verdict(folder)
        if (verdict.word, verdict.owner) != (entry.word, entry.owner):
            raise InputError("FT812", f"the artifacts give {verdict.word}, and the journal says {entry.word}")
        found.append(verdict)
        return f"{verdict.word}, computed again{_left_out(context, entry)}"

    first = _tried(f"{name} files", files)
    yield first, None
    if first.holds:
        yield _tried(f"{name} verdict", artifact), found[0] if found else None


def _require_in_turn(context: Context, entry: a.Entry) -> None:
    if entry.ended is None:
        raise InputError("FT815", "the run has not come to its end")
    if entry.attempt != context.attempts(entry.letter) + 1 or following(context.said).to is not entry.letter:
        raise InputError("FT815", f"the route table does not lead to `{entry.letter}{entry.attempt}` here")


def _route(context: Context) -> str:
    move = following(context.said)
    if not isinstance(move.to, End):
        raise InputError("FT815", f"the run has not come to its end: `{move.to}` is next")
    return f"{' '.join(one.name for one in context.done)}, then {move.to}"


def _same_outcome(claimed: a.Outcome, found: a.Outcome) -> str:
    if claimed != found:
        raise InputError("FT812", f"outcome.json says {claimed.end}, and the stages give {found.end}")
    return f"{found.end}"


def _left_out(context: Context, entry: a.Entry) -> str:
    """What could not be made again, in words."""
    if entry.letter is Letter.ANALYST and not is_at_hand(context):
        return "; the input is not here, so the reference is taken as given"
    return ""


def _tried(name: str, check: Callable[[], str]) -> Checked:
    try:
        with guarded(name):
            return Checked(name, check())
    except EnvironmentFault as error:
        return Checked(name, error.message, error.code, is_open=True)
    except FerrotileError as error:
        return Checked(name, error.message, error.code)
