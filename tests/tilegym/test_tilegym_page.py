"""The page about TileGym, made of a small package that is none of TileGym's; no torch, no network."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ferrotile.capture import Index

PACKAGE = {
    "ops/cutile/first.py": "@ct.kernel\ndef one(): ...\n\n@ct.kernel(occupancy=2)\ndef two(): ...\n",
    "ops/cutile/second.py": "def make():\n    @ct.kernel\n    def inner(): ...\n    return inner\n",
    "ops/cutile/third.py": "@other\n@ct.kernel\ndef late(): ...\n\n@ct.function\ndef helper(): ...\n",
}


@pytest.fixture(scope="module")
def tool() -> Iterator[SimpleNamespace]:
    """The modules of `make tilegym`."""
    folder = str(Path(__file__).parent)
    sys.path.insert(0, folder)
    try:
        names = ("fates", "kernel_functions", "torch_environment", "make_page")
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in names})
    finally:
        sys.path.remove(folder)


@pytest.fixture
def kernels(tool: Any, tmp_path: Path) -> list[Any]:
    """The kernels of the package."""
    for name, text in PACKAGE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tool.kernel_functions.kernels_of(tmp_path)


def _entry(module: str, kernel: str, number: int, **more: Any) -> dict[str, Any]:
    entry = {
        "module": f"tilegym.ops.cutile.{module}", "kernel": kernel, "symbol": f"{kernel}_{number}", "hints": {},
        "parameters": [], "source": "x.py", "line": 1, "via": "launch", "launch_count": 1,
        "launches": [{"grid": [1], "arguments": [
            {"kind": "array", "dtype": "float32", "shape": [number], "strides": [1]}]}],
    }  # fmt: skip
    return {**entry, **more}


def _exported(module: str, kernel: str, number: int, **more: Any) -> dict[str, Any]:
    name = f"{module}.{kernel}.{number}"
    return _entry(module, kernel, number, name=name, file=f"{name}.tileirbc", sha256="", **more)


def _index(exported: list[Any], unexported: list[Any] | None = None, target: str = "sm_90") -> Index:
    return Index.model_validate(
        {
            "command": ["x"],
            "exit_code": 0,
            "target": target,
            "tune": "first",
            "cuda_tile": "1.7.0",
            "is_pretended": True,
            "has_placeholders": False,
            "exported": exported,
            "unexported": unexported or [],
        }
    )


def _row(name: str, verdict: str, code: str | None = None) -> dict[str, Any]:
    return {"name": name, "verdict": verdict, "code": code}


def _refused(module: str, kernel: str) -> dict[str, Any]:
    place = {"file": "x.py", "line": 1, "column": 0}
    return _entry(module, kernel, 9, code="FT104", message="no", place=place)


def test_kernels_are_found_in_functions_and_behind_other_decorators(kernels: list[Any]) -> None:
    assert [(kernel.module, kernel.name) for kernel in kernels] == [
        ("tilegym.ops.cutile.first", "one"),
        ("tilegym.ops.cutile.first", "two"),
        ("tilegym.ops.cutile.second", "make.<locals>.inner"),
        ("tilegym.ops.cutile.third", "late"),
    ]


def test_every_kernel_has_a_line_with_what_became_of_it(tool: Any, kernels: list[Any]) -> None:
    index = _index(
        [_exported("first", "one", 1), _exported("first", "one", 2), _exported("first", "two", 3)],
        [_refused("third", "late")],
    )
    rows = [_row("first.one.1", "EQUAL"), _row("first.one.2", "EQUAL"), _row("first.two.3", "REFUSED", "FT302")]
    found = tool.fates.fates_of(kernels, [index, index], rows)
    page = tool.fates.page(found, ["first", "second"], "facts\n")
    assert "4 kernel functions: 1 EQUAL, 1 no launch captured, 2 refused." in page
    assert "| first | 2 of 2 | 3 | 2 EQUAL, 1 FT302 |" in page
    assert "| second | 0 of 1 | 0 | no launch captured |" in page
    assert "| `one` | 2 | 2 EQUAL |" in page and "| `two` | 1 | 1 FT302 |" in page
    assert "| `late` |  | refused by cuda.tile: FT104 |" in page
    assert "| `make.<locals>.inner` |  | no launch captured |" in page


def test_what_one_target_refuses_and_another_takes_is_captured(tool: Any, kernels: list[Any]) -> None:
    refused = {**_refused("third", "late"), "symbol": "late_1"}
    indices = [_index([], [refused]), _index([_exported("third", "late", 1)], target="sm_100")]
    found = tool.fates.fates_of(kernels, indices, [_row("third.late.1", "EQUAL")])
    assert "| `late` | 1 | 1 EQUAL |" in tool.fates.page(found, [], "")


@pytest.mark.parametrize(
    ("rows", "group"),
    [
        (["EQUAL", "EQUAL"], "EQUAL"),
        (["EQUAL", "REFINES"], "REFINES"),
        (["EQUAL", "FT302"], "refused"),
        (["FT302", "UNPROVED"], "UNPROVED"),
        (["UNPROVED", "DIFFERS"], "DIFFERS"),
    ],
)
def test_a_kernel_counts_as_the_worst_that_became_of_it(tool: Any, rows: list[str], group: str) -> None:
    fate = tool.fates.Fate(2)
    fate.verdicts.update(rows)
    assert fate.group == group


def test_a_capture_of_another_package_is_told(tool: Any, kernels: list[Any]) -> None:
    with pytest.raises(ValueError, match="first:three"):
        tool.fates.fates_of(kernels, [_index([_exported("first", "three", 1)])], [])


def test_smallest_launches_are_translated_and_tried_ones_last(tool: Any) -> None:
    one = _index([_exported("a", "k", 30), _exported("a", "k", 10, via="tune"), _exported("a", "k", 20)])
    two = _index([_exported("a", "k", 20), _exported("b", "k", 5)], target="sm_100")
    chosen = tool.make_page.chosen([Path("one"), Path("two")], [one, two], 2)
    names = {target: [str(path) for path in paths] for target, paths in chosen.items()}
    assert names == {"sm_90": ["one/a.k.20.tileirbc", "one/a.k.30.tileirbc"], "sm_100": ["two/b.k.5.tileirbc"]}


def test_libraries_define_what_torch_asks_for(tool: Any) -> None:
    wanted = {"cudnnCreate", "cublasCreate_v2@libcublas.so.13", "cublasLtMatmul@libcublasLt.so.13", "printf@GLIBC_2.2"}
    of = tool.torch_environment.functions_of
    assert of("libcudnn.so.9", "cudnn", wanted) == ({"cudnnCreate"}, {})
    assert of("libcublas.so.13", "cublas", wanted) == (set(), {"libcublas.so.13": {"cublasCreate_v2"}})


def test_outcomes_are_kept_and_what_broke_off_is_made_again(tool: Any, tmp_path: Path) -> None:
    rows = [_row("one", "EQUAL"), _row("two", "REFUSED", "FT302"), _row("three", "REFUSED", "FT802")]
    path = tmp_path / "translated.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert list(tool.make_page._rows(path)) == ["one", "two"]
    assert tool.make_page._rows(tmp_path / "none") == {}
