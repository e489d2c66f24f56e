"""The matrix of docs/matrix.md has a proof for every public name of cuda.tile."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import cuda.tile as ct
import pytest

from ferrotile.capture import Specialization, export
from ferrotile.core import InputError

MATRIX: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[2] / "docs" / "pages" / "matrix.py"))
RESULTS: dict[str, Any] = json.loads(MATRIX["RESULTS"].read_text())

PYTHON = """\
import cuda.tile as ct


@ct.kernel
def refused(x, y):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(16,))
    {statement}
    ct.store(y, index=(i,), tile=t)
"""


def _empty() -> list[str]:
    return [name for name, cell in MATRIX["cells"](RESULTS).items() if cell.is_empty]


def test_every_public_name_has_a_proof() -> None:
    assert _empty() == []


def test_a_new_public_name_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_twice() -> None: ...

    load_twice.__module__ = "cuda.tile._stub"
    monkeypatch.setattr(ct, "load_twice", load_twice, raising=False)
    monkeypatch.setattr(ct, "__all__", [*ct.__all__, "load_twice"])
    assert _empty() == ["load_twice"]


def test_a_result_is_recorded_for_every_case() -> None:
    assert set(RESULTS) == set(MATRIX["cases"]()), "run `python tests/zoo/record.py`"


def test_a_refused_case_blames_what_stands_at_its_place() -> None:
    table = MATRIX["cells"](RESULTS)
    assert "reduce-positions-float64" in table["argmax"].refused["FT305"]
    assert not table["store"].refused


@pytest.mark.parametrize("name", MATRIX["FRONT_END"])
def test_front_end_refuses(name: str, tmp_path: Path) -> None:
    path = tmp_path / "refused.py"
    path.write_text(PYTHON.format(statement=MATRIX["FRONT_END"][name]))
    parameters: dict[str, Any] = {"x": "float32[_]", "y": "float32[_]"}
    row = Specialization(kernel="refused", parameters=parameters)
    with pytest.raises(InputError) as caught:
        export(path, "refused", row)
    assert caught.value.code == "FT104"
