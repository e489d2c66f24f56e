"""The route table: every row is reached, every cap is hit, every run ends, and nothing is soft."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ferrotile.workflow.run.router import Move, Said, following
from ferrotile.workflow.run.routes import CAPS, ROUTES, A, B, C, D, E, F, P, Route, words_of
from ferrotile.workflow.run.words import STAGE_NAMES, End, Letter, Owner, Word

EVERYTHING = [Said(letter, word, owner) for letter in Letter for word in Word for owner in (None, *Owner)]


def histories() -> dict[tuple[Said, ...], Move]:
    """Every history that the table can lead to, with what follows it; verdicts of one row count once."""
    found: dict[tuple[Said, ...], Move] = {}
    waiting: list[tuple[Said, ...]] = [()]
    while waiting:
        history = waiting.pop()
        move = found[history] = following(history)
        if isinstance(move.to, Letter):
            waiting += [(*history, said) for said in representatives(history, move.to)]
    return found


def representatives(history: tuple[Said, ...], letter: Letter) -> list[Said]:
    """One verdict of a stage for each row that it can meet."""
    asker = history[-1].letter if history else None
    rows = [row for row in ROUTES if row.source is letter and row.asked_by in (None, asker)]
    return [Said(letter, row.words[0], row.owner) for row in rows]


HISTORIES = histories()


@pytest.mark.parametrize("row", ROUTES, ids=lambda row: f"{row.source}-{row.words[0]}-{row.owner}-{row.asked_by}")
def test_every_row_is_reached(row: Route):
    assert any(move.row is row for move in HISTORIES.values())


@pytest.mark.parametrize("row", ROUTES, ids=lambda row: f"{row.source}-{row.words[0]}-{row.owner}-{row.asked_by}")
def test_every_word_of_a_row_takes_it(row: Route):
    before = () if row.asked_by is None else (Said(row.asked_by, Word.FAIL),)
    moves = {following((*before, Said(row.source, word, row.owner))).row for word in row.words}
    assert moves == {row}


def test_table_is_that_of_the_mission():
    """The rows of mission.md, in their order; the first run of each stage."""
    start = (Said(P, Word.OK), Said(A, Word.PASS), Said(B, Word.COMPILED))
    passed = (*start, Said(D, Word.ALL_PASS))
    slow = (*passed, Said(E, Word.INVESTIGATE))
    cases = [
        ((Said(P, Word.NOT_OK),), End.STOP),
        ((Said(P, Word.OK),), A),
        (start[:2], B),
        ((start[0], Said(A, Word.FAIL_FIXABLE)), End.STOP),
        ((start[0], Said(A, Word.BLOCKED)), End.STOP),
        (start, D),
        *(((*start[:2], Said(B, word)), End.STOP) for word in (Word.FAIL_COMPILE, Word.FAIL_FIXABLE, Word.BLOCKED)),
        (passed, E),
        *(((*start, Said(D, word, Owner.HOST)), D) for word in (Word.FAIL, Word.BLOCKED)),
        *(((*start, Said(D, word, Owner.KERNEL)), C) for word in (Word.FAIL, Word.BLOCKED)),
        *(((*start, Said(D, word, Owner.ENV)), End.STOP) for word in (Word.FAIL, Word.BLOCKED)),
        ((*passed, Said(E, Word.DONE)), End.COMPLETE),
        (slow, C),
        ((*passed, Said(E, Word.BLOCKED)), C),
        ((*slow, Said(C, Word.FAIL_FIXABLE, Owner.HOST)), D),
        ((*slow, Said(C, Word.FAIL_FIXABLE, Owner.KERNEL)), B),
        *(((*slow, Said(C, word)), F) for word in (Word.PASS, Word.PASS_WITH_NOTES)),
        ((*start, Said(D, Word.FAIL, Owner.KERNEL), Said(C, Word.PASS)), End.GAP),
        *(((*slow, Said(C, word)), End.GAP) for word in (Word.FAIL_COMPILER_BUG, Word.BLOCKED)),
        ((*slow, Said(C, Word.PASS), Said(F, Word.FIXABLE, Owner.HOST)), D),
        ((*slow, Said(C, Word.PASS), Said(F, Word.FIXABLE, Owner.KERNEL)), B),
        *(((*slow, Said(C, Word.PASS), Said(F, word)), End.GAP) for word in (Word.ALIGNED, Word.BLOCKED)),
    ]
    assert [following(history).to for history, _ in cases] == [to for _, to in cases]


def test_second_investigation_goes_to_whoever_is_unused():
    again = (Said(P, Word.OK), Said(A, Word.PASS), Said(B, Word.COMPILED), Said(D, Word.ALL_PASS))
    again += (Said(E, Word.INVESTIGATE), Said(C, Word.FAIL_FIXABLE, Owner.KERNEL), Said(B, Word.COMPILED))
    again += (Said(D, Word.ALL_PASS), Said(E, Word.INVESTIGATE))
    assert following(again).to is F
    used = (*again, Said(F, Word.FIXABLE, Owner.KERNEL))
    assert following(used).to is End.GAP, "the author has had both runs"


@pytest.mark.parametrize("letter", list(Letter))
def test_every_cap_is_reached(letter: Letter):
    counts = [Counter(said.letter for said in history)[letter] for history in HISTORIES]
    assert max(counts) == CAPS[letter]


@pytest.mark.parametrize("letter", [B, C, D, F])
def test_every_cap_that_can_be_run_into_stops_a_run(letter: Letter):
    """Where a row would lead to a stage that has had its runs, the next of the row is taken."""
    hit = [move for history, move in HISTORIES.items() if _asks_for(move, letter) and _is_used(history, letter)]
    assert hit and all(move.to is not letter for move in hit)


@pytest.mark.parametrize(("letter", "end"), [(A, End.STOP), (E, End.GAP)])
def test_other_caps_would_stop_a_run_too(letter: Letter, end: End):
    """A is asked for once, and E never more often than D: only lower caps show that the router heeds theirs."""
    lower = {**CAPS, letter: CAPS[letter] - 1}
    histories_to_it = [history for history, move in HISTORIES.items() if move.to is letter]
    last_one = max(histories_to_it, key=lambda history: Counter(said.letter for said in history)[letter])
    assert following(last_one, lower).to is end


def _asks_for(move: Move, letter: Letter) -> bool:
    return move.row is not None and letter in move.row.to


def _is_used(history: tuple[Said, ...], letter: Letter) -> bool:
    return Counter(said.letter for said in history)[letter] == CAPS[letter]


def test_no_history_passes_a_cap_and_all_end():
    for history, move in HISTORIES.items():
        counts = Counter(said.letter for said in history)
        assert all(counts[letter] <= CAPS[letter] for letter in Letter)
        assert isinstance(move.to, End) or counts[move.to] < CAPS[move.to]
    assert any(isinstance(move.to, End) for move in HISTORIES.values())


@given(st.lists(st.sampled_from(EVERYTHING), max_size=14))
def test_any_verdicts_at_all_end_within_the_caps(verdicts: list[Said]):
    """A stage that says anything whatever, nonsense too: the run ends, and only DONE after ALL_PASS completes it."""
    history: list[Said] = []
    for wild in itertools.chain(verdicts, itertools.repeat(Said(P, Word.MALFORMED))):
        move = following(history)
        if isinstance(move.to, End):
            break
        history.append(Said(move.to, wild.word, wild.owner))
    assert len(history) <= sum(CAPS.values())
    if move.to is End.COMPLETE:
        assert [said.word for said in history[-2:]] == [Word.ALL_PASS, Word.DONE]


@pytest.mark.parametrize("letter", list(Letter))
def test_a_word_of_another_stage_is_malformed(letter: Letter):
    for word in set(Word) - words_of(letter):
        row = following((Said(letter, word),)).row
        assert row is not None and row.words == (Word.MALFORMED,) and isinstance(row.to[0], End)


@pytest.mark.parametrize("said", [Said(D, Word.FAIL), Said(C, Word.FAIL_FIXABLE), Said(F, Word.FIXABLE)])
def test_a_failure_without_owner_is_malformed(said: Said):
    row = following((said,)).row
    assert row is not None and row.words == (Word.MALFORMED,)


def test_every_stage_has_a_name_a_cap_and_rows():
    assert set(STAGE_NAMES) == set(CAPS) == {row.source for row in ROUTES} == set(Letter)
    assert all(isinstance(row.to[-1], End) for row in ROUTES)


def test_only_author_host_and_performance_run_twice():
    assert {letter for letter, cap in CAPS.items() if cap != 1} == {B, D, E}
    assert all(CAPS[letter] == 2 for letter in (B, D, E))


def test_specialists_come_only_after_a_failure():
    for history, move in HISTORIES.items():
        if move.to in (C, F):
            assert history[-1].word in {
                Word.FAIL, Word.BLOCKED, Word.INVESTIGATE, Word.PASS, Word.PASS_WITH_NOTES,
            }  # fmt: skip
            assert not any(said.word is Word.DONE for said in history)
