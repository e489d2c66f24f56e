"""A finished run that many tests copy and spoil."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import finished_runs


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that is complete."""
    root = tmp_path_factory.mktemp("run") / "vector_add"
    outcome = finished_runs.run(root)
    assert outcome.end == "COMPLETE", outcome.gaps
    return root
