"""Arguments for kernels of the corpus, made from what their symbols say: shapes scaled down, 4 blocks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ferrotile import ir
from ferrotile.interp import Table
from ferrotile.lift.source.symbol import (
    ArrayParameter,
    GroupParameter,
    ListParameter,
    Parameter,
    ScalarParameter,
    parse_symbol,
)

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
DTYPES: dict[str, Any] = {
    "bool": np.bool_, "f16": np.float16, "f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2,
    **{f"{sign}{bits}": np.dtype(f"{sign}{bits // 8}") for sign in "iu" for bits in (8, 16, 32, 64)},
}  # fmt: skip


def one_per_kernel() -> list[Path]:
    """The first file of each kernel."""
    found: dict[str, Path] = {}
    for path in sorted(CORPUS.rglob("*.tileirbc")):
        found.setdefault(".".join(path.name.split(".")[:2]), path)
    return list(found.values())


def arguments(module: ir.Module, seed: int = 0) -> list[Any]:
    """Arguments that a kernel's symbol allows."""
    symbol = parse_symbol(ir.attribute(module.entries[0], "sym_name"))
    assert symbol is not None
    rng = np.random.default_rng(seed)
    return [value for parameter in symbol.parameters for value in _values(parameter, rng)]


def _values(parameter: Parameter, rng: np.random.Generator) -> list[Any]:
    match parameter:
        case ArrayParameter():
            return [_array(parameter, rng)]
        case ScalarParameter(dtype):
            return [float(rng.random()) if dtype.startswith(("f", "b")) else 8]
        case ListParameter(element):
            return [Table((_array(element, rng), _array(element, rng)))]
        case GroupParameter(items):
            return [value for item in items for value in _values(item, rng)]
        case _:
            return []


def _array(parameter: ArrayParameter, rng: np.random.Generator) -> Any:
    dtype = np.dtype(DTYPES[parameter.dtype])
    usual = [*[2] * max(parameter.rank - 2, 0), *([64, 128] if parameter.rank > 1 else [256])]
    shape = []
    for axis, fixed in enumerate(parameter.static_shape):
        divisor = parameter.shape_divisor[axis]
        shape.append(fixed if fixed is not None else -(-usual[axis] // divisor) * divisor)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(0, 8, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)
