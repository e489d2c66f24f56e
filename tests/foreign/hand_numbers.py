"""Numbers that cuTile Python does not compute with: overflow flags, odd widths, scaled and packed floats."""

from __future__ import annotations

from hand import Kernel, hand
from xdsl.ir import SSAValue

from ferrotile import ir
from ferrotile.ir.enums import ComparisonOrdering, ComparisonPredicate, IntegerOverflow, RoundingMode, Signedness
from ferrotile.ir.types import ScalarType, TileType

OVERFLOW = IntegerOverflow


def _element(value: SSAValue) -> ScalarType:
    assert isinstance(value.type, TileType) and isinstance(value.type.element, ScalarType)
    return value.type.element


def _loaded(k: Kernel, element: str, size: int = 16) -> SSAValue:
    return k.load(k.tiles(element, size), [k.block_id()[0]])[0]


def _kept(k: Kernel, value: SSAValue) -> None:
    assert isinstance(value.type, TileType)
    k.store(value, k.tiles(_element(value).name, value.type.shape[0]), [k.block_id()[0]])


def _flagged(k: Kernel, flag: IntegerOverflow) -> None:
    a, b = _loaded(k, "i32"), _loaded(k, "i32")
    value = k.addi(a, b, overflow=flag)
    value = k.subi(value, k.muli(a, value, overflow=flag), overflow=flag)
    _kept(k, k.shli(value, k.constant("16xi32", 3), overflow=flag))


@hand
def overflow_signed(k: Kernel) -> None:
    """`addi`, `subi`, `muli`, `shli` that promise not to wrap as signed numbers."""
    _flagged(k, OVERFLOW.NSW)


@hand
def overflow_unsigned(k: Kernel) -> None:
    """`addi`, `subi`, `muli`, `shli` that promise not to wrap as unsigned numbers."""
    _flagged(k, OVERFLOW.NUW)


@hand
def overflow_both(k: Kernel) -> None:
    """`addi`, `subi`, `muli`, `shli` that promise not to wrap at all."""
    _flagged(k, OVERFLOW.NW)


@hand
def overflow_of_numbers(k: Kernel) -> None:
    """Index arithmetic on rank 0 with promises, and a narrowing that promises to keep the value."""
    wide, narrow = k.parameters("i64", "i32")
    cut = k.trunci(wide, to="i32", overflow=OVERFLOW.NSW)
    number = k.addi(k.muli(narrow, cut, overflow=OVERFLOW.NW), k.negi(cut), overflow=OVERFLOW.NSW)
    k.store(k.splat(number, (16,)), k.tiles("i32"), [number])


@hand
def integers_of_4_bits(k: Kernel) -> None:
    """Numbers cut to `i4`, turned about, and widened again with and without sign."""
    a = k.reshape(k.trunci(_loaded(k, "i8", 32), to="32xi4"), to="4x8xi4")
    a = k.reshape(k.permute(a, permutation=(1, 0), to="8x4xi4"), to="32xi4")
    _kept(k, k.addi(k.exti(a, to="32xi8"), k.exti(a, to="32xi8", signedness=Signedness.Unsigned)))


@hand
def integers_of_8_bits(k: Kernel) -> None:
    """Signed and unsigned `i8` and `i16` in one expression."""
    a, b = _loaded(k, "i8"), _loaded(k, "i16")
    wide = k.exti(a, to="16xi16", signedness=Signedness.Unsigned)
    value = k.divi(b, k.maxi(wide, k.constant("16xi16", 1)), signedness=Signedness.Unsigned)
    value = k.subi(value, k.shri(b, k.constant("16xi16", 2), signedness=Signedness.Unsigned))
    _kept(k, k.remi(value, k.constant("16xi16", 7)))


@hand
def truth_values(k: Kernel) -> None:
    """`i1` as data: loaded, combined, compared with each other and stored."""
    a, b = _loaded(k, "i1"), _loaded(k, "i1")
    same = k.any("cmpi", {"lhs": a, "rhs": b}, ["16xi1"], signedness=Signedness.Unsigned)[0]
    _kept(k, k.xori(k.andi(a, b), k.ori(same, b)))


@hand
def extreme_constants(k: Kernel) -> None:
    """The least and the largest number of each width, where F2 and F3 bite."""
    for element, bits in (("i8", 8), ("i16", 16), ("i32", 32), ("i64", 64)):
        value = _loaded(k, element)
        least, most = (k.constant(f"16x{element}", number) for number in (-(1 << bits - 1), (1 << bits - 1) - 1))
        _kept(k, k.mini(k.maxi(k.xori(value, least), most), k.addi(value, k.constant(f"16x{element}", -1))))


@hand
def odd_floats(k: Kernel) -> None:
    """Constants that are not numbers, infinite, denormal, or minus zero."""
    value = _loaded(k, "f32")
    for bits in (0x7FC00001, 0xFF800000, 0x00000001, 0x80000000, 0x7F7FFFFF):
        (other,) = k.any("constant", {}, ["16xf32"], value=bits.to_bytes(4, "little"))
        value = k.addf(value, other)
    _kept(k, value)


@hand
def different_elements(k: Kernel) -> None:
    """A constant tile whose elements differ."""
    _kept(k, k.addi(_loaded(k, "i32"), k.constant("16xi32", *range(16, 0, -1))))


@hand
def comparisons_unordered(k: Kernel) -> None:
    """All six comparisons of floats in both orderings: what NaN gives differs."""
    a, b = _loaded(k, "f32"), _loaded(k, "f32")
    value = k.constant("16xi32", 0)
    for number, ordering in enumerate(ComparisonOrdering):
        for predicate in ("EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN"):
            attributes = {"comparison_predicate": ComparisonPredicate[predicate], "comparison_ordering": ordering}
            (found,) = k.any("cmpf", {"lhs": a, "rhs": b}, ["16xi1"], **attributes)
            bit = k.exti(found, to="16xi32", signedness=Signedness.Unsigned)
            value = k.addi(k.addi(value, value), bit) if number else k.xori(k.addi(value, value), bit)
    _kept(k, value)


@hand
def roundings(k: Kernel) -> None:
    """Sums and products rounded up, down and to zero, with denormals flushed or kept."""
    a, b = _loaded(k, "f32"), _loaded(k, "f32")
    value = k.addf(a, b, rounding_mode=RoundingMode.POSITIVE_INF)
    value = k.mulf(value, b, rounding_mode=RoundingMode.NEGATIVE_INF, flush_to_zero=True)
    value = k.divf(value, b, rounding_mode=RoundingMode.APPROX, flush_to_zero=True)
    _kept(k, k.sqrt(k.subf(value, a, rounding_mode=RoundingMode.ZERO), rounding_mode=RoundingMode.APPROX))


@hand
def eight_bit_floats(k: Kernel) -> None:
    """Both 8-bit float types, converted and multiplied as a matrix."""
    a = k.ftof(_loaded(k, "f32", 256), to="256xf8E4M3FN")
    b = k.ftof(_loaded(k, "f32", 256), to="256xf8E4M3FN")
    left, right = (k.reshape(value, to="16x16xf8E4M3FN") for value in (a, b))
    (product,) = k.any("mmaf", {"lhs": left, "rhs": right, "acc": k.constant("16x16xf32", 0)}, ["16x16xf32"])
    _kept(k, k.ftof(k.ftof(k.reshape(product, to="256xf32"), to="256xf8E5M2"), to="256xf32"))


@hand
def tensor_floats(k: Kernel) -> None:
    """A matrix product of `tf32`."""
    left, right = (k.reshape(k.ftof(_loaded(k, "f32", 256), to="256xtf32"), to="16x16xtf32") for _ in range(2))
    (product,) = k.any("mmaf", {"lhs": left, "rhs": right, "acc": k.constant("16x16xf32", 0)}, ["16x16xf32"])
    _kept(k, k.reshape(product, to="256xf32"))


@hand(target="sm_100")
def scaled_product(k: Kernel) -> None:
    """A block-scaled matrix product with scales of `f8E8M0FNU`, which needs sm_100."""
    left = k.reshape(_loaded(k, "f8E4M3FN", 2048), to="32x64xf8E4M3FN")
    right = k.reshape(_loaded(k, "f8E4M3FN", 2048), to="64x32xf8E4M3FN")
    scales = _loaded(k, "f8E8M0FNU", 64)
    values = {
        "lhs": left, "rhs": right, "acc": k.constant("32x32xf32", 0),
        "lhs_scale": k.reshape(scales, to="32x2xf8E8M0FNU"), "rhs_scale": k.reshape(scales, to="2x32xf8E8M0FNU"),
    }  # fmt: skip
    (product,) = k.any("mmaf_scaled", values, ["32x32xf32"])
    _kept(k, k.reshape(product, to="1024xf32"))


@hand(target="sm_100")
def four_bit_floats(k: Kernel) -> None:
    """`f4E2M1FN` unpacked from bytes, widened and packed again, which needs sm_100."""
    (pairs,) = k.any("unpack", {"source": _loaded(k, "i8", 32)}, ["64xf4E2M1FN"])
    value = k.mulf(k.ftof(pairs, to="64xf16"), k.constant("64xf16", 0.5))
    (packed,) = k.any("pack", {"source": k.ftof(value, to="64xf4E2M1FN")}, ["32xi8"])
    _kept(k, packed)


@hand
def integer_product(k: Kernel) -> None:
    """A matrix product of bytes, signed on the left and unsigned on the right."""
    left, right = (k.reshape(_loaded(k, "i8", 1024), to="32x32xi8") for _ in range(2))
    values = {"lhs": left, "rhs": right, "acc": k.constant("32x32xi32", 0)}
    signs = {"signedness_lhs": Signedness.Signed, "signedness_rhs": Signedness.Unsigned}
    (product,) = k.any("mmai", values, ["32x32xi32"], **signs)
    _kept(k, k.reshape(product, to="1024xi32"))


@hand
def reduction_with_start(k: Kernel) -> None:
    """A sum along axis 1 whose identity is 3, which no compiler writes."""
    value = k.reshape(_loaded(k, "f32", 256), to="16x16xf32")
    with k.reduce(value, 1, ir.FloatAttr(ScalarType("f32"), 0x40400000), "16xf32") as (a, b):
        k.end("yield", k.addf(a, b))
    _kept(k, k.last)


@hand
def reduction_of_two(k: Kernel) -> None:
    """A product along axis 0 with the identity 1, then one along the other axis with the identity 0."""
    value = k.reshape(_loaded(k, "f32", 256), to="16x16xf32")
    for axis, bits in ((0, 0x3F800000), (0, 0)):
        with k.reduce(value, axis, ir.FloatAttr(ScalarType("f32"), bits), "16xf32") as (a, b):
            k.end("yield", k.mulf(a, b))
        _kept(k, k.last)


@hand
def bits_moved(k: Kernel) -> None:
    """`bitcast` between floats, integers and their 64-bit forms; `mulhii`, `atan2` and `fpowi`."""
    a, b = _loaded(k, "f32"), _loaded(k, "i32")
    value = k.bitcast(k.xori(k.bitcast(a, to="16xi32"), k.mulhii(b, b)), to="16xf32")
    _kept(k, k.atan2(value, k.fpowi(a, k.constant("16xi32", 3))))
