"""Mutants and harmless rewrites: a few here, a sample of the corpus in the slow run, all of it in docs/mutants.md."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

import pytest
from engine import OPPOSITE, REWRITES
from mutation import MUTATIONS
from run import PER_CORPUS_KERNEL, SCORE
from score import Score, Task, score

from ferrotile.capture import export

ROOT = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("FERROTILE_CORPUS", ROOT.parent / "shared" / "corpus"))
FILES = sorted(CORPUS.rglob("*.tileirbc"))
NAMES = ("softmax_online", "rope", "histogram")
LARGEST_SHARE_ALIKE = 0.03


@cache
def small() -> Score:
    """Of each kind, one mutant of three examples, and every rewrite of them."""
    found = Score()
    for name in NAMES:
        found.merge(score(Task(name, export(ROOT / "examples" / f"{name}.py")[0].bytecode, per_kind=1)))
    return found


def test_each_mutant_differs_and_each_harmless_rewrite_is_equal() -> None:
    assert small().wrong == []
    assert small().total("mutants") >= 60
    assert small().swapped[0] >= 2
    assert sum(times for times, _ in small().rewrites.values()) >= 30


def test_nearly_all_mutants_differ_at_the_mutated_operation() -> None:
    assert len(small().elsewhere) <= 2, small().elsewhere


def recorded() -> dict:  # type: ignore[type-arg]
    """The score of the last full run."""
    return json.loads(SCORE.read_text())


def test_the_recorded_score_is_of_the_mutations_and_rewrites_that_there_are() -> None:
    assert list(recorded()["mutations"]) == [mutation.name for mutation in MUTATIONS]
    assert list(recorded()["rewrites"]) == [*REWRITES, OPPOSITE]


def test_the_recorded_score_is_full_marks() -> None:
    rows = recorded()["mutations"].values()
    total = {column: sum(row[column] for row in rows) for column in next(iter(rows))}
    assert total["mutants"] >= 5000
    assert sum(row["mutants"] > 0 for row in rows) >= 20
    assert total["differs"] + total["refines"] + total["alike"] == total["mutants"]
    assert total["alike"] <= LARGEST_SHARE_ALIKE * total["mutants"]
    assert sum(row["times"] for row in recorded()["alike"]) == total["alike"]
    rewrites = recorded()["rewrites"].values()
    assert sum(times for times, _ in rewrites) >= 2000
    assert all(times == equal for times, equal in rewrites)


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.skipif(not FILES, reason="the corpus is not here")
def test_a_sample_of_the_corpus_has_full_marks() -> None:
    found = Score()
    for turn, path in enumerate(FILES[7::35]):
        found.merge(score(Task(path.stem, path.read_bytes(), turn, per_kernel=PER_CORPUS_KERNEL)))
    assert found.wrong == []
    assert found.total("mutants") >= 100
