"""Kernels written in Rust, ours and those of cutile's tests: each is the same after lift and lower, or refused."""

from __future__ import annotations

from typing import Any

import pytest
from cutile_crate import crate_folder  # pyright: ignore[reportMissingImports]
from ledger import is_ours, judged, read, rust_bytes, special_of, worst  # pyright: ignore[reportMissingImports]

from ferrotile.core import CODES

ROWS: dict[str, tuple[str, str, dict[str, Any]]] = {
    f"{file}::{name}": (file, name, row) for file, rows in read()["rust"].items() for name, row in rows.items()
}
REFUSED = [key for key, (_, _, row) in ROWS.items() if row.get("code")]
OURS = [key for key, (file, _, _) in ROWS.items() if is_ours(file)]
QUICK = [key for key in list(ROWS)[::40] if key not in OURS]
SLOW = [key for number, key in enumerate(ROWS) if key not in QUICK + OURS and (number % 4 == 1 or key in REFUSED[::3])]
NOT_LEGAL = {key for key in REFUSED if key.endswith("::reassigned_partition_keeps_no_origin")}
"""What cutile writes although it is not legal (F14 of FOUND.md)."""
needs_crate = pytest.mark.skipif(crate_folder() is None, reason="cargo did not unpack cutile here")


def _require_as_told(key: str) -> None:
    file, name, told = ROWS[key]
    data = rust_bytes(file, name, told)
    rows = judged(name, data, told.get("target", "sm_90"))
    found = worst(rows)
    assert (found.outcome, found.code) == (told["outcome"], told.get("code")), rows[0].message
    assert special_of(data) == told["special"]
    assert all(row.exit_code in ((2,) if key in NOT_LEGAL else (0, 3)) for row in rows)
    assert all(row.exit_code == 0 or row.hint for row in rows)


def test_the_ledger_holds_equal_or_refused_and_nothing_else() -> None:
    outcomes = [row["outcome"] for _, _, row in ROWS.values()]
    assert set(outcomes) <= {"EQUAL", "REFINES", "REFUSED"}
    assert outcomes.count("EQUAL") >= 440
    codes = {ROWS[key][2]["code"] for key in REFUSED if key not in NOT_LEGAL}
    assert codes <= set(CODES) and all(code.startswith("FT3") for code in codes)


@pytest.mark.parametrize("key", OURS)
def test_our_own_rust_is_the_same(key: str) -> None:
    _require_as_told(key)


@needs_crate
@pytest.mark.parametrize("key", QUICK)
def test_a_sample_is_the_same_or_refused(key: str) -> None:
    _require_as_told(key)


@needs_crate
@pytest.mark.sweep
@pytest.mark.parametrize("key", SLOW)
def test_a_quarter_and_refusals_are_as_told(key: str) -> None:
    _require_as_told(key)
