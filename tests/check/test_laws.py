"""Each law, proved: by running programs that differ by it, with random values or all small ones, or by all small cases.

What programs do when run is said by the `evaluate` column of the operation table, which check does not read.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from itertools import combinations, product

import harmless_control  # noqa: F401
import numpy as np
import pytest
from builder import Builder, built
from flows import Flow, exchange, run_alike
from harmless import REWRITES
from hypothesis import given, settings
from hypothesis import strategies as st
from integer_constants import results, stored
from orders import Order, closure, orders
from pair_runs import differences, pairs_of
from values import ELEMENTS, contradictions, numbered

from ferrotile import ir
from ferrotile.check import LAWS, compare, normal
from ferrotile.check.facts import Fact, facts_of, interval_of
from ferrotile.check.kernel import Interner, Kernel
from ferrotile.core import ParameterMap, Role, VerdictKind
from ferrotile.interp import interpret, same_results
from ferrotile.ir import Bounded, DivBy
from ferrotile.ir.enums import MemoryOrderingSemantics, MemoryScope, RoundingMode, Signedness

PROVED: dict[str, list[str]] = {}
"""By law, the tests that prove it."""
SOME, MANY = range(24), range(30, 300)
"""Seeds of random programs: in every run, and in the slow one."""


def proves(*laws: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Say which laws a test proves."""

    def enter(test: Callable[..., None]) -> Callable[..., None]:
        for law in laws:
            PROVED.setdefault(law, []).append(test.__name__)
        return test

    return enter


def unproved(laws: Iterable[str]) -> list[str]:
    """Laws without a test that proves them."""
    return [law for law in laws if law not in PROVED]


def test_each_law_has_a_proof() -> None:
    assert unproved(LAWS) == []
    assert unproved([*LAWS, "a-new-law"]) == ["a-new-law"]
    assert set(PROVED) <= set(LAWS), f"proofs of laws that are gone: {set(PROVED) - set(LAWS)}"


# Values: what has one number in check's graph has the same bits when run

OF_VALUES = (
    "same-type", "constant-bits", "reshape-chain", "permute-chain", "broadcast-chain", "splat", "widening-moves",
    "integer-constants",
)  # fmt: skip


@proves(*OF_VALUES)
def test_values_with_one_number_have_the_same_bits() -> None:
    used: set[str] = set()
    for seed in SOME:
        found = numbered(seed, 40)
        assert contradictions(found) == [], seed
        used |= found.laws
    assert set(OF_VALUES) - used <= {"broadcast-chain"}, "the programs need all laws that they are to prove"


@pytest.mark.slow
def test_values_with_one_number_have_the_same_bits_in_many_programs() -> None:
    used: set[str] = set()
    for seed in MANY:
        found = numbered(seed, 40)
        assert contradictions(found) == [], seed
        used |= found.laws
    assert set(OF_VALUES) <= used


def sorted_operands(graph, node):  # type: ignore[no-untyped-def]
    """A wrong law: operands have no order."""
    return graph.intern((node.signature, *sorted(graph.numbers(node.operands))))


def any_sign(graph, node):  # type: ignore[no-untyped-def]
    """A wrong law: widening does not depend on the sign."""
    return graph.intern(("exti", True, str(graph.kernel.types[node.results[0]]), graph.ids[node.operands[0]]))


def operand(graph, node):  # type: ignore[no-untyped-def]
    """A wrong law: the operation does nothing."""
    return graph.ids[node.operands[0]]


WRONG = {"subi": sorted_operands, "exti": any_sign, "permute": operand, "broadcast": operand}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_law_about_values_is_contradicted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(normal.SPECIAL, name, WRONG[name])
    assert any(contradictions(numbered(seed, 60)) for seed in MANY[:60])


# Control: rewrites and exchanged operands in random programs of loops and branches

OF_FLOW = {
    "dead-code": "add dead code",
    "negated-branch": "negate conditions",
    "if-passes-through": "give what a branch does not touch",
    "carried-values-by-use": "carry loop values in the opposite order",
    "carried-constant": "carry what a loop only reads, and what it gives on",
    "carried-twice": "carry values twice",
    "invariant-result": "carry what a loop only reads, and what it gives on",
}


def wrong_in_flow(seed: int, laws: set[str], exchanges: int = 3) -> list[str]:
    """What check and the interpreter say differently of variants of a program; adds the laws that were used."""
    data = ir.encode(Flow(seed).write())
    reference, wrong = ir.decode(data), []
    for title in dict.fromkeys(OF_FLOW.values()):
        changed = ir.decode(data)
        if REWRITES[title](changed):
            verdict = compare(reference, changed, None, "sm_90")
            laws.update(verdict.laws)
            if verdict.kind is not VerdictKind.EQUAL or not run_alike(reference, changed):
                wrong.append(f"{seed}: {title}: {verdict.kind} {verdict.sentence}")
    dice = random.Random(seed)
    for _ in range(exchanges):
        changed = ir.decode(data)
        if exchange(changed, dice) and compare(reference, changed, None, "sm_90").holds:
            wrong += [] if run_alike(reference, changed) else [f"{seed}: an operand that matters was exchanged"]
    return wrong


@proves(*OF_FLOW)
def test_variants_that_check_calls_equal_do_the_same() -> None:
    used: set[str] = set()
    assert [text for seed in SOME[:10] for text in wrong_in_flow(seed, used)] == []
    assert set(OF_FLOW) <= used


@pytest.mark.parametrize(
    "seeds", [pytest.param(MANY[:25], marks=pytest.mark.slow), pytest.param(MANY[25:100], marks=pytest.mark.sweep)]
)
def test_many_variants_that_check_calls_equal_do_the_same(seeds: range) -> None:
    assert [text for seed in seeds for text in wrong_in_flow(seed, set(), 8)] == []


def test_a_wrong_law_about_loops_is_contradicted(monkeypatch: pytest.MonkeyPatch) -> None:
    from weak import careless_loops

    careless_loops(monkeypatch)
    assert any(wrong_in_flow(seed, set(), 12) for seed in MANY[:40])


# Pairs: run with all small numbers, and random arrays

TWINS = ("early-return", "negated-branch", "one-round", "scan-axis", "narrow-fold", "same-type")
BY_PAIRS = (
    "early-return",
    "branch-taken",
    "never-reached",
    "one-round",
    "no-round",
    "scan-axis",
    "packed-fold",
    "narrow-fold",
)


@proves(*BY_PAIRS)
@pytest.mark.parametrize("law", BY_PAIRS)
def test_pairs_of_a_law_do_the_same_for_all_small_numbers(law: str) -> None:
    assert pairs_of(law)
    for first, second in pairs_of(law):
        assert differences(built(first), built(second)) == []


@pytest.mark.parametrize(
    "law", ("early-return", "negated-branch", "one-round", "scan-axis", "narrow-fold", "same-type")
)
def test_the_wrong_twin_of_a_pair_does_something_else(law: str) -> None:
    for first, second in pairs_of(law, bad=True):
        assert differences(built(first), built(second))


# Facts: all small numbers

SMALL = range(-12, 13)
PREDICATES = [DivBy(2), DivBy(3), DivBy(4), Bounded(0, None), Bounded(-2, 5), Bounded(None, 7), Bounded(3, 3)]


def holds(fact: Fact, number: int) -> bool:
    """Whether a fact in normal form is true of a number."""
    if fact[0] == "div_by":
        return number % fact[1] == 0
    _, low, high = fact
    return (low is None or low <= number) and (high is None or number <= high)


def is_true(predicate: DivBy | Bounded, number: int) -> bool:
    """Whether an assumption is true of a number."""
    if isinstance(predicate, DivBy):
        return number % predicate.divisor == 0
    return (predicate.lb is None or predicate.lb <= number) and (predicate.ub is None or number <= predicate.ub)


@proves("facts-are-a-set")
def test_the_normal_form_of_facts_is_true_of_the_same_numbers() -> None:
    for count in range(4):
        for some in combinations(PREDICATES, count):
            facts = facts_of(some)
            assert facts == facts_of((*some[::-1], *some))
            for number in SMALL:
                assert all(holds(fact, number) for fact in facts) == all(is_true(one, number) for one in some)


def assuming(predicates: tuple[DivBy | Bounded, ...], *, first: bool) -> ir.Module:
    """Store `n + n`, where both or only the last one stands behind assumptions."""
    k = Builder()
    target, n = k.parameters("ptr<i32>", "i32")
    assumed = n
    for predicate in predicates:
        assumed = k.assume(assumed, predicate)
    total = k.addi(assumed if first else n, assumed)
    view = k.partition(k.array(target, [k.constant("i32", 1)], [1]), [1])
    k.store(k.reshape(total, to="1xi32"), view, [k.constant("i32", 0)])
    return k.module()


@proves("facts-of-parameters")
def test_an_assumption_on_a_parameter_is_broken_by_the_same_numbers_wherever_it_is_used() -> None:
    for some in combinations(PREDICATES, 2):
        modules = [assuming(some, first=True), assuming(some, first=False)]
        verdict = compare(*modules, None, "sm_90")
        assert verdict.kind is VerdictKind.EQUAL and "facts-of-parameters" in verdict.laws
        for number in SMALL[::3]:
            arguments = [np.zeros(1, np.int32), number]
            roles = (Role.pointer(0), Role.scalar(0))
            found = same_results(*modules, ParameterMap(roles, roles), arguments, (1,))
            broken = [
                any(fault.kind == "assume" for fault in side.findings) for side in (found.reference, found.lowered)
            ]
            assert broken == [not all(is_true(one, number) for one in some)] * 2
            assert found.equal or broken[0]


@proves("implied-bounds", "one-round")
def test_a_loop_index_stays_in_the_interval_that_its_bounds_imply() -> None:
    for low, high, step in product(range(-3, 5), range(-3, 5), range(1, 4)):
        k = Builder()
        with k.for_(*(k.constant("i32", number) for number in (low, high, step))) as loop:
            assert loop.index is not None
            k.end("continue")
        kernel = Kernel(k.module().entries[0], Interner(), "sm_90", {})
        first, last = interval_of(kernel, kernel._numbers[loop.index])
        taken = list(range(low, high, step))
        assert all((first is None or first <= i) and (last is None or i <= last) for i in taken)
        assert first != last or len(taken) <= 1


@proves("implied-bounds", "fixed-extents")
@pytest.mark.parametrize("of_tiles", [False, True])
def test_an_extent_is_taken_as_known_exactly_where_the_type_fixes_it(of_tiles: bool) -> None:
    for extent, other, width, order in product((1, 5, 8), (3, 4), (1, 2, 4), ([0, 1], [1, 0])):
        k = Builder()
        source, target = k.parameters("ptr<i32>", "ptr<i32>")
        array = k.array(source, [extent, k.constant("i32", other)], [other, 1])
        sizes = k.extents(k.partition(array, [width, 1], dim_map=order) if of_tiles else array)
        view = k.partition(k.array(target, [2], [1]), [1])
        for place, size in enumerate(sizes):
            k.store(k.reshape(size, "1xi32"), view, [k.constant("i32", place)])
        module = k.module()
        arrays = [np.zeros((extent, other), np.int32), np.zeros(2, np.int32)]
        memory = interpret(module, arrays, (1,), roles=(Role.pointer(0), Role.pointer(1))).arrays[1]
        kernel = Kernel(module.entries[0], Interner(), "sm_90", {})
        fixed = order.index(0) if of_tiles else 0
        found = [interval_of(kernel, kernel._numbers[size]) for size in sizes]
        assert found[fixed] == (memory[fixed], memory[fixed])
        assert found[1 - fixed] == (None, None)


def storing(bounds: tuple[int, int, int] | None) -> ir.Module:
    """A kernel that stores in a loop with these bounds, or has no loop."""
    k = Builder()
    (target,) = k.parameters("ptr<i32>")
    view = k.partition(k.array(target, [k.constant("i32", 16)], [1]), [1])
    if bounds is not None:
        with k.for_(*(k.constant("i32", number) for number in bounds)) as loop:
            k.store(k.constant("1xi32", 1), view, [loop.index])  # type: ignore[list-item]
            k.end("continue")
    return k.module()


@proves("no-round")
def test_a_loop_is_left_out_exactly_where_its_bounds_allow_no_round() -> None:
    for bounds in product(range(-3, 5), range(-3, 5), range(1, 4)):
        verdict = compare(storing(bounds), storing(None), None, "sm_90")
        assert (verdict.kind is VerdictKind.EQUAL) == (not range(*bounds)), bounds


# Tokens: all small orders

EVENTS = 3


@proves("order-is-transitive", "token-sets")
def test_orders_are_one_exactly_where_the_same_operations_come_after_the_same_ones() -> None:
    found: dict[frozenset[tuple[int, int]], Order] = {}
    for order in orders(EVENTS):
        for pairs, other in found.items():
            verdict = compare(other.module(), order.module(), None, "sm_90")
            assert (verdict.kind is VerdictKind.EQUAL) == (pairs == closure(order)), (other, order)
        found.setdefault(closure(order), order)
    assert len(found) > 4


@proves("weak-scope")
@pytest.mark.parametrize(("first", "second"), list(combinations(MemoryScope, 2)))
def test_only_weak_accesses_have_no_scope(first: MemoryScope, second: MemoryScope) -> None:
    for ordering in (MemoryOrderingSemantics.WEAK, MemoryOrderingSemantics.RELAXED):
        modules = [_copy(ordering, scope) for scope in (first, second)]
        is_equal = compare(*modules, None, "sm_90").kind is VerdictKind.EQUAL
        assert is_equal == (ordering is MemoryOrderingSemantics.WEAK)


def _copy(ordering: MemoryOrderingSemantics, scope: MemoryScope) -> ir.Module:
    k = Builder()
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    how = {"memory_ordering_semantics": ordering, "memory_scope": scope}
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [k.block_id()[0]], **how)
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [k.block_id()[0]], **how)
    return k.module()


# Constants: any numbers


@proves("integer-constants")
@settings(max_examples=60, deadline=None)
@given(st.sampled_from([name for name in ELEMENTS if name != "f32"]), st.integers(), st.integers())
def test_computed_constants_are_what_numpy_computes(element: str, first: int, second: int) -> None:
    for name, how, a, b, result in results(element, first, second):
        written = stored(name, element, (a, b), how), stored(None, element, (result,), {})
        assert compare(*written, None, "sm_90").kind is VerdictKind.EQUAL


@pytest.mark.parametrize(("name", "a", "b"), [("divi", 7, 0), ("remi", 7, 0), ("divi", -(1 << 31), -1)])
@pytest.mark.parametrize("given", [0, 7, -(1 << 31)])
def test_a_quotient_that_is_not_defined_is_no_constant(name: str, a: int, b: int, given: int) -> None:
    how = {"signedness": Signedness.Signed, **({"rounding": RoundingMode.ZERO} if name == "divi" else {})}
    written = stored(name, "i32", (a, b), how), stored(None, "i32", (given,), {})
    assert compare(*written, None, "sm_90").kind is VerdictKind.DIFFERS
