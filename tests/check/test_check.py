"""What check says besides the laws: steps, maps, hints, refinements, sentences, errors, budget, time."""

from __future__ import annotations

import gc
import os
import random
import sys
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from builder import Builder

from ferrotile import ir
from ferrotile.check import Verdict, check, compare
from ferrotile.check import numbering as numbering_module
from ferrotile.core import FerrotileError, InputError, ParameterMap, Role, VerdictKind

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))
FILES = sorted(CORPUS.rglob("*.tileirbc"))
HERE = "test_check.py"


def difference(*, hints: object = None, swap: bool = False, factor: float = 2.0) -> ir.Module:
    """`(x - y) * factor`, tile by tile."""
    k = Builder(HERE)
    first, second, target, n = k.parameters("ptr<f32>", "ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    views = [k.partition(k.array(base, [n], [1]), [16]) for base in (first, second, target)]
    x, _ = k.load(views[0], [block])
    y, _ = k.load(views[1], [block])
    change = k.subf(y, x) if swap else k.subf(x, y)
    k.store(k.mulf(change, k.constant("16xf32", factor)), views[2], [block])
    return k.module(hints)


def verdict_of(lowered: ir.Module, parameters: ParameterMap | None = None) -> Verdict:
    return compare(difference(), lowered, parameters, "sm_90")


def test_equal_bytes_are_equal_at_the_first_step() -> None:
    data = ir.encode(difference())
    verdict = check(data, data, None, "sm_90")
    assert (verdict.kind, verdict.step) == (VerdictKind.EQUAL, "bytes")


def test_equal_bytes_with_a_map_that_swaps_two_arrays_differ() -> None:
    data = ir.encode(difference())
    roles = tuple(Role.scalar(k) for k in range(4))
    swapped = (roles[1], roles[0], *roles[2:])
    verdict = check(data, data, ParameterMap(roles, swapped), "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS
    assert verdict.difference == "operand"


def test_a_map_that_swaps_two_arrays_makes_swapped_operands_equal() -> None:
    roles = tuple(Role.scalar(k) for k in range(4))
    swapped = (roles[1], roles[0], *roles[2:])
    assert verdict_of(difference(swap=True)).kind is VerdictKind.DIFFERS
    assert verdict_of(difference(swap=True), ParameterMap(roles, swapped)).kind is VerdictKind.EQUAL


def test_a_constant_is_named_with_what_is_done_with_it() -> None:
    verdict = verdict_of(difference(factor=3.0))
    assert verdict.sentence == "the reference multiplies by 2.0, the lowered program by 3.0"
    assert verdict.difference == "constant"


def test_a_sentence_is_one_lower_case_sentence_without_internal_words() -> None:
    for lowered in (difference(factor=3.0), difference(swap=True)):
        sentence = verdict_of(lowered).sentence
        assert sentence[0].islower() or sentence[0] == "`"
        assert not sentence.endswith(".")
        assert "number" not in sentence and "intern" not in sentence


@pytest.mark.parametrize(
    ("hints", "kind"),
    [
        ((("default", (("occupancy", 2),)),), VerdictKind.EQUAL),
        ((("sm_90", (("occupancy", 2),)),), VerdictKind.EQUAL),
        ((("default", (("occupancy", 4),)), ("sm_90", (("occupancy", 2),))), VerdictKind.EQUAL),
        ((("sm_100", (("occupancy", 2),)),), VerdictKind.DIFFERS),
        ((("sm_90", (("occupancy", 3),)),), VerdictKind.DIFFERS),
        (None, VerdictKind.DIFFERS),
    ],
)
def test_hints_are_compared_as_the_target_reads_them(hints: object, kind: VerdictKind) -> None:
    reference = difference(hints=(("default", (("occupancy", 2),)),))
    verdict = compare(reference, difference(hints=hints), None, "sm_90")
    assert verdict.kind is kind
    assert verdict.difference == ("hint" if kind is VerdictKind.DIFFERS else None)


def sliced(bound: str) -> ir.Module:
    """A copy of a slice whose extent is `n`, `m`, `n + 1` or `n * m`."""
    k = Builder(HERE)
    source, target, n, m = k.parameters("ptr<f32>", "ptr<f32>", "i32", "i32")
    extents = {
        "n": lambda: n,
        "m": lambda: m,
        "n + 1": lambda: k.addi(n, k.constant("i32", 1)),
        "n * m": lambda: k.muli(n, m),
    }
    x, _ = k.load(k.partition(k.array(source, [extents[bound]()], [1]), [16]), [k.block_id()[0]])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [k.block_id()[0]])
    return k.module()


@pytest.mark.parametrize(("first", "second"), list(permutations(("n", "m", "n + 1", "n * m"), 2)))
def test_another_slice_bound_differs(first: str, second: str) -> None:
    verdict = compare(sliced(first), sliced(second), None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS
    assert verdict.difference in ("operand", "operation")


def padded(padding: str | None) -> ir.Module:
    k = Builder(HERE)
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16], padding), [k.block_id()[0]])
    k.store(x, k.partition(k.array(target, [n], [1]), [16]), [k.block_id()[0]])
    return k.module()


def test_padding_where_there_was_none_refines_and_says_so() -> None:
    verdict = compare(padded(None), padded("Zero"), None, "sm_90")
    assert verdict.kind is VerdictKind.REFINES
    assert len(verdict.added) == 1 and "padding `zero`" in verdict.added[0]


def test_lost_padding_differs() -> None:
    verdict = compare(padded("Zero"), padded(None), None, "sm_90")
    assert (verdict.kind, verdict.difference) == (VerdictKind.DIFFERS, "padding")


def test_a_map_with_another_number_of_roles_is_refused() -> None:
    roles = tuple(Role.scalar(k) for k in range(3))
    with pytest.raises(InputError) as caught:
        verdict_of(difference(), ParameterMap(roles, roles))
    assert caught.value.code == "FT501"


def test_a_role_that_two_reference_parameters_have_is_refused() -> None:
    roles = (Role.scalar(0), Role.scalar(0), Role.scalar(1), Role.scalar(2))
    with pytest.raises(InputError) as caught:
        verdict_of(difference(), ParameterMap(roles, roles))
    assert caught.value.code == "FT501"


def test_a_module_without_a_kernel_is_refused() -> None:
    module = difference()
    module.entries[0].detach()
    with pytest.raises(InputError) as caught:
        verdict_of(module)
    assert caught.value.code == "FT502"


def test_parameters_that_do_not_pair_by_position_differ() -> None:
    k = Builder(HERE)
    k.parameters("ptr<f32>")
    verdict = verdict_of(k.module())
    assert (verdict.kind, verdict.difference) == (VerdictKind.DIFFERS, "entry")


def test_lowered_parameters_that_share_a_role_are_an_assumption() -> None:
    k = Builder(HERE)
    source, target, n, again = k.parameters("ptr<f32>", "ptr<f32>", "i32", "i32")
    x, _ = k.load(k.partition(k.array(source, [n], [1]), [16]), [k.block_id()[0]])
    k.store(x, k.partition(k.array(target, [again], [1]), [16]), [k.block_id()[0]])
    roles = tuple(Role.scalar(i) for i in range(3))
    verdict = compare(padded(None), k.module(), ParameterMap(roles, (*roles, roles[2])), "sm_90")
    assert verdict.kind is VerdictKind.EQUAL
    assert verdict.assumptions == ("all lowered parameters for scalar 2 are given the same value",)


def test_an_exhausted_budget_is_unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbering_module, "MAX_VISITS", 3)
    verdict = verdict_of(difference())
    assert verdict.kind is VerdictKind.UNPROVED
    assert "3 visits" in verdict.sentence


def test_deep_nesting_is_unproved() -> None:
    k = Builder(HERE)
    (n,) = k.parameters("i32")
    condition = k.cmpi(n, n, to="i1")
    blocks = []
    for _ in range(200):
        then, _other, _ = k.if_(condition)
        then.__enter__()
        blocks.append(then)
    for then in reversed(blocks):
        then.__exit__(None, None, None)
    module = k.module()
    assert compare(module, module, None, "sm_90").kind is VerdictKind.UNPROVED


def chain(length: int) -> ir.Module:
    """A long kernel: one value, changed again and again."""
    k = Builder(HERE)
    source, target, n = k.parameters("ptr<f32>", "ptr<f32>", "i32")
    block = k.block_id()[0]
    x, token = k.load(k.partition(k.array(source, [n], [1]), [16]), [block])
    view = k.partition(k.array(target, [n], [1]), [16])
    for step in range(length):
        x = k.addf(x, k.constant("16xf32", float(step)))
        if step % 10 == 0:
            token = k.store(x, view, [block], token)
    k.store(x, view, [block], token)
    return k.module()


def test_a_long_chain_needs_no_recursion_to_be_told_apart() -> None:
    changed = chain(3000)
    first = next(op for op in changed.entries[0].walk() if op.name == "cuda_tile.addf")
    first.operands[0], first.operands[1] = first.operands[1], first.operands[0]
    verdict = compare(chain(3000), changed, None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS
    assert "swapped" in verdict.sentence


def test_work_is_linear_in_the_number_of_operations() -> None:
    """Counted in calls; time itself is for `make bench`."""

    def calls(length: int) -> int:
        first, second = chain(length), chain(length)
        count = 0

        def watch(_: object, event: str, __: object) -> None:
            nonlocal count
            count += event in ("call", "c_call")

        sys.setprofile(watch)
        try:
            verdict = compare(first, second, None, "sm_90")
        finally:
            sys.setprofile(None)
        assert verdict.kind is VerdictKind.EQUAL
        return count

    counts = [calls(size) for size in (200, 800, 3200)]
    assert all(later < 4.4 * earlier for earlier, later in pairwise(counts)), counts


def test_comparisons_leave_nothing_behind() -> None:
    data = [ir.encode(chain(200)), ir.encode(difference()), ir.encode(difference(swap=True))]

    def objects(rounds: int) -> int:
        for _ in range(rounds):
            for first, second in permutations(data, 2):
                check(first, second, None, "sm_90")
        gc.collect()
        return len(gc.get_objects())

    before = objects(1)
    assert objects(3) - before < 200


def test_flipped_bits_give_a_code_or_a_verdict() -> None:
    data = ir.encode(chain(20))
    choose = random.Random(5)
    for _ in range(300):
        flipped = bytearray(data)
        for _ in range(choose.randint(1, 3)):
            flipped[choose.randrange(len(flipped))] ^= 1 << choose.randrange(8)
        try:
            verdict = check(data, bytes(flipped), None, "sm_90")
        except FerrotileError:
            continue
        assert verdict.kind in (VerdictKind.EQUAL, VerdictKind.REFINES, VerdictKind.DIFFERS)


@pytest.mark.corpus
@pytest.mark.skipif(not FILES, reason="the corpus is not here")
@pytest.mark.parametrize("path", FILES[::15], ids=lambda path: path.stem)
def test_corpus_kernel_equals_itself_by_the_graph(path: Path) -> None:
    data = path.read_bytes()
    verdict = compare(ir.decode(data), ir.decode(data), None, "sm_90")
    assert verdict.kind is VerdictKind.EQUAL, verdict.sentence
