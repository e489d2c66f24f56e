"""Right launches of several kernels, and the ways to make them wrong."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Kernel = Callable[[Any], "Call"]


@dataclass(frozen=True)
class Call:
    """A launch. `arguments` by the name of their parameter."""

    kernel: Any
    grid: Any
    arguments: dict[str, Any]
    stream: Any = 7
    options: dict[str, Any] | None = None
    positional: Any = None
    """In place of the tuple of arguments."""

    def made(self, launch: Any) -> Any:
        """Launch it."""
        given = tuple(self.arguments.values()) if self.positional is None else self.positional
        return launch(self.stream, self.grid, self.kernel, given, **(self.options or {}))

    def array(self) -> str:
        """The name of the first array."""
        return next(name for name, value in self.arguments.items() if hasattr(value, "data_ptr"))

    def constant(self) -> str:
        """The name of the last argument, which is a number of all these kernels, and a constant."""
        return list(self.arguments)[-1]

    def with_argument(self, name: str, value: Any) -> Call:
        """The launch with another argument."""
        return replace(self, arguments=self.arguments | {name: value})


def _call(device: Any, module: str, name: str, grid: Any, **arguments: Any) -> Call:
    """Tuples stand for arrays: a type and extents."""
    made = {
        key: device.array(np.ones(value[1:], value[0])) if isinstance(value, tuple) else value
        for key, value in arguments.items()
    }
    return Call(getattr(importlib.import_module(module), name), grid, made)


F16, F32 = np.float16, np.float32
KERNELS: dict[str, Callable[[Any], Call]] = {
    "vector_add": lambda d: _call(
        d, "vector_add", "vector_add", (2,), a=(F32, 64), b=(F32, 64), total=(F32, 64), TILE=32
    ),
    "softmax_rows": lambda d: _call(
        d, "softmax_rows", "softmax_rows", (4,), x=(F16, 4, 100), y=(F16, 4, 100), COLUMNS=128
    ),
    "rms_norm": lambda d: _call(
        d, "rms_norm", "rms_norm", (2,), x=(F32, 2, 40), weight=(F32, 40), y=(F32, 2, 40), epsilon=1e-6, CHUNK=16
    ),
    "swiglu": lambda d: _call(d, "swiglu", "swiglu", (2, 2), both=(F16, 2, 64), y=(F16, 2, 32), hidden=32, TILE=16),
    "softmax_online": lambda d: _call(
        d, "softmax_online", "softmax_online", (3,), x=(F32, 3, 90), y=(F32, 3, 90), CHUNK=64
    ),
    "scaled": lambda d: _call(d, "own_kernels", "scaled", (2,), x=(F32, 64), y=(F32, 64), factor=0.5, count=3, TILE=32),
}


@dataclass(frozen=True)
class Kind:
    """A way to make a launch wrong: its code, the check that sees it (of `backend.checks`, None: another's), and the
    wrong launch, None where a kernel has nothing of the kind.
    """

    name: str
    code: str
    check: str | None
    of: Callable[[Call], Call | None]


def _array(name: str, code: str, check: str | None, **claims: Any) -> Kind:
    """The first array claims something else; what it claims may depend on the array."""

    def of(call: Call) -> Call:
        array = call.arguments[call.array()]
        said = {key: value(array) if callable(value) else value for key, value in claims.items()}
        return call.with_argument(call.array(), array.claiming(**said))

    return Kind(name, code, check, of)


def _argument(name: str, value: Any, code: str = "FT624") -> Kind:
    return Kind(name, code, None, lambda call: call.with_argument(call.array(), value))


def _part(name: str, code: str, check: str | None, **parts: Any) -> Kind:
    return Kind(name, code, check, lambda call: replace(call, **parts))


def _first(value: int) -> Callable[[Any], tuple[int, ...]]:
    return lambda array: (value, *array.shape[1:])


def _number(kind: type, value: Any) -> Callable[[Call], Call | None]:
    """Another value for the last number of a type that is no constant."""

    def of(call: Call) -> Call | None:
        names = [name for name, given in list(call.arguments.items())[:-1] if type(given) is kind]
        return call.with_argument(names[-1], value) if names else None

    return of


def _constant(value: Any) -> Callable[[Call], Call]:
    return lambda call: call.with_argument(call.constant(), value)


def _array_for_constant(call: Call) -> Call:
    return call.with_argument(call.constant(), call.arguments[call.array()])


def _first_stride(value: int) -> Callable[[Any], tuple[int, ...]]:
    return lambda array: (value, *array.stride()[1:])


KINDS = (
    Kind("argument missing", "FT624", None, lambda call: replace(call, positional=tuple(call.arguments.values())[1:])),
    Kind("argument too many", "FT624", None, lambda call: replace(call, positional=(*call.arguments.values(), 1))),
    Kind("arguments are no tuple", "FT624", None, lambda call: replace(call, positional=call.arguments)),
    Kind("no kernel", "FT624", None, lambda call: replace(call, kernel=call.kernel._pyfunc)),
    _argument("None for an array", None),
    _argument("a number for an array", 3),
    _argument("text for an array", "x"),
    _argument("a list for an array", []),
    Kind("an array for a constant", "FT624", None, _array_for_constant),
    Kind("a fraction for a constant", "FT624", None, _constant(2.5)),
    Kind("a tile of no power of two", "FT624", None, _constant(24)),
    Kind("a tile of negative size", "FT624", None, _constant(-16)),
    _array("rank", "FT624", None, shape=lambda array: (*array.shape, 1), _strides=lambda array: (*array.stride(), 1)),
    _array("on the host", "FT625", "place", _device=(1, 0)),
    _array("on another device", "FT625", "place", _device=(2, 1)),
    _array("address 0", "FT625", "address", _address=0),
    _array("address between elements", "FT625", "address", _address=lambda array: array.data_ptr() + 1),
    _array("beyond 64 bits", "FT625", "address", _address=(1 << 64) - 16),
    _array("before address 0", "FT625", "address", _address=1 << 8, _strides=_first_stride(-1 << 12)),
    _array("negative extent", "FT625", "extents", shape=_first(-4)),
    _array("extent beyond 32 bits", "FT624", None, shape=_first(1 << 31)),
    _array("stride beyond 32 bits", "FT624", None, shape=_first(2), _strides=_first_stride(1 << 31)),
    _part("no blocks", "FT626", "grid", grid=(0,)),
    _part("a negative grid", "FT626", "grid", grid=(1, -1)),
    _part("a grid beyond the limits", "FT626", "grid", grid=(1, 1 << 16)),
    _part("a grid of four", "FT626", "grid", grid=(1, 1, 1, 1)),
    _part("a grid of fractions", "FT626", "grid", grid=(1.5,)),
    _part("a grid that is a number", "FT626", "grid", grid=4),
    _part("no stream", "FT626", "stream", stream=None),
    _part("a stream of another kind", "FT626", "stream", stream="7"),
    _part("a negative stream", "FT626", "stream", stream=-1),
    _part("an option that is not supported", "FT621", "options", options={"programmatic_dependent_launch": True}),
    _part("an option that there is not", "FT621", "options", options={"block": None}),
    Kind("a number beyond 32 bits", "FT621", None, _number(int, 1 << 40)),
    Kind("text for a number", "FT624", None, _number(float, "1")),
)  # fmt: skip
