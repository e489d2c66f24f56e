"""Launches of the examples at sizes that people use, to be captured and measured; needs neither torch nor a GPU.

ferrotile capture --out build/typical -- python tests/gpu/typical_launches.py
ferrotile translate build/typical --out build/typical-rust --sass
ferrotile bench pack build/typical-rust --capture build/typical --out PACK
ferrotile bench run PACK --out times.jsonl        # on a machine with a GPU
"""

from __future__ import annotations

import importlib
import math
import sys
from pathlib import Path
from typing import Any

import cuda.tile as ct
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
MULTIPROCESSORS = 132


def array(*shape: int, dtype: Any = np.float16) -> np.ndarray[Any, Any]:
    """Stands for an array on the device; its numbers are never read."""
    return np.empty(shape, dtype)


def launch(name: str, grid: tuple[int, ...], *arguments: Any) -> None:
    """Launch an example's kernel."""
    ct.launch(0, grid, getattr(importlib.import_module(name), name), arguments)


def softmax(rows: int, columns: int, dtype: Any) -> None:
    x, y = array(rows, columns, dtype=dtype), array(rows, columns, dtype=dtype)
    launch("softmax_rows", (min(rows, 4 * MULTIPROCESSORS),), x, y, 1 << (columns - 1).bit_length())


def matmul(m: int, n: int, k: int) -> None:
    tiles = math.ceil(m / 128) * math.ceil(n / 128)
    launch("matmul", (min(MULTIPROCESSORS, tiles),), array(m, k), array(k, n), array(m, n), 128, 128, 64, 8)


def rms_norm(rows: int, columns: int) -> None:
    launch("rms_norm", (rows,), array(rows, columns), array(columns), array(rows, columns), 1e-6, 1024)


def layer_norm(rows: int, columns: int) -> None:
    x, y, weight, bias = array(rows, columns), array(rows, columns), array(columns), array(columns)
    mean, rstd = array(rows, dtype=np.float32), array(rows, dtype=np.float32)
    tile = (4, 1 << (columns - 1).bit_length())
    launch("layer_norm", (math.ceil(rows / 4),), x, weight, bias, y, mean, rstd, 1e-5, *tile)


def swiglu(rows: int, hidden: int) -> None:
    launch("swiglu", (rows, math.ceil(hidden / 1024)), array(rows, 2 * hidden), array(rows, hidden), hidden, 1024)


def attention(batch: int, heads: int, length: int, size: int) -> None:
    q, k, v, out = (array(batch, heads, length, size) for _ in range(4))
    launch("attention", (math.ceil(length / 128), heads, batch), q, k, v, out, 1 / math.sqrt(size), size, 128, 64)


def main() -> None:
    """Launch them all."""
    for columns in (1024, 4096, 8192):
        softmax(4096, columns, np.float16)
        softmax(4096, columns, np.float32)
    for size in (1024, 4096, 8192):
        matmul(size, size, size)
    for columns in (2048, 4096, 8192):
        rms_norm(4096, columns)
        layer_norm(4096, columns)
        swiglu(4096, columns)
    for length in (1024, 4096):
        attention(4, 16, length, 64)
        attention(4, 16, length, 128)


if __name__ == "__main__":
    main()
