"""The miniature in docs/mini.py does what it says, and stays a miniature."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

FILE = Path(__file__).parents[2] / "docs" / "mini.py"


def _mini() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mini", FILE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["mini"] = module
    spec.loader.exec_module(module)
    return module


mini = _mini()


def test_miniature_fits_in_200_lines() -> None:
    assert len(FILE.read_text().splitlines()) <= 200


def test_miniature_prints_one_equal_and_three_differences() -> None:
    run = subprocess.run([sys.executable, str(FILE)], capture_output=True, text=True, check=True)
    verdicts = [line.split()[-1] if line.endswith("EQUAL") else "DIFFERS" for line in run.stdout.splitlines()[4:]]
    assert verdicts == ["EQUAL", "DIFFERS", "DIFFERS", "DIFFERS"]


@st.composite
def _programs(draw: st.DrawFn) -> object:
    """A random program of two inputs and one output: operations on earlier values, then one store."""
    ops = [mini.Op("load", ("x",), "0", 1), mini.Op("load", ("y",), "1", 1), mini.Op("constant", ("2.0",), "2", 1)]
    for number in range(3, draw(st.integers(4, 12))):
        operands = tuple(str(draw(st.integers(0, number - 1))) for _ in range(2))
        ops.append(mini.Op(draw(st.sampled_from(["add", "mul"])), operands, str(number), number))
    ops.append(mini.Op("store", ("out", str(len(ops) - 1)), "end", 99))
    return mini.Program(("x", "y", "out"), tuple(ops))


@given(_programs())
def test_every_program_comes_back_equal(program: object) -> None:
    names = {op.result: f"value_{op.result}" for op in program.ops if op.name == "add"}  # type: ignore[attr-defined]
    assert mini.check(program, mini.lower(mini.lift(program, names)), (0, 1, 2)) == "EQUAL"


@pytest.mark.parametrize(("before", "after"), [(" * ", " + "), ("y.load()", "x.load()"), ("out.store", "x.store")])
def test_changed_text_differs(before: str, after: str) -> None:
    rust = mini.lift(mini.REFERENCE, {"2": "scaled"})
    changed = rust.replace(before, after)
    assert changed != rust
    assert mini.check(mini.REFERENCE, mini.lower(changed), (0, 1, 2)).startswith("DIFFERS")
