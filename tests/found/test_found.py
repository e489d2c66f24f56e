"""The ledger of FOUND.md: each defect is still there. A test that fails means: fixed upstream, strike the entry."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cuda.tile as ct
import pytest
from cuda.tile.compilation import ArrayConstraint, CallingConvention, KernelSignature
from cuda.tile.compilation._name_mangling import mangle_kernel_name
from naive import PAIRS  # pyright: ignore[reportMissingImports]

from ferrotile import ir
from ferrotile.capture import Capture, export
from ferrotile.core import Unsupported
from ferrotile.ir.enums import ComparisonOrdering, RoundingMode
from ferrotile.ir.types import PartitionViewType
from ferrotile.lower import RustSource, TensorSpec, lower

Export = Callable[[str, str], Capture]
PAGE = Path(__file__).parents[2] / "FOUND.md"
RUST = """\
#[cutile::module]
pub mod found {{
    use cutile::core::*;

    #[cutile::entry()]
    pub unsafe fn found(x: &Tensor<f32, {{ {x} }}>, y: &mut Tensor<f32, {{ {y} }}>) {{
        {body}
    }}
}}
"""
PYTHON = """\
import cuda.tile as ct


@ct.kernel
def found(x, y, s):
    t = ct.load(x, index=(0,), shape=(16,))
    ct.store(y, index=(0,), tile={expression})
"""
SPEC = """\
[[specialization]]
kernel = "found"
parameters = {{ x = "{dtype}[_]", y = "{dtype}[_]", s = "{dtype}" }}
"""


def _lower(body: str, x: str = "[-1]", y: str = "[16]", x_spec: TensorSpec | None = None) -> list[Any]:
    """Lower a body that has `x` to read and `y` to store to; give the operations of the entry."""
    ranks = {"x": x.count(",") + 1, "y": y.count(",") + 1}
    strides = tuple((name, (-1,) * (rank - 1) + (1,)) for name, rank in ranks.items())
    specs = (("x", x_spec or TensorSpec.unknown(ranks["x"])), ("y", TensorSpec.unknown(ranks["y"])))
    text = RUST.format(body=body, x=x, y=y)
    source = RustSource(text, "found.rs", "found", "found", strides=strides, specs=specs)
    return list(ir.decode(lower(source, "sm_90").bytecode).entries[0].walk())


def _only(ops: list[Any], name: str) -> Any:
    """The one operation of a name."""
    (op,) = [op for op in ops if op.name == f"cuda_tile.{name}"]
    return op


@pytest.fixture
def export_expression(tmp_path: Path) -> Callable[[str, str], Capture]:
    """Export a kernel that stores an expression of the tile `t` and the scalar `s`."""

    def export_it(expression: str, dtype: str) -> Capture:
        path = tmp_path / "found.py"
        path.write_text(PYTHON.format(expression=expression))
        path.with_suffix(".toml").write_text(SPEC.format(dtype=dtype))
        return export(path)[0]

    return export_it


LOAD = "let t = x.partition(const_shape![16]).load([0i32]); "
LOAD_2D = "let t = x.partition(const_shape![4, 8]).load([0i32, 0i32]); "


def _constant_bits(element: str, literal: str) -> bytes:
    """What `constant(literal, ..)` of an element type writes into the bytecode."""
    body = f"let c: Tile<{element}, {{ [16] }}> = constant({literal}, const_shape![16]); "
    # A conversion keeps the constant alive whatever its type.
    use = {"bool": "select(c, t, t)", "f": "convert_tile(c)"}.get(element, "itof(c, rounding::NearestEven)")
    if element[0] in "bf" and element != "bool":
        use = "convert_tile(c)"
    ops = _lower(f"{LOAD}{body}let r: Tile<f32, {{ [16] }}> = {use}; y.store(r);")
    found = [op for op in ops if op.name == "cuda_tile.constant" and op.results[0].type.shape == (16,)]
    value = ir.attribute(found[0], "value")
    assert isinstance(value, bytes)
    return value


def test_f1_constant_false_is_true() -> None:
    assert _constant_bits("bool", "false") == _constant_bits("bool", "true") == b"\xff"


@pytest.mark.parametrize(
    ("element", "literal"),
    [
        ("u8", "255u8"),
        ("u16", "40000u16"),
        ("u32", "2147483648u32"),
        ("u32", "0xFFFFFFFFu32"),
        ("u64", "18446744073709551615u64"),
    ],
)
def test_f2_unsigned_literal_with_the_top_bit_is_zero(element: str, literal: str) -> None:
    assert not any(_constant_bits(element, literal))


@pytest.mark.parametrize("element", ["i32", "u32", "i64", "u64"])
def test_f3_one_of_an_integer_type_is_zero(element: str) -> None:
    assert not any(_constant_bits(element, f"{element}::ONE"))


@pytest.mark.parametrize(
    ("name", "written", "right"),
    [("ONE", 0x3FF0, 0x3F80), ("INFINITY", 0x7FF0, 0x7F80), ("NEG_INFINITY", 0xFFF0, 0xFF80)],
)
def test_f4_named_bf16_constants_have_other_bits(name: str, written: int, right: int) -> None:
    assert _constant_bits("bf16", f"bf16::{name}") == struct.pack("<H", written)
    assert written != right


@pytest.mark.parametrize("element", ["f8e4m3fn", "f8e5m2"])
def test_f5_float8_literal_is_zero(element: str) -> None:
    assert _constant_bits(element, "1.0") == b"\0"


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ("let r: Tile<f32, { [4, 8] }> = scan(t, 1i32, reverse::Forward, 1.0f32, |a, b| a * b); y.store(r);", "scan"),
        ("let r: Tile<f32, { [4, 8] }> = scan_sum(t, 1i32, reverse::Forward, 1.0f32); y.store(r);", "scan"),
    ],
)
def test_f6_scan_ignores_dim_and_identity(call: str, name: str) -> None:
    op = _only(_lower(LOAD_2D + call, x="[-1, -1]", y="[4, 8]"), name)
    assert ir.attribute(op, "dim") == 0
    assert [identity.bits for identity in ir.attribute(op, "identities")] == [0]


def test_f6_reduce_ignores_the_identity() -> None:
    body = "let r: Tile<f32, { [] }> = reduce(t, 0i32, 1.0f32, |a, b| a * b); "
    body += "y.store(r.reshape(const_shape![1]).broadcast(const_shape![16]));"
    op = _only(_lower(LOAD + body), "reduce")
    assert [identity.bits for identity in ir.attribute(op, "identities")] == [0]


def test_f7_divisor_of_a_fixed_axis_is_assumed_of_the_next() -> None:
    spec = TensorSpec(shape_div=(64, 1), stride_div=(1, 1), stride_one=(False, True))
    ops = _lower(
        "let t = x.partition(const_shape![1, 16]).load([0i32, 0i32]); y.store(t);", "[64, -1]", "[1, 16]", spec
    )
    divisors = [ir.attribute(op, "predicate") for op in ops if op.name == "cuda_tile.assume"]
    # Nothing is known of the dynamic axis, and no other value of this kernel is a multiple of 64.
    assert [predicate for predicate in divisors if getattr(predicate, "divisor", 0) == 64]


@pytest.mark.parametrize("name", ["addi", "subi", "muli", "shli"])
def test_f8_overflow_none_cannot_be_written(name: str) -> None:
    body = "let i: Tile<i32, { [16] }> = iota(const_shape![16]); "
    body += f"let j: Tile<i32, {{ [16] }}> = {name}(i, i, overflow::None); "
    with pytest.raises(Unsupported, match="missing attribute 'overflow'"):
        _lower(LOAD + body + "let r: Tile<f32, { [16] }> = itof(j, rounding::NearestEven); y.store(r);")


def test_f8_rounding_full_cannot_be_written() -> None:
    with pytest.raises(Unsupported, match="missing attribute 'rounding_mode'"):
        _lower(LOAD + "let r: Tile<f32, { [16] }> = divf(t, t, rounding::Full, ftz::Disabled); y.store(r);")


def test_f9_ne_tile_is_false_for_nan() -> None:
    op = _only(_lower(LOAD + "let m: Tile<bool, { [16] }> = ne_tile(t, t); y.store(select(m, t, t));"), "cmpf")
    assert ir.attribute(op, "comparison_ordering") is ComparisonOrdering.ORDERED


def test_f10_true_div_is_approximate() -> None:
    op = _only(_lower(LOAD + "let r: Tile<f32, { [16] }> = true_div(t, t); y.store(r);"), "divf")
    assert ir.attribute(op, "rounding_mode") is RoundingMode.APPROX
    assert ir.attribute(op, "flush_to_zero")


def test_f11_padded_pointer_load_of_rank_2_is_refused() -> None:
    body = """let p: *mut f32 = x.as_ptr();
        let p: PointerTile<*mut f32, { [] }> = pointer_to_tile(p);
        let p: PointerTile<*mut f32, { [1, 1] }> = p.reshape(const_shape![1, 1]);
        let p: PointerTile<*mut f32, { [4, 8] }> = p.broadcast(const_shape![4, 8]);
        let i: Tile<i32, { [32] }> = iota(const_shape![32]);
        let i: Tile<i32, { [4, 8] }> = i.reshape(const_shape![4, 8]);
        let p: PointerTile<*mut f32, { [4, 8] }> = p.offset_tile(i);
        let m: Tile<bool, { [4, 8] }> = constant(true, const_shape![4, 8]);
        let token: Token = new_token_unordered();
        let r: (Tile<f32, { [4, 8] }>, Token) = load_ptr_tko(
            p, ordering::Weak, None::<scope::TileBlock>, Some(m), PAD, Some(token), Latency::<0>);
        y.store(r.0);"""
    assert _only(_lower(body.replace("PAD", "None"), y="[4, 8]"), "load_ptr_tko")
    with pytest.raises(Unsupported, match="broadcast: incompatible"):
        _lower(body.replace("PAD", "Some(0.0f32)"), y="[4, 8]")


def test_f12_shape_counts_dynamic_axes_only() -> None:
    body = "let n: i32 = x.shape()[0]; let r: Tile<f32, { [] }> = itof(scalar_to_tile(n), rounding::NearestEven); "
    body += "y.store(r.reshape(const_shape![1]).broadcast(const_shape![16]));"
    number = _only(_lower(LOAD_2D.replace("4, 8", "1, 16") + body, x="[64, -1]"), "itof").operands[0]
    # Axis 0 is 64, a constant; what is read is the extent that only the launch knows, that of axis 1.
    assert number.owner.name == "cuda_tile.assume"
    with pytest.raises(Unsupported, match="index 1 out of bounds for shape of rank 1"):
        _lower(LOAD_2D.replace("4, 8", "1, 16") + body.replace("[0]; let r", "[1]; let r"), x="[64, -1]")


def test_f13_loop_of_no_round_is_refused() -> None:
    with pytest.raises(Unsupported, match="bounded endpoints must be ordered"):
        _lower("for i in 5i32..2i32 { let t = x.partition(const_shape![16]).load([i]); y.store(t); }")


def test_f14_partition_assigned_in_a_branch_is_not_legal() -> None:
    body = "let pid: (i32, i32, i32) = get_tile_block_id(); let mut p = x.partition(const_shape![16]); "
    body += "if pid.0 > 3i32 { p = x.partition(const_shape![16]); } let t = p.load([0i32]); y.store(t);"
    branch = _only(_lower(body), "if")
    assert any(isinstance(result.type, PartitionViewType) for result in branch.results)


def test_f15_continue_gives_variables_that_the_loop_does_not_carry() -> None:
    body = "let n: i32 = x.shape()[0]; let mut sum: i32 = 0; for i in 0i32..n { let mut v: i32 = i; "
    body += "if i > 3i32 { v = 1; if i > 5i32 { continue; } } sum = sum + v; } let r: Tile<f32, { [] }> = "
    body += "itof(scalar_to_tile(sum), rounding::NearestEven); "
    ops = _lower(body + "y.store(r.reshape(const_shape![1]).broadcast(const_shape![16]));")
    exits = [len(op.operands) for op in ops if op.name == "cuda_tile.continue"]
    assert (len(_only(ops, "for").results), exits) == (1, [2, 1])


def test_f16_option_given_to_a_function_is_none_inside() -> None:
    naive, right = (ir.decode(PAIRS["F16"].bytes(naive=naive)).entries[0] for naive in (True, False))
    masks = [
        ir.operand(op, "mask") is not None
        for entry in (naive, right)
        for op in entry.walk()
        if op.name == "cuda_tile.load_ptr_tko"
    ]
    assert masks == [False, True]


def test_f17_store_is_in_no_order_with_a_load_of_the_same_tile() -> None:
    ops = _lower("let t = load_tile_mut(y); y.store(t + t); y.store(t);", y="[16]")
    load, first, second = (op for op in ops if op.name.endswith("_view_tko"))
    assert ir.operand(first, "token") is ir.operand(load, "token")
    assert ir.operand(second, "token") is ir.result(first, "result_token")


def test_f18_a_part_of_an_array_is_the_whole_where_its_extent_is_not_a_number() -> None:
    tile = "let t: Tile<f32, { [16] }> = constant(1.0, const_shape![16]); "
    body = f"{tile}y.partition_mut(const_shape![16]).store(t, [0i32]);"
    names = []
    for extent in ("[16]", "[-1]"):
        (store,) = (op for op in _lower(body, y=extent) if op.name == "cuda_tile.store_view_tko")
        (index,) = ir.operands(store, "index")
        names.append(index.owner.name)
    assert names[1] == "cuda_tile.constant" != names[0]


def test_p1_unsigned_floor_division_is_not_valid_tile_ir(export_expression: Export) -> None:
    (division,) = [
        op
        for op in ir.decode(export_expression("t // 4", "uint32").bytecode).entries[0].walk()
        if op.name == "cuda_tile.divi"
    ]
    assert ir.attribute(division, "rounding") is RoundingMode.NEGATIVE_INF
    assert ir.attribute(division, "signedness").name == "Unsigned"


@pytest.mark.parametrize(
    ("expression", "dtype", "message"),
    [
        ("t @ s", "float32", "tuple index out of range"),
        ("t ** 2", "int32", "Missing binary arithmetic implementation for pow, int"),
        ("ct.cdiv(t, 4)", "float32", "Missing binary arithmetic implementation for cdiv, float"),
    ],
    ids=["p2-matmul-by-scalar", "p3-integer-power", "p4-float-cdiv"],
)
def test_p2_to_p4_front_end_fails_inside(export_expression: Export, expression: str, dtype: str, message: str) -> None:
    with pytest.raises(Unsupported, match=re.escape(message)) as caught:
        export_expression(expression, dtype)
    assert caught.value.code == "FT109"


def test_p5_64_bit_minus_infinity_loses_its_sign(export_expression: Export) -> None:
    expression = "ct.full((16,), 0, ct.float64) + ct.max(t.astype(ct.float64), axis=0, keepdims=True)"
    module = ir.decode(export_expression(expression, "float64").bytecode)
    maximum = _only(list(module.entries[0].walk()), "reduce")
    (identity,) = ir.attribute(maximum, "identities")
    assert identity.bits == 0x7FF0000000000000


def test_p6_names_with_shared_alias_groups_cannot_be_made() -> None:
    shared = [
        ArrayConstraint(
            dtype=ct.float32,
            ndim=1,
            index_dtype=ct.int32,
            alias_groups=(group,),
            may_alias_internally=False,
            stride_lower_bound_incl=None,
        )
        for group in "abcbac"
    ]
    signature = KernelSignature(shared, CallingConvention.cutile_python_v1())
    with pytest.raises(ValueError, match="Invalid alias group ID"):
        mangle_kernel_name("found", signature)


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("(~ct.ones((), ct.bool_)).astype(ct.float32)", -2.0),
        ("ct.bitwise_not(ct.ones((), ct.bool_)).astype(ct.float32)", -2.0),
        ("(not ct.ones((), ct.bool_)).astype(ct.float32)", 0.0),
    ],
    ids=["complement", "bitwise-not", "workaround"],
)
def test_p7_complement_of_a_constant_truth_value(export_expression: Export, expression: str, wanted: float) -> None:
    assert _stored_numbers(export_expression(expression, "float32"), "<f") == [wanted]


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("ct.full((), 0.1, ct.float64)", struct.unpack("<f", struct.pack("<f", 0.1))[0]),
        ("ct.full((), 1e300, ct.float64)", math.inf),
        ("ct.float64(0.1)", struct.unpack("<f", struct.pack("<f", 0.1))[0]),
        ("ct.full((), 1, ct.float64) / 10", 0.1),
    ],
    ids=["full", "infinite", "conversion", "workaround"],
)
def test_p8_float64_number_has_the_precision_of_float32(
    export_expression: Export, expression: str, wanted: float
) -> None:
    assert _stored_numbers(export_expression(expression, "float64"), "<d") == [wanted]


def _stored_numbers(captured: Capture, form: str) -> list[float]:
    """The float constants of a kernel."""
    ops = [op for op in ir.decode(captured.bytecode).entries[0].walk() if op.name == "cuda_tile.constant"]
    floats = [op for op in ops if op.results[0].type.element.name.startswith("f")]
    return [struct.unpack(form, ir.attribute(op, "value"))[0] for op in floats]


def test_page_lists_what_the_ledger_holds() -> None:
    tested = set(re.findall(r"def test_([fp]\d+)_", Path(__file__).read_text())) | {"p3", "p4"}
    assert {entry.lower() for entry in re.findall(r"^### ([FP]\d+) ", PAGE.read_text(), re.MULTILINE)} == tested
