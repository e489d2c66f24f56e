"""What a specialization needs of a call: from the symbol, from what the programs assume, and from what they write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from c_library import ROOT, Built, translate

from ferrotile import ir, lift
from ferrotile.core import FerrotileError
from ferrotile.host import Translated, Variant
from ferrotile.host.declaration import ArrayFacts, AxisFacts, ConstantFacts, Factor, Facts, ScalarFacts, Slot
from ferrotile.host.grouping import kernels_of
from ferrotile.host.relations import relations_of
from ferrotile.host.specialization import facts_of, specialization
from ferrotile.lift.source import ArrayParameter, ParameterName

WRITTEN = {
    "vector_add": {"total"},
    "softmax_rows": {"y"},
    "layer_norm": {"y", "mean_out", "rstd_out"},
    "rms_norm": {"y"},
    "matmul": {"c"},
    "swiglu": {"y"},
    "batched_matmul": {"c"},
    "special": {"y"},
}


@pytest.fixture(scope="module")
def variants(built: Built) -> list[Variant]:
    return [specialization(given, lift.SourceFinder([])) for given in built.translations]


@pytest.fixture
def vector(variants: list[Variant]) -> Variant:
    return next(variant for variant in variants if variant.label == "vector_add.f32")


def test_facts_of_a_kernel_with_everything(variants: list[Variant]) -> None:
    (special,) = [variant for variant in variants if variant.kernel == "special"]
    rows = AxisFacts(stride_divisor=4)
    assert special.facts == {
        "x": ArrayFacts("f32", (rows, AxisFacts(64, 1, 1)), 16),
        "extra": ArrayFacts("f32", (AxisFacts(1, stride_divisor=4), AxisFacts(64, 1, 1)), 16),
        "y": ArrayFacts("f32", (rows, AxisFacts(64, 1, 1)), 16, is_written=True),
        "count": ScalarFacts("i32"),
        "factor": ScalarFacts("f32"),
        "FLAG": ConstantFacts(True),
        "GAIN": ConstantFacts(0.5),
    }


def test_arrays_that_are_written_to_are_known(variants: list[Variant]) -> None:
    for variant in variants:
        written = {name for name, fact in variant.facts.items() if isinstance(fact, ArrayFacts) and fact.is_written}
        assert written == WRITTEN[variant.kernel], variant.label


def test_atomics_and_pointers_count_as_writing() -> None:
    (histogram,) = translate(ROOT / "examples", "histogram")
    facts = specialization(histogram, lift.SourceFinder([])).facts
    written = {name for name, fact in facts.items() if isinstance(fact, ArrayFacts) and fact.is_written}
    assert written == {"bins"}


def renamed(given: Translated, name: str) -> Translated:
    """The same program under a name that spells nothing."""
    module = ir.decode(given.reference)
    (entry,) = module.entries
    entry.properties["sym_name"] = type(entry.properties["sym_name"])(name)
    return replace(given, reference=ir.encode(replace(module, layout=None)))


def test_without_a_symbol_the_map_and_the_assumptions_say_it(built: Built) -> None:
    given = renamed(built.translated("vector_add.f32"), "add")
    variant = specialization(given)
    assert variant.kernel == "add" and list(variant.facts) == ["x0", "x1", "x2"]
    by_symbol = specialization(built.translated("vector_add.f32")).facts
    for own, other in zip(variant.facts.values(), by_symbol.values(), strict=False):
        assert isinstance(own, ArrayFacts) and isinstance(other, ArrayFacts)
        assert (own.dtype, own.align, own.is_written) == (other.dtype, other.align, other.is_written)
        assert own.axes[0].extent_divisor == other.axes[0].extent_divisor
        assert own.axes[0].stride == 1, "the view that the kernel makes has neighbours, and no stride for others"


def test_what_the_lowered_program_assumes_counts(built: Built) -> None:
    """Machine code made of a program that assumes more is refused to calls that give less."""
    plain, special = built.translated("vector_add.f16-any-length"), built.translated("vector_add.f32")
    mixed = replace(plain, lowered=special.lowered)
    fact = specialization(mixed, lift.SourceFinder([])).facts["a"]
    assert isinstance(fact, ArrayFacts) and fact.axes[0].extent_divisor == 16


FACTS: dict[str, Facts] = {"x": ArrayFacts("f32", (AxisFacts(), AxisFacts())), "n": ScalarFacts("i32")}
OTHERS: dict[str, Facts] = {
    "u": ScalarFacts("u32"), "f": ScalarFacts("f32"), "w": ArrayFacts("f32", (AxisFacts(),), index="u32"),
}  # fmt: skip
"""Numbers that a kernel may read as negative ones, or that are none."""
ONE = None
"""Stands for no factor: a number alone."""


@pytest.mark.parametrize(
    ("sentence", "claim", "terms"),
    [
        ("grid.y == 1", "Zero", {Slot("Grid", "", 1): 1, ONE: -1}),
        ("n != 0", "NotZero", {Slot("Scalar", "n"): 1}),
        ("x.shape[1] <= 4096", "Positive", {ONE: 4097, Slot("Extent", "x", 1): -1}),
        ("2 * grid.x + 1 >= x.stride[0] - n", "Positive",
         {Slot("Grid", "", 0): 2, ONE: 2, Slot("Stride", "x", 0): -1, Slot("Scalar", "n"): 1}),
        ("3 * n < 2 * (n + 1) + 4", "Positive", {Slot("Scalar", "n"): -1, ONE: 6}),
        ("n < 3", "Positive", {ONE: 3, Slot("Scalar", "n"): -1}),
        ("n > 3", "Positive", {ONE: -3, Slot("Scalar", "n"): 1}),
        ("(n + 1) % 8 == 0", "DivisibleBy", {Slot("Scalar", "n"): 1, ONE: 1}),
    ],
)  # fmt: skip
def test_facts_of_a_launch_become_claims(sentence: str, claim: str, terms: dict[Slot | None, int]) -> None:
    (relation,) = relations_of((sentence,), FACTS)
    assert all(len(factors) < 2 for _, factors in relation.terms)
    alone = {factors[0].slot if factors else ONE: times for times, factors in relation.terms}
    assert (relation.claim, alone) == (claim, terms)


def test_products_and_tiles_become_factors() -> None:
    (relation,) = relations_of(("grid.x <= 2 * ceil(x.shape[0] / 128) * n",), FACTS)
    tiles, number = Factor(Slot("Extent", "x", 0), 128), Factor(Slot("Scalar", "n"))
    grid = Factor(Slot("Grid", "", 0))
    assert relation.claim == "Positive"
    assert {factors: times for times, factors in relation.terms} == {(tiles, number): 2, (grid,): -1, (): 1}


@pytest.mark.parametrize(
    ("sentence", "text"),
    [
        ("128 * grid.y <= array(0).shape[1] + 127", "128 * grid.y <= x.shape[1] + 127"),
        ("`num_tile_blocks(1) <= ceil(extent(x, 1)/128)` at kernel.rs:24:9 (k)", "128 * grid.y <= x.shape[1] + 127"),
        ("`partition access on axis 1 of `x` requires a non-empty extent` at kernel.rs:2:1 (k)", "x.shape[1] > 0"),
        ("scalar(0) * scalar(0) == array(0).shape[0]", "n * n == x.shape[0]"),
    ],
)
def test_arrays_by_number_and_checks_in_cutiles_words_become_the_same_claims(sentence: str, text: str) -> None:
    (relation,), (plain,) = relations_of((sentence,), FACTS, ["x"], ["n"]), relations_of((text,), FACTS)
    assert relation == plain
    assert len(relations_of((sentence, text), FACTS, ["x"], ["n"])) == 1


def test_parameters_that_share_a_role_are_packed_alike_anyway() -> None:
    assert relations_of(("all lowered parameters for shape 0 of array 1 are given the same value",), FACTS) == ()


@pytest.mark.parametrize(
    "sentence",
    ["all is well", "grid.w == 1", "y.shape[0] == 1", "x.shape[2] == 1", "n * m == 4", "1 < n < 3", "n % 2 == 1",
     "array(1).shape[0] == 1", "array(0).shape[2] == 1", "array(0) == 1", "grid(0).x == 1",
     "`num_tile_blocks(3) <= ceil(extent(x, 1)/128)`", "`num_tile_blocks(1) <= ceil(extent(y, 1)/128)`",
     "`num_tile_blocks(1) < ceil(extent(x, 1)/128)`", "n % 0 == 0", "x == 1", "n == 'a'", "n %", "(n + 1) % n == 0",
     "scalar(1) == 1", "scalar(n) == 1", "ceil(n) == 1", "ceil(n / 0) == 1", "ceil(n / n) == 1",
     "ceil((n + 1) / 2) == 1", "floor(n / 2) == 1", "n / 2 == 1", "x.shape[0].shape[0] == 1", "m(0).shape[0] == 1",
     "u == 1", "f == 1", "w.shape[0] == 1", "w.stride[0] == 1", f"{2**32} * {2**31} * n == 0"],
)  # fmt: skip
def test_a_fact_that_no_check_is_made_of_stops_the_export(sentence: str) -> None:
    with pytest.raises(FerrotileError) as caught:
        relations_of((sentence,), {**FACTS, **OTHERS}, ["x"], ["n"])
    assert caught.value.code == "FT609"


def refused(*changed: Variant) -> FerrotileError:
    with pytest.raises(FerrotileError) as caught:
        kernels_of(changed)
    return caught.value


def test_specializations_that_do_not_go_together_are_refused(vector: Variant) -> None:
    twin = replace(vector, label="twin")
    assert refused(vector, twin).code == "FT604" and "`twin`" in refused(vector, twin).message
    fewer = replace(twin, facts={name: fact for name, fact in vector.facts.items() if name != "b"})
    assert refused(vector, fewer).code == "FT604"
    other = replace(twin, facts={**vector.facts, "TILE": ConstantFacts(0.5)})
    assert refused(vector, other).code == "FT604"
    assert len(kernels_of([vector, replace(twin, target="sm_100")])[0].variants) == 2


def test_more_groups_than_bits_are_refused() -> None:
    symbol = ArrayParameter("f32", 1, (None,), (1,), (1,), (1,), (0,), alias_groups=(40,))
    with pytest.raises(FerrotileError) as caught:
        facts_of(ParameterName("x", "x", symbol, 0), "k")
    assert caught.value.code == "FT603" and "groups" in caught.value.message


def test_an_argument_without_a_form_in_c_is_refused(vector: Variant) -> None:
    half = replace(vector, facts={**vector.facts, "scale": ScalarFacts("f16")})
    assert refused(half).code == "FT603" and "`scale`" in refused(half).message
    huge = replace(vector, facts={**vector.facts, "TILE": ConstantFacts(1 << 70)})
    assert refused(huge).code == "FT603"
    many = replace(vector, facts={f"n{number}": ScalarFacts("i32") for number in range(65)})
    assert refused(many).code == "FT603"


def test_a_constant_true_here_and_three_there_is_an_integer(vector: Variant) -> None:
    flag = replace(vector, label="flag", facts={**vector.facts, "TILE": ConstantFacts(True)})
    (kernel,) = kernels_of([vector, flag])
    assert [argument.passed for argument in kernel.arguments if argument.name == "TILE"] == ["i64"]
