"""Run an operator from nothing to an outcome: ask the router, run the stage, record it, until there is an end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import ferrotile
from ferrotile.core import InputError, folders, store
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES as FOLDER
from ferrotile.workflow.run.context import Context, Done, Verdict
from ferrotile.workflow.run.journal import JOURNAL, Journal, seal, trusted
from ferrotile.workflow.run.router import following
from ferrotile.workflow.run.words import STAGE_NAMES, End, Letter, Owner, Word
from ferrotile.workflow.stages.table import STAGES

REQUEST, OUTCOME = "request.json", "outcome.json"
Maker = Callable[[Context, Path], tuple[Verdict, a.AgentWork | None]]
"""What fills a stage's folder and gives its verdict: our own stage, or a command."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step for those who watch: its name, verdict, and how long it took; None: it was finished before."""

    name: str
    stage: str
    verdict: Verdict
    seconds: float | None


def run(
    root: Path,
    request: a.Request,
    makers: Mapping[Letter, Maker] | None = None,
    watch: Callable[[Step], None] = lambda _: None,
) -> a.Outcome:
    """Run what is asked for in a folder, or go on with it there.

    Raises: FT021 another process works there, FT810 the folder holds another run or something else, FT811 a file of
    the run itself is malformed, FT004.
    """
    with folders.held(root):
        _sweep_debris(root)
        context = Context(root, _settled(root, request))
        journal = Journal.of(root)
        context = trusted(journal, context)
        for one in context.done:
            watch(Step(one.name, STAGE_NAMES[one.letter], one.verdict, None))
        while not isinstance(move := following(context.said).to, End):
            context = _step(context, journal, move, (makers or {}).get(move) or own(move), watch)
        outcome = outcome_of(context)
        a.write(root / OUTCOME, outcome)
        return outcome


def request_of(source: str, target: str, options: Mapping[str, object]) -> a.Request:
    """The request for an input; `options` are further fields of `Request`. Raises: FT111."""
    if re.fullmatch(r"sm_\d+[af]?", target) is None:
        raise InputError("FT111", f"`{target}` is not a target; targets look like `sm_90`")
    return a.Request.model_validate({"input": source, "target": target, "ferrotile": ferrotile.__version__, **options})


def own(letter: Letter) -> Maker:
    """Our own way to do a stage."""
    stage = STAGES[letter]

    def make(context: Context, folder: Path) -> tuple[Verdict, None]:
        stage.make(context, folder)
        return stage.verdict(folder), None

    return make


def outcome_of(context: Context) -> a.Outcome:
    """How a run ended, from its verdicts."""
    end = following(context.said).to
    assert isinstance(end, End)
    gaps = () if end is End.COMPLETE else _gaps(context)
    kernels = f"{FOLDER}/{context.folder(Letter.AUTHOR).name}/bundles" if context.has(Letter.AUTHOR) else None
    steps = tuple(one.name for one in context.done)
    return a.Outcome(end=end, steps=steps, gaps=gaps, kernels=kernels, exit_code=_exit_code(context, end))


def _step(context: Context, journal: Journal, letter: Letter, maker: Maker, watch: Callable[[Step], None]) -> Context:
    attempt = context.attempts(letter) + 1
    name = f"{letter}{attempt}"
    journal.begin(letter, attempt)
    partial = folders.fresh(context.root / FOLDER / f".{name}.partial")
    began = time.perf_counter()
    verdict, agent = maker(context, partial)
    seconds = round(time.perf_counter() - began, 3)
    done = Done(letter, attempt, verdict)
    manifest, digest = seal(partial, done, agent)
    folders.publish(partial, context.root / FOLDER / name)
    journal.end(manifest, digest, seconds)
    watch(Step(name, STAGE_NAMES[letter], verdict, seconds))
    return Context(context.root, context.request, (*context.done, done))


def _settled(root: Path, request: a.Request) -> a.Request:
    """Write the request, or compare it with the one that is there. Raises: FT810, FT811."""
    path = root / REQUEST
    if path.exists():
        there = a.read(path, a.Request)
        if there != request:
            name = next(name for name in a.Request.model_fields if getattr(there, name) != getattr(request, name))
            raise InputError("FT810", f"`{root}` holds another run: `{name}` is `{getattr(there, name)}` there")
        return there
    strange = [one.name for one in root.iterdir() if one.name != ".lock"]
    if strange:
        raise InputError("FT810", f"`{root}` is no run, and not empty: it holds `{sorted(strange)[0]}`")
    a.write(path, request)
    return request


def _sweep_debris(root: Path) -> None:
    """Remove the temporary files of a process that was killed while it wrote one. Raises: FT004."""
    for name in (REQUEST, JOURNAL, OUTCOME):
        for path in root.glob(f".{name}.*"):
            store.remove(path)


def _gaps(context: Context) -> tuple[str, ...]:
    """What is not shown: the last word of each stage that matters and did not succeed."""
    good = (Word.OK, Word.PASS, Word.COMPILED, Word.ALL_PASS, Word.DONE)
    latest = {one.letter: one for one in context.done}
    bad = [one for one in latest.values() if one.verdict.word not in good]
    return tuple(f"{one.name} {one.verdict.word}: {reason}" for one in bad for reason in one.verdict.reasons or ("",))


def _exit_code(context: Context, end: End) -> int:
    """0 complete; 5 only the speed is not shown; 4 the machine; 3 a kernel is refused; 2 the input; 1 else."""
    last = context.done[-1]
    if end is End.COMPLETE:
        return 0
    if end is End.GAP:
        passed = any(one.letter is Letter.HOST for one in context.done) and (
            [one for one in context.done if one.letter is Letter.HOST][-1].verdict.word is Word.ALL_PASS
        )
        return 5 if passed and last.letter is not Letter.AUTHOR else 1
    if last.letter is Letter.ANALYST:
        return 2
    if last.verdict.owner is Owner.ENV:
        return 4
    return 3 if (last.letter, last.verdict.word) == (Letter.AUTHOR, Word.BLOCKED) else 1
