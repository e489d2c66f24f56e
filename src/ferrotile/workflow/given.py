"""What a user gives a kernel by name, made into arguments that its signature takes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ferrotile.bundle import numpy_dtype
from ferrotile.core import InputError
from ferrotile.interp import Buffer, Table, output
from ferrotile.ir.formats import Array
from ferrotile.lift.source import Annotations, ArrayParameter, ListParameter, ParameterName, ScalarParameter

_SHAPE = re.compile(r"\d+(x\d+)*")
_HINT = "`--inputs x=x.npy`, `--inputs y=100x64` for an array that nothing has written, `--scalar n=3`"


@dataclass(frozen=True, slots=True)
class Given:
    """Arrays (a .npy file, or a shape such as `100x64`) and numbers, by parameter name."""

    arrays: Mapping[str, str] = field(default_factory=dict)
    scalars: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """Arguments in the order of the signature; of the arrays among them their names and what they held."""

    values: tuple[Any, ...]
    names: tuple[str, ...]
    before: tuple[Array, ...]


def bind(annotations: Annotations, given: Given) -> Bound:
    """The arguments of a kernel. Raises: FT806 for all that is missing or too much, or what does not fit."""
    wanted = [parameter for parameter in annotations.parameters if not parameter.is_constant]
    if annotations.symbol is None or not wanted:
        raise InputError("FT806", f"the name of `{annotations.kernel}` spells no signature to give arguments for")
    _require_all(wanted, given)
    values = [_value(parameter, given) for parameter in wanted]
    arrays = [
        (_name(parameter), value.data)
        for parameter, value in zip(wanted, values, strict=True)
        if isinstance(value, Buffer)
    ]
    return Bound(tuple(values), tuple(name for name, _ in arrays), tuple(data for _, data in arrays))


def _require_all(wanted: list[ParameterName], given: Given) -> None:
    arrays = {_name(one) for one in wanted if not isinstance(one.symbol, ScalarParameter)}
    scalars = {_name(one) for one in wanted} - arrays
    faults = [f"array `{name}` is not given" for name in sorted(arrays - set(given.arrays))]
    faults += [f"number `{name}` is not given" for name in sorted(scalars - set(given.scalars))]
    faults += [f"there is no array `{name}`" for name in sorted(set(given.arrays) - arrays)]
    faults += [f"there is no number `{name}`" for name in sorted(set(given.scalars) - scalars)]
    if faults:
        raise InputError("FT806", "; ".join(faults), hint=_HINT)


def _name(parameter: ParameterName) -> str:
    return parameter.python or parameter.rust


def _value(parameter: ParameterName, given: Given) -> Any:
    name = _name(parameter)
    match parameter.symbol:
        case ArrayParameter() as kind:
            return _array(name, given.arrays[name], kind)
        case ListParameter(element):
            return Table(tuple(_array(name, text, element) for text in given.arrays[name].split(",")))
        case ScalarParameter(dtype):
            return _number(name, given.scalars[name], dtype)
        case _:
            raise InputError("FT806", f"`{name}` is of a kind that cannot be given here")


def _number(name: str, text: str, dtype: str) -> float | int:
    try:
        return int(text, 0) if dtype[0] in "iu" else float(text)
    except ValueError:
        raise InputError("FT806", f"`{text}` is no {dtype} for `{name}`") from None


def _array(name: str, text: str, kind: ArrayParameter) -> Buffer:
    dtype = numpy_dtype(kind.dtype)
    if _SHAPE.fullmatch(text):
        made = output([int(part) for part in text.split("x")], dtype, name)
    else:
        made = Buffer(_typed(name, _loaded(name, text), dtype), name=name)
    shape = made.data.shape
    if len(shape) != kind.rank:
        raise InputError("FT806", f"`{name}` has {len(shape)} axes, and the kernel takes {kind.rank}")
    for axis, (extent, static, divisor) in enumerate(zip(shape, kind.static_shape, kind.shape_divisor, strict=True)):
        if static not in (None, extent) or extent % divisor:
            wanted = f"{static}" if static is not None else f"a multiple of {divisor}"
            raise InputError("FT806", f"axis {axis} of `{name}` is {extent} long, and the kernel was made for {wanted}")
    return made


def _loaded(name: str, text: str) -> Array:
    try:
        value = np.load(Path(text), allow_pickle=False)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise InputError("FT806", f"cannot read `{text}` for `{name}`: {why}") from None
    except (ValueError, EOFError):
        raise InputError("FT806", f"`{text}` for `{name}` is no .npy file of numbers") from None
    if not isinstance(value, np.ndarray):
        raise InputError("FT806", f"`{text}` for `{name}` holds several arrays; give one as .npy")
    return value


def _typed(name: str, value: Array, dtype: np.dtype[Any]) -> Array:
    """The array as the kernel's type: NumPy keeps bf16 and fp8 in files as bits of that size."""
    if value.dtype == dtype:
        return value
    is_bits = value.dtype.kind in "Vui" and dtype.isbuiltin != 1
    is_other_sign = {value.dtype.kind, dtype.kind} == {"i", "u"}
    if (is_bits or is_other_sign) and value.dtype.itemsize == dtype.itemsize:
        return np.ascontiguousarray(value).view(dtype)
    raise InputError("FT806", f"`{name}` is {value.dtype}, and the kernel takes {dtype}")
