"""Run one kernel on the user's arrays: no GPU, arrays in and out, and what the kernel does wrong."""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from xdsl.ir import Operation

from ferrotile import interp, ir, lift
from ferrotile.core import InputError, Place, store
from ferrotile.interp import Tile
from ferrotile.ir.formats import Array
from ferrotile.lift.source import Annotations, annotate
from ferrotile.workflow.comparison import read
from ferrotile.workflow.given import Bound, Given, bind
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.inputs import expand
from ferrotile.workflow.record import Options, Task


@dataclass(frozen=True, slots=True)
class Launch:
    """How to run a kernel: what it is given by name, the grid, and which variables to watch."""

    given: Given
    grid: tuple[int, ...]
    seed: int = 0
    watch: tuple[str, ...] = ()
    on_value: Callable[[Watched], None] = field(default=lambda _: None, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """A value of a watched variable, each time that it is made. `undetermined` counts elements."""

    name: str
    block: tuple[int, int, int]
    place: Place | None
    data: Array
    undetermined: int


@dataclass(frozen=True, slots=True, eq=False)
class Interpretation:
    """What a run left: arrays by parameter name, and findings."""

    input: str
    names: tuple[str, ...]
    given: tuple[Array, ...]
    result: interp.Result

    @property
    def exit_code(self) -> int:
        """1 if something was found wrong."""
        return 1 if self.result.findings else 0


def interpret(source: str, launch: Launch, options: Options) -> Interpretation:
    """Run a kernel on a grid; of several specializations the first whose signature fits what is given.

    With `options.out` every array is written there as `NAME.npy`.
    Raises: FT004, FT1xx, FT2xx, FT801, FT803, FT806, FT807.
    """
    task, module, annotations, arguments = _fitting(expand([source], options), launch, options)
    watcher = _watcher(module.entries[0], annotations, launch)
    with guarded("interpret"):
        settings = interp.Options(watch=watcher)
        result = interp.interpret(module, arguments.values, launch.grid, seed=launch.seed, options=settings)
    made = Interpretation(task.input, arguments.names, arguments.before, result)
    if options.out is not None:
        for name, array in zip(made.names, result.arrays, strict=True):
            _save(options.out / f"{name}.npy", array)
    return made


def _fitting(tasks: list[Task], launch: Launch, options: Options) -> tuple[Task, ir.Module, Annotations, Bound]:
    """The first task whose signature takes what is given, decoded. Raises: what all say, or FT806."""
    faults: dict[str, InputError] = {}
    for task in tasks:
        if task.fault is not None:
            raise task.fault
        with guarded("decode"):
            module = ir.decode(task.bytecode if task.bytecode is not None else read(task.path or Path(task.input)))
        if not module.entries:
            raise InputError("FT804", f"`{task.input}` holds no kernel")
        annotations = annotate(module.entries[0], lift.SourceFinder(list(options.source_map)))
        try:
            return task, module, annotations, bind(annotations, launch.given)
        except InputError as error:
            faults[task.name] = error
    if len({error.message for error in faults.values()}) == 1:
        raise next(iter(faults.values()))
    causes = "; ".join(f"{name}: {error.message}" for name, error in faults.items())
    hint = next(iter(faults.values())).hint
    raise InputError("FT806", f"no specialization takes what is given: {causes}", hint=hint)


def _watcher(entry: Operation, annotations: Annotations, launch: Launch) -> Callable[..., None] | None:
    """Calls back with each value of a watched variable. Raises: FT807."""
    if not launch.watch:
        return None
    wanted = _watched_results(entry, annotations, launch.watch)

    def watch(op: Operation, values: tuple[Any, ...], block: tuple[int, int, int]) -> None:
        for index, name in wanted.get(op, ()):
            if isinstance(value := values[index], Tile):
                undetermined = 0 if value.origin is None else int(np.count_nonzero(value.origin))
                launch.on_value(Watched(name, block, ir.place(op), value.data, undetermined))

    return watch


def _watched_results(
    entry: Operation, annotations: Annotations, names: tuple[str, ...]
) -> dict[Operation, list[tuple[int, str]]]:
    """Which results of which operations are values of the variables."""
    found: dict[Operation, list[tuple[int, str]]] = {}
    known: set[str] = set()
    for op in entry.walk():
        for index, value in enumerate(op.results):
            name = annotations.names.get(value, "")
            known.add(name)
            if name in names:
                found.setdefault(op, []).append((index, name))
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, sorted(known), n=3) or sorted(known - {""})
            known_names = ", ".join(f"`{one}`" for one in close) or "no names: its Python source is not at hand"
            raise InputError("FT807", f"the kernel has no variable `{name}`; it has {known_names}")
    return found


def _save(path: Path, array: Array) -> None:
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array), allow_pickle=False)
    store.write_bytes(path, buffer.getvalue())
