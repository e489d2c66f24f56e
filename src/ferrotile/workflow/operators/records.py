"""The files of a batch: what was asked for, what became of each operator, and the summary. Each has a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import Field

from ferrotile.workflow.record import EXIT_OK, worst
from ferrotile.workflow.run.artifacts import AgentLimits, Artifact, Record

NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"


class Checkout(Record):
    """Where accepted operators are committed. `base`: the commit that every branch begins at.

    `into`: the folder for an operator's kernels, `{op}` is its name; `hide`: glob patterns of files that are taken out
    of its checkout while it is worked on.
    """

    folder: str
    base: str = Field(pattern=r"^[0-9a-f]{40,64}$")
    into: str = Field(pattern=r"\{op\}")
    hide: tuple[str, ...]
    branches: str
    push: str | None = None


class BatchRequest(Artifact):
    """batch.json: what was asked for. `id` marks the commits of this batch; `with_gaps`: commit what is all but fast.

    `agents` maps stages to commands, for all operators (`author`) or for one (`softmax:author`).
    Units: `time_s` of wall time for a try.
    """

    id: str
    inputs: tuple[str, ...]
    chosen: tuple[str, ...] | None
    target: str
    source_map: tuple[tuple[str, str], ...] = ()
    checkout: Checkout | None = None
    with_gaps: bool = False
    tries: int = Field(default=2, ge=1, le=5)
    time_s: float = Field(default=3600.0, gt=0)
    agents: Mapping[str, str] = {}
    limits: AgentLimits = AgentLimits()
    ferrotile: str

    def agents_of(self, operator: str) -> dict[str, str]:
        """The commands by stage that an operator is given; what is asked for it alone counts more."""
        shared = {key: command for key, command in self.agents.items() if ":" not in key}
        prefix = f"{operator}:"
        own = {key.removeprefix(prefix): one for key, one in self.agents.items() if key.startswith(prefix)}
        return shared | own


class Operator(Record):
    """One operator of a batch: its name, and what `ferrotile run` takes."""

    name: str = Field(pattern=NAME)
    input: str


class Plan(Artifact):
    """plan.json: the operators of a batch."""

    operators: tuple[Operator, ...]


class Fate(StrEnum):
    """What became of an operator."""

    ACCEPTED = "accepted"
    GAP = "speed not shown"
    REJECTED = "not accepted"
    REFUSED = "refused"
    BAD_INPUT = "wrong input"
    ENVIRONMENT = "environment"
    NOT_JUDGED = "not judged"


FATES = {0: Fate.ACCEPTED, 5: Fate.GAP, 1: Fate.REJECTED, 3: Fate.REFUSED, 2: Fate.BAD_INPUT, 4: Fate.ENVIRONMENT}
"""By the exit code that `accept` and the outcome it computed give."""


class Judged(Record):
    """What `accept` said of a run. `exit_code` is the outcome's where all of the run is true."""

    accepted: bool
    exit_code: int
    checks: int
    wrong: tuple[str, ...]
    gaps: tuple[str, ...]
    steps: tuple[str, ...]


class Try(Artifact):
    """try.json: one isolated run and its judgement. Units: seconds of wall time; `code` None: ended at the limit."""

    number: int
    code: int | None
    confinement: str
    run_s: float
    judge_s: float
    judged: Judged
    last_words: str = ""


class Committed(Record):
    """The commit of an operator; `pushed` names the remote."""

    branch: str
    commit: str
    pushed: str | None = None


class Result(Artifact):
    """result.json: what became of one operator; `diagnosis` is the folder to look into where it was not accepted."""

    operator: Operator
    fate: Fate
    exit_code: int
    tries: tuple[Try, ...] = ()
    reasons: tuple[str, ...] = ()
    committed: Committed | None = None
    diagnosis: str | None = None

    @property
    def is_judged(self) -> bool:
        """Whether `accept` has looked at the last try, or there was nothing that it could look at."""
        return self.fate is not Fate.NOT_JUDGED


class Summary(Artifact):
    """summary.json: counts by fate; `attempted` and `judged` are the same number, or the batch has failed."""

    attempted: int
    judged: int
    fates: dict[Fate, int]
    not_judged: tuple[str, ...]
    exit_code: int
    seconds: float


def summarized(names: Sequence[str], results: Sequence[Result], seconds: float) -> Summary:
    """The summary over all operators that were attempted; one without a judgement is our fault, whatever else held."""
    judged = {one.operator.name for one in results if one.is_judged}
    missing = tuple(name for name in names if name not in judged)
    codes = [70] if missing else [one.exit_code for one in results]
    counts = {fate: sum(one.fate is fate for one in results) for fate in Fate}
    return Summary(
        attempted=len(names),
        judged=len(judged & set(names)),
        fates={fate: count for fate, count in counts.items() if count},
        not_judged=missing,
        exit_code=worst(codes) if codes else EXIT_OK,
        seconds=round(seconds, 1),
    )
