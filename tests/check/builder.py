"""Small kernels, written as Python: one call an operation; its place is the line of the call.

`k.addf(x, y)` gives the result (its type is that of the first operand, or `to=`); attributes have the values that
cuda.tile writes, unless given. Types are words: `f32`, `4x8xf32`, `ptr<f16>`, `16xptr<f32>`.
"""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue

from ferrotile import ir
from ferrotile.ir import enums
from ferrotile.ir.debug import Loc, Unknown, locate
from ferrotile.ir.spec import Arity
from ferrotile.ir.types import (
    FunctionType,
    PartitionViewType,
    PointerType,
    ScalarType,
    TensorViewType,
    TileType,
    TokenType,
)

DEFAULTS: dict[str, Any] = {
    "rounding_mode": enums.RoundingMode.NEAREST_EVEN,
    "rounding": enums.RoundingMode.ZERO,
    "flush_to_zero": False,
    "propagate_nan": False,
    "overflow": enums.IntegerOverflow.NONE,
    "signedness": enums.Signedness.Signed,
    "comparison_predicate": enums.ComparisonPredicate.LESS_THAN,
    "comparison_ordering": enums.ComparisonOrdering.ORDERED,
    "memory_ordering_semantics": enums.MemoryOrderingSemantics.WEAK,
    "unsignedCmp": False,
    "fast_acc": False,
    "reverse": False,
    "saturating": False,
}


def tile(word: str) -> TileType:
    """Read a tile type."""
    found = re.fullmatch(r"((?:\d+x)*)(\w+|ptr<\w+>)", word)
    assert found is not None, word
    shape = tuple(map(int, found[1].split("x")[:-1]))
    element = found[2]
    if element.startswith("ptr<"):
        return TileType(PointerType(ScalarType(element[4:-1])), shape)
    return TileType(ScalarType(element), shape)


def number_bytes(kind: ScalarType, value: float) -> bytes:
    """One number as bytes."""
    if kind.is_integer:
        return int(value).to_bytes(max(1, kind.bits // 8), "little", signed=value < 0)
    return struct.pack({"f16": "<e", "f32": "<f", "f64": "<d"}[kind.name], value)


class Carried:
    """What a `with` block of a loop gives: its index, its carried values, and afterwards its results."""

    def __init__(self, op: Operation, first: int) -> None:
        arguments = op.regions[0].block.args
        self.index = arguments[0] if first else None
        self.values = tuple(arguments[first:])
        self.results = tuple(op.results)


class Builder:
    """Builds one kernel."""

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.entry = Block()
        self.block = self.entry
        self.lines: dict[int, int] = {}

    def parameters(self, *words: str) -> tuple[SSAValue, ...]:
        """Entry parameters, in order."""
        return tuple(self.entry.insert_arg(tile(word), len(self.entry.args)) for word in words)

    def constant(self, word: str, *values: float) -> SSAValue:
        """A constant tile: one number for all elements, or all numbers."""
        kind = tile(word)
        assert isinstance(kind.element, ScalarType)
        data = b"".join(number_bytes(kind.element, value) for value in values)
        return self._add("constant", {}, {"value": data}, [kind]).results[0]

    def block_id(self) -> tuple[SSAValue, ...]:
        """The three block ids."""
        return tuple(self._add("get_tile_block_id", {}, {}, [tile("i32")] * 3).results)

    def token(self) -> SSAValue:
        """A new token."""
        return self._add("make_token", {}, {}, [TokenType()]).results[0]

    def join(self, *tokens: SSAValue) -> SSAValue:
        """A token after several."""
        return self._add("join_tokens", {"tokens": tokens}, {}, [TokenType()]).results[0]

    def assume(self, value: SSAValue, predicate: object) -> SSAValue:
        """A fact about a value."""
        return self._add("assume", {"value": value}, {"predicate": predicate}, [value.type]).results[0]

    def array(self, base: SSAValue, shape: Sequence[SSAValue | int], strides: Sequence[SSAValue | int]) -> SSAValue:
        """A tensor view; extents and strides may be numbers."""
        assert isinstance(base.type, TileType) and isinstance(base.type.element, PointerType)
        extents, steps = (tuple(n if isinstance(n, int) else None for n in numbers) for numbers in (shape, strides))
        kind = TensorViewType(base.type.element.pointee, extents, steps)
        sizes, dynamic = ([n for n in numbers if not isinstance(n, int)] for numbers in (shape, strides))
        values = {"base": base, "dynamicShape": sizes, "dynamicStrides": dynamic}
        return self._add("make_tensor_view", values, {}, [kind]).results[0]

    def extents(self, view: SSAValue) -> tuple[SSAValue, ...]:
        """The extents of an array in elements, or of a partition of it in tiles."""
        if isinstance(view.type, TensorViewType):
            return tuple(self._add("get_tensor_shape", {"src": view}, {}, [tile("i32")] * len(view.type.shape)).results)
        assert isinstance(view.type, PartitionViewType)
        space = [tile("i32")] * len(view.type.tile_shape)
        return tuple(self._add("get_index_space_shape", {"src": view}, {}, space).results)

    def partition(
        self, array: SSAValue, shape: Sequence[int], padding: str | None = None, dim_map: Sequence[int] | None = None
    ) -> SSAValue:
        """A partition view."""
        pad = enums.PaddingValue[padding] if padding else None
        assert isinstance(array.type, TensorViewType)
        kind = PartitionViewType(tuple(shape), array.type, tuple(dim_map or range(len(shape))), pad)
        return self._add("make_partition_view", {"tensor_view": array}, {}, [kind]).results[0]

    def load(self, view: SSAValue, index: Sequence[SSAValue], token: SSAValue | None = None, **more: Any) -> Any:
        """A load through a view: the tile and the token."""
        kind = view.type
        assert isinstance(kind, PartitionViewType)
        results = [TileType(kind.tensor_view.element, kind.tile_shape), TokenType()]
        values = {"view": view, "index": index, "token": token}
        return tuple(self._add("load_view_tko", values, self._access(more, len(index)), results).results)

    def store(
        self, value: SSAValue, view: SSAValue, index: Sequence[SSAValue], token: SSAValue | None = None, **more: Any
    ) -> SSAValue:
        """A store through a view: the token."""
        values = {"tile": value, "view": view, "index": index, "token": token}
        return self._add("store_view_tko", values, self._access(more, len(index)), [TokenType()]).results[0]

    def load_pointers(
        self, pointers: SSAValue, mask: SSAValue | None = None, padding: SSAValue | None = None,
        token: SSAValue | None = None, **more: Any,
    ) -> Any:  # fmt: skip
        """A load through pointers: the tile and the token."""
        assert isinstance(pointers.type, TileType) and isinstance(pointers.type.element, PointerType)
        results = [TileType(pointers.type.element.pointee, pointers.type.shape), TokenType()]
        values = {"source": pointers, "mask": mask, "paddingValue": padding, "token": token}
        return tuple(self._add("load_ptr_tko", values, {**DEFAULTS, **more}, results).results)

    def store_pointers(
        self, pointers: SSAValue, value: SSAValue, mask: SSAValue | None = None, token: SSAValue | None = None,
        **more: Any,
    ) -> SSAValue:  # fmt: skip
        """A store through pointers: the token."""
        values = {"destination": pointers, "value": value, "mask": mask, "token": token}
        return self._add("store_ptr_tko", values, {**DEFAULTS, **more}, [TokenType()]).results[0]

    def atomic(self, pointers: SSAValue, value: SSAValue, token: SSAValue | None = None, **more: Any) -> Any:
        """An atomic addition: the old value and the token."""
        attributes = {
            "mode": enums.AtomicRMWMode.ADD, "memory_ordering_semantics": enums.MemoryOrderingSemantics.ACQ_REL,
            "memory_scope": enums.MemoryScope.DEVICE, **more,
        }  # fmt: skip
        values = {"pointers": pointers, "arg": value, "token": token}
        return tuple(self._add("atomic_rmw_tko", values, attributes, [value.type, TokenType()]).results)

    @contextmanager
    def for_(self, low: SSAValue, high: SSAValue, step: SSAValue, *first: SSAValue, **more: Any) -> Iterator[Carried]:
        """A counted loop; its block ends with `k.end("continue", ...)`."""
        values = {"lowerBound": low, "upperBound": high, "step": step, "initValues": first}
        kinds = [value.type for value in first]
        block = Block(arg_types=[low.type, *kinds])
        op = self._add("for", values, {**DEFAULTS, **more}, kinds, [Region(block)])
        with self._inside(block):
            yield Carried(op, 1)

    @contextmanager
    def loop(self, *first: SSAValue, results: Sequence[SSAValue] | None = None) -> Iterator[Carried]:
        """An endless loop; `results` are values of the types that `break` gives."""
        kinds = [value.type for value in first]
        block = Block(arg_types=kinds)
        given = kinds if results is None else [value.type for value in results]
        op = self._add("loop", {"initValues": first}, {}, given, [Region(block)])
        with self._inside(block):
            yield Carried(op, 0)

    def if_(self, condition: SSAValue, *words: Any) -> tuple[Any, Any, tuple[SSAValue, ...]]:
        """A branch: two context managers for its blocks, and its results (types as words or of values)."""
        kinds = [tile(word) if isinstance(word, str) else word.type for word in words]
        blocks = Block(), Block()
        op = self._add("if", {"condition": condition}, {}, kinds, [Region(block) for block in blocks])
        return self._inside(blocks[0]), self._inside(blocks[1]), tuple(op.results)

    @contextmanager
    def reduce(self, source: SSAValue, dim: int, identity: object, to: str) -> Iterator[tuple[SSAValue, ...]]:
        """A reduction; the block ends with `k.end("yield", ...)`; `k.last` is its result."""
        assert isinstance(source.type, TileType)
        element = TileType(source.type.element, ())
        block = Block(arg_types=[element, element])
        attributes = {"dim": dim, "identities": (identity,)}
        op = self._add("reduce", {"operands": [source]}, attributes, [tile(to)], [Region(block)])
        with self._inside(block):
            yield tuple(block.args)
        self.last = op.results[0]

    @contextmanager
    def fold(
        self, name: str, sources: Sequence[SSAValue], dim: int, starts: Sequence[object], *results: str, **more: object
    ) -> Iterator[tuple[SSAValue, ...]]:
        """A `reduce` or `scan` of tiles; its block ends with `k.end("yield", ...)`, `k.folded` are its results."""
        kinds = [source.type for source in sources]
        block = Block(
            arg_types=[TileType(kind.element, ()) for kind in kinds if isinstance(kind, TileType) for _ in "ab"]
        )
        attributes = {**DEFAULTS, "dim": dim, "identities": tuple(starts), **more}
        op = self._add(name, {"operands": sources}, attributes, [tile(word) for word in results], [Region(block)])
        with self._inside(block):
            yield tuple(block.args)
        self.folded = tuple(op.results)

    def end(self, name: str, *values: SSAValue) -> None:
        """Ends a block."""
        self._add(name, {"operands": values}, {}, [])

    def __getattr__(self, name: str) -> Any:
        """Any other operation with one result, by its name."""
        row = next((row for row in ir.table() if row.name == name.rstrip("_")), None)
        if row is None:
            raise AttributeError(name)

        def add(*operands: Any, to: str | None = None, **attributes: Any) -> SSAValue:
            values = dict(zip((slot.name for slot in row.operands), operands, strict=False))
            if row.operands and row.operands[-1].arity is Arity.MANY:
                fixed = len(row.operands) - 1
                values[row.operands[-1].name] = operands[fixed:]
            kind = tile(to) if to else operands[0].type
            return self._add(row.name, values, {**DEFAULTS, **attributes}, [kind]).results[0]

        return add

    def module(self, hints: object = None) -> ir.Module:
        """The finished kernel, alone in a module."""
        self.block = self.entry
        self._add("return", {"operands": ()}, {}, [])
        kind = FunctionType(tuple(value.type for value in self.entry.args), ())
        attributes = {"sym_name": "kernel", "function_type": kind, "optimization_hints": hints}
        entry = ir.make("entry", {}, attributes, [], [Region(self.entry)])
        op = ir.make("module", {}, {"sym_name": "kernels"}, [], [Region(Block([entry]))])
        return ir.Module((13, 4), op)

    def _access(self, more: dict[str, Any], count: int) -> dict[str, Any]:
        return {**DEFAULTS, "inbounds": (False,) * count, **more}

    @contextmanager
    def _inside(self, block: Block) -> Iterator[None]:
        outer, self.block = self.block, block
        yield
        self.block = outer

    def _add(
        self, name: str, values: dict[str, Any], attributes: dict[str, Any], results: Sequence[Any],
        regions: Sequence[Region] = (),
    ) -> Operation:  # fmt: skip
        row = next(row for row in ir.table() if row.name == name)
        known = {key: value for key, value in attributes.items() if key in row.field}
        op = ir.make(name, values, known, results, regions)
        frame = sys._getframe(1)
        while frame is not None and Path(frame.f_code.co_filename).name != self.file:
            frame = frame.f_back
        if frame is not None:
            locate(op, Loc(Unknown(), self.file, frame.f_lineno, 0))
        self.block.add_op(op)
        return op


def built(path: Path) -> ir.Module:
    """The module of a file that defines `kernel(k)`."""
    builder = Builder(path.name)
    space: dict[str, Any] = {"DivBy": ir.DivBy, "Bounded": ir.Bounded, "FloatAttr": ir.FloatAttr, "e": enums}
    space |= {"IntAttr": ir.IntAttr, **{name.upper(): ScalarType(name) for name in ("f32", "i16", "i32", "i64")}}
    exec(compile(path.read_text(), str(path.parent / path.name), "exec"), space)
    hints = space["kernel"](builder)
    return builder.module(hints)
