"""A library of example kernels over a fake driver: built once, called in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import c_library


@pytest.fixture(scope="session")
def built() -> c_library.Built:
    """The library with switches for its checks."""
    return c_library.build()


@pytest.fixture(scope="module")
def child(built: c_library.Built) -> Iterator[c_library.Child]:
    """A process for the calls of one test module."""
    child = built.child()
    yield child
    child.close()
