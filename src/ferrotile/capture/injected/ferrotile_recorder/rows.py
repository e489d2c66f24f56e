"""Described arguments, hints and places as values that JSON has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .arguments import Array


def argument_rows(arguments: Sequence[Any], constants: Sequence[Any]) -> list[Any]:
    """One row an argument: an array, a list or tuple of rows, a constant of the kernel, or a number given at launch."""
    return [_row(argument, is_constant) for argument, is_constant in zip(arguments, constants, strict=True)]


def hint_rows(kernel: Any) -> dict[str, Any]:
    """The hints that a kernel is compiled with; a value for one target is named `hint.target`."""
    by_target = kernel._compiler_options.hints_by_target()
    return {
        name if target == "default" else f"{name}.{target}": value
        for target, values in sorted(by_target.items())
        for name, value in sorted(values.items())
    }


def place_row(place: Any) -> list[Any] | None:
    """File, line, column, function, and the place that this one was called from."""
    if place is None or not place.filename:
        return None
    function = getattr(place.function, "name", None) or ""
    return [place.filename, place.line, place.col, function, place_row(place.call_site)]


def _row(argument: Any, is_constant: Any) -> Any:
    if isinstance(argument, Array):
        return {
            "kind": "array",
            "dtype": argument.dtype,
            "shape": argument.shape,
            "strides": argument.strides,
            "offset": argument.offset,
            "buffer": argument.buffer,
        }
    if type(argument) in (list, tuple):
        of_items = is_constant if isinstance(is_constant, tuple) else [is_constant] * len(argument)
        items = [_row(item, one) for item, one in zip(argument, of_items, strict=True)]
        return {"kind": type(argument).__name__, "items": items}
    return {"kind": "constant" if is_constant else "scalar", "value": _plain(argument)}


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or type(value) in (bool, int, float, str):
        return value
    return str(value)
