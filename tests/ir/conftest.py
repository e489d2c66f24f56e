"""The corpus of bytecode files, and small modules built by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from xdsl.ir import Block, Operation, Region

from ferrotile import ir
from ferrotile.ir.types import FunctionType

HERE = Path(__file__).parents[2]
CORPUS = Path(os.environ.get("FERROTILE_CORPUS", HERE / ".." / "shared" / "corpus"))


@pytest.fixture(scope="session")
def corpus() -> list[Path]:
    """Every file of the corpus; the test is skipped if there is none."""
    files = sorted(CORPUS.rglob("*.tileirbc"))
    if not files:
        pytest.skip(f"no corpus at {CORPUS}")
    return files


@pytest.fixture(scope="session")
def corpus_kernels(corpus: list[Path]) -> list[Path]:
    """One file of each kernel of the corpus."""
    first: dict[str, Path] = {}
    for path in corpus:
        first.setdefault(path.name.rsplit(".", 2)[0], path)
    return list(first.values())


def build(*ops: Operation, version: tuple[int, int] = (13, 4), **attributes: object) -> ir.Module:
    """A module with one kernel that runs these operations and returns."""
    given = {"sym_name": "kernel", "function_type": FunctionType((), ()), **attributes}
    entry = ir.make("entry", attributes=given, regions=[Region(Block([*ops, ir.make("return")]))])
    return ir.Module(version, ir.make("module", attributes={"sym_name": "kernels"}, regions=[Region(Block([entry]))]))


@pytest.fixture
def kernel():
    """The function that builds a module of one kernel from operations."""
    return build
