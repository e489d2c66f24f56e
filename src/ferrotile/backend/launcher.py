"""Answer a launch of cuTile Python with the proved Rust kernel of its specialization."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ferrotile._native import Launches, Mark
from ferrotile.backend import checks
from ferrotile.backend.arguments import Passed, key, places_of_scalars, read
from ferrotile.backend.counters import Counters
from ferrotile.backend.driver import Driver
from ferrotile.backend.shelf import Program, Shelf, Stamp, Watched
from ferrotile.capture import signature_of, specialize
from ferrotile.core import FerrotileError, Unsupported

log = logging.getLogger("ferrotile.backend")
MOST_KEYS = 1 << 16
"""Launches told apart at the same time; beyond it all are looked up anew."""
_marks: dict[Any, Mark] = {}
"""What stands for a kernel with its hints in prepared launches, of all launchers."""
_marks_lock = threading.Lock()


class Policy(StrEnum):
    """What a refused kernel does: raise its error, or launch the reference, which is counted and told once."""

    RAISE = "raise"
    REFERENCE = "reference"


Found = tuple[Watched | FerrotileError, tuple[Any, ...]]
"""The bundle of a specialization, or why there is none; and which arguments are constants of it."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A launch with nothing left to ask. `constants`: which arguments are constants of the program."""

    stream: int
    grid: tuple[int, ...]
    context: int
    function: int
    program: Program
    values: tuple[Any, ...]
    constants: tuple[Any, ...]
    kernel_rs: tuple[str, Stamp]


class Launcher:
    """Launches of all threads; functions are kept for each context. `prepared`: launches that need no Python again."""

    def __init__(self, driver: Driver, shelf: Shelf, counters: Counters, policy: Policy = Policy.RAISE) -> None:
        from cuda.tile import DType

        self.counters, self.policy = counters, policy
        self.prepared = Launches([DType, type], MOST_KEYS, _mark)
        self._driver, self._shelf = driver, shelf
        self._lock = threading.RLock()
        self._found: dict[Any, Found] = {}
        self._by_signature: dict[Any, Found] = {}
        self._by_program: dict[tuple[str, bytes], Watched | FerrotileError] = {}
        self._functions: dict[tuple[int, Program], int] = {}

    def launch(
        self, stream: Any, grid: Sequence[int], kernel: Any, arguments: Sequence[Any], reference: Callable[[], Any]
    ) -> None:
        """Launch on the stream; `reference` launches the original, and is called only if the policy says so.

        Raises: the refusal of the kernel (FT3xx to FT6xx); FT621 a number that does not fit; FT622 the driver refuses;
        FT624 what is no kernel, or what cuda.tile refuses; FT625 FT626 an array, a grid or a stream that is none.
        """
        try:
            with self._ready(stream, grid, kernel, arguments) as ready:
                self._send(ready)
                self.counters.ran(ready.program.ran)
                self._prepare(ready, kernel, arguments)
                return
        except Unsupported as error:
            is_left = self.policy is Policy.REFERENCE
            self.counters.refused(kernel._pyfunc.__qualname__, str(error), launched_reference=is_left)
            if not is_left:
                raise
        reference()

    def time(self, stream: Any, grid: Sequence[int], kernel: Any, arguments: Sequence[Any], flush: bool) -> float:
        """Launch once and wait; how long the stream took. Unit: microseconds. Raises: as `launch`, for any policy."""
        try:
            with self._ready(stream, grid, kernel, arguments) as ready:
                taken = self._driver.time(ready.stream, lambda: self._send(ready), flush)
                self.counters.ran(ready.program.ran)
                return taken
        except Unsupported as error:
            self.counters.refused(kernel._pyfunc.__qualname__, str(error), launched_reference=False)
            raise

    @contextmanager
    def _ready(self, stream: Any, grid: Any, kernel: Any, arguments: Any) -> Iterator[Ready]:
        declared = checks.declared(kernel, arguments)
        queue, extents = checks.stream(stream), checks.grid(grid)
        values = tuple(map(read, arguments))
        with self._driver.inside(queue, _address(values)) as context:
            checks.arrays(kernel, values, self._driver.device())
            made, constants = self._look_up(context, kernel, declared, arguments, values)
            if isinstance(made, FerrotileError):
                raise made.with_traceback(None)
            program, stamp = made.program()
            program.facts.require(extents, Passed.of(values, constants))
            function, kernel_rs = self._function(context, program), (str(made.path), stamp)
            yield Ready(queue, extents, context, function, program, values, constants, kernel_rs)

    def _send(self, ready: Ready) -> None:
        passed = Passed.of(ready.values, ready.constants)
        with self._driver.tables(ready.stream) as table:
            words = [word.bits(passed, table) for word in ready.program.words]
            self._driver.launch(ready.function, ready.grid, ready.stream, words)

    def _prepare(self, ready: Ready, kernel: Any, arguments: Any) -> None:
        """Let the next launch like this one be answered without Python, if it can be.

        Lists need their tables; facts may hold of this grid, and not of the next.
        """
        addresses = self._driver.addresses()
        if addresses is None or ready.program.facts.claims or any(isinstance(value, list) for value in ready.values):
            return
        self.prepared.connect(addresses)
        places = places_of_scalars(ready.values, ready.constants)
        sources = [
            (word.role, places[word.index] if word.role == "scalar" else word.index, word.axis, word.element)
            for word in ready.program.words
        ]
        path, stamp = ready.kernel_rs
        program = {
            "function": ready.function, "sources": sources,
            "kernel_rs": path, "changed_ns": stamp.changed_ns, "size": stamp.size,
        }  # fmt: skip
        tally = self.counters.tally(ready.program.ran)
        self.prepared.remember(ready.context, _mark(kernel), tuple(arguments), program, tally)

    def _look_up(
        self, context: int, kernel: Any, declared: Sequence[bool], arguments: Sequence[Any], values: tuple[Any, ...]
    ) -> Found:
        known_by = (context, kernel._pyfunc, _hints(kernel), key(values, declared))
        found = self._found.get(known_by)
        if found is None:
            with self._lock:
                if len(self._found) >= MOST_KEYS:
                    self._found.clear()
                found = self._found[known_by] = self._new(kernel, arguments)
        return found

    def _new(self, kernel: Any, arguments: Sequence[Any]) -> Found:
        """By what cuda.tile makes of the arguments: most shapes have one program."""
        target = self._driver.target()
        try:
            of_launch = signature_of(kernel, arguments)
            # As text: 1 and True are equal constants of different programs.
            known_by = (target, kernel._pyfunc, _hints(kernel), repr(of_launch))
            if known_by not in self._by_signature:
                launched = specialize(kernel, of_launch, target)
                made = self._made(kernel, target, launched.bytecode)
                self._by_signature[known_by] = made, launched.constants
        except FerrotileError:
            raise
        except Exception as error:
            raise checks.of_front_end(kernel, error) from error
        return self._by_signature[known_by]

    def _made(self, kernel: Any, target: str, bytecode: bytes) -> Watched | FerrotileError:
        program = (target, bytecode)
        if program not in self._by_program:
            try:
                folder = self._shelf.bundle_of(kernel._pyfunc.__name__, bytecode, target)
                self._by_program[program] = Watched(self._shelf, folder)
            except FerrotileError as error:
                log.error("%s", error)
                self._by_program[program] = error
        return self._by_program[program]

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


def _mark(kernel: Any) -> Mark:
    """The mark of a kernel, kept on it too: the native part looks for it there. Equal kernels have one."""
    mark = getattr(kernel, "_ferrotile_mark", None)
    if mark is None:
        known_by = (kernel._pyfunc, _hints(kernel))
        with _marks_lock:
            if known_by not in _marks:
                nodes = kernel._annotated_function.parameter_annotations
                _marks[known_by] = Mark(len(_marks), [getattr(node, "constant", True) for node in nodes])
        mark = kernel._ferrotile_mark = _marks[known_by]
    return mark


def _address(values: Sequence[Any]) -> int | None:
    """The address of the first array that lies anywhere."""
    for value in values:
        if isinstance(value, (list, tuple)):
            if (found := _address(value)) is not None:
                return found
        elif address := getattr(value, "address", None):
            return int(address)
    return None
