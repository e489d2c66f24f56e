"""The symbol parser reads what cuda.tile's own reader reads, and refuses everything else quietly."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cuda.tile as ct
import pytest
from cuda.tile.compilation import (
    ArrayConstraint,
    ConstantConstraint,
    KernelSignature,
    ListConstraint,
    ScalarConstraint,
    TupleConstraint,
    demangle_kernel_name,
    mangle_kernel_name,
)
from hypothesis import given
from hypothesis import strategies as st

from ferrotile.lift.source.symbol import (
    ArrayParameter,
    ConstantParameter,
    DtypeName,
    EnumName,
    GroupParameter,
    ListParameter,
    OpaqueParameter,
    Parameter,
    PointerParameter,
    ScalarParameter,
    parse_symbol,
)

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus")) / "tilegym-ops"
SYMBOL = "attend_Kt2_A2f16_1i16v8l0_2t1_p16g0i_Sf32_LgA1i32_1t1_p16_I_5_B1_F3fe0000000000000"


def assert_agrees(ours: Parameter, theirs: object) -> None:
    match theirs:
        case ArrayConstraint():
            assert isinstance(ours, ArrayParameter)
            assert ours.rank == theirs.ndim
            assert ours.static_shape == theirs.shape_constant
            assert ours.static_stride == theirs.stride_constant
            assert ours.shape_divisor == theirs.shape_divisible_by
            assert ours.stride_divisor == theirs.stride_divisible_by
            assert ours.stride_lower_bound == theirs.stride_lower_bound_incl
            assert ours.base_divisor == theirs.base_addr_divisible_by
            assert ours.overlaps_itself == theirs.may_alias_internally
            assert tuple(f"group{number}" for number in ours.alias_groups) == tuple(theirs.alias_groups)
            assert ours.index_dtype == {"int32": "i32", "int64": "i64", "uint32": "u32"}[str(theirs.index_dtype)]
        case ListConstraint():
            assert isinstance(ours, ListParameter)
            assert ours.elements_overlap == theirs.elements_may_alias
            assert_agrees(ours.element, theirs.element)
        case TupleConstraint():
            assert isinstance(ours, GroupParameter)
            for item, other in zip(ours.items, theirs.items, strict=True):
                assert_agrees(item, other)
        case ScalarConstraint():
            assert isinstance(ours, ScalarParameter)
        case ConstantConstraint():
            assert isinstance(ours, ConstantParameter)
            assert type(ours.value) is type(theirs.value)
            assert ours.value == theirs.value


def assert_symbol_agrees(symbol: str) -> None:
    ours = parse_symbol(symbol)
    name, theirs = demangle_kernel_name(symbol)
    assert ours is not None
    assert ours.function == name
    for parameter, constraint in zip(ours.parameters, theirs.parameters, strict=True):
        assert_agrees(parameter, constraint)


def array(rank: int, **facts: object) -> ArrayConstraint:
    plain: dict[str, object] = {"stride_lower_bound_incl": None, "alias_groups": (), "may_alias_internally": False}
    return ArrayConstraint(ct.float16, rank, index_dtype=ct.int32, **(plain | facts))  # type: ignore[arg-type]


DIVISORS = st.sampled_from([1, 2, 16])
ARRAYS = st.integers(1, 5).flatmap(
    lambda rank: st.builds(
        lambda strides, divisors, bounds, base, groups, overlap: array(
            rank,
            stride_constant=strides,
            stride_divisible_by=[1 if stride is not None else d for stride, d in zip(strides, divisors, strict=True)],
            stride_lower_bound_incl=[
                None if stride is not None else bound for stride, bound in zip(strides, bounds, strict=True)
            ],
            shape_divisible_by=divisors[::-1],
            base_addr_divisible_by=base,
            alias_groups=groups,
            may_alias_internally=overlap,
        ),
        st.lists(st.sampled_from([None, None, 1, 0, -3]), min_size=rank, max_size=rank),
        st.lists(DIVISORS, min_size=rank, max_size=rank),
        st.lists(st.sampled_from([None, 0, -1]), min_size=rank, max_size=rank),
        DIVISORS,
        st.sampled_from([(), ("a",), ("a", "b")]),
        st.booleans(),
    )
)
CONSTANTS = st.builds(
    ConstantConstraint,
    st.one_of(st.integers(-(2**31), 2**31 - 1), st.booleans(), st.floats(allow_nan=False)),
)
SCALARS = st.builds(ScalarConstraint, st.sampled_from([ct.int32, ct.float32, ct.uint8, ct.bfloat16, ct.bool_]))
LISTS = st.builds(lambda element: ListConstraint(element, alias_groups=(), elements_may_alias=True), ARRAYS)
PARAMETERS = st.lists(st.one_of(ARRAYS, CONSTANTS, SCALARS), max_size=5)


# A group that only one parameter names is refused.
PARTNERS = [array(1, alias_groups=("a", "b")), array(1, alias_groups=("a", "b"))]


@given(PARAMETERS)
def test_reads_what_cuda_tile_spells(parameters: list[object]) -> None:
    signature = KernelSignature([*parameters, *PARTNERS], ct.compilation.CallingConvention.cutile_python_v1(), None)
    assert_symbol_agrees(mangle_kernel_name("attend_K", signature))


@given(LISTS)
def test_reads_lists_of_arrays(constraint: ListConstraint) -> None:
    signature = KernelSignature([constraint, *PARTNERS], ct.compilation.CallingConvention.cutile_python_v1(), None)
    assert_symbol_agrees(mangle_kernel_name("group", signature))


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the corpus is not here")
def test_reads_every_symbol_of_the_corpus() -> None:
    symbols = [row["symbol"] for row in json.loads((CORPUS / "index.json").read_text())]
    assert len(symbols) > 500
    for symbol in symbols:
        assert_symbol_agrees(symbol)


def test_counts_entry_parameters() -> None:
    symbol = parse_symbol("f_Kt1_A2f32_2t1_p16_Si32_LA1f32_I8_T2Sf32A1i8_B0")
    assert symbol is not None
    assert [parameter.entry_count for parameter in symbol.parameters] == [5, 1, 2, 0, 4, 0]
    assert symbol.entry_count == 12


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("Pf32", PointerParameter("f32")),
        ("M", OpaqueParameter("tensor map")),
        ("R", OpaqueParameter("stream")),
        ("Cn_", ConstantParameter(None)),
        ("Cs_a__b_2dc_kz_u03b1_z", ConstantParameter("a_b-cKzα")),
        ("Cd_f8m3fn", ConstantParameter(DtypeName("f8e4m3fn"))),
        ("Ce_my_2emod_zMode_zFAST_z", ConstantParameter(EnumName("my.mod", "Mode", "FAST"))),
        ("Dmod_zPair_z2Si32B1", GroupParameter((ScalarParameter("i32"), ConstantParameter(True)), "mod.Pair")),
    ],
)
def test_reads_the_rarer_parameters(text: str, parameter: Parameter) -> None:
    symbol = parse_symbol(f"f_Kt3_{text}")
    assert symbol is not None
    assert symbol.parameters == (parameter,)


@pytest.mark.parametrize(
    "symbol",
    [
        "",
        "softmax",
        "_Kt1_I5",
        "f_K",
        "f_Kt1_",
        "f_Kt1_X5",
        "f_Kt1_A2q32",
        "f_Kt1_A1f32_2t1",
        "f_Kt1_A1f32_0t1",
        "f_Kt1_I5x",
        "f_Kt1_F12",
        "f_Kt1_Cs__wffffffff_z",
        "f_Kt1_Cs_abc",
        "f_Kt1_LSi32",
        "f_Kt1_" + "T1" * 5000,
        "f_Kt1_I" + "9" * 5000,
    ],
)
def test_other_texts_are_no_symbols(symbol: str) -> None:
    assert parse_symbol(symbol) is None


@given(st.integers(0, len(SYMBOL) - 1), st.text("_AILTSKCDgpitvls0159af", max_size=3), st.integers(0, 3))
def test_a_damaged_symbol_never_raises(position: int, put: str, cut: int) -> None:
    parse_symbol(SYMBOL[:position] + put + SYMBOL[position + cut :])
