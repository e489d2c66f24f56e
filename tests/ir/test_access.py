"""Asking an operation for its parts by name, and the verifier's checks that no single row makes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.ir import Block, Region

from ferrotile import ir
from ferrotile.core import InputError
from ferrotile.ir.enums import MemoryOrderingSemantics
from ferrotile.ir.ops import BY_NAME
from ferrotile.ir.samples import Scene, operation
from ferrotile.ir.types import FunctionType, ScalarType, TensorViewType, TileType, TokenType

Build = Callable[..., ir.Module]
F32 = TileType(ScalarType("f32"), (4,))


def test_parts_are_found_by_name() -> None:
    load = operation(BY_NAME["load_view_tko"], Scene())
    assert ir.operand(load, "view").type.name == "cuda_tile.partition_view"
    assert len(ir.operands(load, "index")) == 2
    assert isinstance(ir.operand(load, "token").type, TokenType)
    assert ir.result(load, "result_token") is load.results[1]
    assert ir.attribute(load, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK
    assert ir.attribute(load, "memory_scope") is None
    assert ir.attribute(load, "inbounds") == (False, False)
    assert ir.row(load).name == "load_view_tko"


def test_an_absent_operand_is_none() -> None:
    source = operation(BY_NAME["int_to_ptr"], Scene())
    load = ir.make(
        "load_ptr_tko",
        {"source": source.results[0]},
        {"memory_ordering_semantics": MemoryOrderingSemantics.WEAK},
        [F32, TokenType()],
    )
    assert ir.operand(load, "mask") is None
    assert ir.operands(load, "token") == ()


def test_an_unknown_name_is_an_error() -> None:
    token = ir.make("make_token", results=[TokenType()])
    with pytest.raises(KeyError):
        ir.attribute(token, "overflow")
    with pytest.raises(KeyError):
        ir.operand(token, "lhs")


def test_a_copy_keeps_parts_and_place() -> None:
    load = operation(BY_NAME["store_ptr_tko"], Scene())
    copy = load.clone()
    assert ir.operands(copy, "mask") == ir.operands(load, "mask")
    assert copy.location is load.location


def test_types_are_written_as_people_write_them() -> None:
    array = TensorViewType(ScalarType("f16"), (None, 64), (None, 1))
    assert str(array) == "tensor_view<?x64xf16, strides=[?,1]>"
    assert str(FunctionType((F32,), ())) == "function<(tile<4xf32>) -> ()>"
    assert ScalarType("f32").name == "f32"


def _code(module: ir.Module) -> str:
    with pytest.raises(InputError) as caught:
        ir.verify(module)
    return caught.value.code


def test_a_value_used_before_it_is_made_is_refused(kernel: Build) -> None:
    value = ir.make("constant", attributes={"value": bytes(4)}, results=[F32])
    user = ir.make("negf", {"source": value.results[0]}, results=[F32])
    assert _code(kernel(user, value)) == "FT222"


def test_a_missing_attribute_is_refused(kernel: Build) -> None:
    assert _code(kernel(ir.make("constant", results=[F32]))) == "FT221"


def test_a_terminator_in_the_middle_is_refused(kernel: Build) -> None:
    assert _code(kernel(ir.make("return"))) == "FT224"


def test_a_name_declared_twice_is_refused(kernel: Build) -> None:
    module = kernel()
    block = module.op.regions[0].block
    block.add_op(block.first_op.clone())
    assert _code(module) == "FT225"


def test_a_name_that_is_not_declared_is_refused(kernel: Build) -> None:
    scene = Scene()
    assert _code(kernel(operation(BY_NAME["get_global"], scene))) == "FT225"


@pytest.mark.parametrize("shape", [(3,), (0,), (1 << 25,)])
def test_an_impossible_tile_is_refused(shape: tuple[int, ...], kernel: Build) -> None:
    kind = TileType(ScalarType("f32"), shape)
    assert _code(kernel(ir.make("constant", attributes={"value": bytes(4)}, results=[kind]))) == "FT223"


def test_a_reduction_with_side_effects_is_refused(kernel: Build) -> None:
    scene = Scene()
    operation(BY_NAME["reduce"], scene)
    body = next(op for op in scene.ops if op.name == "cuda_tile.reduce").regions[0].block
    body.insert_op_before(ir.make("make_token", results=[TokenType()]), body.first_op)
    assert _code(kernel(*scene.ops)) == "FT224"


def test_a_loop_that_carries_a_view_is_refused(kernel: Build) -> None:
    scene = Scene()
    view = scene.value(TensorViewType(ScalarType("f32"), (64,), (1,)))
    block = Block(arg_types=[view.type])
    block.add_op(ir.make("break", {"operands": [block.args[0]]}))
    scene.add(ir.make("loop", {"initValues": [view]}, results=[view.type], regions=[Region(block)]))
    assert _code(kernel(*scene.ops)) == "FT220"
