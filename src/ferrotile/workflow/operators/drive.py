"""A batch from its request to its summary: hand the operators to workers, and count what came back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ferrotile.core import FerrotileError, InternalError, folders
from ferrotile.core.pool import run_all
from ferrotile.workflow.operators.plan import planned, settled
from ferrotile.workflow.operators.records import BatchRequest, Plan, Result, Summary, summarized
from ferrotile.workflow.operators.work import RESULT, Job, fault_of, work
from ferrotile.workflow.run.artifacts import write

SUMMARY = "summary.json"
Death = Callable[[Job, int | None], Result]
Scheduler = Callable[[Callable[[Job], Result], list[Job], Death], Iterator[tuple[int, Result]]]
"""What does the jobs: gives the index and the result of each as it is done, and asks for one where a worker died."""


def locally(jobs: int) -> Scheduler:
    """Processes of this machine."""
    return lambda work, items, on_death: run_all(work, items, jobs, on_death)


def batch(
    out: Path,
    request: BatchRequest,
    scheduler: Scheduler,
    begin: Callable[[Plan], None] = lambda _: None,
    watch: Callable[[Result], None] = lambda _: None,
) -> Summary:
    """Work on every operator, or go on with it.

    Raises: FT021 another process works there, FT810 the folder holds something else, FT840, FT801, FT004, FT811.
    """
    began = time.monotonic()
    with folders.held(out):
        request = settled(out, request)
        plan = planned(out, request)
        begin(plan)
        jobs = [Job(out, request, operator) for operator in plan.operators]
        results: list[Result] = []
        for _, result in scheduler(work, jobs, _died):
            results.append(result)
            watch(result)
        names = [one.name for one in plan.operators]
        summary = summarized(names, results, time.monotonic() - began)
        write(out / SUMMARY, summary)
        return summary


def _died(job: Job, exit_code: int | None) -> Result:
    """The result of an operator whose worker died: it was attempted and nobody judged it."""
    how = "was ended" if exit_code is None else f"ended with {exit_code}"
    result = fault_of(job, InternalError("FT847", f"the worker {how} before `{job.operator.name}` was judged"))
    with suppress(FerrotileError):  # the summary has it
        write(job.place / RESULT, result)
    return result
