"""Translate many inputs: in worker processes, with machine code of all or of a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from ferrotile.core import InternalError
from ferrotile.core.pool import run_all
from ferrotile.workflow.output import update_machine
from ferrotile.workflow.record import Options, Row, Task
from ferrotile.workflow.sample import Sample
from ferrotile.workflow.translation import compare_machine, refused_row, translate

Item = TypeVar("Item")
LIMIT_S = 1800.0
"""How long one input may take in one step of a batch; the longest known takes a minute."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is: `step` is `translate` or `machine code`."""

    step: str
    done: int
    total: int
    latest: Row


def translate_all(
    tasks: list[Task], options: Options, watch: Callable[[Progress], None] = lambda _: None
) -> Iterator[Row]:
    """Rows in the order of the tasks; with machine code none comes before all are translated."""
    rows = _in_order(_run(_translate_task, tasks, options, "translate", watch))
    if not options.sass:
        yield from map(_without_evidence, rows)
        return
    finished = list(rows)
    chosen = _chosen(finished, options.sample)
    machined = _run(_machine_row, [finished[k] for k in chosen], options, "machine code", watch)
    given = 0
    for k, compared in zip(chosen, _in_order(machined), strict=True):
        yield from map(_without_evidence, [*finished[given:k], compared])
        given = k + 1
    yield from map(_without_evidence, finished[given:])


def _chosen(rows: list[Row], sample: Sample | None) -> list[int]:
    """The rows to compare machine code of; without a sample all whose translation holds."""
    return sample.choose(rows) if sample else [k for k, row in enumerate(rows) if row.evidence is not None]


def _run(
    work: Callable[[Options, Item], Row],
    items: list[Item],
    options: Options,
    step: str,
    watch: Callable[[Progress], None],
) -> Iterator[tuple[int, Row]]:
    job = partial(work, options)
    outcomes: Iterable[tuple[int, Row]]
    if len(items) == 1:
        outcomes = ((0, job(items[0])) for _ in range(1))
    else:
        outcomes = run_all(job, items, options.jobs, partial(_death, options), LIMIT_S)
    for done, (index, row) in enumerate(outcomes, start=1):
        watch(Progress(step, done, len(items), row))
        yield index, row


def _translate_task(options: Options, task: Task) -> Row:
    return translate(task, options)


def _machine_row(options: Options, row: Row) -> Row:
    compared = compare_machine(row, options)
    if compared.folder is not None:
        update_machine(compared)
    return compared


def _death(options: Options, item: object, exit_code: int | None) -> Row:
    if exit_code is None:
        error = InternalError("FT805", f"not done after {LIMIT_S:g} s")
    else:
        how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
        error = InternalError("FT802", f"the worker process ended by {how}")
    if isinstance(item, Row):
        return replace(item, exit_code=error.exit_code, code=error.code, message=error.message)
    assert isinstance(item, Task)
    return refused_row(item, options, error)


def _in_order(outcomes: Iterable[tuple[int, Row]]) -> Iterator[Row]:
    """Give outcomes by index, each as soon as all before it are there."""
    early: dict[int, Row] = {}
    following = 0
    for index, row in outcomes:
        early[index] = row
        while following in early:
            yield early.pop(following)
            following += 1


def _without_evidence(row: Row) -> Row:
    return replace(row, evidence=None)
