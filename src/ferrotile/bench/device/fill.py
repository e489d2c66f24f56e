"""The bytes that arrays start with."""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np

from ferrotile.bench.device.plan import ArrayPlan

PERIOD = 1 << 20
"""Numbers before they repeat: making more would cost more than the measurement."""
FLOATS = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "tf32": np.float32,
    "f64": np.float64,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e5m2": ml_dtypes.float8_e5m2,
}


def content(array: ArrayPlan, seed: Sequence[int]) -> np.ndarray:
    """The bytes of an array as uint8[size]: normal random floats, integers from 0 to 7, booleans."""
    rng = np.random.default_rng(list(seed))
    if array.element in FLOATS:
        kind = np.dtype(FLOATS[array.element])
        numbers = rng.standard_normal(min(PERIOD, array.size // kind.itemsize + 1), np.float32).astype(kind)
    else:
        kind = np.dtype(np.uint8 if array.element == "bool" else f"u{max(int(array.element[1:]) // 8, 1)}")
        numbers = rng.integers(0, 2 if array.element == "bool" else 8, min(PERIOD, array.size + 1)).astype(kind)
    return np.ascontiguousarray(np.resize(numbers.view(np.uint8), array.size))
