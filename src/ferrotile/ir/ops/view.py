"""Views of arrays in memory, and what can be asked of them."""

from ferrotile.ir import rearrange
from ferrotile.ir.meaning import Driven, lanes
from ferrotile.ir.rules import Parts, same, same_shape, tile, view, when
from ferrotile.ir.spec import example, op
from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    StridedViewType,
    TensorViewType,
    TileType,
)


def _dynamic(parts: Parts, operands: str, field: str) -> bool:
    kind = parts.one("result")
    return isinstance(kind, TensorViewType) and len(parts.types[operands]) == getattr(kind, field).count(None)


def _base(parts: Parts) -> bool:
    source, kind = parts.one("base"), parts.one("result")
    is_pair = isinstance(source, TileType) and isinstance(kind, TensorViewType)
    return is_pair and isinstance(source.element, PointerType) and source.element.pointee == kind.element


def _rank(parts: Parts) -> bool:
    kind = parts.one("src")
    shape = kind.shape if isinstance(kind, TensorViewType) else getattr(kind, "tile_shape", None)
    return shape is not None and len(parts.types["results"]) == len(shape)


SAME_ARRAY = when(
    "`result`: a view of `tensor_view`", "result",
    lambda parts: getattr(parts.one("result"), "tensor_view", None) == parts.one("tensor_view"),
)  # fmt: skip
ONE_AN_AXIS = when("`results`: one an axis of `src`", "results", _rank)
SHAPE = (tile("results", "int", 0), ONE_AN_AXIS)

ROWS = (
    op(
        "get_index_space_shape",
        45,
        "src",
        "results*",
        rules=(view("src"), SHAPE),
        example=example("src: partition; results: i32 i32"),
        evaluate=Driven("views"),
        rust="num_tiles(&{src}, axis)",
    ),
    op(
        "get_tensor_shape",
        47,
        "src",
        "results*",
        rules=(view("src", TensorViewType), SHAPE),
        example=example("src: tensor; results: i32 i32"),
        evaluate=Driven("views"),
        rust="get_tensor_shape({src})",
    ),
    op(
        "make_gather_scatter_view",
        115,
        "tensor_view",
        "result",
        since="13.3",
        rules=(view("tensor_view", TensorViewType), view("result", GatherScatterViewType), SAME_ARRAY),
        example=example("tensor_view: tensor; result: gather"),
        evaluate=Driven("views"),
        rust="unsafe make_gather_scatter_view({tensor_view}, shape![..], padding)",
    ),
    op(
        "make_partition_view",
        66,
        "tensor_view",
        "result",
        rules=(view("tensor_view", TensorViewType), view("result", PartitionViewType), SAME_ARRAY),
        example=example("tensor_view: tensor; result: partition"),
        evaluate=Driven("views"),
        rust="tiles({tensor_view}, shape![..])",
    ),
    op(
        "make_strided_view",
        116,
        "tensor_view",
        "result",
        since="13.3",
        rules=(view("tensor_view", TensorViewType), view("result", StridedViewType), SAME_ARRAY),
        example=example("tensor_view: tensor; result: strided"),
        evaluate=Driven("views"),
        rust="unsafe make_strided_view({tensor_view}, shape![..], padding)",
    ),
    op(
        "make_tensor_view",
        67,
        "base dynamicShape* dynamicStrides*",
        "result",
        rules=(
            tile("base", "pointer", 0),
            tile("dynamicShape dynamicStrides", "int", 0),
            same("dynamicShape dynamicStrides"),
            view("result", TensorViewType),
            when("`base`: a pointer to the elements", "base", _base),
            when(
                "`dynamicShape`: the unknown extents",
                "dynamicShape",
                lambda parts: _dynamic(parts, "dynamicShape", "shape"),
            ),
            when(
                "`dynamicStrides`: the unknown strides",
                "dynamicStrides",
                lambda parts: _dynamic(parts, "dynamicStrides", "strides"),
            ),
        ),
        example=example("base: ptr<f32>; dynamicShape: i32; dynamicStrides: i32; result: tensor"),
        evaluate=Driven("views"),
        rust="unsafe make_tensor_view({base}, shape, strides, token)",
    ),
    op(
        "offset",
        81,
        "ptr offset",
        "result",
        rules=(tile("ptr", "pointer"), tile("offset", "int"), same_shape("ptr offset"), same("ptr result")),
        example=example("ptr result: 4xptr<f32>; offset: 4xi32"),
        evaluate=lanes(rearrange.offset),
        rust="{ptr}.offset_tile({offset})",
    ),
)
