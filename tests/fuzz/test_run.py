"""`make fuzz` itself: what breaks down costs the kernels of its chunk, and others are judged in their place."""

from __future__ import annotations

import os
from argparse import Namespace
from collections import Counter
from pathlib import Path

import fuzz_run as run
import pytest
from fuzzing.hunt import Tally


def breaks_down(number: int, count: int, claims: Path) -> tuple[Tally, list[str]]:
    """A chunk: of the first seed an error outside of judging, of the second the end of its process."""
    if number == 1:
        raise ValueError("nothing can be drawn")
    if number == 2:
        os._exit(3)
    return Tally(Counter({"EQUAL": count})), []


def test_run_goes_on_until_enough_kernels_are_judged(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "one_chunk", breaks_down)
    going = run.Run(Namespace(kernels=30, chunk=10, jobs=1, first=1, minutes=0), tmp_path)
    going.to_the_end()
    assert (going.tally.kernels, going.lost) == (30, 2)
    lost, died = going.saved
    assert lost == "seed 1: ValueError: nothing can be drawn"
    assert died == "a process died at the kernels of one of the seeds [2, 3]"


def test_run_that_only_loses_chunks_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(run, "one_chunk", breaks_down)
    monkeypatch.setattr(run, "MOST_LOST", 0)
    going = run.Run(Namespace(kernels=30, chunk=10, jobs=1, first=1, minutes=0), tmp_path)
    going.to_the_end()
    assert (going.tally.kernels, going.lost) == (0, 1)
