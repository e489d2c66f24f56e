"""The page about TileGym's tests with either backend: what counts as worse, and where it is said."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PAGE: Any = runpy.run_path(str(HERE / "backend_page.py"))
PLUGIN: Any = runpy.run_path(str(HERE / "backend_plugin.py"))


def row(test: str, outcome: str, **more: Any) -> dict[str, Any]:
    """A line of the plugin."""
    return {"test": f"tests/ops/{test}", "outcome": outcome, "seconds": 1.0, "why": "", **more}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """What a run leaves: one test that both pass, one each fails alone, one that failed at first."""
    reference = [row(f"test_softmax.py::test_op[{k}]", "passed") for k in range(3)]
    reference += [row("test_rope.py::test_op[1]", "failed", why="OutOfMemoryError")]
    ran = {"softmax_kernel 0123456789ab EQUAL": 2}
    ours = [
        row("test_softmax.py::test_op[0]", "passed", rust=ran, original={}),
        row("test_softmax.py::test_op[1]", "failed", why="FT305: no form", rust={}, original={"softmax_kernel": 1}),
        row("test_softmax.py::test_op[2]", "failed"),
        row("test_softmax.py::test_op[2]", "passed", rust=ran),
        row("test_rope.py::test_op[1]", "passed", rust={"rope 0 REFINES": 1}),
        row("test_matmul.py::test_op[cutile_rs]", "passed"),
    ]
    for side, lines in (("reference", reference), ("ours", ours)):
        (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    facts = {"date": "d", "gpu": "g", "python": "p", "torch": "t", "cuda-tile": "c"}
    (tmp_path / "machine.json").write_text(json.dumps(facts))
    return tmp_path


def test_what_only_ours_fails_is_worse_and_named(out: Path) -> None:
    data = PAGE["summary"](out)
    assert [test["test"] for test in data["tests"] if PAGE["is_worse"](test)] == [
        "tests/ops/test_softmax.py::test_op[1]"
    ]
    text = PAGE["page"](data)
    assert "| softmax | 3 / 0 / 0 | 2 / 1 / 0 | 1 | 4 | 1 | 1 |" in text
    worse = text.split("## Worse than the reference")[1].split("##")[0]
    assert "FT305: no form" in worse and "test_op[1]" in worse
    assert "OutOfMemoryError" in text.split("## Tests that the reference fails")[1]
    assert "4 tests. reference: 3 passed, 1 failed; ours: 3 passed, 1 failed." in text
    foreign = text.split("## Passed, and not answered by ours")[1].split("##")[0]
    assert foreign.split() == ["-", "`test_softmax.py::test_op[1]`"]
    assert "5 launches of 2 Rust kernels (1 EQUAL, 1 REFINES)" in text


def test_a_later_session_counts_on_both_sides_and_is_said(out: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    later = tmp_path_factory.mktemp("later")
    name = "test_softmax.py::test_op[1]"
    (later / "ours.jsonl").write_text(json.dumps(row(name, "passed", rust={"softmax_kernel 0 EQUAL": 1})) + "\n")
    (later / "reference.jsonl").write_text(json.dumps(row(name, "passed")) + "\n")
    data = PAGE["summary"](out, later)
    assert data["again"] == [f"tests/ops/{name}"] and not any(map(PAGE["is_worse"], data["tests"]))
    assert "1 tests count as they ended in later sessions, on both sides" in PAGE["page"](data)


@pytest.mark.parametrize(
    ("reference", "ours", "worse"),
    [("passed", "skipped", True), ("passed", "not run", True), ("skipped", "failed", True), ("failed", "failed", False),
     ("skipped", "skipped", False), ("failed", "not run", False)],
)  # fmt: skip
def test_a_test_that_did_not_run_is_no_pass(reference: str, ours: str, worse: bool) -> None:
    assert PAGE["is_worse"]({"reference": reference, "ours": ours}) is worse


def test_the_page_is_that_of_its_data() -> None:
    if not PAGE["DATA"].is_file():
        pytest.skip("nothing was measured yet")
    assert PAGE["PAGE"].read_text() == PAGE["page"](json.loads(PAGE["DATA"].read_text()))


def test_a_search_takes_the_first_configuration_that_runs() -> None:
    def search(space: list[int], **named: Any) -> list[int]:
        if space[0] < 2:
            raise ValueError(f"{space[0]} does not run")
        return space

    short = PLUGIN["first_that_runs"](search)
    assert short([0, 1, 2, 3], quiet=False) == [2]
    with pytest.raises(ValueError, match="1 does not run"):
        short([0, 1])


def test_a_test_that_asks_for_the_reference_gets_ours() -> None:
    asked: list[str] = []
    set_backend = PLUGIN["answered_by_ours"](asked.append)
    set_backend("cutile")
    set_backend("triton")
    assert asked == ["cutile-rs", "triton"]


def test_a_call_that_names_the_reference_gets_ours() -> None:
    registry = {name: {"cutile": 1, "cutile-rs": 2} for name in ("softmax", "attention_sink_decode")}
    PLUGIN["answer_named_calls"](registry | {"only_triton": {"triton": 3}})
    assert registry["softmax"]["cutile"] == 2 and registry["attention_sink_decode"]["cutile"] == 1
