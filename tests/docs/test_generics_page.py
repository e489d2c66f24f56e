"""The page of generic kernels: what was run is all proved, and what was not run is told."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = json.loads((ROOT / "docs" / "data" / "generics.json").read_text())


def test_every_specialization_of_a_recorded_kernel_is_proved() -> None:
    for one in DATA["kernels"]:
        assert sum(one["verdicts"].values()) == one["specializations"], one["name"]
        assert set(one["verdicts"]) <= {"EQUAL", "REFINES"}, one["name"]


def test_page_tells_what_was_left_out() -> None:
    text = runpy.run_path(str(ROOT / "docs" / "pages" / "generics.py"))["page"]()
    missing = [name for name in DATA["left_out"] if f"`{name}`" not in text]
    assert not missing and f"has {DATA['inputs']} specializations" in text
