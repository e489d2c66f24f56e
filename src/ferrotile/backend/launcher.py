"""Answer a launch of cuTile Python with the proved Rust kernel of its specialization."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from enum import StrEnum
from functools import partial
from typing import Any

from ferrotile.backend.arguments import Passed, key, read
from ferrotile.backend.counters import Counters
from ferrotile.backend.driver import Driver
from ferrotile.backend.shelf import Program, Shelf, Watched
from ferrotile.capture import specialize
from ferrotile.core import FerrotileError, Unsupported

log = logging.getLogger("ferrotile.backend")
MOST_KEYS = 1 << 16
"""Launches told apart at the same time; beyond it all are looked up anew."""


class Policy(StrEnum):
    """What a refused kernel does: raise its error, or launch the reference, which is counted and told once."""

    RAISE = "raise"
    REFERENCE = "reference"


Found = tuple[Watched | FerrotileError, tuple[Any, ...]]
"""The bundle of a specialization, or why there is none; and which arguments are constants of it."""


class Launcher:
    """Launches of all threads; functions are kept for each context."""

    def __init__(self, driver: Driver, shelf: Shelf, counters: Counters, policy: Policy = Policy.RAISE) -> None:
        self.counters, self.policy = counters, policy
        self._driver, self._shelf = driver, shelf
        self._lock = threading.RLock()
        self._found: dict[Any, Found] = {}
        self._by_program: dict[tuple[str, bytes], Watched | FerrotileError] = {}
        self._functions: dict[tuple[int, Program], int] = {}

    def launch(
        self, stream: Any, grid: Sequence[int], kernel: Any, arguments: Sequence[Any], reference: Callable[[], Any]
    ) -> None:
        """Launch on the stream; `reference` launches the original, and is called only if the policy says so.

        Raises: the refusal of the kernel (FT3xx to FT6xx); what cuda.tile raises for a launch that it refuses;
        FT621 a number that does not fit; FT622 the driver refuses.
        """
        try:
            launch, ran = self._prepared(stream, grid, kernel, arguments)
        except Unsupported as error:
            is_left = self.policy is Policy.REFERENCE
            self.counters.refused(kernel._pyfunc.__qualname__, str(error), launched_reference=is_left)
            if not is_left:
                raise
            reference()
            return
        launch()
        self.counters.ran(ran)

    def time(self, stream: Any, grid: Sequence[int], kernel: Any, arguments: Sequence[Any], flush: bool) -> float:
        """Launch once and wait; how long the stream took. Unit: microseconds. Raises: as `launch`, for any policy."""
        try:
            launch, ran = self._prepared(stream, grid, kernel, arguments)
        except Unsupported as error:
            self.counters.refused(kernel._pyfunc.__qualname__, str(error), launched_reference=False)
            raise
        taken = self._driver.time(handle(stream), launch, flush)
        self.counters.ran(ran)
        return taken

    def _prepared(self, stream: Any, grid: Sequence[int], kernel: Any, arguments: Sequence[Any]) -> Any:
        values = tuple(map(read, arguments))
        context = self._driver.context(_address(values))
        made, constants = self._look_up(context, kernel, arguments, values)
        if isinstance(made, FerrotileError):
            raise made.with_traceback(None)
        program = made.program()
        function = self._function(context, program)
        passed = Passed.of(values, constants)
        return partial(self._send, handle(stream), tuple(map(int, grid)), function, program, passed), program.ran

    def _send(self, stream: int, grid: tuple[int, ...], function: int, program: Program, passed: Passed) -> None:
        with self._driver.tables(stream) as table:
            words = [one(passed, table) for one in program.words]
            self._driver.launch(function, grid, stream, words)

    def _look_up(self, context: int, kernel: Any, arguments: Sequence[Any], values: tuple[Any, ...]) -> Found:
        nodes = kernel._annotated_function.parameter_annotations
        declared = [getattr(node, "constant", True) for node in nodes]
        if len(declared) != len(values):
            specialize(kernel, arguments, self._driver.target())  # which says what is wrong
            raise TypeError(f"{len(values)} arguments are passed to a kernel of {len(declared)} parameters")
        known_by = (context, kernel._pyfunc, _hints(kernel), key(values, declared))
        found = self._found.get(known_by)
        if found is None:
            with self._lock:
                if len(self._found) >= MOST_KEYS:
                    self._found.clear()
                found = self._found[known_by] = self._new(kernel, arguments)
        return found

    def _new(self, kernel: Any, arguments: Sequence[Any]) -> Found:
        target = self._driver.target()
        launched = specialize(kernel, arguments, target)
        program = (target, launched.bytecode)
        if program not in self._by_program:
            try:
                folder = self._shelf.bundle_of(kernel._pyfunc.__name__, launched.bytecode, target)
                self._by_program[program] = Watched(self._shelf, folder)
            except FerrotileError as error:
                log.error("%s", error)
                self._by_program[program] = error
        return self._by_program[program], launched.constants

    def _function(self, context: int, program: Program) -> int:
        known_by = (context, program)
        if known_by not in self._functions:
            with self._lock:  # or threads that launch it for the first time would each load it
                if known_by not in self._functions:
                    self._functions[known_by] = self._driver.function(program.cubin, program.entry)
        return self._functions[known_by]


def _hints(kernel: Any) -> str:
    """The hints as text, since those by target have no hash; kept on the kernel, which they belong to for good."""
    text = getattr(kernel, "_ferrotile_hints", None)
    if text is None:
        text = kernel._ferrotile_hints = repr(kernel._compiler_options)
    return text


def handle(stream: Any) -> int:
    """The driver's handle of a stream: a number, or an object of torch, cupy, or by the `__cuda_stream__` protocol."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "cuda_stream"):
        return int(stream.cuda_stream)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if hasattr(stream, "ptr"):
        return int(stream.ptr)
    raise TypeError(f"`{stream!r}` is no CUDA stream")


def _address(values: Sequence[Any]) -> int | None:
    """The address of the first array that lies anywhere."""
    for value in values:
        if isinstance(value, (list, tuple)):
            if (found := _address(value)) is not None:
                return found
        elif address := getattr(value, "address", None):
            return int(address)
    return None
