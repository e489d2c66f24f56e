"""Worker processes for independent tasks; the death of one loses nothing but its own task."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
_CONTEXT = multiprocessing.get_context("spawn")
_PATIENCE_S = 5.0


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    index: int | None = None


def run_all(
    work: Callable[[Item], Outcome], items: list[Item], jobs: int, on_death: Callable[[Item, int | None], Outcome]
) -> Iterator[tuple[int, Outcome]]:
    """Give (index, outcome) of each item as it is done, by `jobs` processes.

    `work` must be importable and its items and outcomes must pickle. When a process dies, `on_death` makes the
    outcome from the item and the exit code, and another process takes its place.
    """
    waiting = list(enumerate(items))[::-1]
    workers: list[_Worker] = []
    try:
        for _ in range(min(jobs, len(items))):
            workers.append(_started(work))
            _hand_out(workers[-1], waiting)
        while any(worker.index is not None for worker in workers):
            ready = wait([worker.pipe for worker in workers if worker.index is not None])
            for position, worker in enumerate(workers):
                if worker.pipe not in ready or worker.index is None:
                    continue
                index = worker.index
                try:
                    outcome = worker.pipe.recv()
                except (EOFError, OSError):
                    outcome = on_death(items[index], _exit_code(worker))
                    if waiting:
                        worker.pipe.close()
                        workers[position] = worker = _started(work)
                _hand_out(worker, waiting)
                yield index, outcome
    finally:
        for worker in workers:
            _stop(worker)


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """The loop of a worker process."""
    try:
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        pass


def _started(work: Callable[[Any], Any]) -> _Worker:
    ours, theirs = _CONTEXT.Pipe()
    process = _CONTEXT.Process(target=_serve, args=(work, theirs), daemon=False)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _hand_out(worker: _Worker, waiting: list[tuple[int, Any]]) -> None:
    if not waiting:
        worker.index = None
        return
    worker.index, item = waiting.pop()
    with suppress(OSError):  # it may have died before it took the item: the next wait sees the closed pipe
        worker.pipe.send(item)


def _exit_code(worker: _Worker) -> int | None:
    worker.process.join(_PATIENCE_S)
    return worker.process.exitcode


def _stop(worker: _Worker) -> None:
    """Let an idle worker end by itself; end a busy one (an interrupt of ours)."""
    worker.pipe.close()
    if worker.index is not None and worker.process.is_alive():
        worker.process.terminate()
    worker.process.join(_PATIENCE_S)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()
