"""Worker processes: all outcomes come, also when a process dies. Items are calls of the standard library."""

import operator
import os
import time
from functools import partial

import pytest

from ferrotile.core.pool import run_all

call = operator.methodcaller("__call__")


def died(item: object, code: int | None) -> str:
    return f"died by {code}"


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_every_item_gets_its_outcome(jobs: int):
    assert dict(run_all(abs, [-3, -2, -1, 0], jobs, died)) == {0: 3, 1: 2, 2: 1, 3: 0}


@pytest.mark.parametrize("jobs", [1, 2])
def test_death_of_a_process_loses_only_its_item(jobs: int):
    items = [partial(int, 1), partial(os._exit, 7), partial(int, 2), partial(int, 3)]
    assert dict(run_all(call, items, jobs, died)) == {0: 1, 1: "died by 7", 2: 2, 3: 3}


def test_death_by_signal_is_told():
    assert dict(run_all(call, [partial(os.abort)], 1, died)) == {0: "died by -6"}


def test_outcome_that_cannot_be_sent_is_a_death():
    assert dict(run_all(operator.attrgetter("__class__"), [iter([])], 1, died)) == {0: "died by 1"}


def test_item_that_takes_too_long_is_ended():
    items = [partial(int, 1), partial(time.sleep, 60), partial(int, 2)]
    assert dict(run_all(call, items, 2, died, limit_s=6.0)) == {0: 1, 1: "died by None", 2: 2}


def test_nothing_to_do():
    assert list(run_all(abs, [], 2, died)) == []
