"""A few mutants and all harmless rewrites of three example kernels; `make mutants` does the rest."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from harmless import REWRITES
from kinds import MUTATIONS
from run import mutants, rewrites, swapped_map

from ferrotile.capture import export
from ferrotile.core import VerdictKind

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = ("softmax_online", "rope", "histogram")


@cache
def bytecode(name: str) -> bytes:
    return export(EXAMPLES / f"{name}.py")[0].bytecode


@pytest.mark.parametrize("name", NAMES)
def test_each_mutant_differs_and_nearly_all_at_the_mutated_operation(name: str) -> None:
    found = list(mutants(name, bytecode(name), per_kind=1))
    assert len(found) >= 10
    assert [mutant.text for mutant in found if not mutant.is_caught] == []
    misplaced = [mutant.text for mutant in found if not mutant.has_place]
    assert len(misplaced) <= 1, misplaced


@pytest.mark.parametrize("name", NAMES)
def test_each_harmless_rewrite_is_equal(name: str) -> None:
    found = list(rewrites(name, bytecode(name)))
    assert len(found) >= 8
    assert [title for title, _, verdict in found if verdict.kind is not VerdictKind.EQUAL] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_map_that_swaps_two_arrays_differs(name: str) -> None:
    verdict = swapped_map(name, bytecode(name))
    assert verdict is None or verdict.kind is VerdictKind.DIFFERS


def test_there_are_enough_kinds() -> None:
    assert len(MUTATIONS) >= 20
    assert len(REWRITES) >= 8
