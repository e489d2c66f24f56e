"""Every specialization of the corpus, launched as TileGym's tests launch it: Rust and reference leave the same bits."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from corpus_inputs import CORPUS
from corpus_launches import Captured, launch, names, scale, strides_of

from ferrotile import ir
from ferrotile.interp import Buffer, Options, Table, same_results
from ferrotile.interp.sameness import differs
from ferrotile.workflow.record import Options as TranslateOptions
from ferrotile.workflow.record import Task
from ferrotile.workflow.translation import translate

BLOCKS, MORE_BLOCKS = 4, 64
QUICK = Options(round_limit=100_000, races=False)
FOLDER = CORPUS / "tilegym-ops"
NAMES = names()
ONE_PER_KERNEL = list({name.split(".")[1]: name for name in reversed(NAMES)}.values())
needs_corpus = pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is absent")


def buffers(arguments: tuple[Any, ...]) -> list[Buffer]:
    """All arrays of a launch, those of lists behind the others."""
    tables = [item for value in arguments if isinstance(value, Table) for item in value.items]
    return [item for item in (*arguments, *tables) if isinstance(item, Buffer)]


def check(name: str) -> None:
    """Run four blocks of the captured grid, or of a grid of four where it has fewer, and compare all arrays.

    Where these have nothing to do, as in a persistent kernel with less work than blocks, more blocks are run.
    """
    data = (FOLDER / name).read_bytes()
    reference = ir.decode(data)
    row = translate(Task(name, "kernel", bytecode=data), TranslateOptions())
    assert row.evidence is not None, row.message
    captured = launch(name, reference)
    grid = captured.grid if math.prod(captured.grid) >= BLOCKS else (BLOCKS, 1, 1)
    sides = reference, ir.decode(row.evidence.lowered), row.evidence.parameters
    for seed, blocks in ((0 if captured.scaled else 1, BLOCKS), (0, BLOCKS), (0, MORE_BLOCKS)):
        found = same_results(*sides, captured.arguments, grid, seed=seed, options=replace(QUICK, block_limit=blocks))
        assert found.equal, str(found)
        assert len(found.reference.blocks) == min(blocks, math.prod(grid))
        after = (*found.reference.arrays, *(array for array, _ in found.reference.listed))
        pairs = zip(after, buffers(captured.arguments), strict=True)
        if any(differs(left, np.asarray(before.data)).any() for left, before in pairs):
            return
    raise AssertionError("nothing was written")


@needs_corpus
@pytest.mark.corpus
@pytest.mark.parametrize("name", NAMES[5::100])
def test_some_launches(name: str) -> None:
    check(name)


@needs_corpus
@pytest.mark.corpus
@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_PER_KERNEL)
def test_a_launch_of_every_kernel(name: str) -> None:
    check(name)


@needs_corpus
@pytest.mark.corpus
@pytest.mark.sweep
@pytest.mark.parametrize("name", [name for name in NAMES if name not in ONE_PER_KERNEL])
def test_every_other_launch(name: str) -> None:
    check(name)


@needs_corpus
@pytest.mark.corpus
def test_every_file_has_a_launch() -> None:
    assert sorted(path.name for path in FOLDER.glob("*.tileirbc")) == NAMES


def test_scaling_halves_the_largest_extent_that_is_no_constant() -> None:
    arrays = [Captured("float32", (4096, 1000), (1000, 1)), Captured("float32", (4096,), (1,))]
    assert scale(arrays, set(), 5_000_000) == {}
    assert scale(arrays, set(), 3_000_000) == {4096: 2048}
    assert scale(arrays, {4096}, 3_000_000) == {1000: 501}


def test_scaling_ends_where_nothing_is_left_to_halve() -> None:
    assert scale([Captured("float32", (4096, 4096), (4096, 1))], {4096}, 10) == {}


@pytest.mark.parametrize(
    ("strides", "scaled"),
    [
        ((64, 8, 1), (32, 8, 1)),
        ((1, 4, 32), (1, 4, 16)),
        ((80, 8, 1), (48, 8, 1)),
        ((0, 8, 1), (0, 8, 1)),
    ],
)
def test_strides_follow_the_extents(strides: tuple[int, ...], scaled: tuple[int, ...]) -> None:
    assert strides_of(Captured("float32", (4, 8, 8), strides), (4, 4, 8)) == scaled
