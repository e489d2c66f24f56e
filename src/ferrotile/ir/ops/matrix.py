"""Matrix multiply-accumulate, and the operations that fold a tile along one axis."""

from ferrotile.ir import product
from ferrotile.ir.attributes import FloatAttr
from ferrotile.ir.enums import Signedness
from ferrotile.ir.fields import DIM, IDENTITIES
from ferrotile.ir.meaning import Driven, Meaning, Spread
from ferrotile.ir.region_rules import FOLDS, PURE_BODY, ends_with
from ferrotile.ir.rules import Parts, alike, element, same, same_element, same_rank, same_shape, tile, when
from ferrotile.ir.spec import Field, Kind, enum, example, op
from ferrotile.ir.types import ScalarType, TileType

FAST_ACC = Field("fast_acc", Kind.UNIT, since=(13, 3), default=False)
SIGNEDNESS_LHS = enum("signedness_lhs", Signedness)
SIGNEDNESS_RHS = enum("signedness_rhs", Signedness)

ACCUMULATORS = {
    "f16": ("f16", "f32"), "bf16": ("f32",), "tf32": ("f32",), "f32": ("f32",), "f64": ("f64",),
    "f8E4M3FN": ("f16", "f32"), "f8E5M2": ("f16", "f32"), "f4E2M1FN": ("f16", "f32"),
}  # fmt: skip
"""Accumulator types of `mmaf` by operand type."""

SCALES = {"f8E4M3FN": ("f4E2M1FN",), "f8E8M0FNU": ("f8E4M3FN", "f8E5M2", "f4E2M1FN")}
"""Operand types of `mmaf_scaled` by scale type; scales that came after 13.3 are not restricted here."""


def _multiplies(parts: Parts) -> bool:
    kinds = [parts.one(name) for name in ("lhs", "rhs", "acc")]
    if not all(isinstance(kind, TileType) and len(kind.shape) in (2, 3) for kind in kinds):
        return False
    (*batch, m, k), (*batch_rhs, k_rhs, n), (*batch_acc, m_acc, n_acc) = (kind.shape for kind in kinds)
    return (batch, batch, k, m, n) == (batch_rhs, batch_acc, k_rhs, m_acc, n_acc)


def _scales(parts: Parts) -> bool:
    names = ("lhs", "rhs", "lhs_scale", "rhs_scale")
    kinds = [parts.one(name) for name in names]
    if not all(isinstance(kind, TileType) and len(kind.shape) in (2, 3) for kind in kinds):
        return False
    lhs, rhs, lhs_scale, rhs_scale = (kind.shape for kind in kinds)
    outer = lhs[:-1] == lhs_scale[:-1] and (*rhs[:-2], rhs[-1]) == (*rhs_scale[:-2], rhs_scale[-1])
    return outer and lhs_scale[-1] == rhs_scale[-2] and not lhs[-1] % max(lhs_scale[-1], 1)


def _dropped(kind: TileType, dim: int) -> TileType:
    return TileType(kind.element, (*kind.shape[:dim], *kind.shape[dim + 1 :]))


def _reduces(parts: Parts) -> bool:
    dim, kinds = parts.attribute("dim"), parts.types["operands"]
    if not all(isinstance(kind, TileType) and dim < len(kind.shape) for kind in kinds):
        return False
    return parts.types["results"] == tuple(_dropped(kind, dim) for kind in kinds if isinstance(kind, TileType))


def _scans(parts: Parts) -> bool:
    dim, kinds = parts.attribute("dim"), parts.types["operands"]
    fits = all(isinstance(kind, TileType) and dim < len(kind.shape) for kind in kinds)
    return fits and parts.types["results"] == kinds


def _neutral(parts: Parts) -> bool:
    elements = [kind.element for kind in parts.types["operands"] if isinstance(kind, TileType)]
    return [value.type for value in parts.attribute("identities")] == elements


HAS_IDENTITIES = when("`identities`: one an operand, of its element type", "identities", _neutral)
FOLDED = (tile("operands"), same_shape("operands"), HAS_IDENTITIES, ends_with("yield"), FOLDS, PURE_BODY)
PRODUCT = when("`acc`: rows of `lhs` by columns of `rhs`", "acc", _multiplies)
ZERO = FloatAttr(ScalarType("f32"), 0)

ROWS = (
    op(
        "mmaf",
        73,
        "lhs rhs acc",
        "result",
        [FAST_ACC],
        rules=(
            tile("lhs rhs", "any float"),
            same_element("lhs rhs"),
            same("acc result"),
            when(
                "`acc`: an accumulator type of `lhs`",
                "acc",
                lambda parts: element(parts, "acc") in ACCUMULATORS.get(element(parts, "lhs"), ()),
            ),
            PRODUCT,
        ),
        example=example("lhs: 16x32xf16; rhs: 32x8xf16; acc result: 16x8xf32"),
        evaluate=Meaning(product.multiply, Spread.PRODUCT),
        rust=(
            "mmaf({lhs}, {rhs}, {acc}) when fast_acc=False",
            "unsafe mmaf_with_fast_acc({lhs}, {rhs}, {acc}, {fast_acc})",
        ),
    ),
    op(
        "mmaf_scaled",
        114,
        "lhs rhs acc lhs_scale rhs_scale",
        "result",
        since="13.3",
        rules=(
            tile("lhs rhs", "any float"),
            same_element("lhs rhs"),
            alike("acc result", "f32"),
            tile("lhs_scale rhs_scale", "any float"),
            same_element("lhs_scale rhs_scale"),
            same_rank("lhs rhs acc lhs_scale rhs_scale"),
            when(
                "`lhs_scale`: a scale type of `lhs`",
                "lhs_scale",
                lambda parts: (
                    element(parts, "lhs") in SCALES.get(element(parts, "lhs_scale"), (element(parts, "lhs"),))
                ),
            ),
            PRODUCT,
            when("`lhs_scale`: blocks along the inner axis", "lhs_scale", _scales),
        ),
        example=example(
            "lhs: 16x64xf8E4M3FN; rhs: 64x8xf8E4M3FN; acc result: 16x8xf32; "
            "lhs_scale: 16x2xf8E8M0FNU; rhs_scale: 2x8xf8E8M0FNU"
        ),
        evaluate=Meaning(product.multiply_scaled, Spread.WHOLE),
        rust="mmaf_scaled({lhs}, {rhs}, {acc}, {lhs_scale}, {rhs_scale})",
    ),
    op(
        "mmai",
        74,
        "lhs rhs acc",
        "result",
        [SIGNEDNESS_LHS, SIGNEDNESS_RHS],
        rules=(tile("lhs rhs", "i8"), alike("acc result", "i32"), PRODUCT),
        example=example("lhs: 16x32xi8; rhs: 32x8xi8; acc result: 16x8xi32"),
        evaluate=Meaning(product.multiply_integers, Spread.PRODUCT),
        rust="mmai({lhs}, {rhs}, {acc}, {signedness_lhs}, {signedness_rhs})",
    ),
    op(
        "reduce",
        88,
        "operands*",
        "results*",
        [DIM, IDENTITIES],
        regions=1,
        rules=(*FOLDED, when("`results`: the operands without the axis `dim`", "results", _reduces)),
        example=example("operands: 4x8xf32; results: 8xf32", identities=(ZERO,)),
        evaluate=Driven("fold"),
        rust="reduce_sum({operands}, {dim})",
    ),
    op(
        "scan",
        94,
        "operands*",
        "results*",
        [DIM, Field("reverse", Kind.BOOL), IDENTITIES],
        regions=1,
        rules=(*FOLDED, when("`results`: the types of the operands", "results", _scans)),
        example=example("operands results: 4x8xf32", identities=(ZERO,)),
        evaluate=Driven("fold"),
        rust="scan_sum({operands}, 0, reverse::Forward, 0)",
    ),
)
