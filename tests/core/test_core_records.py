"""Places, errors, codes, parameter maps and the store."""

import pickle
from pathlib import Path

import pytest

from ferrotile.core import CODES, EnvironmentFault, InputError, InternalError, ParameterMap, Place, Role, at, store


def test_place_prints_innermost_first():
    outer = Place("kernel.py", 30, 4, "softmax")
    assert str(Place("maths.py", 12, 8, "row_max", outer)) == "maths.py:12:8 (row_max) < kernel.py:30:4 (softmax)"


def test_at_fills_only_a_missing_place():
    with pytest.raises(InputError) as outer, at(Place("a.py", 1, 0)):
        raise InputError("FT005", "bad")
    assert outer.value.at == Place("a.py", 1, 0)
    with pytest.raises(InputError) as inner, at(Place("a.py", 1, 0)):
        raise InputError("FT005", "bad", Place("b.py", 2, 0))
    assert inner.value.at == Place("b.py", 2, 0)


def test_error_survives_pickling():
    error = InputError("FT005", "bad", Place("a.py", 1, 0), "a hint", Place("kernel.rs", 3, 4))
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.code, copy.message, copy.at, copy.hint, copy.also) == (
        error.code,
        error.message,
        error.at,
        error.hint,
        error.also,
    )


def test_error_refuses_a_code_outside_the_table():
    with pytest.raises(AssertionError):
        InternalError("FT999", "no such row")


def test_every_code_has_sentences():
    for code, row in CODES.items():
        assert code == row.code and len(code) == 5 and code.startswith("FT")
        assert row.title and row.meaning.endswith(".") and row.cure, code


def test_parameter_map_survives_json():
    roles = (Role.pointer(0), Role.shape(0, 1), Role.stride(0, 0), Role.scalar(2))
    parameters = ParameterMap(roles, (*roles, Role.stride(0, 0)))
    assert ParameterMap.from_json(parameters.to_json()) == parameters


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"reference": [{"kind": "pointer"}], "lowered": []}',
        '{"reference": [{"kind": "none"}], "lowered": []}',
    ],
)
def test_bad_parameter_map_is_refused(text: str):
    with pytest.raises(InputError) as caught:
        ParameterMap.from_json(text)
    assert caught.value.code == "FT005"


def test_store_makes_folders_and_leaves_no_temporary_file(tmp_path: Path):
    store.write_json(tmp_path / "a" / "b.json", {"x": [1]})
    assert (tmp_path / "a" / "b.json").read_text() == '{\n  "x": [\n    1\n  ]\n}\n'
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["b.json"]


def test_store_says_what_it_cannot_write(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(EnvironmentFault) as caught:
        store.write_text(tmp_path / "file" / "below", "x")
    assert caught.value.code == "FT004"
