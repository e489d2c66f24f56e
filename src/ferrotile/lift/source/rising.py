"""Choose names for an ordered list of values, when the names are known to rise in the alphabet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

_NOBODY = -1
"""Stands for no candidate."""


def rising_names(evidence: Sequence[dict[str, int]], candidates: Iterable[str]) -> list[str | None]:
    """The rising choice of candidates with the most evidence; None where nothing speaks for any.

    A slot without evidence takes the one candidate that the order leaves for it, if it is exactly one.

    Example:
        >>> rising_names([{"acc": 6}, {}, {"m": 6, "acc": 3}], ["acc", "l", "m", "z"])
        ['acc', 'l', 'm']
    """
    ordered = sorted(set(candidates))
    chosen = _follow(_best_picks(evidence, ordered))
    for slot, index in enumerate(chosen):
        if index == _NOBODY:
            chosen[slot] = _only_gap(chosen, slot, len(ordered))
    return [None if index == _NOBODY else ordered[index] for index in chosen]


def _best_picks(evidence: Sequence[dict[str, int]], ordered: Sequence[str]) -> list[list[int]]:
    """Per slot, the best candidate when those before `first` are used up: dynamic programming from the last slot."""
    count = len(ordered)
    after = [0] * (count + 1)
    picks: list[list[int]] = []
    for weights in reversed(evidence):
        totals = list(after)
        pick = [_NOBODY] * (count + 1)
        for first in reversed(range(count)):
            weight = weights.get(ordered[first], 0)
            if totals[first + 1] >= totals[first]:
                totals[first], pick[first] = totals[first + 1], pick[first + 1]
            if weight and after[first] + weight >= totals[first]:
                totals[first], pick[first] = after[first] + weight, first
        after = totals
        picks.append(pick)
    return picks[::-1]


def _follow(picks: Sequence[Sequence[int]]) -> list[int]:
    chosen: list[int] = []
    first = 0
    for pick in picks:
        chosen.append(pick[first])
        first = max(first, pick[first])
    return chosen


def _only_gap(chosen: Sequence[int], slot: int, count: int) -> int:
    below = chosen[slot - 1] if slot else -1
    above = chosen[slot + 1] if slot + 1 < len(chosen) else count
    if (slot and below == _NOBODY) or above == _NOBODY or above - below != 2:
        return _NOBODY
    return below + 1
