"""The decision table: every row, every kind of cell that is not right, and what is not known."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

from ferrotile.transplant.decision import CELLS, TABLE, Answer, Cell, Owner, Side, State, decide

R, O = Side  # noqa: E741 - as in the table
BAD = (State.WRONG, State.REFUSED, State.FAILED, State.CRASHED)
UNKNOWN = (State.NOT_MADE, State.UNJUDGED)


def states(*given: State) -> dict[Cell, State]:
    """States in the order of the table's digits."""
    return dict(zip(CELLS, given, strict=True))


def row(digits: str, bad: State = State.WRONG) -> dict[Cell, State]:
    return states(*(State.RIGHT if digit == "1" else bad for digit in digits.replace(" ", "")))


def by_rule(digits: str) -> set[Owner]:
    """The rule, written another way: a part that is bad in all company owns; what is left over lies between parts."""
    bad = {cell for cell, digit in zip(CELLS, digits.replace(" ", ""), strict=True) if digit == "0"}
    if len(bad) == 4:
        return {Owner.REFERENCE_OR_ORACLE}
    parts = {
        Owner.KERNEL: {Cell(O, R), Cell(O, O)},
        Owner.HOST: {Cell(R, O), Cell(O, O)},
        Owner.REFERENCE_KERNEL: {Cell(R, R), Cell(R, O)},
        Owner.REFERENCE_HOST: {Cell(R, R), Cell(O, R)},
    }
    owners = {owner for owner, cells in parts.items() if cells <= bad}
    explained = set().union(*(parts[owner] for owner in owners))
    return owners | ({Owner.INTERACTION} if bad - explained else set())


def test_the_table_has_every_row_once() -> None:
    assert set(TABLE) == {f"{a}{b} {c}{d}" for a, b, c, d in product("01", repeat=4)}


@pytest.mark.parametrize("digits", sorted(TABLE))
def test_a_row_names_whom_the_rule_names(digits: str) -> None:
    found = decide(row(digits))
    assert set(found.owners) == by_rule(digits) and found.owners == TABLE[digits]
    assert found.answer is (Answer.OWNED if "0" in digits else Answer.NOT_REPRODUCED)


@pytest.mark.parametrize(
    ("digits", "owners"),
    [
        ("11 00", [Owner.KERNEL]),
        ("10 10", [Owner.HOST]),
        ("11 10", [Owner.INTERACTION]),
        ("00 00", [Owner.REFERENCE_OR_ORACLE]),
        ("11 11", []),
        ("10 00", [Owner.KERNEL, Owner.HOST]),
    ],
)
def test_the_rows_that_people_meet(digits: str, owners: list[Owner]) -> None:
    assert list(decide(row(digits)).owners) == owners


@pytest.mark.parametrize("digits", sorted(TABLE))
@pytest.mark.parametrize("bad", BAD)
def test_errors_own_as_wrong_numbers_do_and_are_told_apart(digits: str, bad: State) -> None:
    found = decide(row(digits, bad))
    assert found.owners == TABLE[digits]
    assert (f": {bad}" in found.sentence) is ("0" in digits and bad is not State.WRONG)


@pytest.mark.parametrize("place", range(4))
def test_a_cell_that_varies_makes_it_flaky(place: int) -> None:
    given = [State.WRONG] * 4
    given[place] = State.VARIES
    found = decide(states(*given))
    assert (found.answer, found.owners) == (Answer.FLAKY, ()) and str(CELLS[place]) in found.sentence


@pytest.mark.parametrize("unknown", UNKNOWN)
def test_a_missing_cell_leaves_what_both_of_its_values_say(unknown: State) -> None:
    found = decide(states(State.RIGHT, State.RIGHT, unknown, State.WRONG))
    assert found.answer is Answer.UNDECIDED and found.owners == ()
    assert set(found.candidates) == {(Owner.KERNEL,), (Owner.INTERACTION,)}
    assert f"our program, reference launcher: {unknown}" in found.sentence


def test_a_missing_cell_may_leave_no_fault() -> None:
    found = decide(states(State.RIGHT, State.RIGHT, State.NOT_MADE, State.RIGHT))
    assert found.answer is Answer.UNDECIDED and set(found.candidates) == {(), (Owner.INTERACTION,)}
    assert "no fault" in found.sentence


def test_every_state_is_right_bad_or_not_known() -> None:
    assert {state for state in State if state.is_bad is None} == set(UNKNOWN)
    assert {state for state in State if state.is_bad is False} == {State.RIGHT}
    assert {state for state in State if state.is_bad} == {*BAD, State.VARIES}


def test_the_page_has_the_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "transplant.md").read_text()
    rows = dict(re.findall(r"\| (\d\d \d\d) \| ([a-z ]+) ", text))
    assert {digits: rows[digits].strip() for digits in TABLE} == {
        digits: " and ".join(sorted(owners, key=list(Owner).index)) or "not reproduced"
        for digits, owners in TABLE.items()
    }
