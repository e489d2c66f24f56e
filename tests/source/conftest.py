"""Bytecode of the sample kernels, exported once a session."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.capture import Specialization, export
from ferrotile.lift.source import Annotations, SourceFinder, annotate

SAMPLE = Path(__file__).with_name("sample.py")

_ROW = "float32[_, *16]"
PARAMETERS: dict[str, dict[str, object]] = {
    "rows": {"x": _ROW, "y": _ROW, "temperature": "float32", "WIDTH": 64},
    "loops": {"K": "float32[*16]", "out": "float32[*16]", "lengths": "int32[_]", "N": 96, "BLOCK": 32},
    "helpers": {"x": "float16[_, *16]", "y": "float16[_, *16]", "WIDTH": 128},
    "starts": {"x": "float32[*16]", "out": "float16[*16]", "BLOCK": 32},
    "nested": {"x": "float32[_]", "bounds": ["int32", "int32"], "out": "float32[_]", "B": 16},
    "_awkward": {"type": "float32[_]", "_": "float32[_]", "In": "float32[_]", "cos": "float32[_]", "TILE": 16},
}


@lru_cache
def bytecode(kernel: str) -> bytes:
    """The Tile IR that cuTile Python writes for a kernel of the sample file."""
    specialization = Specialization.model_validate({"kernel": kernel, "parameters": PARAMETERS[kernel]})
    (capture,) = export(SAMPLE, kernel, specialization)
    return capture.bytecode


EntryOf = Callable[[str], Operation]


@pytest.fixture
def sample() -> Path:
    """The file of the sample kernels."""
    return SAMPLE


@pytest.fixture
def entry_of() -> EntryOf:
    """A freshly decoded entry of a sample kernel, by name."""
    return lambda kernel: ir.decode(bytecode(kernel)).entries[0]


@pytest.fixture
def annotated(entry_of: EntryOf) -> Callable[[str], tuple[Operation, Annotations]]:
    """Entry and annotations of a sample kernel, by name."""

    def annotated_kernel(kernel: str) -> tuple[Operation, Annotations]:
        entry = entry_of(kernel)
        return entry, annotate(entry, SourceFinder())

    return annotated_kernel
