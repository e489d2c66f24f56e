"""What is wrong with a launch, before anything of it is looked up: kernel, number of arguments, grid, stream, arrays.

Classes that are errors of Python as well: programs that run on cuTile Python catch those.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ferrotile.backend.arguments import ArrayGiven
from ferrotile.core import InputError, Unsupported

CUDA = 2
"""kDLCUDA of DLPack."""
LARGEST_GRID = ((1 << 24) - 1, 65_535, 65_535)
"""The first is a limit of cuTile Python, the others are the driver's."""
OPTIONS = ("programmatic_dependent_launch",)


class WrongType(InputError, TypeError):
    """An argument of a launch is of the wrong kind."""


class WrongValue(InputError, ValueError):
    """An argument of a launch has a value that it cannot have."""


def declared(kernel: Any, arguments: Any) -> list[bool]:
    """Which parameters of a kernel are declared constants. Raises: FT624 no kernel, or another number of arguments."""
    try:
        nodes = kernel._annotated_function.parameter_annotations
    except AttributeError:
        raise WrongType("FT624", f"a `{type(kernel).__name__}` is launched, which is no kernel of cuda.tile") from None
    name = kernel._pyfunc.__name__
    if not isinstance(arguments, (tuple, list)):
        raise WrongType("FT624", f"`{name}`: a `{type(arguments).__name__}` is passed for the tuple of its arguments")
    if len(nodes) != len(arguments):
        raise WrongType("FT624", f"`{name}`: {len(arguments)} arguments are passed for {len(nodes)} parameters")
    return [getattr(node, "constant", True) for node in nodes]


def options(given: dict[str, Any]) -> None:
    """Raises: FT621 for an option that is not supported, or that there is none of."""
    for name, value in given.items():
        if name not in OPTIONS:
            raise WrongType("FT621", f"`{name}` is no option of a launch")
        if value:
            raise Unsupported("FT621", f"the launch option `{name}` is not supported")


def grid(given: Any) -> tuple[int, ...]:
    """The extents of a grid. Raises: FT626 when it is none."""
    if not isinstance(given, (tuple, list)) or len(given) > len(LARGEST_GRID):
        raise WrongType("FT626", f"the grid is `{given!r}`, which is no tuple of up to three numbers")
    try:
        extents = tuple(operator.index(extent) for extent in given)
    except TypeError:
        raise WrongType("FT626", f"the grid is `{given!r}`, which is no tuple of whole numbers") from None
    for axis, (extent, largest) in enumerate(zip(extents, LARGEST_GRID, strict=False)):
        if not 1 <= extent <= largest:
            raise WrongValue("FT626", f"the grid has {extent} blocks on axis {axis}, which can have 1 to {largest}")
    return extents


def stream(given: Any) -> int:
    """The driver's handle of a stream: a number, or an object of torch, cupy, or by the `__cuda_stream__` protocol.

    Raises: FT626 when it is none.
    """
    handle: Any = None
    if hasattr(given, "cuda_stream"):
        handle = given.cuda_stream
    elif hasattr(given, "__cuda_stream__"):
        handle = given.__cuda_stream__()[1]
    elif hasattr(given, "ptr"):
        handle = given.ptr
    elif isinstance(given, int) and not isinstance(given, bool):
        handle = given
    if handle is None or not 0 <= int(handle) < 1 << 64:
        raise WrongType("FT626", f"`{given!r}` is no CUDA stream")
    return int(handle)


def arrays(kernel: Any, values: Sequence[Any], device: int) -> None:
    """Raises: FT625 for the first array that a kernel on this device cannot use, by the name of its parameter."""
    names = kernel._pyfunc.__code__.co_varnames
    for name, value in zip(names, values, strict=False):
        for array in _arrays(value):
            said = place(array, device) or extents(array) or address(array)
            if said is not None:
                raise WrongValue("FT625", f"`{kernel._pyfunc.__name__}`: argument `{name}` {said}")


def _arrays(value: Any) -> Iterator[ArrayGiven]:
    if isinstance(value, ArrayGiven):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _arrays(item)


def place(array: ArrayGiven, device: int) -> str | None:
    """Whether it lies on the device of the launch."""
    kind, number = array.device or (CUDA, device)
    if kind != CUDA:
        return "is not on a CUDA device"
    return None if number == device else f"is on device {number}, the stream on device {device}"


def extents(array: ArrayGiven) -> str | None:
    """Whether its extents are such."""
    negative = [axis for axis, extent in enumerate(array.shape) if extent < 0]
    return f"has {array.shape[negative[0]]} elements on axis {negative[0]}" if negative else None


def address(array: ArrayGiven) -> str | None:
    """Whether its elements can lie where they are said to: somewhere, aligned, in 64 bits."""
    if 0 in array.shape:
        return None
    if not array.address:
        return "has elements and the address 0"
    if array.address % array.itemsize:
        return f"is at {array.address:#x}, which is no multiple of the {array.itemsize} bytes of an element"
    steps = [(extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)]
    first = array.address + array.itemsize * sum(step for step in steps if step < 0)
    last = array.address + array.itemsize * (1 + sum(step for step in steps if step > 0)) - 1
    return None if first >= 0 and last < 1 << 64 else "reaches beyond 64 bits of address"


def of_front_end(kernel: Any, error: Exception) -> InputError:
    """What cuda.tile refuses, with a code, and still an error of its own class."""
    made = InputError.__new__(_coded(type(error)), *error.args)
    made.__dict__.update(error.__dict__)
    text = str(error).strip() or type(error).__name__
    made.code, made.message = "FT624", f"`{kernel._pyfunc.__name__}` is refused by cuda.tile: {text}"
    made.at = made.hint = made.also = None
    return made


@functools.cache
def _coded(kind: type[Exception]) -> type[InputError]:
    return type(kind.__name__, (InputError, kind), {"__module__": kind.__module__})
