"""Statements in their short form: which types go, which values stand where they are used, and which must not."""

from __future__ import annotations

from ferrotile.lift.shortened import compact, shortened

ARRAYS = "x: &Tensor<f16, { [-1] }>, y: &Tensor<Element, { [-1] }>"


def short(*lines: str, names: frozenset[str] = frozenset()) -> list[str]:
    return [compact(line) for line in shortened(lines, names, ARRAYS)]


def test_conversions_reductions_and_constants_say_their_type():
    assert short("let a: Tile<f32, { [4] }> = ftof(b, rounding::NearestEven);") == ["let a = to_f32(b);"]
    assert short("let a: Tile<Element, { [4] }> = convert_tile(b);") == ["let a = cast_for(y, b);"]
    assert short("let a: Tile<f32, { [4] }> = reduce_sum(b, 1);") == ["let a = sum_along_1(b, shape![4]);"]
    assert short("let a: Tile<i32, { [4] }> = iota(shape![4]);") == ["let a = arange(shape![4]);"]
    assert short("let a: Tile<f32, { [4] }> = constant(f32::NEG_INFINITY, shape![4]);") == [
        "let a = constant_f32(f64::NEG_INFINITY, shape![4]);"
    ]


def test_a_type_that_no_value_says_stays():
    line = "let a: Tile<i8, { [4] }> = bitcast(b);"
    assert "i8" in short(line)[0]


def test_a_reduction_by_the_kernels_own_function_stays():
    line = "let a: Tile<f32, { [4] }> = reduce_max(b, 1);"
    assert "reduce_max" in shortened([line], (), ARRAYS, own="fn max(a: f32) {}")[0].replace(" ", "")


def test_a_value_stands_where_it_is_used_but_keeps_the_name_of_the_source():
    lines = ("let a: Tile<f32, { [4] }> = ftof(b, rounding::NearestEven);", "let c: Tile<f32, { [4] }> = exp(a);")
    assert short(*lines) == ["let c = exp(to_f32(b));"]
    assert len(short(*lines, names=frozenset({"a"}))) == 2


def test_tiles_are_computed_in_the_same_order():
    late = short("let a = exp(b);", "let c = negf(d) * a;")
    assert late == ["let a = exp(b);", "let c = negf(d) * a;"]
    assert short("let a = exp(b);", "let c = a * negf(d);") == ["let c = exp(b) * negf(d);"]
    assert len(short("let a = exp(b);", "let c = negf(d);", "let e = a * c;")) == 2


def test_what_is_read_again_assigned_or_too_long_stays():
    assert len(short("let a = exp(b);", "let c = negf(a);", "let d = a * c;")) == 3 - 1
    assert len(short("let a = arange(shape![4]);", "b = c;", "let d = a + b;")) == 2
    assert len(short("let a = broadcast_scalar(b, shape![4]);", "b = c;", "let d = a;")) == 3
    name = "x" * 60
    assert len(short(f"let a = exp({name});", f"let c = negf(a) * {name};")) == 2


def test_a_constant_has_a_typed_call_as_an_argument_and_no_place_without_one():
    assert short("let a = constant(0.0f32, shape![4]);", "let c = select(m, d, a);") == [
        "let c = select(m, d, constant_f32(0.0, shape![4]));"
    ]
    assert len(short("let a = constant(0i8, shape![4]);", "let c = select(m, d, a);")) == 2


def test_repeated_elements_are_one_call():
    assert short("let a = b.reshape(shape![4, 1]).broadcast(shape![4, 8]);") == ["let a = as_column(b, shape![4, 8]);"]
    assert short("let a = b.reshape(shape![1]).broadcast(shape![8]);") == ["let a = spread(b, shape![8]);"]


def test_texts_in_quotes_stay():
    line = 'print_tile(" a  b ", x);'
    assert shortened([line], (), ARRAYS) == [line]


def test_method_is_not_moved_beside_a_view() -> None:
    lines = ["let a = rsqrt(b, ftz::Disabled);", "let c = a.reshape(shape![4]);"]
    beside = [*lines, "unsafe { store_without_tma(&x_tiles, c, [i]) };"]
    assert "store_without_tma ( & x_tiles , c , [ i ] )" in shortened(beside, (), ARRAYS)[-1]
    alone = [*lines, "unsafe { store(x, [i], c) };"]
    assert "c" not in shortened(alone, (), ARRAYS)[-1].split()
