"""Names become Rust names: the same text where possible, never a word that Rust or the DSL has taken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrotile.lift.source.spelling import TAKEN, constant_name, function_name, rust_name, suffixed, variable_name

IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
PYTHON_NAMES = st.from_regex(r"\A[^\W\d]\w{0,8}\Z").filter(str.isidentifier)


@pytest.mark.parametrize(
    ("python", "rust"),
    [
        ("row_max", "row_max"),
        ("in", "in_"),
        ("fn", "fn_"),
        ("exp", "exp_"),
        ("select", "select_"),
        ("f32", "f32_"),
        ("self", "self_"),
        ("_", "value"),
        ("__", "value"),
        ("_1", "value1"),
        ("__hidden", "hidden"),
        ("TILE_M", "TILE_M"),
        ("N", "N"),
        ("rowMax", "row_max"),
        ("HTTPRows", "http_rows"),
        ("naïve", "naive"),
        ("β2", "beta2"),
        ("Σ", "SIGMA"),
        ("行", "u884c"),
    ],
)
def test_spelling(python: str, rust: str) -> None:
    assert rust_name(python).lower() == rust.lower()


def test_variables_are_small_and_constants_are_capitals() -> None:
    assert [variable_name(name) for name in ("K", "Tc", "LSE", "IN", "Exp")] == ["k", "tc", "lse", "in_", "exp_"]
    assert [constant_name(name) for name in ("BLOCK_SIZE", "block_m", "in")] == ["BLOCK_SIZE", "BLOCK_M", "IN_"]


def test_functions_lose_leading_underscores() -> None:
    functions = {"_softmax_kernel": "softmax_kernel", "RMSNorm": "rms_norm", "exp": "exp_"}
    assert {name: function_name(name) for name in functions} == functions


def test_suffixes_do_not_double_the_underscore() -> None:
    assert suffixed("in_", "shape0") == "in_shape0"


@given(PYTHON_NAMES)
def test_every_python_name_gives_a_free_rust_identifier(name: str) -> None:
    for spelled in (variable_name(name), function_name(name), rust_name(name)):
        assert IDENTIFIER.fullmatch(spelled), spelled
        assert spelled not in TAKEN


@given(PYTHON_NAMES)
def test_spelling_a_variable_twice_changes_nothing(name: str) -> None:
    assert variable_name(variable_name(name)) == variable_name(name)
