"""Loops and branches: what they carry, how they nest, and how they end."""

from __future__ import annotations

from cases import Case, named
from surround import Surround
from xdsl.ir import SSAValue


def _bounds(k: Surround, element: str = "i32") -> tuple[SSAValue, ...]:
    return k.parameters(element, element, element)


def _total(k: Surround, element: str, step: int | None = None) -> None:
    """A tile, a number and a token carried."""
    low, high, by = _bounds(k, element)
    tile, number = k.given("4xf32"), k.given("i32")
    with k.for_(low, high, by if step is None else k.constant(element, step), tile, number, k.token()) as loop:
        total, count, token = loop.values
        more, loaded = k.load(*k.tile("f32", "in", (4,)), token=token)
        k.end("continue", k.addf(total, more), k.addi(count, number), loaded)
    for result in loop.results:
        k.keep(result)


def for_index(k: Surround) -> None:
    low, high, step = _bounds(k)
    with k.for_(low, high, step, k.given("i32")) as loop:
        k.end("continue", k.addi(loop.values[0], loop.index))
    k.keep(loop.results[0])


def for_literal_bounds(k: Surround) -> None:
    with k.for_(k.constant("i32", 0), k.constant("i32", 7), k.constant("i32", 2), k.given("4xf32")) as loop:
        k.end("continue", k.absf(loop.values[0]))
    k.keep(loop.results[0])


def for_swap(k: Surround) -> None:
    """Two carried values change places."""
    with k.for_(*_bounds(k), k.given("4xf32"), k.given("4xf32")) as loop:
        k.end("continue", loop.values[1], loop.values[0])
    for result in loop.results:
        k.keep(result)


def for_shift(k: Surround) -> None:
    """Each value becomes the next, and old ones are read after the new one is made."""
    with k.for_(*_bounds(k), k.given("4xf32"), k.given("4xf32"), k.given("4xf32")) as loop:
        first, second, third = loop.values
        new = k.addf(first, third)
        k.end("continue", second, k.mulf(new, second), new)
    for result in loop.results:
        k.keep(result)


def for_loaded_ahead(k: Surround) -> None:
    """The tile for the next round is loaded in this one."""
    first, _ = k.load(*k.tile("f32", "in", (4,)))
    with k.for_(*_bounds(k), first, k.given("4xf32")) as loop:
        ahead, total = loop.values
        total = k.addf(total, ahead)
        following, _ = k.load(*k.tile("f32", "in", (4,)))
        k.end("continue", following, total)
    k.keep(loop.results[1])
    k.keep(loop.results[0])


def for_old_value_waits(k: Surround) -> None:
    """A number made from the old value is read after the value has changed."""
    with k.for_(*_bounds(k), k.given("i32"), k.given("i32")) as loop:
        old, sum_ = loop.values
        doubled = k.addi(old, old)
        condition = k.less(old, sum_)
        then, other, (new,) = k.if_(condition, old)
        with then:
            k.end("yield", k.addi(old, sum_))
        with other:
            k.end("yield", k.subi(old, sum_))
        k.end("continue", new, k.addi(sum_, doubled))
    for result in loop.results:
        k.keep(result)


def for_conversion_inside(k: Surround) -> None:
    """A tile is read as a number in the loop, and again behind it."""
    number = k.divi(k.given("i32"), k.given("i32"), rounding=k.floor)
    with k.for_(*_bounds(k), k.given("4xf32")) as loop:
        view, _ = k.tile("f32", "in", (4,))
        more, _ = k.load(view, [number])
        k.end("continue", k.addf(loop.values[0], more))
    view, _ = k.tile("f32", "out", (4,))
    k.store(loop.results[0], view, [number])


def for_nested(k: Surround) -> None:
    with k.for_(*_bounds(k), k.given("4xf32"), k.given("4xf32")) as outer:
        with k.for_(k.constant("i32", 0), outer.index, k.constant("i32", 1), outer.values[0]) as inner:
            k.end("continue", k.addf(inner.values[0], outer.values[1]))
        k.end("continue", inner.results[0], k.absf(inner.results[0]))
    for result in outer.results:
        k.keep(result)


def for_results_cross(k: Surround) -> None:
    """Results of an inner loop go on in the variables of the outer one, crosswise."""
    with k.for_(*_bounds(k), k.given("4xf32"), k.given("4xf32")) as outer:
        first, second = outer.values
        with k.for_(k.constant("i32", 0), outer.index, k.constant("i32", 1), second, first) as inner:
            k.end("continue", inner.values[1], k.mulf(inner.values[0], second))
        k.end("continue", *inner.results)
    for result in outer.results:
        k.keep(result)


def for_unchanged(k: Surround) -> None:
    with k.for_(*_bounds(k), k.given("4xf32"), k.given("4xf16")) as loop:
        k.end("continue", loop.values[0], k.absf(loop.values[1]))
    for result in loop.results:
        k.keep(result)


def for_unsigned(k: Surround) -> None:
    with k.for_(*_bounds(k), k.given("4xf32"), unsignedCmp=True) as loop:
        k.end("continue", k.absf(loop.values[0]))
    k.keep(loop.results[0])


def while_less(k: Surround) -> None:
    """`while i < n`: leave first, then the body."""
    limit = k.given("i32")
    with k.loop(k.given("i32"), k.given("4xf32")) as loop:
        number, tile = loop.values
        then, other, _ = k.if_(k.less(limit, number))
        with then:
            k.end("break", number, tile)
        with other:
            k.end("yield")
        k.end("continue", k.addi(number, k.constant("i32", 1)), k.absf(tile))
    for result in loop.results:
        k.keep(result)


def loop_continues_early(k: Surround) -> None:
    limit = k.given("i32")
    with k.loop(k.given("i32")) as loop:
        number = loop.values[0]
        then, other, _ = k.if_(k.less(number, limit))
        with then:
            k.end("continue", k.addi(number, k.constant("i32", 3)))
        with other:
            k.end("yield")
        k.end("break", number)
    k.keep(loop.results[0])


def loop_other_results(k: Surround) -> None:
    limit = k.given("4xf32")
    with k.loop(k.given("i32"), results=[limit]) as loop:
        then, other, _ = k.if_(k.less(loop.values[0], k.given("i32")))
        with then:
            k.end("break", limit)
        with other:
            k.end("yield")
        k.end("continue", loop.values[0])
    k.keep(loop.results[0])


def _chosen(k: Surround, word: str) -> None:
    """Each branch gives a value of its own."""
    then, other, (result,) = k.if_(k.given("i1"), word)
    with then:
        k.end("yield", k.given(word))
    with other:
        k.end("yield", k.given(word))
    k.keep(result)


def if_passes(k: Surround) -> None:
    """One branch changes the value, the other passes it."""
    value = k.given("4xf32")
    then, other, (result,) = k.if_(k.given("i1"), value)
    with then:
        k.end("yield", k.absf(value))
    with other:
        k.end("yield", value)
    k.keep(result)
    k.keep(value)


def if_token(k: Surround) -> None:
    """A store in one branch; what follows waits for it."""
    start = k.token()
    then, other, (token,) = k.if_(k.given("i1"), start)
    with then:
        k.end("yield", k.store(k.given("4xf32"), *k.tile("f32", "out", (4,)), token=start))
    with other:
        k.end("yield", start)
    k.keep(token)


def if_swaps(k: Surround) -> None:
    first, second = k.given("i32"), k.given("i32")
    then, other, results = k.if_(k.given("i1"), first, second)
    with then:
        k.end("yield", second, first)
    with other:
        k.end("yield", first, second)
    for result in results:
        k.keep(result)


def if_gives_one_twice(k: Surround) -> None:
    """Two results are what an earlier branch gave, if the second one is taken."""
    start, more = k.given("4xf32"), k.given("4xf32")
    then, other, (value,) = k.if_(k.given("i1"), start)
    with then:
        k.end("yield", k.absf(start))
    with other:
        k.end("yield", k.negf(more))
    then, other, results = k.if_(k.given("i1"), value, value)
    with then:
        k.end("yield", k.absf(value), k.addf(value, more))
    with other:
        k.end("yield", value, value)
    for result in results:
        k.keep(result)


def if_in_loop_conversion(k: Surround) -> None:
    """A tile is read as a number in one branch, and behind both."""
    number = k.divi(k.given("i32"), k.given("i32"), rounding=k.floor)
    then, other, _ = k.if_(k.given("i1"))
    with then:
        view, _ = k.tile("f32", "out", (4,))
        k.store(k.given("4xf32"), view, [number])
        k.end("yield")
    with other:
        k.end("yield")
    view, _ = k.tile("f32", "out", (4,))
    k.store(k.given("4xf32"), view, [number])


def if_returns(k: Surround) -> None:
    then, other, _ = k.if_(k.given("i1"))
    with then:
        k.end("return")
    with other:
        k.end("yield")
    k.keep(k.given("4xf32"))


def if_returns_deeper(k: Surround) -> None:
    then, other, _ = k.if_(k.given("i1"))
    with then:
        inner, rest, _ = k.if_(k.given("i1"))
        with inner:
            k.end("return")
        with rest:
            k.end("yield")
        k.keep(k.given("4xf32"))
        k.end("yield")
    with other:
        k.end("yield")
    k.keep(k.given("4xf32"))


VALUES = ("4xf32", "f32", "4xf16", "4xbf16", "4xf64", "4xi8", "4xi16", "4xi32", "4xi64", "i32", "i64", "i1", "4xi1")

CONTROL: list[Case] = [
    *named(
        "for",
        {
            "i32": lambda k: _total(k, "i32"),
            "one": lambda k: _total(k, "i32", 1),
            "four": lambda k: _total(k, "i32", 4),
            "index": for_index,
            "literal_bounds": for_literal_bounds,
            "swap": for_swap,
            "shift": for_shift,
            "loaded_ahead": for_loaded_ahead,
            "old_value_waits": for_old_value_waits,
            "conversion_inside": for_conversion_inside,
            "nested": for_nested,
            "results_cross": for_results_cross,
            "unchanged": for_unchanged,
            "unsigned": for_unsigned,
        },
        unsigned="FT304",
    ),
    *named(
        "loop",
        {"while": while_less, "continues": loop_continues_early, "other_results": loop_other_results},
        other_results="FT304",
    ),
    *named("if", {word: lambda k, word=word: _chosen(k, word) for word in VALUES}),
    *named(
        "if",
        {
            "passes": if_passes,
            "token": if_token,
            "swaps": if_swaps,
            "one_twice": if_gives_one_twice,
            "conversion": if_in_loop_conversion,
            "returns": if_returns,
            "returns_deeper": if_returns_deeper,
        },
        returns_deeper="FT304",
    ),
]
