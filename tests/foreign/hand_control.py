"""Control flow and memory order that no Python source gives: nothing used, nothing reached, tokens in diamonds."""

from __future__ import annotations

from hand import Kernel, hand
from xdsl.ir import SSAValue

from ferrotile.ir.types import TokenType


def _zero(k: Kernel) -> SSAValue:
    return k.constant("i32", 0)


@hand
def empty(k: Kernel) -> None:
    """A kernel without parameters that does nothing."""


@hand
def scalars_only(k: Kernel) -> None:
    """Only numbers come in, and nothing goes out."""
    a, b = k.parameters("i32", "f32")
    k.addf(b, k.itof(k.muli(a, a), to="f32"))


@hand
def dead_parameters(k: Kernel) -> None:
    """Arrays, pointers and numbers that the kernel never uses, between those that it uses."""
    k.vector("f16")
    source = k.tiles()
    k.parameters("i64", "ptr<i8>", "f64", "i1")
    out = k.tiles()
    k.parameters("i32", "ptr<f32>")
    value, _ = k.load(source, [k.block_id()[0]])
    k.store(value, out, [k.block_id()[0]])


@hand
def many_parameters(k: Kernel) -> None:
    """64 numbers are added up."""
    total, *rest = k.parameters(*["f32"] * 64)
    for number in rest:
        total = k.addf(total, number)
    k.store(k.splat(total, (16,)), k.tiles(), [_zero(k)])


@hand
def unused_loops(k: Kernel) -> None:
    """Loops in loops whose results nobody reads, and one store in the innermost."""
    (count,) = k.parameters("i32")
    out, one = k.tiles("i32"), k.constant("i32", 1)
    with k.for_(_zero(k), count, one, one, k.constant("16xf32", 1)) as outer:
        assert outer.index is not None
        with k.for_(outer.index, count, one, outer.values[0], k.constant("16xi32", 2)) as inner:
            assert inner.index is not None
            k.store(inner.values[1], out, [inner.index])
            k.end("continue", k.addi(inner.values[0], one), inner.values[1])
        k.end("continue", k.muli(inner.results[0], one), outer.values[1])


@hand
def never_taken(k: Kernel) -> None:
    """A branch on a constant that is false, and a loop from 5 to 2."""
    out, one = k.tiles(), k.constant("i32", 1)
    then, other, _ = k.if_(k.constant("i1", 0))
    with then:
        k.store(k.constant("16xf32", 1), out, [_zero(k)])
        k.end("yield")
    with other:
        k.end("yield")
    with k.for_(k.constant("i32", 5), k.constant("i32", 2), one) as loop:
        assert loop.index is not None
        k.store(k.constant("16xf32", 2), out, [loop.index])
        k.end("continue")
    k.store(k.constant("16xf32", 3), out, [one])


@hand
def one_round(k: Kernel) -> None:
    """A `loop` that always leaves in its first round."""
    out = k.tiles()
    value, _ = k.load(out, [_zero(k)])
    with k.loop(value) as loop:
        k.end("break", k.addf(loop.values[0], loop.values[0]))
    k.store(loop.results[0], out, [_zero(k)])


@hand
def other_results(k: Kernel) -> None:
    """A `loop` gives results of other types than the values that it carries."""
    (limit,) = k.parameters("i32")
    result = k.constant("16xf32", 0)
    with k.loop(_zero(k), results=[result, limit]) as loop:
        (number,) = loop.values
        then, other, _ = k.if_(k.compared(number, limit, "GREATER_THAN_OR_EQUAL"))
        with then:
            k.end("break", k.splat(k.itof(number, to="f32"), (16,)), k.addi(number, number))
        with other:
            k.end("yield")
        k.end("continue", k.addi(number, k.constant("i32", 3)))
    k.store(k.addf(loop.results[0], k.splat(k.itof(loop.results[1], to="f32"), (16,))), k.tiles(), [_zero(k)])


@hand
def two_ways_out(k: Kernel) -> None:
    """A `loop` that leaves in either arm of nested branches, with other values each time."""
    (limit,) = k.parameters("i32")
    one = k.constant("i32", 1)
    with k.loop(_zero(k)) as loop:
        (number,) = loop.values
        then, other, _ = k.if_(k.compared(number, limit))
        with then:
            inner, rest, _ = k.if_(k.compared(k.muli(number, number), limit, "GREATER_THAN"))
            with inner:
                k.end("break", k.subi(number, one))
            with rest:
                k.end("continue", k.addi(number, one))
            k.end("yield")
        with other:
            k.end("break", limit)
        k.end("continue", number)
    k.store(k.splat(loop.results[0], (16,)), k.tiles("i32"), [_zero(k)])


@hand
def early_return(k: Kernel) -> None:
    """The kernel returns from inside a branch, before it stores."""
    (limit,) = k.parameters("i32")
    out, number = k.tiles(), k.block_id()[0]
    then, other, _ = k.if_(k.compared(number, limit, "GREATER_THAN"))
    with then:
        k._add("return", {"operands": ()}, {}, [])
    with other:
        k.end("yield")
    k.store(k.constant("16xf32", 1), out, [number])


@hand
def deep_branches(k: Kernel) -> None:
    """Twelve branches, each in the one before, that pass a tile and a number out."""
    (limit,) = k.parameters("i32")

    def nested(depth: int) -> tuple[SSAValue, SSAValue]:
        value, number = k.constant("16xf32", depth), k.constant("i32", depth)
        if not depth:
            return value, number
        then, other, results = k.if_(k.compared(number, limit), value, number)
        with then:
            k.end("yield", *nested(depth - 1))
        with other:
            k.end("yield", k.addf(value, value), number)
        return results[0], results[1]

    value, number = nested(12)
    k.store(value, k.tiles(), [number])


@hand
def loop_of_64_bits(k: Kernel) -> None:
    """A counted loop over 64-bit numbers, compared without sign."""
    low, high, step = k.parameters("i64", "i64", "i64")
    with k.for_(low, high, step, k.constant("i64", 0), unsignedCmp=True) as loop:
        k.end("continue", k.addi(loop.values[0], loop.index))
    k.store(k.splat(loop.results[0], (16,)), k.tiles("i64"), [_zero(k)])


@hand
def token_diamond(k: Kernel) -> None:
    """A store, two loads after it, and a store after both."""
    array, out = k.tiles(), k.tiles()
    first = k.store(k.constant("16xf32", 2), array, [_zero(k)], k.token())
    a, after_a = k.load(array, [_zero(k)], first)
    b, after_b = k.load(array, [k.constant("i32", 1)], first)
    second = k.store(k.addf(a, b), array, [_zero(k)], k.join(after_a, after_b))
    value, _ = k.load(array, [_zero(k)], k.join(second, k.join(first, after_a)))
    k.store(value, out, [_zero(k)], second)


@hand
def tokens_in_loops(k: Kernel) -> None:
    """Two tokens are carried through a loop and change places, a branch yields one of them."""
    (count,) = k.parameters("i32")
    x, y, one = k.tiles(), k.tiles(), k.constant("i32", 1)
    with k.for_(_zero(k), count, one, k.token(), k.token()) as loop:
        assert loop.index is not None
        left, right = loop.values
        value, loaded = k.load(x, [loop.index], left)
        then, other, (chosen,) = k.if_(k.compared(loop.index, one), left)
        with then:
            k.end("yield", k.store(value, y, [loop.index], k.join(loaded, right)))
        with other:
            k.end("yield", loaded)
        k.end("continue", right, chosen)
    k.store(k.constant("16xf32", 0), y, [_zero(k)], k.join(*loop.results))


@hand
def unordered_stores(k: Kernel) -> None:
    """Two stores to one place that nothing orders: tokens are made and thrown away."""
    out = k.tiles()
    k.store(k.constant("16xf32", 1), out, [_zero(k)], k.token())
    k.store(k.constant("16xf32", 1), out, [_zero(k)])
    k.join(k.token(), k.token(), k.token())


def _said(k: Kernel, text: str) -> None:
    value, _ = k.load(k.tiles(), [_zero(k)])
    token = k.any("print_tko", {"args": [value], "token": k.token()}, [TokenType()], str=text)[0]
    number = k.block_id()[0]
    below = k.compared(number, k.constant("i32", 8))
    k._add("assert", {"condition": k.splat(below, (4,))}, {"message": '{0} is "not" \\below\\ 8%'}, [])
    k.store(value, k.tiles(), [number], token)


@hand
def odd_messages(k: Kernel) -> None:
    """Printed text and an assertion with quotes, braces, percent signs and a tab."""
    _said(k, 'a "b" {c} \\ 100%% \t%f\n')


@hand
def letters_in_messages(k: Kernel) -> None:
    """Printed text with letters beyond ASCII."""
    _said(k, "%f Ж\n")


@hand
def reshaped_to_itself(k: Kernel) -> None:
    """A tile is read under a second name, by a reshape to its own shape, after another tile took the first name."""
    array, out = k.tiles(), k.tiles()
    first, _ = k.load(array, [_zero(k)])
    kept = k.reshape(first, to="16xf32")
    second, _ = k.load(array, [k.constant("i32", 1)])
    k.store(second, out, [_zero(k)])
    k.store(kept, out, [k.constant("i32", 1)])


@hand
def reshaped_and_carried(k: Kernel) -> None:
    """A carried tile is kept under a second name while the loop goes on to the next."""
    (count,) = k.parameters("i32")
    array, out, one = k.tiles(), k.tiles(), k.constant("i32", 1)
    start, _ = k.load(array, [_zero(k)])
    with k.for_(_zero(k), count, one, start) as loop:
        assert loop.index is not None
        old = k.reshape(loop.values[0], to="16xf32")
        new, _ = k.load(array, [loop.index])
        k.store(k.subf(new, old), out, [loop.index])
        k.end("continue", k.mulf(new, old))
    kept = k.reshape(loop.results[0], to="16xf32")
    with k.for_(_zero(k), count, one, loop.results[0]) as loop:
        k.end("continue", k.addf(loop.values[0], kept))
    k.store(k.addf(loop.results[0], kept), out, [_zero(k)])


@hand
def fence_for_nobody(k: Kernel) -> None:
    """A fence between aliased addresses, whose token nobody takes."""
    waited = k.any("gdc_wait_tko", {}, [TokenType()])[0]
    k.any("memory_fence_alias_tko", {"token": waited}, [TokenType()])
    k.store(k.constant("16xf32", 1), k.tiles(), [_zero(k)])


@hand
def return_in_loop(k: Kernel) -> None:
    """A `loop` that ends the kernel in its first round, and a store that is never reached."""
    with k.loop():
        k._add("return", {"operands": ()}, {}, [])
    k.store(k.constant("16xf32", 1), k.tiles(), [_zero(k)])


@hand
def comparison_of_constants(k: Kernel) -> None:
    """An assertion over a comparison of constants, which cutile computes while it compiles."""
    number = k.block_id()[0]
    holds = k.compared(_zero(k), _zero(k), "GREATER_THAN_OR_EQUAL")
    both = k.andi(holds, k.compared(number, k.constant("i32", 8)))
    k._add("assert", {"condition": both}, {"message": "eight blocks at most"}, [])
    k.store(k.constant("16xf32", 1), k.tiles(), [number])
