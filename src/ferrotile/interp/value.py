"""What a name stands for while a kernel runs: a tile with its poison, or a view of an array."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ferrotile.ir.formats import Array
from ferrotile.ir.types import TensorViewType, ViewType


class Tile(NamedTuple):
    """Numbers, and for each the number of its origin if it is undetermined (0: determined; `None`: all are)."""

    data: Array
    origin: Array | None = None


class TensorView(NamedTuple):
    """An array in memory. Units: strides in elements."""

    type: TensorViewType
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]


class TileView(NamedTuple):
    """A way to read an array by tiles."""

    type: ViewType
    tensor: TensorView


Value = Tile | TensorView | TileView | None
"""`None` stands for a token."""


def filler(dtype: np.dtype[Any]) -> Any:
    """What undetermined elements hold: a NaN, or a number far outside of everything."""
    if dtype == np.bool_:
        return True
    if np.issubdtype(dtype, np.integer):
        return np.iinfo(dtype).max // 3
    return np.asarray(np.nan).astype(dtype)


def worst(*origins: Array | None) -> Array | None:
    """The origins of values that depend on all of these, element by element."""
    found: Array | None = None
    for item in origins:
        if item is not None:
            found = item if found is None else np.maximum(found, item)
    return found


def clean(origin: Array | None) -> Array | None:
    """`None` if no element is undetermined."""
    return origin if origin is not None and origin.any() else None
