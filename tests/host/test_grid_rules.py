"""Grid rules: what is fitted gives every recorded grid, and what is not determined is no rule."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ferrotile.host.grid_rules import GridRule, NoRule, Observed, fit

SIZES = ((512, 384, 256), (1000, 130, 64), (128, 4096, 512), (8192, 8192, 128))
SM = 132


def up(number: int, divisor: int) -> int:
    return -(-number // divisor)


def launches(grid: Callable[[int, int, int, int], tuple[int, int, int]]) -> list[Observed]:
    """A product of matrices at several sizes and tiles."""
    found = []
    for number, (m, n, k) in enumerate(SIZES):
        tile = 64 << number % 2
        extents = {"a": (m, k), "b": (k, n), "c": (m, n)}
        found.append(Observed(extents, {"TILE": tile, "GROUP": 8}, grid(m, n, k, tile), SM))
    return found


RULES = {
    "(a.shape[0], 1, 1)": lambda m, n, k, t: (m, 1, 1),
    "(cdiv(a.shape[0], TILE), cdiv(b.shape[1], TILE), 1)": lambda m, n, k, t: (up(m, t), up(n, t), 1),
    "(cdiv(a.shape[0], TILE) * cdiv(b.shape[1], TILE), 1, 1)": lambda m, n, k, t: (up(m, t) * up(n, t), 1, 1),
    "(min(cdiv(a.shape[0], TILE) * cdiv(b.shape[1], TILE), multiprocessors), 1, 1)": lambda m, n, k, t: (
        min(SM, up(m, t) * up(n, t)), 1, 1,
    ),
    "(min(a.shape[0], 4 * multiprocessors), 1, 1)": lambda m, n, k, t: (min(m, 4 * SM), 1, 1),
    "(cdiv(a.shape[0], 32), 1, 1)": lambda m, n, k, t: (up(m, 32), 1, 1),
    "(7, GROUP, multiprocessors)": lambda m, n, k, t: (7, 8, SM),
}  # fmt: skip


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_found_and_gives_every_grid(text: str) -> None:
    seen = launches(RULES[text])
    rule = fit(seen)
    assert isinstance(rule, GridRule), rule
    assert str(rule) == text and rule.launches == len(SIZES)
    assert all(rule.holds(launch) for launch in seen)


def test_equal_extents_are_one_and_the_rule_says_so() -> None:
    rule = fit(launches(RULES["(a.shape[0], 1, 1)"]))
    assert isinstance(rule, GridRule)
    assert [(str(left), str(right)) for left, right in rule.equal] == [("a.shape[0]", "c.shape[0]")]
    other = Observed({"a": (8, 4), "b": (4, 4), "c": (9, 4)}, {"TILE": 64, "GROUP": 8}, (8, 1, 1), SM)
    assert not rule.holds(other)


def test_one_launch_says_too_little() -> None:
    """Its grid is that of `GROUP`, by chance."""
    seen = launches(lambda m, n, k, t: (up(m, t), 1, 1))[:1]
    rule = fit(seen)
    assert isinstance(rule, NoRule) and rule.why == "one launch says too little of the grid's x, which is 8"


def test_several_formulas_that_explain_all_launches_give_no_rule() -> None:
    seen = [Observed({"x": (n,)}, {"n": n}, (n, 1, 1)) for n in (8, 9)]
    rule = fit(seen)
    assert isinstance(rule, NoRule) and rule.why.endswith("2 launches equally well: `x.shape[0]`, `n`")


def test_a_grid_that_no_formula_gives_has_no_rule() -> None:
    odd = launches(lambda m, n, k, t: (m * 3 + n + 1, 1, 1))
    rule = fit(odd)
    assert isinstance(rule, NoRule) and "no formula gives the grid's x of 4 launches" in rule.why


def test_a_grid_that_changes_where_nothing_else_does_has_no_rule() -> None:
    same = Observed({"x": (8,)}, {}, (8, 1, 1), SM)
    rule = fit([same, Observed({"x": (8,)}, {}, (9, 1, 1), SM)])
    assert isinstance(rule, NoRule)


def test_nothing_recorded_and_other_ranks_are_told() -> None:
    assert fit([]) == NoRule("no launch was recorded")
    rule = fit([Observed({"x": (8,)}, {}, (8, 1, 1)), Observed({"x": (8, 8)}, {}, (8, 1, 1))])
    assert isinstance(rule, NoRule) and "other ranks" in rule.why


def test_without_a_count_of_multiprocessors_none_is_used() -> None:
    seen = [Observed(one.extents, one.numbers, one.grid) for one in launches(lambda m, n, k, t: (min(m, SM), 1, 1))]
    assert isinstance(fit(seen), NoRule)
