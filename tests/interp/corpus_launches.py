"""The launch that was captured of each specialization of the corpus, as arguments for the interpreter.

`corpus_launches.json` has the shapes and numbers of TileGym's own tests (its first entry says in which form). Values
in arrays were not captured: they are made here. An array that is too large for a laptop is scaled down.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ferrotile import ir
from ferrotile.bundle.inputs import numpy_dtype
from ferrotile.interp import Buffer, Table
from ferrotile.lift.source import ConstantParameter
from ferrotile.lift.source.symbol import parse_symbol
from ferrotile.workflow.benching import ELEMENTS

MOST_ELEMENTS = 1 << 24
"""Elements of all arrays of a launch together; more is scaled down."""


@dataclass(frozen=True)
class Captured:
    """An array of a captured launch. Units: strides in elements, `offset` in bytes."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0


@dataclass(frozen=True)
class Launch:
    """A captured launch without its constants, and which extents were scaled down to what."""

    grid: tuple[int, int, int]
    arguments: tuple[Any, ...]
    scaled: Mapping[int, int]


@cache
def _recorded() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(__file__).with_name("corpus_launches.json").read_text())["launches"]
    return found


def names() -> list[str]:
    """The files of the corpus that have a captured launch."""
    return sorted(_recorded())


def launch(name: str, module: ir.Module, most: int = MOST_ELEMENTS) -> Launch:
    """The launch of a file of the corpus, with the arguments that `interpret` takes."""
    pairs = _given(name, module)
    fixed = {value for parameter, value in pairs if isinstance(parameter, ConstantParameter) and type(value) is int}
    grid, passed = captured_launch(name, module)
    scaled = scale(list(_arrays(passed)), fixed, most)
    make = _Maker(np.random.default_rng(0), scaled)
    x, y, z = (scaled.get(extent, extent) for extent in grid)
    return Launch((x, y, z), tuple(make.argument(value) for value in passed), scaled)


def captured_launch(name: str, module: ir.Module) -> tuple[tuple[int, int, int], list[Any]]:
    """The grid of a file of the corpus, and its arguments without the constants: `Captured`, lists of them, numbers."""
    x, y, z = (*_recorded()[name]["grid"], 1, 1)[:3]
    pairs = _given(name, module)
    return (x, y, z), [value for parameter, value in pairs if not isinstance(parameter, ConstantParameter)]


def _given(name: str, module: ir.Module) -> list[tuple[Any, Any]]:
    """Each parameter of the Python function with what was passed for it."""
    symbol = parse_symbol(ir.attribute(module.entries[0], "sym_name"))
    assert symbol is not None
    given = [_read(argument) for argument in _recorded()[name]["args"]]
    return list(zip(symbol.parameters, given, strict=True))


def _read(argument: Any) -> Any:
    match argument:
        case [str(dtype), shape, strides, *offset]:
            return Captured(dtype, tuple(shape), tuple(strides), *offset)
        case {"list": items}:
            return [_read(item) for item in items]
    return argument


def _arrays(values: list[Any]) -> Iterator[Captured]:
    for value in values:
        if isinstance(value, list):
            yield from _arrays(value)
        elif isinstance(value, Captured):
            yield value


def scale(arrays: list[Captured], fixed: set[int], most: int) -> dict[int, int]:
    """Which extents to replace by what, everywhere, so that all arrays together have at most `most` elements.

    The largest extent that is no constant of the kernel is halved first, and stays a multiple of 16 where it was one:
    that is what a launch may have promised. Extents that are equal stay equal.
    """
    sizes: dict[int, int] = {extent: extent for array in arrays for extent in array.shape}
    while sum(math.prod(sizes[extent] for extent in array.shape) for array in arrays) > most:
        used = Counter(extent for array in arrays for extent in array.shape if extent not in fixed)
        largest = max((extent for extent in used if sizes[extent] > 16), key=lambda extent: sizes[extent], default=None)
        if largest is None:
            break
        half = sizes[largest] // 2
        sizes[largest] = half // 16 * 16 if largest % 16 == 0 else half | 1
    return {extent: size for extent, size in sizes.items() if extent != size}


def strides_of(array: Captured, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a smaller array that is laid out in the same order and with the same gaps; 0 stays 0."""
    strides = list(array.strides)
    order = sorted(range(len(shape)), key=lambda axis: (array.strides[axis], array.shape[axis]))
    inner: int | None = None
    for axis in order:
        if array.strides[axis] == 0:
            continue
        if inner is not None:
            gap = array.strides[axis] - array.strides[inner] * array.shape[inner]
            strides[axis] = strides[inner] * shape[inner] + gap if gap >= 0 else array.strides[axis]
        inner = axis
    return tuple(strides)


@dataclass(frozen=True)
class _Maker:
    rng: np.random.Generator
    scaled: Mapping[int, int]

    def argument(self, value: Any) -> Any:
        if isinstance(value, list):
            return Table(tuple(self.array(item) for item in value))
        if isinstance(value, Captured):
            return self.array(value)
        return self.scaled.get(value, value) if type(value) is int else value

    def array(self, captured: Captured) -> Buffer:
        """Normal random floats, whole numbers from 0 to 7: an index into anything."""
        shape = tuple(self.scaled.get(extent, extent) for extent in captured.shape)
        strides = strides_of(captured, shape)
        size = sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)) + 1
        dtype = numpy_dtype(ELEMENTS[captured.dtype])
        if dtype == np.bool_ or np.issubdtype(dtype, np.integer):
            whole = self.rng.integers(0, 2 if dtype == np.bool_ else 8, max(size, 1)).astype(dtype)
        else:
            whole = self.rng.standard_normal(max(size, 1), np.float32).astype(dtype)
        steps = [stride * dtype.itemsize for stride in strides]
        words = np.lib.stride_tricks.as_strided(whole.view(f"u{dtype.itemsize}"), shape, steps)
        return Buffer(words.view(dtype), shift=captured.offset % 256)
