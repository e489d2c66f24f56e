"""Kernels without `unsafe` behind cuTile Python's launches: with the facts that they were proved for, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile import bundle
from ferrotile.backend import Counters, Launcher, Policy, Shelf
from ferrotile.core import FerrotileError, Level, Unsupported
from ferrotile.workflow import Options, Row, Task, translate

Example = Callable[[str], Any]


def at_safe_level(task: Task, options: Options) -> Row:
    return translate(task, replace(options, level=Level.SAFE))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path, at_safe_level)


@pytest.fixture
def safely(device: Any, shelf: Shelf) -> Launcher:
    return Launcher(device, shelf, Counters(), Policy.RAISE)


def refuse() -> None:
    raise AssertionError("the reference was launched")


def vectors(device: Any, count: int = 2000) -> list[Any]:
    a, b = (np.random.default_rng(seed).standard_normal(count).astype(np.float32) for seed in (0, 1))
    return [device.array(a), device.array(b), device.array(np.zeros(count, np.float32))]


def test_a_launch_with_the_facts_computes_what_the_python_kernel_says(
    safely: Launcher, device: Any, example: Example
) -> None:
    a, b, total = vectors(device)
    for grid in ((2,), (2, 1, 1), (1,)):
        total.data[:] = 0
        safely.launch(7, grid, example("vector_add"), (a, b, total, 1024), refuse)
        reached = min(1024 * grid[0], 2000)
        np.testing.assert_array_equal(total.data[:reached], (a.data + b.data)[:reached])
    last = safely.counters.report().last
    assert last is not None and last.verdict == "EQUAL"


@pytest.mark.parametrize(
    ("grid", "claim"),
    [((2, 2), "grid.y == 1"), ((2, 1, 2), "grid.z == 1"), ((3,), "1024 * grid.x <= total.shape[0] + 1023")],
)
def test_a_launch_without_one_of_the_facts_is_refused(
    safely: Launcher, device: Any, example: Example, grid: tuple[int, ...], claim: str
) -> None:
    """Also where the same arguments were launched before with another grid."""
    a, b, total = vectors(device)
    safely.launch(7, (2,), example("vector_add"), (a, b, total, 1024), refuse)
    for _ in range(2):
        with pytest.raises(Unsupported) as caught:
            safely.launch(7, grid, example("vector_add"), (a, b, total, 1024), refuse)
        assert caught.value.code == "FT627" and f"`{claim}`" in caught.value.message
    assert len(device.launches) == 1
    assert len(safely.prepared) == 0, "a prepared launch would not be asked"


def test_the_reference_may_answer_what_is_refused(device: Any, shelf: Shelf, example: Example) -> None:
    launcher, asked = Launcher(device, shelf, Counters(), Policy.REFERENCE), []
    launcher.launch(7, (2, 2), example("vector_add"), (*vectors(device), 1024), lambda: asked.append(1))
    assert asked == [1] and not device.launches


def test_an_edited_text_needs_its_own_facts(safely: Launcher, device: Any, example: Example, tmp_path: Path) -> None:
    a, b, total = vectors(device)
    safely.launch(7, (2,), example("vector_add"), (a, b, total, 1024), refuse)
    (text,) = tmp_path.glob("*/kernel.rs")
    rust = text.read_text()
    assert "unsafe" not in rust and rust.count("[block]);") == 1
    for edited, grid, code in (
        (rust + "// The same.\n", (2, 2), "FT627"),
        (rust.replace("[block]);", "[block + 1]);"), (1,), "FT619"),
    ):
        text.write_text(edited)
        with pytest.raises(FerrotileError) as caught:
            safely.launch(7, grid, example("vector_add"), (a, b, total, 1024), refuse)
        assert caught.value.code == code
    assert len(device.launches) == 1


def test_a_fact_that_no_check_is_made_of_stops_the_launch(
    safely: Launcher, device: Any, example: Example, tmp_path: Path
) -> None:
    safely.launch(7, (2,), example("vector_add"), (*vectors(device), 1024), refuse)
    (folder,) = (path.parent for path in tmp_path.glob("*/proof.json"))
    proof = bundle.read(folder)
    bundle.write(folder, proof.model_copy(update={"launch_checks": (*proof.launch_checks, "the moon is full")}))
    other = Launcher(device, Shelf(tmp_path), Counters(), Policy.RAISE)
    with pytest.raises(Unsupported) as caught:
        other.launch(7, (2,), example("vector_add"), (*vectors(device), 1024), refuse)
    assert caught.value.code == "FT609"
