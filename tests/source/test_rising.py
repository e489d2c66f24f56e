"""Carried values take rising names; evidence decides, the order breaks ties and fills single gaps."""

from __future__ import annotations

from itertools import combinations_with_replacement

from hypothesis import given
from hypothesis import strategies as st

from ferrotile.lift.source.rising import rising_names

NAMES = ["a", "b", "c", "d"]
EVIDENCE = st.lists(st.dictionaries(st.sampled_from([*NAMES, "z"]), st.integers(1, 9), max_size=3), max_size=5)


def score(evidence: list[dict[str, int]], chosen: list[str | None]) -> int:
    return sum(weights.get(name, 0) for weights, name in zip(evidence, chosen, strict=True) if name)


@given(EVIDENCE)
def test_choice_rises_and_has_the_most_evidence(evidence: list[dict[str, int]]) -> None:
    chosen = rising_names(evidence, NAMES)
    given_names = [name for name in chosen if name is not None]
    assert given_names == sorted(given_names)
    best = max(score(evidence, list(names)) for names in combinations_with_replacement(NAMES, len(evidence)))
    assert score(evidence, chosen) == best


def test_order_overrules_a_copy() -> None:
    # `m = m_new` at the end of the body: the value that is carried is named m_new, the variable is m.
    assert rising_names([{"acc": 6}, {"l": 6}, {"m": 4}], ["acc", "l", "m"]) == ["acc", "l", "m"]
    assert rising_names([{"m": 6}, {"acc": 1}], ["acc", "m"]) == ["m", None]


def test_many_carried_values_take_linear_time() -> None:
    assert rising_names([{}] * 20_000, ["a", "b"]) == [None] * 20_000
