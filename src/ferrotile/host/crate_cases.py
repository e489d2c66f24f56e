"""Recorded calls and launches as the tests of an exported crate take them."""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ferrotile.host.declaration import Argument, ConstantFacts, Kernel, Passed, Variant
from ferrotile.host.grid_rules import GridRule, NoRule, Observed
from ferrotile.host.rust_names import is_optional, is_written
from ferrotile.host.writing import file_stem

MOST_LAUNCHES = 16
"""Recorded launches that a test holds, of one kernel."""


@dataclass(frozen=True, slots=True)
class RecordedArray:
    """An array of a recorded call: its bytes before, and after where the kernel writes. Units: strides in elements."""

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    before: bytes
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded call of one specialization, by its `file_stem`: arguments by name, and the grid."""

    stem: str
    grid: tuple[int, int, int]
    values: Mapping[str, RecordedArray | int | float]


@dataclass(frozen=True, slots=True)
class CaseFiles:
    """Cases as the template takes them, and the files that they name."""

    cases: list[dict[str, Any]]
    data: dict[str, bytes]


def files(recorded: Sequence[Recorded], kernels: Sequence[Kernel]) -> CaseFiles:
    """Recorded calls as Rust."""
    found = {file_stem(variant): (kernel, variant) for kernel in kernels for variant in kernel.variants}
    made = CaseFiles([], {})
    for one in recorded:
        kernel, variant = found[one.stem]
        made.cases.append(_case(one, kernel, variant, made.data))
    return made


def _case(one: Recorded, kernel: Kernel, variant: Variant, data: dict[str, bytes]) -> dict[str, Any]:
    arrays: list[dict[str, Any]] = []
    values: list[str] = []
    for number, argument in enumerate(kernel.arguments):
        given = one.values.get(argument.name)
        if not isinstance(given, RecordedArray):
            values.append(_literal(argument, variant, given))
            continue
        stem, is_mut, name = f"{one.stem}/{argument.name}", is_written(argument, kernel), f"x{number}"
        data[f"{stem}.before.bin"] = given.before
        if given.after is not None:
            data[f"{stem}.after.bin"] = given.after
        arrays.append({
            "name": argument.name, "variable": name, "dtype": given.dtype, "is_mut": is_mut,
            "shape": list(given.shape), "strides": list(given.strides), "before": f"{stem}.before.bin",
            "after": None if given.after is None else f"{stem}.after.bin",
        })  # fmt: skip
        values.append(_lent(f"&mut {name}" if is_mut else f"&{name}", argument, kernel))
    function = re.sub(r"\W", "_", one.stem, flags=re.ASCII).lower()
    return {"label": variant.label, "kernel": kernel.name, "grid": list(one.grid), "arrays": arrays, "given": values,
            "function": f"call_{function}"}  # fmt: skip


def _lent(view: str, argument: Argument, kernel: Kernel) -> str:
    return f"Some({view})" if is_optional(argument, kernel) else view


def _literal(argument: Argument, variant: Variant, given: object) -> str:
    facts = variant.facts[argument.name]
    value = facts.value if isinstance(facts, ConstantFacts) else given
    match argument.passed:
        case Passed.TENSOR:
            return "None"
        case Passed.TEXT:
            return f"c{json.dumps(value)}"
        case Passed.BOOL:
            return json.dumps(bool(value))
        case Passed.F32 | Passed.F64:
            return _float(float(value), argument)  # type: ignore[arg-type]
    return f"{int(value)}"  # type: ignore[call-overload]


def _float(value: float, argument: Argument) -> str:
    """A number as Rust: clippy refuses digits that an f32 cannot hold, and there is no literal for infinity."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    text = f"{value!r}_f64" if math.isfinite(value) else f"f64::from_bits({bits:#x})"
    return f"{text} as f32" if argument.passed is Passed.F32 else text


def grid_rows(
    kernels: Sequence[Kernel], rules: Mapping[str, GridRule | NoRule], launches: Mapping[str, Sequence[Observed]]
) -> list[tuple[Kernel, list[dict[str, Any]]]]:
    """Of each kernel with a rule, recorded launches as calls of `grid`; scalars that are no integers as 0."""
    rows: list[tuple[Kernel, list[dict[str, Any]]]] = []
    for kernel in kernels:
        if isinstance(rule := rules.get(kernel.name), GridRule):
            seen = list(launches.get(kernel.name, ()))[:MOST_LAUNCHES]
            rows.append((kernel, [_grid_row(kernel, rule, one) for one in seen]))
    return rows


def _grid_row(kernel: Kernel, rule: GridRule, one: Observed) -> dict[str, Any]:
    arrays: list[dict[str, Any]] = []
    values = [str(one.multiprocessors)] if "multiprocessors" in str(rule) else []
    for number, argument in enumerate(kernel.arguments):
        if argument.passed is Passed.TENSOR and argument.name in one.extents:
            name, is_mut = f"x{number}", is_written(argument, kernel)
            shape = list(one.extents[argument.name])
            arrays.append({"variable": name, "is_mut": is_mut, "shape": shape})
            values.append(_lent(f"&{name}", argument, kernel))
        else:
            values.append(_number(argument, one.numbers.get(argument.name, 0)))
    return {"arrays": arrays, "given": values, "grid": list(one.grid)}


def _number(argument: Argument, value: int) -> str:
    match argument.passed:
        case Passed.TENSOR:
            return "None"
        case Passed.TEXT:
            return 'c""'
        case Passed.BOOL:
            return json.dumps(bool(value))
        case Passed.F32 | Passed.F64:
            return _float(float(value), argument)
    return str(value)
