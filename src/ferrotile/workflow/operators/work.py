"""One operator: a fresh checkout, an isolated run, the judgement of `accept`, a second try, a commit or a diagnosis.

Runs in a worker process, here or on a cluster; killed at any moment, the next one goes on where this one was.
"""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import ferrotile
from ferrotile.core import FerrotileError, confined, folders, store, tools
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.operators import evidence, worktree
from ferrotile.workflow.operators.plan import folder_of
from ferrotile.workflow.operators.records import (
    FATES,
    BatchRequest,
    Committed,
    Fate,
    Judged,
    Operator,
    Result,
    Try,
)
from ferrotile.workflow.run import acceptance
from ferrotile.workflow.run.artifacts import read, write

RESULT, TRY, DIAGNOSIS = "result.json", "try.json", "DIAGNOSIS.md"
PATIENCE_S = 30.0
"""How long to wait for the processes of a killed worker to let go of a folder."""
RETRIED = (4, 70)
"""A result with such an exit code is made again when the batch goes on."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is given."""

    out: Path
    request: BatchRequest
    operator: Operator

    @property
    def place(self) -> Path:
        """The operator's folder."""
        return folder_of(self.out, self.operator.name)


Runner = Callable[[Job, Path], confined.Ended]
"""What makes a run in the folder of a try."""


def work(job: Job) -> Result:
    """What became of an operator; never raises what is its own fault or the machine's."""
    return worked(job, isolated)


def worked(job: Job, runner: Runner) -> Result:
    """As `work`, with another way to run."""
    try:
        with guarded(job.operator.name), folders.awaited(job.place, PATIENCE_S):
            found = finished(job)
            if found is None:
                found = _worked(job, runner)
                write(job.place / RESULT, found)
            return found
    except FerrotileError as error:
        return fault_of(job, error)


def finished(job: Job) -> Result | None:
    """The result of an earlier session, if it stands. Raises: FT811."""
    path = job.place / RESULT
    if not path.exists():
        return None
    found = read(path, Result)
    return None if found.exit_code in RETRIED or not found.is_judged else found


def fault_of(job: Job, error: FerrotileError) -> Result:
    """The result of an operator that could not be worked on."""
    fate = FATES.get(error.exit_code, Fate.NOT_JUDGED)
    reasons = (f"{error.code}: {error.message}",)
    return Result(operator=job.operator, fate=fate, exit_code=error.exit_code, reasons=reasons)


def _worked(job: Job, runner: Runner) -> Result:
    tree = worktree.tree_of(job.request, job.place)
    if tree is not None:
        worktree.opened(tree)
    tries: list[Try] = []
    for number in range(1, job.request.tries + 1):
        tries.append(_tried(job, number, runner))
        if not _may_differ(job, tries[-1]):
            break
    last = tries[-1].judged
    fate = FATES.get(last.exit_code, Fate.REJECTED)
    found = Result(operator=job.operator, fate=fate, exit_code=last.exit_code, tries=tuple(tries))
    if _is_good(job, last) and tree is not None:
        found = _committed(job, tree, found)
    if tree is not None:
        worktree.closed(tree, keep_branch=found.committed is not None)
    return found if found.fate is Fate.ACCEPTED else _diagnosed(job, found)


def _is_good(job: Job, judged: Judged) -> bool:
    """Whether a run may be committed: accepted, or (if asked for) all but its speed is shown."""
    return judged.accepted or (job.request.with_gaps and judged.exit_code == 5 and not judged.wrong)


def _may_differ(job: Job, one: Try) -> bool:
    """Whether another try could end otherwise: a run of our own stages that is true leaves the same bytes again."""
    if _is_good(job, one.judged):
        return False
    return bool(job.request.agents_of(job.operator.name)) or bool(one.judged.wrong)


def _tried(job: Job, number: int, runner: Runner) -> Try:
    """A try with its judgement; one that was judged before the batch was cut off is read. Raises: FT004, FT811."""
    folder = folders.made(job.place / f"try{number}")
    if (folder / TRY).exists():
        return read(folder / TRY, Try)
    began = time.monotonic()
    ended = runner(job, folder)
    ran = time.monotonic()
    store.write_bytes(folder / "stdout.txt", ended.output)
    store.write_bytes(folder / "stderr.txt", ended.errors)
    made = Try(
        number=number,
        code=ended.code,
        confinement=ended.how,
        run_s=round(ran - began, 1),
        judged=judged(folder / "run"),
        judge_s=round(time.monotonic() - ran, 1),
        last_words="" if ended.code in (0, 5) else _last_words(ended),
    )
    write(folder / TRY, made)
    return made


def isolated(job: Job, folder: Path) -> confined.Ended:
    """`ferrotile run` in a process that may write in the folder of its try alone. Raises: FT820, FT004."""
    limits, checkout = job.request.limits, job.request.checkout
    scratch, cache = folders.fresh(folder / "tmp"), folders.made(tools.cache_folder())
    own = tuple(Path(path) for path in (sys.prefix, sys.base_prefix, Path(ferrotile.__file__).parents[1]))
    hidden: tuple[Path, ...] = ()
    if checkout is not None:
        repository = Path(checkout.folder)
        hidden = (repository, Path(worktree.git(repository, "rev-parse", "--absolute-git-dir")))
    allowed = confined.Limits(
        job.request.time_s, folder, (scratch, cache, *map(Path, limits.writable)), limits.network,
        confinement=limits.confinement, hidden=_outermost(hidden), readable=(job.out, *own) if hidden else (),
        image=limits.image,
    )  # fmt: skip
    with folders.awaited(folders.made(folder / "run"), PATIENCE_S):
        pass
    return confined.run(command(job, folder / "run"), allowed, {"TMPDIR": str(scratch)})


def command(job: Job, run: Path) -> list[str]:
    """The command line of a run."""
    request, limits = job.request, job.request.limits
    words = [sys.executable, "-m", "ferrotile.cli", "run", input_of(job), "--out", str(run), "--json"]
    words += ["--target", request.target, "--agent-time", str(limits.time_s), "--agent-tries", str(limits.tries)]
    for origin, to in request.source_map:
        words += ["--source-map", f"{origin}={to}"]
    for stage, agent in request.agents_of(job.operator.name).items():
        words += ["--agent", f"{stage}={agent}"]
    for path in limits.writable:
        words += ["--agent-writes", path]
    words += ["--agent-network"] * limits.network
    if limits.confinement and not limits.confinement.is_container:  # a container has no engine in it
        words += ["--agent-confinement", limits.confinement]
    return words


def input_of(job: Job) -> str:
    """What to run: an input that lies in the checkout is taken from the operator's worktree."""
    checkout = job.request.checkout
    head, separator, kernel = job.operator.input.partition("::")
    if checkout is None or not Path(head).is_relative_to(checkout.folder) or Path(head).is_relative_to(job.out):
        return job.operator.input
    return f"{job.place / 'checkout' / Path(head).relative_to(checkout.folder)}{separator}{kernel}"


def judged(run: Path) -> Judged:
    """What `accept` says; an exception of it is a judgement too: not accepted. Raises nothing."""
    try:
        with guarded("accept"):
            answer = acceptance.accept(run)
    except FerrotileError as error:
        wrong = (f"accept: {error.code}: {error.message}",)
        return Judged(accepted=False, exit_code=error.exit_code, checks=0, wrong=wrong, gaps=(), steps=())
    outcome = answer.outcome
    is_true = answer.exit_code in (0, 5) and outcome is not None
    return Judged(
        accepted=answer.accepted,
        exit_code=outcome.exit_code if is_true and outcome else answer.exit_code,
        checks=len(answer.checks),
        wrong=tuple(f"{one.name}: {one.code}: {one.sentence}" for one in answer.checks if not one.holds),
        gaps=() if outcome is None else outcome.gaps,
        steps=() if outcome is None else outcome.steps,
    )


def _committed(job: Job, tree: worktree.Tree, found: Result) -> Result:
    """Commit; where that fails, the operator is not accepted, whatever its run is."""
    last = found.tries[-1]
    run = job.place / f"try{last.number}" / "run"
    try:
        files = evidence.kernels(run)
        text = evidence.message(job.operator, run, last, job.request.target)
        done: Committed = worktree.committed(tree, files, text)
    except FerrotileError as error:
        fate = Fate.ENVIRONMENT if error.code != "FT844" else Fate.REJECTED
        code = 4 if fate is Fate.ENVIRONMENT else 1
        return found.model_copy(
            update={"fate": fate, "exit_code": code, "reasons": (f"{error.code}: {error.message}",)}
        )
    return found.model_copy(update={"committed": done})


def _diagnosed(job: Job, found: Result) -> Result:
    """Say why, and where to look. Raises: FT004."""
    last = found.tries[-1]
    reasons = found.reasons or (*last.judged.wrong, *last.judged.gaps) or (last.last_words or "no reason is known",)
    lines = [f"# {job.operator.name}: {found.fate}", ""]
    lines += [f"- {reason}" for reason in reasons]
    for one in found.tries:
        ended = "ended at its limit" if one.code is None else f"exit code {one.code}"
        steps = " ".join(one.judged.steps) or "nothing that could be made out"
        lines += ["", f"Try {one.number}: {ended}, {one.run_s} s, {one.confinement}; steps: {steps}."]
        lines += [f"- accept: {wrong}" for wrong in one.judged.wrong]
        lines += [f"- {one.last_words}"] if one.last_words else []
        lines.append(f"Its files: `try{one.number}/run`; what commands did: `try{one.number}/run/agents`.")
    lines += ["", f"Again: `{shlex.join(command(job, Path('DIR')))}`", ""]
    store.write_text(job.place / DIAGNOSIS, "\n".join(lines))
    return found.model_copy(update={"reasons": tuple(reasons), "diagnosis": str(job.place)})


def _outermost(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    return tuple(one for one in paths if not any(one != other and one.is_relative_to(other) for other in paths))


def _last_words(ended: confined.Ended) -> str:
    """The error that the run printed, or the last line of what it wrote to stderr."""
    if ended.too_long:
        return "the run did not end within its time"
    for line in reversed(ended.output.decode(errors="replace").splitlines()):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict) and "message" in said:
            return f"{said.get('code')}: {said['message']}"
    lines = ended.errors.decode(errors="replace").strip().splitlines()
    return lines[-1][:300] if lines else ""
