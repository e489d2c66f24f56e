"""Kernels that failed once: each holds now, or fails as the ledger says."""

from __future__ import annotations

from pathlib import Path

import pytest
from fuzzing.judge import judge
from fuzzing.keep import FOUND, ledger, load

FILES = sorted(FOUND.glob("*.py"))
KNOWN = {row.file: row for row in ledger()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kernel_that_failed_once_holds(path: Path) -> None:
    outcome = judge(load(path))
    said = f"{outcome.kind} {outcome.code} {outcome.sentence}"
    if path.name in KNOWN:
        assert KNOWN[path.name].explains(outcome), f"the ledger expects another failure than: {said}"
    else:
        assert not outcome.failed and outcome.kind != "front-end", said


def test_ledger_names_kernels_that_are_there() -> None:
    assert set(KNOWN) <= {path.name for path in FILES}
    assert all(row.reason for row in ledger())
