"""The meaning of operations that make and rearrange tiles; the functions do not look at what they move."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ferrotile.ir.formats import STORAGE, Array
from ferrotile.ir.integers import unsigned, wrap
from ferrotile.ir.types import ScalarType, TileType

NARROW = {"i1": 1, "i4": 4, "f4E2M1FN": 4}
"""Types of which several share a byte."""


def constant(kind: TileType, data: bytes) -> Array:
    """The tile of a constant: one element for all, or all."""
    assert isinstance(kind.element, ScalarType)
    name = kind.element.name
    count = prod(kind.shape)
    size = max(kind.element.constant_bits // 8, 1)
    if name in NARROW and len(data) != count and len(data) > 1:
        values = from_bytes(np.frombuffer(data, np.int8), name)[:count]
    elif name in NARROW:
        values = _few(np.frombuffer(data, np.int8), name)
    elif name == "tf32":
        values = _high_bits(data)
    else:
        values = np.frombuffer(data, STORAGE[name])
    is_splat = len(data) == size and count != 1
    return np.broadcast_to(values[0], kind.shape) if is_splat else values.reshape(kind.shape)


def _high_bits(data: bytes) -> Array:
    """Numbers of tf32, whose three bytes are the 19 high bits of an f32."""
    parts = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.uint32)
    return ((parts[:, 0] | parts[:, 1] << 8 | parts[:, 2] << 16) << 13).view(np.float32)


def _few(values: Array, name: str) -> Array:
    if name == "i1":
        return values != 0
    return (values & 15).view(STORAGE[name]) if name == "f4E2M1FN" else wrap(values, name)


def iota(v: Any) -> Array:
    """0, 1, 2, ..."""
    return wrap(np.arange(v.result.shape[0]), v.of("result"))


def broadcast(v: Any) -> Array:
    """Stretch axes of extent 1."""
    return np.broadcast_to(v.source, v.result.shape)


def reshape(v: Any) -> Array:
    """The same elements in row-major order."""
    return v.source.reshape(v.result.shape)


def permute(v: Any) -> Array:
    """Axis `i` of the result is axis `permutation[i]` of the source."""
    return np.transpose(v.source, v.permutation)


def cat(v: Any) -> Array:
    """One tile behind the other along `dim`."""
    return np.concatenate((v.lhs, v.rhs), axis=v.dim)


def select(v: Any) -> Array:
    """The one or the other, element by element."""
    return np.where(v.cond, v.val_if_true, v.val_if_false)


def _slices(indices: tuple[Array, ...], part: tuple[int, ...]) -> tuple[slice, ...]:
    starts = [int(unsigned(index, "i32")) * size for index, size in zip(indices, part, strict=True)]
    return tuple(slice(start, start + size) for start, size in zip(starts, part, strict=True))


def _is_inside(slices: tuple[slice, ...], shape: tuple[int, ...]) -> bool:
    return all(piece.stop <= size for piece, size in zip(slices, shape, strict=True))


def extract(v: Any) -> Array:
    """The part with these numbers; a part that does not exist is undefined."""
    shape = v.result.shape
    where = _slices(v.indices, shape)
    if not _is_inside(where, v.source.shape):
        v.undefined(np.True_)
        return np.zeros(shape, v.source.dtype)
    return v.source[where]


def insert(v: Any) -> Array:
    """The destination with the part of these numbers replaced."""
    where = _slices(v.indices, v.source.shape)
    if not _is_inside(where, v.destination.shape):
        v.undefined(np.True_)
        return v.destination
    result = np.array(v.destination)
    result[where] = v.source
    return result


def bitcast(v: Any) -> Array:
    """The same bits read as another type of the same width."""
    target = v.of("result")
    bits = np.ascontiguousarray(v.source).reshape(np.shape(v.source))
    if target == "i1":
        return bits
    if target == "i4":
        return wrap(bits.view(np.int8), "i4")
    return (bits & 15 if v.of("source") == "i4" else bits).view(STORAGE[target])


def to_bytes(values: Array, name: str) -> Array:
    """The bytes of a row of numbers, low end first."""
    bits = NARROW.get(name)
    if bits is None:
        return np.ascontiguousarray(values).view(np.int8)
    plain = (values.view(np.uint8) & ((1 << bits) - 1)).reshape(-1, 8 // bits)
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return np.bitwise_or.reduce(plain << shifts, axis=1).astype(np.uint8).view(np.int8)


def from_bytes(data: Array, name: str) -> Array:
    """The numbers in a row of bytes."""
    bits = NARROW.get(name)
    if bits is None:
        return np.ascontiguousarray(data).view(STORAGE[name])
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    plain = ((data.view(np.uint8)[:, None] >> shifts) & ((1 << bits) - 1)).reshape(-1)
    return _few(plain.astype(np.int8), name)


def pack(v: Any) -> Array:
    """A row of numbers as its bytes."""
    return to_bytes(v.source, v.of("source"))


def unpack(v: Any) -> Array:
    """A row of bytes as numbers."""
    return from_bytes(v.source, v.of("result"))


def offset(v: Any) -> Array:
    """Advance addresses by a signed number of elements."""
    size = max(v.result.element.pointee.bits // 8, 1)
    return v.ptr + v.offset.astype(np.int64) * size
