"""A check that is blind to something misses mutants, and the score tells."""

from __future__ import annotations

from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from engine import Subject
from mutation import MUTATIONS
from score import Score
from weak import WEAK

from ferrotile.capture import discover, export

ROOT = Path(__file__).parents[2]
KERNELS = ("softmax_online", "softmax_gather", "histogram", "rope")
AT_MOST = 4
"""Mutants of a kind in a kernel."""
ZOO = ("read_modify_write", "scans")


@cache
def subjects() -> list[Subject]:
    """Small kernels that together have every kind of mutation asked for here."""
    own = [export(ROOT / "examples" / f"{name}.py")[0] for name in KERNELS]
    zoo = {row[1]: row for row in discover(ROOT / "tests" / "zoo" / "kernels") if row[1] in ZOO}
    return [Subject(one.name, one.bytecode) for one in [*own, *(export(*row)[0] for row in zoo.values())]]


def score_of(kind: str) -> Score:
    """The score of all mutants of one kind."""
    (mutation,) = [one for one in MUTATIONS if one.name == kind]
    found = Score()
    for subject in subjects():
        found.add_mutants(islice(subject.all_of(mutation), AT_MOST))
    return found


@pytest.mark.parametrize("kind", dict.fromkeys(kind for _, kind in WEAK.values()))
def test_check_misses_none_of_a_kind(kind: str) -> None:
    found = score_of(kind)
    assert found.total("mutants") > 0
    assert found.wrong == []


@pytest.mark.parametrize("name", WEAK)
def test_a_check_that_is_blind_misses_mutants(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    blind, kind = WEAK[name]
    subjects()
    blind(monkeypatch)
    assert score_of(kind).wrong != []
