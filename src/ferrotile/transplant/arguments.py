"""The arguments of a case: given by name, as a capture recorded them, or random ones that the signature allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ferrotile import bundle
from ferrotile.bench.device.pack import Argument as Recorded
from ferrotile.bench.device.pack import Array as RecordedArray
from ferrotile.core import InputError
from ferrotile.interp import Buffer, Table
from ferrotile.ir.formats import Array as Numbers
from ferrotile.lift.source import Annotations, ArrayParameter
from ferrotile.transplant.case import Argument, ArrayAt, ArraysAt
from ferrotile.workflow import Bound, Given, bind, smallest_launch


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for: arrays and numbers by name, or a folder that `ferrotile capture` wrote, or nothing."""

    given: Given = field(default_factory=Given)
    recording: Path | None = None
    grid: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Laid:
    """An array argument: name, numbers, and how far behind an aligned address it begins. Unit: bytes."""

    name: str
    data: Numbers
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Arguments:
    """`values` as the interpreter takes them; `arrays` as its results count them, those in lists behind the others;
    `places` point at these. `grid` is None where nobody said it.
    """

    values: tuple[Any, ...]
    arrays: tuple[Laid, ...]
    places: tuple[Argument, ...]
    grid: tuple[int, ...] | None


def arguments_of(name: str, annotations: Annotations, asked: Asked) -> Arguments:
    """The arguments of a bundle. Raises: FT641 none can be made; FT806 what is given does not fit; FT116, FT710."""
    if asked.given.arrays or asked.given.scalars:
        return _laid_out(bind(annotations, asked.given), asked.grid)
    if annotations.symbol is None:
        raise InputError("FT641", f"the name of `{annotations.kernel}` spells no signature to make inputs for")
    if asked.recording is not None:
        grid, recorded = smallest_launch(asked.recording, name)
        rng = np.random.default_rng(0)
        return _laid_out(_bound(annotations, [_made(one, rng) for one in recorded]), asked.grid or grid)
    made = bundle.arguments(annotations.symbol, "random")
    if made is None:
        raise InputError("FT641", f"`{annotations.kernel}` has a parameter of a kind that no inputs are made for")
    return _laid_out(_bound(annotations, made), asked.grid)


def _bound(annotations: Annotations, values: Sequence[Any]) -> Bound:
    """Arrays get the names of their parameters, if there are as many."""
    buffers = [value for value in values if isinstance(value, Buffer)]
    wanted = [one for one in annotations.parameters if isinstance(one.symbol, ArrayParameter)]
    names = tuple(one.python or one.rust for one in wanted) if len(wanted) == len(buffers) else ()
    return Bound(tuple(values), names, tuple(buffer.data for buffer in buffers))


def _made(one: Recorded, rng: np.random.Generator) -> Any:
    """An argument like a recorded one, its arrays full of random numbers."""
    if isinstance(one, RecordedArray):
        return _buffer(one, rng)
    return Table(tuple(_buffer(item, rng) for item in one)) if isinstance(one, tuple) else one


def _buffer(array: RecordedArray, rng: np.random.Generator) -> Buffer:
    dtype = bundle.numpy_dtype(array.element)
    count = sum((extent - 1) * stride for extent, stride in zip(array.shape, array.strides, strict=True)) + 1
    is_whole = dtype == np.bool_ or np.issubdtype(dtype, np.integer)
    whole = (rng.integers(0, 8, count) if is_whole else rng.standard_normal(count)).astype(dtype)
    strides = tuple(stride * dtype.itemsize for stride in array.strides)
    bits = np.lib.stride_tricks.as_strided(whole.view(f"u{dtype.itemsize}"), array.shape, strides)
    return Buffer(bits.view(dtype), shift=array.offset % 256)


def _laid_out(bound: Bound, grid: tuple[int, ...] | None) -> Arguments:
    plain = [value for value in bound.values if isinstance(value, Buffer)]
    names = bound.names or tuple(f"array {number}" for number in range(len(plain)))
    arrays = [Laid(name, value.data, value.shift) for name, value in zip(names, plain, strict=True)]
    places: list[Argument] = []
    numbers = iter(range(len(plain)))
    for value in bound.values:
        if isinstance(value, Table):
            places.append(ArraysAt(arrays=tuple(range(len(arrays), len(arrays) + len(value.items)))))
            arrays += _items(value, len(places) - 1)
        else:
            places.append(ArrayAt(array=next(numbers)) if isinstance(value, Buffer) else value)
    return Arguments(bound.values, tuple(arrays), tuple(places), grid)


def _items(table: Table, place: int) -> Iterator[Laid]:
    for number, item in enumerate(table.items):
        buffer = item if isinstance(item, Buffer) else Buffer(np.asarray(item))
        yield Laid(f"argument {place}[{number}]", buffer.data, buffer.shift)
