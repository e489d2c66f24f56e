"""Measure pairs on the GPU: both sides in one process, interleaved, the L2 cache flushed, arrays alternating."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

from ferrotile.bench.device.activity import Recorder
from ferrotile.bench.device.clocks import Clocks
from ferrotile.bench.device.driver import Device, Memory, Packed
from ferrotile.bench.device.plan import PairPlan
from ferrotile.bench.device.statistics import ORDER
from ferrotile.bench.device.timing import Timing
from ferrotile.core import FerrotileError
from ferrotile.core.pool import run_all

SETS = 2
"""Sets of arrays that the launches alternate between, so that no launch finds its own data in a cache."""
WARM_UP = 3
FEWEST_QUADS, MOST_QUADS = 10, 400
PAIR_SECONDS = 0.25
"""Kernel time to spend on one pair, as far as the number of quads allows."""
LIMIT_S = 120.0
FATAL = 86
"""Exit code of a worker whose context is broken: a kernel has reached outside its arrays, say."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a process needs once."""

    device: Device
    recorder: Recorder
    clocks: Clocks


@cache
def session() -> Session:
    """The session of this process. Raises: FT711, FT712."""
    device = Device()
    return Session(device, Recorder(), Clocks())


def measure_all(folder: Path, pairs: list[PairPlan], quads: int | None = None) -> Iterator[tuple[int, Timing]]:
    """Measure pairs one after the other in a worker process; a pair that kills it is void, and the rest goes on."""
    yield from run_all(partial(_measured, folder, quads), pairs, 1, _dead, LIMIT_S)


def measure(here: Session, folder: Path, pair: PairPlan, quads: int | None = None) -> Timing:
    """Times of one pair. Raises: FT712, FT713."""
    sides = (pair.reference, pair.ours)
    functions = [here.device.function(folder, side) for side in sides]
    sets = [Memory(here.device, pair.arrays, seed=0) for _ in range(SETS)]
    try:
        packed = [[Packed(memory, side) for side in sides] for memory in sets]
        same = _same_bits(here.device, pair, functions, sets, packed)

        def run(order: str) -> None:
            for number, letter in enumerate(order):
                side = "AB".index(letter)
                here.device.flush()
                # The two launches that follow each other are one of each side, on the same set.
                here.device.launch(functions[side], pair, packed[number // 2 % SETS][side])

        warm = here.recorder.times(lambda: run("AB" * WARM_UP), 2 * WARM_UP, here.device.wait)
        count = quads or _quads(min(warm))
        before = here.clocks.multiprocessor_mhz()
        times = here.recorder.times(lambda: run(ORDER * count), len(ORDER) * count, here.device.wait)
        clocks = [clock for clock in (before, here.clocks.multiprocessor_mhz()) if clock is not None]
    finally:
        for memory in sets:
            memory.free()
    a, b = (tuple(time for time, mark in zip(times, ORDER * count, strict=True) if mark == letter) for letter in "AB")
    return Timing(
        name=pair.name, kernel=pair.kernel, machine=pair.machine, reference=a, ours=b, same_bits=same,
        clocks=tuple(clocks), throttled=here.clocks.is_throttled(), device=here.device.name,
    )  # fmt: skip


def _quads(shortest_ns: int) -> int:
    return max(FEWEST_QUADS, min(MOST_QUADS, int(PAIR_SECONDS * 1e9 / (len(ORDER) * max(shortest_ns, 1)))))


def _same_bits(
    device: Device, pair: PairPlan, functions: list[object], sets: list[Memory], packed: list[list[Packed]]
) -> bool:
    """Run each side once on a set of its own with the same content, compare all bytes, and fill the sets again."""
    for side in (0, 1):
        device.launch(functions[side], pair, packed[side][side])
    device.wait()
    same = all((sets[0].bytes_of(k) == sets[1].bytes_of(k)).all() for k in range(len(pair.arrays)))
    for memory in sets:
        memory.fill()
    return same


def _measured(folder: Path, quads: int | None, pair: PairPlan) -> Timing:
    try:
        return measure(session(), folder, pair, quads)
    except FerrotileError as error:
        if error.code != "FT712" or _context_works():
            return Timing.nothing(pair, error.code, error.message)
        os._exit(FATAL)


def _context_works() -> bool:
    """Whether the driver still answers: an access outside of memory breaks a process's context for good."""
    try:
        session().device.wait()
    except FerrotileError:
        return False
    return True


def _dead(pair: PairPlan, exit_code: int | None) -> Timing:
    how = {None: f"not done after {LIMIT_S:g} s", FATAL: "the kernel broke the context"}.get(
        exit_code, f"the worker ended with exit code {exit_code}"
    )
    return Timing.nothing(pair, "FT714", how)
