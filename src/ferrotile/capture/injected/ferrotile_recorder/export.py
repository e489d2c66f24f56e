"""From a launch to its specialization: signature, bytecode, or why there is none."""

from __future__ import annotations

import io
import os
import threading
from dataclasses import dataclass, replace
from typing import Any

from .arguments import Array, viewed
from .journal import Journal
from .rows import hint_rows, place_row
from .settings import Settings


@dataclass(frozen=True)
class Specialization:
    """One kernel for one signature and one set of hints, in this process. `constants`: which arguments are part of
    the program, and of a tuple which of its items; `number` is that of its row in the journal.
    """

    number: str
    constants: tuple[Any, ...]
    is_exported: bool


class Exporter:
    """Keeps the specializations of this process apart, and exports each once."""

    def __init__(self, tile: Any, settings: Settings, journal: Journal) -> None:
        self._tile = tile
        self._settings = settings
        self._journal = journal
        self._token = os.urandom(4).hex()
        self._lock = threading.RLock()
        self._by_launch: dict[object, Specialization] = {}
        self._by_symbol: dict[object, Specialization] = {}

    def specialization(self, kernel: Any, arguments: tuple[Any, ...], via: str) -> Specialization:
        """The specialization that a launch with these described arguments runs."""
        # The function stands for the kernel: `replace_hints` makes a new kernel of it, with hints of its own.
        identity = (kernel._pyfunc, repr(kernel._compiler_options))
        launch = (*identity, _known_by(arguments))
        with self._lock:
            if launch not in self._by_launch:
                self._by_launch[launch] = self._made(kernel, identity, arguments, via)
            return self._by_launch[launch]

    def _made(self, kernel: Any, identity: tuple[object, ...], arguments: tuple[Any, ...], via: str) -> Specialization:
        row = {"row": "specialization", "number": self._new_number(), **_facts(kernel), "via": via}
        try:
            signature = self._signature(kernel, arguments)
        except Exception as error:  # cuda.tile refuses arguments in several ways
            return self._refused(row, error, tuple(False for _ in arguments))
        constants = tuple(_is_constant(self._tile.compilation, one) for one in signature.parameters)
        key = (*identity, signature.symbol)
        if key not in self._by_symbol:
            row["symbol"] = signature.symbol
            self._by_symbol[key] = self._exported(row, kernel, signature, constants)
        return self._by_symbol[key]

    def _exported(self, row: dict[str, Any], kernel: Any, signature: Any, constants: tuple[Any, ...]) -> Any:
        buffer = io.BytesIO()
        try:
            self._tile.compilation.export_kernel(
                kernel,
                [signature],
                buffer,
                gpu_code=self._settings.target,
                output_format="tileir_bytecode",
                bytecode_version=self._settings.bytecode_version,
            )
        except Exception as error:  # whatever the front end raises
            return self._refused(row, error, constants)
        self._journal.write({**row, "bytecode": self._journal.keep(buffer.getvalue())})
        return Specialization(row["number"], constants, True)

    def _refused(self, row: dict[str, Any], error: Exception, constants: tuple[Any, ...]) -> Specialization:
        tile = self._tile
        is_refusal = isinstance(error, (tile.TileError, TypeError, ValueError))
        text = str(getattr(error, "message", None) or error).strip()
        refusal = {
            "is_breakdown": not is_refusal or isinstance(error, tile.TileInternalError),
            "message": (text.splitlines() or [type(error).__name__])[0],
            "place": place_row(getattr(error, "loc", None)),
        }
        self._journal.write({**row, "refusal": refusal})
        return Specialization(row["number"], constants, False)

    def _signature(self, kernel: Any, arguments: tuple[Any, ...]) -> Any:
        """The signature that a launch compiles: version 2 of the calling convention only where something needs it."""
        compilation = self._tile.compilation
        of, versions = compilation.KernelSignature.from_kernel_args, compilation.CallingConvention
        views = viewed(arguments)
        signature = of(kernel, views, versions.cutile_python_v2())
        return signature if _needs_version_2(compilation, signature) else of(kernel, views, versions.cutile_python_v1())

    def _new_number(self) -> str:
        return f"{os.getpid()}.{self._token}.{len(self._by_launch)}"


def _known_by(value: Any) -> object:
    """What the signature can depend on: `1` and `True` and `1.0` are equal in Python, and other types in a kernel."""
    if type(value) in (list, tuple):
        return type(value).__name__, tuple(_known_by(item) for item in value)
    if isinstance(value, Array):
        return replace(value, buffer=None)
    return type(value).__name__, repr(value)


def _facts(kernel: Any) -> dict[str, Any]:
    function = kernel._pyfunc
    return {
        "module": function.__module__,
        "kernel": function.__qualname__,
        "file": os.path.abspath(function.__code__.co_filename),
        "line": function.__code__.co_firstlineno,
        "parameters": list(kernel._annotated_function.pysig.parameters),
        "hints": hint_rows(kernel),
        "symbol": None,
    }


def _is_constant(compilation: Any, constraint: Any) -> Any:
    if isinstance(constraint, compilation.TupleConstraint):
        return tuple(_is_constant(compilation, item) for item in constraint.items)
    return isinstance(constraint, compilation.ConstantConstraint)


def _needs_version_2(compilation: Any, signature: Any) -> bool:
    for parameter in signature.parameters:
        one = getattr(parameter, "element", parameter)
        if isinstance(one, compilation.TupleConstraint):
            return True
        if isinstance(one, compilation.ArrayConstraint) and any(extent is not None for extent in one.shape_constant):
            return True
    return False
