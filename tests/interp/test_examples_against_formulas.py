"""Every example computes its formula, within a bound that follows from its operations, and nothing is found wrong."""

from __future__ import annotations

import time

import numpy as np
import pytest
from bounded import breaches
from example_cases import EVERY, MAKERS, VARIANTS, case, module

from ferrotile.interp import interpret
from ferrotile.ir.formats import FORMATS

RUNS = [(name, number, variant) for name, number in EVERY for variant in VARIANTS]


@pytest.mark.parametrize(("name", "number", "variant"), RUNS)
def test_example_is_within_its_bound(name: str, number: int, variant: str) -> None:
    made = case(name, number, variant)
    result = interpret(module(name, number), made.arguments, made.grid)
    assert not result.findings, "\n".join(map(str, result.findings))
    for array, (expected, kind) in made.expected.items():
        assert not result.undetermined[array].any()
        with np.errstate(all="ignore"):
            bad = breaches(expected, result.arrays[array], FORMATS[kind].largest)
        assert not bad.any(), f"array {array}: {int(bad.sum())} of {bad.size} elements are outside their bound"


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_block_order_does_not_matter(name: str, number: int) -> None:
    made = case(name, number, "ragged")
    first = interpret(module(name, number), made.arguments, made.grid)
    second = interpret(module(name, number), made.arguments, made.grid, seed=7)
    assert first.blocks != second.blocks or len(first.blocks) < 3
    for a, b in zip(first.arrays, second.arrays, strict=True):
        assert a.tobytes() == b.tobytes()


def test_every_example_has_a_case() -> None:
    from example_cases import FOLDER

    assert {path.stem for path in FOLDER.glob("*.py")} == set(MAKERS)


def test_causal_attention_takes_less_than_two_seconds() -> None:
    made = case("attention", 0, "random")
    assert made.arguments[0].data.shape == (1, 2, 256, 64)
    kernel = module("attention")
    start = time.perf_counter()
    interpret(kernel, made.arguments, made.grid)
    assert time.perf_counter() - start < 2.0


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_bound_is_tight_enough_to_catch_a_coarser_type(name: str, number: int) -> None:
    made = case(name, number, "random")
    for expected, kind in made.expected.values():
        form = FORMATS[kind]
        finite = np.isfinite(expected.value) & (expected.value != 0)
        coarser = np.where(finite, expected.value * (1 + 2.0 ** (3 - form.precision) + 2.0**-15), np.nan)
        bad = breaches(expected, coarser, form.largest)[finite]
        assert bad.mean() > 0.25, f"{bad.mean():.0%} of the elements would be noticed"
