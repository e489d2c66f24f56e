"""A call of a kernel as bytes: inputs that its signature allows, and what interpretation leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ferrotile import ir
from ferrotile.bundle.inputs import arguments, numpy_dtype
from ferrotile.core import InputError, Unsupported
from ferrotile.interp import Buffer, Options, Result, interpret
from ferrotile.ir.formats import Array
from ferrotile.lift.source import ArrayParameter, ScalarParameter, parse_symbol

LIMITS = Options(round_limit=100_000)

CalledArray = tuple[str, tuple[int, ...], tuple[int, ...], bytes, bytes | None]
"""Dtype, extents, strides in elements, bytes before, and bytes after where they are others."""


Call = list[CalledArray | int | float]
"""Arrays and numbers, in the order of the Python parameters without constants."""
Like = Sequence[tuple[int, ...] | int | float]
"""What a call is to be like: extents of arrays, and numbers."""


def recorded_call(module: ir.Module, grid: Sequence[int], like: Like | None = None) -> Call | None:
    """Arrays and numbers of a call, in the order of the Python parameters without constants.

    `like`: with these extents, row-major, and numbers; left out: with small extents that the signature allows.
    None where no inputs can be made, the kernel does anything wrong on them (a race between blocks too), or leaves
    what is not determined. Raises: FT2xx.
    """
    symbol = parse_symbol(str(ir.attribute(module.entries[0], "sym_name")))
    if symbol is None:
        return None
    parameters = [one for one in symbol.parameters if isinstance(one, ArrayParameter | ScalarParameter)]
    given = arguments(symbol, "random") if like is None else _like(parameters, like)
    if given is None or len(given) != len(parameters):
        return None
    try:
        result = interpret(module, given, grid, options=LIMITS)
    except (InputError, Unsupported):
        return None
    if result.findings or any(missing.any() for missing in result.undetermined):
        return None
    return _called(parameters, given, result)


def _like(parameters: Sequence[object], like: Like) -> list[Any] | None:
    rng = np.random.default_rng(0)
    made: list[Any] = []
    for parameter, one in zip(parameters, like, strict=True):
        if not isinstance(parameter, ArrayParameter) or not isinstance(one, tuple):
            made.append(one)
            continue
        dtype = numpy_dtype(parameter.dtype)
        is_whole = dtype == np.bool_ or np.issubdtype(dtype, np.integer)
        numbers = rng.integers(0, 8, one) if is_whole else rng.standard_normal(one)
        made.append(Buffer(np.asarray(numbers).astype(dtype)))
    return made


def _called(parameters: Sequence[object], given: Sequence[Any], result: Result) -> Call:
    arrays = iter(result.arrays)
    found: Call = []
    for parameter, value in zip(parameters, given, strict=True):
        if isinstance(parameter, ArrayParameter) and isinstance(value, Buffer):
            found.append(_array(parameter, value.data, next(arrays)))
        else:
            found.append(value)
    return found


def _array(parameter: ArrayParameter, data: Array, after: Array) -> CalledArray:
    strides = tuple(stride // data.itemsize for stride in data.strides)
    before, left = span_bytes(data), span_bytes(after)
    return parameter.dtype, data.shape, strides, before, None if left == before else left


def span_bytes(data: Array) -> bytes:
    """The bytes from the first element of an array to its last."""
    size = sum((extent - 1) * stride for extent, stride in zip(data.shape, data.strides, strict=True)) + data.itemsize
    first = data.view(f"u{data.itemsize}")[tuple(slice(0, 1) for _ in data.shape)].reshape(-1)
    return np.lib.stride_tricks.as_strided(first.view(np.uint8), (size,), (1,)).tobytes() if data.size else b""
