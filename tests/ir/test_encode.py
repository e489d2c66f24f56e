"""Modules built by hand, changed after decoding, and asked for at other versions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from cuda.tile._bytecode.attribute import encode_ap_int
from xdsl.ir import Block, Region

from ferrotile import ir
from ferrotile.core import InputError, Place, tools
from ferrotile.ir import debug
from ferrotile.ir.access import wrap
from ferrotile.ir.binary import Reader
from ferrotile.ir.enums import PaddingValue, PointerAttribute, RoundingMode, SymbolVisibility
from ferrotile.ir.types import (
    FunctionType,
    PartitionViewType,
    PointerType,
    ScalarType,
    TensorViewType,
    TileType,
)

F64 = ScalarType("f64")
F32 = TileType(ScalarType("f32"), (4,))
Build = Callable[..., ir.Module]


def constant(data: bytes = bytes(4), kind: TileType = F32) -> ir.Module:
    return ir.make("constant", attributes={"value": data}, results=[kind])


def refused(module: ir.Module, version: tuple[int, int]) -> InputError:
    with pytest.raises(InputError) as caught:
        ir.encode(module, version)
    return caught.value


def test_a_changed_module_keeps_the_rest_of_its_tables(kernel: Build) -> None:
    module = ir.decode(ir.encode(kernel(constant())))
    block = module.entries[0].regions[0].block
    block.insert_op_before(constant(bytes(8), TileType(F64, ())), block.last_op)
    again = ir.decode(ir.encode(module))
    assert ir.print_generic(again) == ir.print_generic(module)
    assert again.layout.strings == module.layout.strings
    assert again.layout.types[: len(module.layout.types)] == module.layout.types


def test_a_table_with_two_equal_entries_comes_back(kernel: Build) -> None:
    """cutile writes each constant again; both entries and their uses stay."""
    module = ir.decode(ir.encode(kernel(constant(), constant(b"\1\0\0\0"))))
    data = ir.encode(module)
    twin = data.replace(b"\4\1\0\0\0", b"\4\0\0\0\0")
    assert twin != data
    again = ir.decode(twin)
    first, second = [ir.attribute(op, "value") for op in again.entries[0].walk() if op.name == "cuda_tile.constant"]
    assert first == second
    assert ir.encode(again) == twin


@pytest.mark.parametrize("version", [(13, 3), (13, 4), (13, 5)])
def test_globals_and_producer_survive(version: tuple[int, int], kernel: Build) -> None:
    module = kernel(constant(), version=version)
    attributes = {"value": bytes(16), "alignment": 16, "constant": True, "symbol_visibility": SymbolVisibility.Private}
    table = ir.make("global", attributes={"sym_name": "table", **attributes})
    table.attributes["type"] = wrap(F32)
    block = module.op.regions[0].block
    block.insert_op_before(table, block.first_op)
    module.op.properties["producer"] = wrap("ferrotile test")
    again = ir.decode(ir.encode(module))
    assert ir.print_generic(again) == ir.print_generic(module)
    assert ir.attribute(again.globals[0], "type") == F32
    assert ir.attribute(again.op, "producer") == "ferrotile test"
    assert refused(module, (13, 2)).code == "FT211"


def test_parameter_attributes_need_the_newest_bytecode(kernel: Build) -> None:
    module = kernel(arg_attrs=(ir.DictAttr((("name", "x"),)),), version=(13, 5))
    again = ir.decode(ir.encode(module))
    assert ir.attribute(again.entries[0], "arg_attrs") == (ir.DictAttr((("name", "x"),)),)
    assert refused(module, (13, 4)).code == "FT211"


def test_absent_hints_are_the_same_at_every_version(kernel: Build) -> None:
    module = kernel(constant())
    for version in ((13, 1), (13, 4), (13, 5)):
        entry = ir.decode(ir.encode(module, version)).entries[0]
        assert ir.attribute(entry, "optimization_hints") is None
        assert ir.attribute(entry, "arg_attrs") is None


def test_hint_values_keep_their_kind(kernel: Build) -> None:
    hints = (
        ("default", (("allow_tma", False), ("latency", 3))),
        ("sm_90", (("note", "x"), ("big", ir.IntAttr(ScalarType("i64"), 5)))),
    )
    again = ir.decode(ir.encode(kernel(optimization_hints=hints)))
    assert ir.attribute(again.entries[0], "optimization_hints") == hints


def test_a_type_of_newer_bytecode_is_refused(kernel: Build) -> None:
    pointer = TileType(PointerType(ScalarType("f32"), PointerAttribute.Default), ())
    number = constant(bytes(8), TileType(ScalarType("i64"), ()))
    module = kernel(number, ir.make("int_to_ptr", {"source": number.results[0]}, results=[pointer]))
    assert refused(module, (13, 3)).code == "FT212"
    assert ir.encode(module, (13, 4))
    assert refused(kernel(constant(bytes(1), TileType(ScalarType("f8E5M3FNU"), ()))), (13, 3)).code == "FT212"


def test_an_enum_value_of_newer_bytecode_is_refused(kernel: Build) -> None:
    value = constant()
    half = TileType(ScalarType("f16"), (4,))
    away = {"rounding_mode": RoundingMode.NEAREST_AWAY}
    module = kernel(value, ir.make("ftof", {"from": value.results[0]}, away, [half]))
    error = refused(module, (13, 3))
    assert error.code == "FT211" and "NEAREST_AWAY" in error.message


@pytest.mark.parametrize(("bits", "wide"), [(0xFFF0000000000000, False), (0x7FF0000000000000, True), (1, False)])
def test_identities_of_64_bits_are_read_as_tileirdisasm_reads_them(bits: int, wide: bool, kernel: Build) -> None:
    """cuda.tile 1.7.0 writes minus infinity in 65 bits, and the tools read infinity; cutile writes it right."""
    kind, scalar = TileType(F64, (4,)), TileType(F64, ())
    source = constant(bytes(8), kind)
    body = Block(arg_types=[scalar, scalar])
    body.add_op(ir.make("yield", {"operands": [body.args[0]]}))
    attributes = {"dim": 0, "identities": (ir.FloatAttr(F64, bits, wide),)}
    op = ir.make("reduce", {"operands": source.results[0]}, attributes, [scalar], [Region(body)])
    data = ir.encode(kernel(source, op))
    again = ir.decode(data)
    found = next(op for op in again.entries[0].walk() if op.name == "cuda_tile.reduce")
    assert ir.attribute(found, "identities")[0].bits == bits
    assert ir.encode(again) == data
    shown = re.search(r"identities=\[([^ \]]*)", tools.disassemble_bytecode(data))
    assert shown and (bits == 1 or shown[1] == f"0x{bits:016X}")


def test_cuda_tile_loses_the_sign_of_a_64_bit_identity() -> None:
    """The witness of the test above: what cuda.tile's own class writes for minus infinity."""
    buffer = bytearray()
    encode_ap_int(0xFFF0000000000000, 64, buffer)
    assert Reader(bytes(buffer)).varint() == 0x7FF0000000000000 << 1 | 1 << 64


def test_integers_are_signed(kernel: Build) -> None:
    lowest = ir.IntAttr(ScalarType("i32"), -(1 << 31))
    again = ir.decode(ir.encode(kernel(optimization_hints=(("sm_90", (("x", lowest), ("y", -1))),))))
    ((_, items),) = ir.attribute(again.entries[0], "optimization_hints")
    assert items == (("x", -(1 << 31)), ("y", -1))


def test_an_if_may_have_no_else(kernel: Build) -> None:
    condition = constant(bytes(1), TileType(ScalarType("i1"), ()))
    then = Region(Block([ir.make("yield")]))
    module = kernel(condition, ir.make("if", {"condition": condition.results[0]}, regions=[then, Region()]))
    ir.verify(module)
    again = ir.decode(ir.encode(module))
    assert ir.print_generic(again) == ir.print_generic(module)


def test_views_of_every_padding_survive(kernel: Build) -> None:
    array = TensorViewType(ScalarType("f32"), (None, 64), (64, 1))
    for padding in (None, *PaddingValue):
        view = PartitionViewType((4, 8), array, (1, 0), padding)
        for version in ((13, 1), (13, 3), (13, 4)):
            module = kernel(function_type=FunctionType((view,), ()), version=version)
            signature = ir.attribute(ir.decode(ir.encode(module)).entries[0], "function_type")
            assert signature.parameters == (view,)


def test_places_survive_with_their_calls(kernel: Build) -> None:
    file = debug.File("kernel.py", "/src")
    unit = debug.CompileUnit(file)
    outer = debug.Subprogram(file, 10, "softmax", "softmax_f32", unit, 10)
    helper = debug.Subprogram(debug.File("maths.py", "/src"), 3, "row_max", "row_max", unit, 3)
    inner = debug.Loc(debug.LexicalBlock(helper, file, 4, 2), "/src/maths.py", 5, 8)
    op = constant()
    debug.locate(op, debug.CallSite(inner, debug.Loc(outer, "/src/kernel.py", 12, 4)))
    module = kernel(op)
    debug.locate(module.entries[0], debug.Loc(outer, "/src/kernel.py", 10, 0))
    for version in ((13, 1), (13, 5)):
        again = ir.decode(ir.encode(module, version))
        found = next(op for op in again.entries[0].walk() if op.name == "cuda_tile.constant")
        caller = Place("/src/kernel.py", 12, 4, "softmax")
        assert ir.place(found) == Place("/src/maths.py", 5, 8, "row_max", caller)
        assert ir.place(again.entries[0]) == Place("/src/kernel.py", 10, 0, "softmax")
        assert ir.place(again.entries[0].regions[0].block.last_op) is None


def _calls_to_decode(count: int, build: Build) -> int:
    ops = [constant()]
    for _ in range(count):
        ops.append(ir.make("negf", {"source": ops[-1].results[0]}, results=[F32]))
    data = ir.encode(build(*ops))
    calls = 0

    def watch(_: object, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(watch)
    try:
        module = ir.decode(data)
    finally:
        sys.setprofile(None)
    assert module.op_count == count + 2
    return calls


def test_decoding_work_grows_with_the_number_of_operations(kernel: Build) -> None:
    """Eight times the operations take eight times as many calls; time itself is for `make bench`."""
    small, large = (_calls_to_decode(count, kernel) for count in (1_000, 8_000))
    assert large < 8 * small * 1.1
