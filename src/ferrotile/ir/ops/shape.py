"""Operations that make, rearrange, or pick from tiles without arithmetic."""

from math import prod

from ferrotile.ir import rearrange
from ferrotile.ir.fields import DIM
from ferrotile.ir.meaning import Meaning, Spread, lanes, moves
from ferrotile.ir.rules import (
    Parts,
    alike,
    element,
    is_permutation,
    same_element,
    same_rank,
    same_shape,
    tile,
    when,
)
from ferrotile.ir.spec import Field, Kind, example, op
from ferrotile.ir.types import ScalarType, TileType


def _shapes(parts: Parts, *names: str) -> list[tuple[int, ...]] | None:
    kinds = [parts.one(name) for name in names]
    return [kind.shape for kind in kinds] if all(isinstance(kind, TileType) for kind in kinds) else None


def _broadcasts(parts: Parts) -> bool:
    source, target = _shapes(parts, "source", "result") or [(0,), (1,)]
    return all(old in (1, new) for old, new in zip(source, target, strict=False))


def _concatenates(parts: Parts) -> bool:
    dim = parts.attribute("dim")
    lhs, rhs, result = _shapes(parts, "lhs", "rhs", "result") or [(), (), ()]
    if not dim < len(lhs) == len(rhs) == len(result):
        return False
    expected = (*lhs[:dim], lhs[dim] + rhs[dim], *lhs[dim + 1 :])
    return expected == result and lhs[:dim] == rhs[:dim] and lhs[dim + 1 :] == rhs[dim + 1 :]


def _divides(parts: Parts, whole: str, part: str) -> bool:
    sizes, pieces = _shapes(parts, whole, part) or [(1,), (0,)]
    fits = len(sizes) == len(pieces) == len(parts.types["indices"])
    return fits and all(piece and not size % piece for size, piece in zip(sizes, pieces, strict=True))


def _permutes(parts: Parts) -> bool:
    order = parts.attribute("permutation")
    source, target = _shapes(parts, "source", "result") or [(), ()]
    fits = len(order) == len(source) == len(target) and is_permutation(order)
    return fits and tuple(source[axis] for axis in order) == target


def _counts(parts: Parts) -> bool:
    kind = parts.one("result")
    bits = ScalarType(element(parts, "result")).bits if element(parts, "result") else 0
    return isinstance(kind, TileType) and len(kind.shape) == 1 and kind.shape[0] <= 1 << bits


def _has_bytes(parts: Parts) -> bool:
    kind, data = parts.one("result"), parts.attribute("value")
    if not element(parts, "result"):
        return False
    bits = kind.element.constant_bits
    if bits == 1:
        return len(data) in (1, -(-prod(kind.shape) // 8), prod(kind.shape))
    return len(data) in (max(bits // 8, 1), -(-bits * prod(kind.shape) // 8))


SCALAR_INDICES = tile("indices", "i32", 0)

ROWS = (
    op(
        "broadcast",
        11,
        "source",
        "result",
        rules=(
            tile("source result"),
            same_element("source result"),
            same_rank("source result"),
            when("`result`: axes of extent 1 stretched", "result", _broadcasts),
        ),
        example=example("source: 1x4xf32; result: 8x4xf32"),
        evaluate=moves(rearrange.broadcast),
        rust="{source}.broadcast(shape![{shape}])",
    ),
    op(
        "cat",
        12,
        "lhs rhs",
        "result",
        [DIM],
        rules=(
            tile("lhs rhs result"),
            same_element("lhs rhs result"),
            same_rank("lhs rhs result"),
            when("`result`: `lhs` and `rhs` end to end along `dim`", "result", _concatenates),
        ),
        example=example("lhs rhs: 4x2xf32; result: 8x2xf32"),
        evaluate=moves(rearrange.cat),
        rust="cat({lhs}, {rhs}, {dim})",
    ),
    op(
        "constant",
        16,
        "",
        "result",
        [Field("value", Kind.CONSTANT)],
        rules=(tile("result", "number"), when("`value`: one element, or all", "value", _has_bytes)),
        example=example("result: 4xf32", value=bytes(4)),
        evaluate=lanes(lambda v: rearrange.constant(v.result, v.value)),
        rust="constant(value, shape![{shape}])",
    ),
    op(
        "extract",
        38,
        "source indices*",
        "result",
        rules=(
            tile("source result"),
            same_element("source result"),
            SCALAR_INDICES,
            when("`result`: divides `source`", "result", lambda parts: _divides(parts, "source", "result")),
        ),
        example=example("source: 4x8xf32; indices: i32 i32; result: 2x8xf32"),
        evaluate=moves(rearrange.extract),
        rust="extract({source}, [{indices}])",
    ),
    op(
        "insert",
        118,
        "source destination indices*",
        "result",
        since="13.4",
        rules=(
            tile("source destination result"),
            same_element("source destination result"),
            SCALAR_INDICES,
            same_shape("destination result"),
            when("`source`: divides `destination`", "source", lambda parts: _divides(parts, "destination", "source")),
        ),
        example=example("source: 2x8xf32; destination result: 4x8xf32; indices: i32 i32"),
        evaluate=moves(rearrange.insert),
        rust="unsafe insert({source}, {destination}, [{indices}])",
    ),
    op(
        "iota",
        58,
        "",
        "result",
        rules=(tile("result", "int"), when("`result`: rank 1, and its numbers fit", "result", _counts)),
        example=example("result: 4xi32"),
        evaluate=lanes(rearrange.iota),
        rust="iota(shape![{shape}])",
    ),
    op(
        "permute",
        83,
        "source",
        "result",
        [Field("permutation", Kind.INT32S)],
        rules=(
            tile("source result"),
            same_element("source result"),
            when("`result`: the axes of `source` in the order of `permutation`", "result", _permutes),
        ),
        example=example("source: 4x8xf32; result: 8x4xf32", permutation=(1, 0)),
        evaluate=moves(rearrange.permute),
        rust="permute({source}, const_array![{permutation}])",
    ),
    op(
        "reshape",
        91,
        "source",
        "result",
        rules=(
            tile("source result"),
            same_element("source result"),
            when(
                "`result`: as many elements as `source`",
                "result",
                lambda parts: len({prod(shape) for shape in _shapes(parts, "source", "result") or [(0,), (1,)]}) == 1,
            ),
        ),
        example=example("source: 8xf32; result: 2x4xf32"),
        evaluate=moves(rearrange.reshape),
        rust="{source}.reshape(shape![{shape}])",
    ),
    op(
        "select",
        95,
        "cond val_if_true val_if_false",
        "result",
        rules=(
            tile("cond", "i1"),
            alike("val_if_true val_if_false result", ""),
            same_shape("cond result"),
        ),
        example=example("cond: 4xi1; val_if_true val_if_false result: 4xf32"),
        evaluate=Meaning(rearrange.select, Spread.CHOICE),
        rust="select({cond}, {val_if_true}, {val_if_false})",
    ),
)
