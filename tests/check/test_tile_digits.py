"""Tiles that are chosen by digits of a block id: that the digits tell the id, in range, and which facts that takes."""

from __future__ import annotations

from itertools import product

import pytest
from test_exclusive import LOOP, STORE, proved

ROWS, COLUMNS = "ceil_div(x.shape()[0], 8i32)", "ceil_div(x.shape()[1], 16i32)"
GROUPED = """
let numbers = 4 * {columns};
let first = floor_div({w}, numbers) * 4;
let size = min({rows} - first, 4i32);
let row = first + floor_mod({inner}, size);
let column = floor_div(floor_mod({w}, numbers), size);
"""
TILES = "ceil(array(0).shape[0] / 8) * ceil(array(0).shape[1] / 16)"
ONE_BLOCK = {"grid.y == 1", "grid.z == 1"}
INSIDE = {"array(0).shape[0] <= array(1).shape[0]", "array(0).shape[1] <= array(1).shape[1]"}


def grouped(store: str = STORE.format("row", "column"), **changed: str) -> str:
    parts = {"w": "bx", "rows": ROWS, "columns": COLUMNS} | changed
    return GROUPED.format(**{"inner": parts["w"], **parts}) + store


def swizzle(w: int, rows: int, columns: int, height: int, *, is_inside: bool) -> tuple[int, int]:
    """The law, as `ferrotile/check/tile_index.py` has it."""
    numbers = height * columns
    first = w // numbers * height
    size = min(rows - first, height)
    return first + (w % numbers if is_inside else w) % size, w % numbers // size


@pytest.mark.parametrize("is_inside", [False, True])
def test_rows_and_columns_in_groups_are_each_tile_once(is_inside: bool) -> None:
    for rows, columns, height in product(range(1, 14), range(1, 8), range(1, 10)):
        found = [swizzle(w, rows, columns, height, is_inside=is_inside) for w in range(rows * columns)]
        assert sorted(found) == list(product(range(rows), range(columns)))


def test_the_law_is_no_law_without_its_bound() -> None:
    """One number too many falls outside, or has no group at all."""
    for rows, columns, height in product(range(1, 8), range(1, 5), range(1, 5)):
        with pytest.raises((AssertionError, ZeroDivisionError)):
            row, column = swizzle(rows * columns, rows, columns, height, is_inside=False)
            assert row < rows and column < columns


@pytest.mark.parametrize("inner", ["bx", "floor_mod(bx, numbers)"])
def test_tiles_in_groups_are_each_blocks_own(inner: str) -> None:
    assert proved(grouped(inner=inner)) == (ONE_BLOCK | INSIDE | {f"grid.x <= {TILES}"}, "")


def test_counters_in_groups_need_no_more_than_their_own_end() -> None:
    rows, columns = "ceil_div(n, 8i32)", COLUMNS
    loop = LOOP.split("unsafe", maxsplit=1)[0].format("bx", f"{rows} * {columns}", "nx as usize")
    facts, why_not = proved(loop + grouped(w="i", rows=rows) + "}")
    assert not why_not
    assert facts == ONE_BLOCK | {
        "scalar(0) >= 0",
        "ceil(array(0).shape[1] / 16) * ceil(scalar(0) / 8) + grid.x <= 2147483647",
        "scalar(0) <= array(1).shape[0]",
        "array(0).shape[1] <= array(1).shape[1]",
    }


OTHERS = [
    ("the largest of both for the smallest", "min(", "max("),
    ("groups of another height", ") * 4;", ") * 2;"),
    ("another group's first row", "row = first", "row = first + 4"),
    ("the size of another group", "- first, 4", "- first - 4, 4"),
    ("rows that count down", "row = first +", "row = first -"),
    ("columns of all numbers", "floor_div(floor_mod(bx, numbers), size)", "floor_div(bx, size)"),
    ("rows of another block", "first + floor_mod(bx", "first + floor_mod(by"),
    ("rows of a remainder", "first + floor_mod(bx", "first + floor_mod(floor_mod(bx, 2 * numbers)"),
    ("columns that are remainders", "column = floor_div(", "column = floor_mod("),
    ("rows only", "[row, column]", "[row, 0]"),
    ("columns only", "[row, column]", "[0, column]"),
    ("columns of another grouping", "column]", "floor_div(floor_mod(bx, 2 * numbers), size)]"),
    ("groups that are not cut at the end", "let size = min(", "let size = 4i32 + 0 * min("),
    ("unsigned halves", "floor_div(bx, numbers) * 4", "(bx >> 2) * 4"),
]


@pytest.mark.parametrize(("what", "old", "new"), OTHERS, ids=[what for what, _, _ in OTHERS])
def test_another_swizzle_is_not_proved(what: str, old: str, new: str) -> None:
    text = grouped()
    assert old in text, what
    assert proved(text.replace(old, new))[1]


def test_a_height_that_does_not_divide_the_group_is_not_proved() -> None:
    assert proved(grouped().replace(") * 4;", ") * 3;").replace(", 4i32", ", 3i32"))[1]


@pytest.mark.parametrize("rows, numbers", [("-3i32", "-8i32"), ("-3i32", "8i32"), ("3i32", "-8i32"), ("0i32", "0i32")])
def test_groups_of_no_rows_or_columns_are_not_proved(rows: str, numbers: str) -> None:
    """-3 rows of -2 columns are 6 tiles, all below any limit."""
    assert proved(grouped(rows=rows).replace(f"4 * {COLUMNS}", numbers))[1]


DIGITS = [
    (("floor_div(bx, 4i32)", "floor_mod(bx, 4i32)"),
     {"grid.x <= 4 * ceil(array(1).shape[0] / 8)", "array(1).shape[1] > 48"}),
    (("bx / 4", "bx % 4"), {"grid.x <= 4 * ceil(array(1).shape[0] / 8)", "array(1).shape[1] > 48"}),
    (("floor_mod(bx, n)", "floor_div(bx, n)"),
     {"scalar(0) >= 0", "scalar(0) > 0", "8 * scalar(0) <= array(1).shape[0] + 7",
      "grid.x <= ceil(array(1).shape[1] / 16) * scalar(0)"}),
]  # fmt: skip


@pytest.mark.parametrize(("index", "facts"), DIGITS)
def test_a_quotient_and_its_remainder_tell_the_block(index: tuple[str, str], facts: set[str]) -> None:
    assert proved(STORE.format(*index)) == (ONE_BLOCK | facts, "")


@pytest.mark.parametrize(
    "index",
    [
        ("floor_div(bx, 4i32)", "floor_mod(bx, 8i32)"),
        ("floor_div(bx, 4i32)", "floor_mod(by, 4i32)"),
        ("floor_div(bx, 2i32)", "by"),
        ("floor_mod(bx, 2i32)", "by"),
        ("floor_div(bx, 4i32)", "0"),
    ],
)
def test_one_digit_does_not_tell_the_block(index: tuple[str, str]) -> None:
    assert "may reach the same tile" in proved(STORE.format(*index))[1]


ROUNDS = "for {1} in (bx..{2}).step_by(nx as usize) {{ {0} }}"


@pytest.mark.parametrize(
    "index", [("bx / 4", "i % 4"), ("i / 4", "bx % 4"), ("i / 4", "j % 4"), ("i", "bx"), ("j", "i")]
)
def test_digits_of_two_numbers_of_a_block_tell_neither(index: tuple[str, str]) -> None:
    """Of three blocks, 0 reaches tile `(bx / 4, i % 4)` = (0, 0) by `i = 0`, and 1 by `i = 4`."""
    body = ROUNDS.format(ROUNDS.format(STORE.format(*index), "j", 9), "i", 9)
    assert "two numbers of blocks along x" in proved(body)[1]


def test_digits_of_one_counter_tell_it() -> None:
    facts, why_not = proved(ROUNDS.format(STORE.format("i / 4", "i % 4"), "i", 9))
    assert not why_not and "9 <= 4 * ceil(array(1).shape[0] / 8)" in facts


def test_a_counter_without_rounds_is_no_fault() -> None:
    facts, _ = proved(ROUNDS.format(STORE.format("i * 0 + by", "0"), "i", 0))
    assert "grid.y <= 0" in facts, "which no grid has"
    joined = "(i * 2 + by)"
    assert proved(ROUNDS.format(STORE.format(f"{joined} * 0 + {joined}", "0"), "i", 0))[0]


@pytest.mark.parametrize("by", ["0i32", "-4i32", "bx + 1", "n * n"])
def test_a_digit_of_another_base_is_not_proved(by: str) -> None:
    assert proved(STORE.format(f"floor_div(bx, {by})", f"floor_mod(bx, {by})"))[1]


JOINED = {"grid.z == 1", "scalar(0) >= 0", "array(1).shape[1] > 0"}


@pytest.mark.parametrize("sum_", ["by * n + bx", "bx + by * n", "n * by + bx", "bx + n * by"])
def test_digits_that_are_put_together_tell_both(sum_: str) -> None:
    assert proved(STORE.format(sum_, "0")) == (
        JOINED | {"grid.x <= scalar(0)", "8 * grid.y * scalar(0) <= array(1).shape[0] + 7"},
        "",
    )


def test_a_number_that_is_put_together_and_split_must_fit_32_bits() -> None:
    whole = "(by * 5 + bx)"
    facts, why_not = proved(STORE.format(f"floor_div({whole}, 4i32)", f"floor_mod({whole}, 4i32)"))
    assert not why_not and "5 * grid.y <= 2147483647" in facts and "grid.x <= 5" in facts


@pytest.mark.parametrize("sum_", ["by * n - bx", "by * n + n", "(by + 1) * n + bx", "by + bx", "by * nx + bx"])
def test_other_sums_are_not_proved(sum_: str) -> None:
    assert proved(STORE.format(sum_, "0"))[1]


def test_digits_must_be_the_same_in_all_accesses() -> None:
    there, back = (STORE.format(*index) for index in (("bx / 4", "bx % 4"), ("bx % 4", "bx / 4")))
    other = STORE.format("bx / 8", "bx % 8")
    assert not proved(there + there)[1]
    assert "in more than one way" in proved(there + back)[1]
    assert "in more than one way" in proved(there + other)[1]
