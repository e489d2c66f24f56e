"""The page of the corpus: what is not plain has a reason, and the figures are those of the rows."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FIGURES = runpy.run_path(str(ROOT / "docs" / "corpus_figures.py"))


def row(name: str, verdict: str = "EQUAL", sass: str = "identical", **more: Any) -> dict[str, Any]:
    fixed = {"style": "fluent", "laws": ["splat"], "unsafe": 1, "lines": 20, "python_lines": 10, "message": ""}
    return {"input": f"corpus/{name}.tileirbc", "verdict": verdict, "sass": sass, **fixed, **more}


def test_rows_are_counted_by_kernel_and_the_rest_is_explained() -> None:
    detail = {"first_difference": "sass: a against b", "note": "", "other_target": None}
    rows = [
        row("rope.rope_kernel.1"),
        row("rope.rope_kernel.2", sass="differs", sass_detail=detail, lines=30),
        row("silu.silu_kernel.1", verdict="REFUSED", sass="skipped", message="no form in Rust"),
    ]
    found = FIGURES["recorded"]([*rows, {"summary": {"inputs": 3}}], "command")
    rope = found["kernels"]["rope.rope_kernel"]
    assert rope["specializations"] == 2 and rope["machine_code"] == {"differs": 1, "identical": 1}
    assert rope["lines_ratio"] == 2.5
    assert [(one["name"], one["reason"]) for one in found["rest"]] == [
        ("rope.rope_kernel.2", "sass: a against b"),
        ("silu.silu_kernel.1", "no form in Rust"),
    ]


def test_recorded_run_is_within_the_limits_and_explained() -> None:
    data = json.loads((ROOT / "docs" / "data" / "corpus.json").read_text())
    summary = data["summary"]
    held = summary["verdicts"]["EQUAL"] + summary["verdicts"]["REFINES"]
    assert held >= 0.98 * summary["inputs"] and not summary["verdicts"]["DIFFERS"] + summary["verdicts"]["UNPROVED"]
    compared = {kind: count for kind, count in summary["sass"].items() if kind != "skipped"}
    assert compared["identical"] >= 0.95 * sum(compared.values())
    assert len(data["rest"]) == sum(compared.values()) - compared["identical"]
    assert all(one["reason"] for one in data["rest"])


def test_run_that_was_not_finished_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.jsonl").write_text(json.dumps(row("rope.rope_kernel.1")) + "\n")
    assert FIGURES["main"]([str(tmp_path / "run.jsonl")]) == 2
