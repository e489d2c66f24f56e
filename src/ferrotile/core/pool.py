"""Worker processes for independent tasks; the death of one loses nothing but its own task."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any, TypeVar

from ferrotile.core import warden

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
_CONTEXT = multiprocessing.get_context("spawn")
_PATIENCE_S, _LOOK_S = 5.0, 0.5


@dataclass
class _Worker:
    process: SpawnProcess
    pipe: Connection
    index: int | None = None
    since: float = 0.0

    def is_over(self, limit_s: float) -> bool:
        """Whether its task has had its time."""
        return self.index is not None and time.monotonic() - self.since > limit_s


def run_all(
    work: Callable[[Item], Outcome],
    items: list[Item],
    jobs: int,
    on_death: Callable[[Item, int | None], Outcome],
    limit_s: float = float("inf"),
) -> Iterator[tuple[int, Outcome]]:
    """Give (index, outcome) of each item as it is done, by `jobs` processes.

    `work` must be importable and its items and outcomes must pickle. When a process dies, `on_death` makes the
    outcome from the item and the exit code, and another process takes its place; a process that works on one
    item for more than `limit_s` seconds is ended, and the exit code given is None.
    """
    waiting = list(enumerate(items))[::-1]
    workers: list[_Worker] = []
    try:
        for _ in range(min(jobs, len(items))):
            workers.append(_started(work))
            _hand_out(workers[-1], waiting)
        while any(worker.index is not None for worker in workers):
            ready = wait([worker.pipe for worker in workers if worker.index is not None], _LOOK_S)
            for position, worker in enumerate(workers):
                index = worker.index
                if index is None or (worker.pipe not in ready and not worker.is_over(limit_s)):
                    continue
                try:
                    outcome = _received(worker, worker.pipe in ready)
                except (EOFError, OSError):
                    outcome = on_death(items[index], None if worker.pipe not in ready else _exit_code(worker))
                    if waiting:
                        worker.pipe.close()
                        workers[position] = worker = _started(work)
                _hand_out(worker, waiting)
                yield index, outcome
    finally:
        for worker in workers:
            _stop(worker)


def _received(worker: _Worker, is_ready: bool) -> Any:
    """A worker's outcome. Raises: EOFError when it died, or is ended here because its time is over."""
    if is_ready:
        return worker.pipe.recv()
    worker.process.kill()
    worker.process.join()
    raise EOFError


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """The loop of a worker process; it ends with the process that started it, also in the middle of a task."""
    warden.libc.prctl(warden.PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
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
    worker.since = time.monotonic()
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
