"""The types of Tile IR: frozen, hashable, and xDSL attributes at the same time.

Shapes are tuples of int; `None` stands for an extent or stride known only at launch.
Source: cuda.tile 1.7.0 `_bytecode/type.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.printer import Printer

from ferrotile.ir.enums import PaddingValue, PointerAttribute

INTEGERS = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
"""Integer types and their widths in bits."""

FLOATS = {
    "f16": 16, "bf16": 16, "f32": 32, "tf32": 32, "f64": 64, "f8E4M3FN": 8, "f8E5M2": 8,
    "f8E8M0FNU": 8, "f8E5M3FNU": 8, "f4E2M1FN": 4,
}  # fmt: skip
"""Float types and their widths in bits."""


class TileIrType(ParametrizedAttribute, TypeAttribute):
    """Base of the types; `body` is the text between the angle brackets."""

    @property
    def parameters(self) -> tuple[Attribute, ...]:
        return ()

    @property
    def body(self) -> str:
        """The parameters of this type as text."""
        return ""

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.body}>" if self.body else "")

    def _verify(self) -> None:
        # The codec and `verify` check types; xDSL's own check would need an irdl definition.
        pass

    def __str__(self) -> str:
        name = self.name.removeprefix("cuda_tile.")
        return f"{name}<{self.body}>" if self.body else name


@dataclass(frozen=True)
class ScalarType(TileIrType):
    """A number: `i32`, `f16`, ...; `name` is that word (it takes the place of xDSL's class name)."""

    name: str = field()  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def bits(self) -> int:
        """Width in bits."""
        return INTEGERS.get(self.name) or FLOATS[self.name]

    @property
    def constant_bits(self) -> int:
        """Width in bits of an element in the bytes of a constant; MLIR stores the 19 bits of tf32 in whole bytes."""
        return 24 if self.name == "tf32" else self.bits

    @property
    def is_integer(self) -> bool:
        """Whether this is an integer type."""
        return self.name in INTEGERS

    @property
    def is_float(self) -> bool:
        """Whether this is a float type."""
        return self.name in FLOATS


@dataclass(frozen=True)
class PointerType(TileIrType):
    """The address of a number."""

    name = "cuda_tile.ptr"
    pointee: ScalarType
    attribute: PointerAttribute | None = None

    @property
    def body(self) -> str:
        return f"{self.pointee}" + (f", {self.attribute.name}" if self.attribute else "")


@dataclass(frozen=True)
class TileType(TileIrType):
    """A tile of numbers or pointers; rank 0 is a scalar value."""

    name = "cuda_tile.tile"
    element: ScalarType | PointerType
    shape: tuple[int, ...]

    @property
    def body(self) -> str:
        return "x".join([*map(str, self.shape), str(self.element)])


@dataclass(frozen=True)
class TokenType(TileIrType):
    """An edge of the order between memory operations."""

    name = "cuda_tile.token"


@dataclass(frozen=True)
class TensorViewType(TileIrType):
    """An array in memory: element, extents and strides (in elements)."""

    name = "cuda_tile.tensor_view"
    element: ScalarType
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    attribute: PointerAttribute | None = None

    @property
    def body(self) -> str:
        shape = "x".join([*map(_extent, self.shape), str(self.element)])
        strides = f", strides=[{','.join(map(_extent, self.strides))}]" if self.strides else ""
        return shape + strides + (f", {self.attribute.name}" if self.attribute else "")


@dataclass(frozen=True)
class PartitionViewType(TileIrType):
    """An array cut into tiles that touch; `dim_map[i]` is the array axis of tile axis `i`."""

    name = "cuda_tile.partition_view"
    tile_shape: tuple[int, ...]
    tensor_view: TensorViewType
    dim_map: tuple[int, ...]
    padding: PaddingValue | None

    @property
    def body(self) -> str:
        return _view_body(self.tile_shape, self.tensor_view, self.padding, dim_map=self.dim_map)


@dataclass(frozen=True)
class GatherScatterViewType(TileIrType):
    """An array read by tiles whose rows along `sparse_dim` are chosen by an index tile."""

    name = "cuda_tile.gather_scatter_view"
    tile_shape: tuple[int, ...]
    tensor_view: TensorViewType
    sparse_dim: int
    padding: PaddingValue | None

    @property
    def body(self) -> str:
        return _view_body(self.tile_shape, self.tensor_view, self.padding, sparse_dim=(self.sparse_dim,))


@dataclass(frozen=True)
class StridedViewType(TileIrType):
    """An array read by tiles that start every `traversal_strides` elements."""

    name = "cuda_tile.strided_view"
    tile_shape: tuple[int, ...]
    traversal_strides: tuple[int, ...]
    tensor_view: TensorViewType
    dim_map: tuple[int, ...]
    padding: PaddingValue | None

    @property
    def body(self) -> str:
        steps = self.traversal_strides
        return _view_body(self.tile_shape, self.tensor_view, self.padding, steps=steps, dim_map=self.dim_map)


@dataclass(frozen=True)
class FunctionType(TileIrType):
    """What an entry takes and gives."""

    name = "cuda_tile.function"
    arguments: tuple[TileIrType, ...]
    results: tuple[TileIrType, ...]

    @property
    def parameters(self) -> tuple[TileIrType, ...]:
        """The types of the parameters."""
        return self.arguments

    @property
    def body(self) -> str:
        return f"({', '.join(map(str, self.arguments))}) -> ({', '.join(map(str, self.results))})"


ViewType = PartitionViewType | GatherScatterViewType | StridedViewType
"""The three ways to read a `TensorViewType` by tiles."""


def _extent(value: int | None) -> str:
    return "?" if value is None else str(value)


def _view_body(tile: Sequence[int], tensor: TensorViewType, padding: PaddingValue | None, **more: Sequence[int]) -> str:
    parts = [f"tile=({'x'.join(map(str, tile))})"]
    if padding is not None:
        parts.append(f"padding_value = {padding.name}")
    parts.append(str(tensor))
    parts.extend(f"{name}=[{', '.join(map(str, values))}]" for name, values in more.items())
    return ", ".join(parts)
