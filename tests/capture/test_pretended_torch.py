"""CUDA tensors of torch without a GPU: with a stand-in that has torch's hooks, and with torch where it is at hand.

Set FERROTILE_TORCH_PYTHON to a Python with torch and cuda-tile to run the second half.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ferrotile.capture import Index, RecordOptions, record
from ferrotile.capture.index import ArrayArgument

PROGRAMS = Path(__file__).parent / "programs"
TORCH = os.environ.get("FERROTILE_TORCH_PYTHON")
EXPECTED: dict[str, Any] = {
    "x": "cuda:0",
    "host": "cpu",
    "is_cuda": True,
    "available": True,
    "capability": [10, 0],
    "multiprocessors": 148,
    "item": 0.0,
    "truth": True,
    "back": "cpu",
    "moved": "cuda:0",
    "equal": True,
    "generator": True,
    "thread": "cuda:0",
}


@pytest.fixture(
    scope="module",
    params=[
        "stand-in",
        pytest.param("torch", marks=pytest.mark.skipif(not TORCH, reason="FERROTILE_TORCH_PYTHON is not set")),
    ],
)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Index]:
    """What the program found, and what was recorded of it."""
    out = tmp_path_factory.mktemp("pretends")
    python, path = (TORCH or "", "") if request.param == "torch" else (sys.executable, str(PROGRAMS / "fake_torch"))
    code = f"import sys; sys.stdout = open({str(out / 'found')!r}, 'w'); sys.path[:0] = {[str(PROGRAMS), path]!r}\n"
    command = [python, "-c", code + "import pretends; pretends.main()"]
    index = record(command, out / "captured", RecordOptions(target="sm_100", pretend=True, quiet=True))
    return json.loads((out / "found").read_text()), index


def test_host_code_finds_a_gpu(recorded: tuple[dict[str, Any], Index]) -> None:
    found = dict(recorded[0])
    assert found.pop("backward") in ("cuda:0", None), "torch has no function of that name"
    assert found == EXPECTED


def test_tensors_are_recorded_with_their_places_in_memory(recorded: tuple[dict[str, Any], Index]) -> None:
    launches = [launch for one in recorded[1].exported for launch in one.launches]
    halves, apart = sorted(launches, key=lambda launch: launch.arguments[1].offset)  # type: ignore[union-attr]
    assert halves.arguments[:2] == (
        ArrayArgument(dtype="float32", shape=(4096,), strides=(1,), offset=16384, buffer=0),
        ArrayArgument(dtype="float32", shape=(4096,), strides=(1,), offset=0, buffer=1),
    )
    assert apart.arguments[:2] == (
        ArrayArgument(dtype="float32", shape=(8192,), strides=(1,), offset=0, buffer=0),
        ArrayArgument(dtype="float32", shape=(8191,), strides=(1,), offset=4, buffer=0),
    )
    assert recorded[1].has_placeholders
