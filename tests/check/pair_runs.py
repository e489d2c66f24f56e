"""Run the two halves of a pair of tests/pairs with small numbers and random arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
from ml_dtypes import bfloat16

from ferrotile import ir
from ferrotile.core import ParameterMap, Role
from ferrotile.interp import same_results
from ferrotile.ir.types import PointerType, ScalarType, TileType

PAIRS = Path(__file__).parents[1] / "pairs"
KINDS = {"f16": np.float16, "bf16": bfloat16, "f32": np.float32, "f64": np.float64}
SIZE = 4096
NUMBERS = (1, 2, 17, 48)
"""What scalars are: extents and bounds, with and without a tile that is cut off."""
MOST_RUNS = 64


def pairs_of(law: str, *, bad: bool = False) -> list[tuple[Path, Path]]:
    """The pairs whose last line names a law; or their wrong twins."""
    found: list[tuple[Path, Path]] = []
    for path in sorted(PAIRS.glob("*.b.py")):
        if "-bad" in path.name or law not in path.read_text().splitlines()[-1].split():
            continue
        name = path.name.removesuffix(".b.py")
        first = PAIRS / f"{name}.a.py"
        seconds = sorted(PAIRS.glob(f"{name}-bad*.b.py")) if bad else [path]
        found += [(first, second) for second in seconds if first.exists()]
    return found


def differences(first: ir.Module, second: ir.Module) -> list[str]:
    """The inputs for which two programs give other bits, or only one of them is wrong."""
    found: list[str] = []
    clean = 0
    for roles, arguments, text in _inputs(first):
        result = same_results(first, second, ParameterMap(roles, roles), arguments, (1,))
        faults = [[finding.kind for finding in side.findings] for side in (result.reference, result.lowered)]
        clean += not faults[0]
        if not faults[0] and (not result.equal or faults[1]):
            found.append(text)
    assert clean, "no run is without a fault"
    return found


def _inputs(module: ir.Module) -> Iterator[tuple[tuple[Role, ...], list[object], str]]:
    kinds = [value.type for value in module.entries[0].regions[0].block.args]
    scalars = sum(not _is_pointer(kind) for kind in kinds)
    rng = np.random.default_rng(0)
    for numbers in list(product(NUMBERS, repeat=scalars))[:MOST_RUNS] * (1 if scalars else 8):
        left, roles, arguments = list(numbers), [], []
        for kind in kinds:
            if _is_pointer(kind):
                roles.append(Role.pointer(sum(role.kind == "pointer" for role in roles)))
                arguments.append(_array(kind, rng))
            else:
                roles.append(Role.scalar(scalars - len(left)))
                arguments.append(left.pop(0))
        yield tuple(roles), arguments, str(numbers)


def _is_pointer(kind: object) -> bool:
    return isinstance(kind, TileType) and isinstance(kind.element, PointerType)


def _array(kind: object, rng: np.random.Generator) -> np.ndarray:
    assert isinstance(kind, TileType) and isinstance(kind.element, PointerType)
    element = kind.element.pointee
    assert isinstance(element, ScalarType)
    numbers = rng.integers(-100, 100, SIZE)
    if element.name in KINDS:
        return (numbers / 8).astype(KINDS[element.name])
    return numbers.astype(f"i{max(1, element.bits // 8)}")
