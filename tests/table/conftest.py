"""cuda.tile's own bytecode writer, driven by one of our modules: the outside witness for the encoder."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import pytest
from cuda.tile import _bytecode as theirs
from cuda.tile._bytecode import attribute as their_attributes
from cuda.tile._bytecode import encodings
from cuda.tile._bytecode.basic import StringTable
from cuda.tile._bytecode.constant import ConstantTable
from cuda.tile._bytecode.version import BytecodeVersion

from ferrotile import ir
from ferrotile.ir import types as t
from ferrotile.ir.spec import Arity, Field, Kind, Version

DYNAMIC = theirs.DYNAMIC_SHAPE


def _encoders() -> dict[int, Callable[..., Any]]:
    found: dict[int, Callable[..., Any]] = {}
    for name, function in vars(encodings).items():
        if name.startswith("encode_") and name[7].isupper():
            match = re.search(r"# Opcode\s+encode_varint\((\d+), _buf\)", inspect.getsource(function))
            assert match, name
            found[int(match[1])] = function
    return found


ENCODERS = _encoders()


def their_version(version: Version) -> BytecodeVersion:
    return BytecodeVersion[f"V_{version[0]}_{version[1]}"]


class Witness:
    """Writes one module with cuda.tile's writer."""

    def __init__(self, version: Version) -> None:
        self.version = their_version(version)
        self.values: dict[Any, Any] = {}

    def module(self, module: ir.Module) -> bytes:
        buffer = bytearray()
        with theirs.write_bytecode(len(module.entries), buffer, self.version) as writer:
            self.types = writer.type_table
            for entry in module.entries:
                self._entry(entry, writer)
            for item in module.globals:
                self._global(item, writer)
        if module.preview:
            theirs.patch_header_preview_flag(buffer, self.version)
        return bytes(buffer)

    def alone(self, op: Any) -> bytes:
        """The bytes of one operation outside a function, with fresh tables."""
        self.types = theirs.TypeTable(self.version)
        self.builder = theirs.CodeBuilder(bytearray(), self.version, StringTable(), ConstantTable(), [])
        self._operation(op)
        return bytes(self.builder.buf)

    def _entry(self, entry: Any, writer: Any) -> None:
        signature = ir.attribute(entry, "function_type")
        hints = {
            arch: theirs.EntryHints(**dict(values)) for arch, values in ir.attribute(entry, "optimization_hints") or ()
        }
        name = ir.attribute(entry, "sym_name")
        parameters = [self.type_id(kind) for kind in signature.parameters]
        with writer.function(name, parameters, [], True, hints, theirs.MISSING_DEBUG_ATTR_ID) as function:
            self.builder = function.code_builder
            block = entry.regions[0].block
            self.values.update(zip(block.args, function.parameters, strict=True))
            for op in block.ops:
                self._operation(op)

    def _global(self, op: Any, writer: Any) -> None:
        visibility = ir.attribute(op, "symbol_visibility").name
        writer.global_section.define_global(
            ir.attribute(op, "sym_name"),
            self.type_id(ir.attribute(op, "type")),
            ir.attribute(op, "value"),
            ir.attribute(op, "alignment"),
            ir.attribute(op, "constant"),
            encodings.SymbolVisibility[visibility],
        )

    def _operation(self, op: Any) -> None:
        encoder = ENCODERS[ir.row(op).opcode]
        names = list(inspect.signature(encoder).parameters)[1:]
        made = encoder(self.builder, **{name: self._argument(op, name) for name in names})
        if isinstance(made, encodings.NestedBlockBuilder):
            for region in op.regions:
                self._block(region.block, made)
            made = made.done()
        results = made if isinstance(made, tuple) else () if made is None else (made,)
        self.values.update(zip(op.results, results, strict=True))

    def _block(self, block: Any, builder: Any) -> None:
        with builder.new_block([self.type_id(argument.type) for argument in block.args]) as arguments:
            self.values.update(zip(block.args, arguments, strict=True))
            for op in block.ops:
                self._operation(op)

    def _argument(self, op: Any, name: str) -> Any:
        row, plain = ir.row(op), name.removesuffix("_")
        if plain in row.field:
            return self._attribute(row.field[plain], ir.attribute(op, plain))
        for slot in row.operands:
            if slot.name == plain:
                found = [self.values[value] for value in ir.operands(op, plain)]
                return found if slot.arity is Arity.MANY else next(iter(found), None)
        return self._result_type(op, name)

    def _result_type(self, op: Any, name: str) -> Any:
        slots = ir.row(op).results
        if name == "result_types":
            return [self.type_id(kind) for kind in op.result_types]
        position = [f"{slot.name}_type" for slot in slots].index(name)
        return self.type_id(op.result_types[position]) if position < len(op.results) else None

    def _attribute(self, field: Field, value: Any) -> Any:
        if value is None:
            return None
        match field.kind:
            case Kind.ENUM:
                return getattr(encodings, type(value).__name__)[value.name]
            case Kind.HINTS:
                return self._hints(value)
            case Kind.ARRAY:
                return [self._tagged(item) for item in value]
            case Kind.TAGGED:
                return self._tagged(value)
            case Kind.TYPE:
                return self.type_id(value)
            case _:
                return value

    def _hints(self, value: Any) -> Any:
        make_int, make_bool = their_attributes.Integer.create_i32, their_attributes.Bool
        return theirs.OptimizationHints(
            [
                (
                    arch,
                    their_attributes.Dictionary([(k, make_bool(v) if v is False else make_int(v)) for k, v in items]),
                )
                for arch, items in value
            ]
        )

    def _tagged(self, value: Any) -> Any:
        match value:
            case ir.DivBy():
                return theirs.DivBy(value.divisor, value.every, value.along)
            case ir.Bounded():
                return theirs.Bounded(value.lb, value.ub)
            case ir.IntAttr():
                return theirs.Integer(self.type_id(value.type), value.type.bits, value.value)
            case ir.FloatAttr():
                made = theirs.Float.__new__(theirs.Float)
                made.type_id, made.value_bits = self.type_id(value.type), value.bits
                made.bit_size = value.type.bits
                return made
        raise AssertionError(value)

    def type_id(self, kind: Any) -> Any:
        """The number of a type in cuda.tile's table."""
        table = self.types
        match kind:
            case t.ScalarType():
                names = {"f8E5M3FNU": "FNV8E5M3FNU"}
                return table.simple(theirs.SimpleType[names.get(kind.name, kind.name.upper())])
            case t.TokenType():
                return table.Token
            case t.PointerType():
                return table.pointer(self.type_id(kind.pointee), _pointer(kind))
            case t.TileType():
                return table.tile(self.type_id(kind.element), kind.shape)
            case t.TensorViewType():
                shape, strides = _dims(kind.shape), _dims(kind.strides)
                return table.tensor_view(self.type_id(kind.element), shape, strides, _pointer(kind))
            case t.FunctionType():
                return table.function(
                    *[[self.type_id(item) for item in group] for group in (kind.arguments, kind.results)]
                )
        return self._view_id(kind)

    def _view_id(self, kind: Any) -> Any:
        table, tensor = self.types, self.type_id(kind.tensor_view)
        padding = theirs.PaddingValue[kind.padding.name if kind.padding else "Missing"]
        match kind:
            case t.PartitionViewType():
                return table.partition_view(kind.tile_shape, tensor, kind.dim_map, padding)
            case t.GatherScatterViewType():
                return table.gather_scatter_view(kind.tile_shape, tensor, kind.sparse_dim, padding)
            case t.StridedViewType():
                return table.strided_view(kind.tile_shape, kind.traversal_strides, tensor, kind.dim_map, padding)
        raise AssertionError(kind)


def _dims(extents: Iterable[int | None]) -> list[int]:
    return [DYNAMIC if extent is None else extent for extent in extents]


def _pointer(kind: Any) -> Any:
    if kind.attribute is None:
        return theirs.PtrAttr.Missing
    return SimpleNamespace(_value_=bytes([kind.attribute.value]))  # cuda.tile names one of three values


@pytest.fixture
def witness() -> type[Witness]:
    """The class that writes a module with cuda.tile's writer."""
    return Witness


@pytest.fixture(scope="session")
def opcodes() -> dict[int, str]:
    """cuda.tile's encoders: opcode and name."""
    return {opcode: encoder.__name__ for opcode, encoder in ENCODERS.items()}
