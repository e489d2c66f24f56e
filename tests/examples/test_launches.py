"""The host program of the examples launches each of them; that it can be captured needs torch."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from ferrotile.capture import RecordOptions, record

EXAMPLES = Path(__file__).parents[2] / "examples"
PROGRAM = EXAMPLES / "launches" / "all_examples.py"
TORCH = os.environ.get("FERROTILE_TORCH_PYTHON")


def test_every_example_is_launched() -> None:
    for node in ast.parse(PROGRAM.read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LAUNCHES":
            assert isinstance(node.value, ast.Dict)
            names = [ast.literal_eval(key) for key in node.value.keys if key is not None]
            assert names == sorted(path.stem for path in EXAMPLES.glob("*.py"))
            return
    raise AssertionError("the program has no `LAUNCHES`")


@pytest.mark.slow
@pytest.mark.skipif(not TORCH, reason="FERROTILE_TORCH_PYTHON is not set")
def test_every_example_is_captured(tmp_path: Path) -> None:
    index = record([str(TORCH), str(PROGRAM)], tmp_path / "out", RecordOptions(pretend=True, quiet=True))
    assert index.kernel_count == len(list(EXAMPLES.glob("*.py"))) and not index.unexported
    assert not index.has_placeholders
