"""The captured launches of the corpus are launches of its specializations: every fact of a symbol holds for them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from cuda.tile import compilation

LAUNCHES = json.loads((Path(__file__).parents[1] / "interp" / "corpus_launches.json").read_text())["launches"]
CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus")) / "tilegym-ops"
BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int32": 4, "int64": 8, "float8_e5m2": 1}


pytestmark = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not there")


def _fails(constraint: Any, given: Any) -> str | None:
    """Which fact of a parameter does not hold for an argument."""
    if isinstance(constraint, compilation.ConstantConstraint):
        return None if constraint.value == given and isinstance(given, type(constraint.value)) else "constant"
    if isinstance(constraint, compilation.ScalarConstraint):
        return None if isinstance(given, (int, float)) else "scalar"
    if isinstance(constraint, compilation.ListConstraint):
        return next((fault for one in given["list"] if (fault := _fails(constraint.element, one))), None)
    dtype, shape, strides, *offset = given
    size = BYTES[dtype]
    facts = {
        "dtype": constraint.dtype.name == dtype and constraint.ndim == len(shape) == len(strides),
        "shape": _hold(constraint.shape_constant, constraint.shape_divisible_by, shape),
        "strides": _hold(constraint.stride_constant, constraint.stride_divisible_by, strides),
        "alignment": (offset or [0])[0] % constraint.base_addr_divisible_by == 0,
        "offset": (offset or [0])[0] % size == 0,
    }
    return next((name for name, holds in facts.items() if not holds), None)


def _hold(constants: Any, divisors: Any, values: list[int]) -> bool:
    same = all(constant in (None, value) for constant, value in zip(constants, values, strict=True))
    return same and all(value % divisor == 0 for divisor, value in zip(divisors, values, strict=True))


def test_every_specialization_has_a_launch() -> None:
    index = json.loads((CORPUS / "index.json").read_text())
    assert {one["file"] for one in index} == set(LAUNCHES)


def test_arguments_have_the_facts_of_their_symbols() -> None:
    index = json.loads((CORPUS / "index.json").read_text())
    wrong = []
    for one in index:
        parameters = compilation.demangle_kernel_name(one["symbol"])[1].parameters
        given = LAUNCHES[one["file"]]["args"]
        wrong += [
            (one["file"], number, fault)
            for number, pair in enumerate(zip(parameters, given, strict=True))
            if (fault := _fails(*pair))
        ]
    assert wrong == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda array: ["int64", *array[1:]], "dtype"),
        (lambda array: [array[0], [extent + 1 for extent in array[1]], array[2]], "shape"),
        (lambda array: [array[0], array[1], [stride + 1 for stride in array[2]]], "strides"),
        (lambda array: [*array, 4], "alignment"),
    ],
)
def test_a_launch_of_another_specialization_is_caught(change: Any, fault: str) -> None:
    name = next(name for name in LAUNCHES if "softmax_kernel_tma" in name)
    symbol = next(one["symbol"] for one in json.loads((CORPUS / "index.json").read_text()) if one["file"] == name)
    array = next(one for one in LAUNCHES[name]["args"] if isinstance(one, list))
    constraint = compilation.demangle_kernel_name(symbol)[1].parameters[LAUNCHES[name]["args"].index(array)]
    assert _fails(constraint, array) is None
    assert _fails(constraint, change(array)) == fault
