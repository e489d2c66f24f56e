"""Whether a module is legal Tile IR: types, rules of the rows, regions, scopes and names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import prod
from typing import cast

from xdsl.ir import Block, Operation, SSAValue

from ferrotile.core import InputError
from ferrotile.ir.access import attribute, row
from ferrotile.ir.debug import place
from ferrotile.ir.module import Module
from ferrotile.ir.rules import REGION, Parts, is_permutation
from ferrotile.ir.spec import OpRow
from ferrotile.ir.types import (
    GatherScatterViewType,
    PartitionViewType,
    StridedViewType,
    TensorViewType,
    TileIrType,
    TileType,
    ViewType,
)

LARGEST_TILE = 1 << 24
"""Elements that a tile may have at most."""


def verify(module: Module) -> None:
    """Check a module against the rows of its operations.

    Raises: InputError FT220 to FT225, for the first fault; its message says how many more there are.
    """
    found = faults(module)
    if not found:
        return
    first = found[0]
    more = f" (and {len(found) - 1} more faults)" if len(found) > 1 else ""
    raise InputError(first.code, first.message + more, at=first.at)


def faults(module: Module) -> list[InputError]:
    """Every fault of a module."""
    found = list(_symbols(module))
    found.extend(_faults_of(module.op))
    for entry in module.entries:
        found.extend(_faults_of(entry))
        found.extend(_block(entry.regions[0].block, set()))
    return found


def _symbols(module: Module) -> Iterator[InputError]:
    names: set[str] = set()
    for op in (*module.globals, *module.entries):
        name = attribute(op, "sym_name")
        if name in names:
            yield InputError("FT225", f"`{name}` is declared twice", at=place(op))
        names.add(name)
    declared = {attribute(op, "sym_name") for op in module.globals}
    for op in module.op.walk():
        if op.name == "cuda_tile.get_global" and attribute(op, "name") not in declared:
            yield InputError("FT225", f"no global is named `{attribute(op, 'name')}`", at=place(op))


def _block(block: Block, outer: set[SSAValue]) -> Iterator[InputError]:
    """Faults of the operations of a block; `outer` are the values made before it."""
    known = outer | set(block.args)
    last = block.last_op
    for op in block.ops:
        if any(value not in known for value in op.operands):
            yield InputError("FT222", f"`{row(op).name}` uses a value that is not made before it", at=place(op))
            return
        if row(op).terminator is not (op is last):
            what = "ends the block too early" if op is not last else "cannot end a block"
            yield InputError("FT224", f"`{row(op).name}` {what}", at=place(op))
        yield from _faults_of(op)
        for region in op.regions:
            for inner in region.blocks:
                yield from _block(inner, known)
        known.update(op.results)


def _faults_of(op: Operation) -> Iterator[InputError]:
    """Faults of one operation alone, without its regions' operations."""
    spec = row(op)
    missing = next((item.name for item in spec.attributes if not item.optional and item.name not in op.properties), "")
    if missing:
        yield InputError("FT221", f"`{spec.name}` has no `{missing}`", at=place(op))
        return
    for value in (*op.operand_types, *op.result_types):
        says = check_type(cast(TileIrType, value))
        if says:
            yield InputError("FT223", f"`{spec.name}` has the type `{value}`: {says}", at=place(op))
            return
    parts = Parts(op)
    for rule in spec.rules:
        name = rule.check(parts)
        if name:
            yield InputError(_code(spec, name), f"`{spec.name}`, {rule.says}", at=place(op))
            return


def _code(spec: OpRow, name: str) -> str:
    if name == REGION:
        return "FT224"
    if name in spec.field:
        return "FT221"
    return "FT223" if name in {slot.name for slot in spec.results} else "FT220"


@lru_cache(maxsize=4096)
def check_type(kind: TileIrType) -> str:
    """What is wrong with a type by itself; empty if it is legal."""
    match kind:
        case TileType():
            return _check_shape(kind.shape)
        case TensorViewType():
            extents = (*kind.shape, *kind.strides)
            if len(kind.shape) != len(kind.strides):
                return "extents and strides differ in number"
            return "" if all(value is None or value > 0 for value in extents) else "extents must be positive"
        case PartitionViewType() | StridedViewType() | GatherScatterViewType():
            return _check_view(kind)
        case _:
            return ""


def _check_shape(shape: tuple[int, ...]) -> str:
    if any(size < 1 or size & (size - 1) for size in shape):
        return "extents of a tile must be powers of two"
    return "" if prod(shape) <= LARGEST_TILE else f"a tile has at most {LARGEST_TILE} elements"


def _check_view(kind: ViewType) -> str:
    rank = len(kind.tensor_view.shape)
    if not rank or len(kind.tile_shape) != rank:
        return "tile and array differ in rank"
    if isinstance(kind, GatherScatterViewType):
        if kind.sparse_dim >= rank:
            return "`sparse_dim` is no axis"
    elif len(kind.dim_map) != rank or not is_permutation(kind.dim_map):
        return "`dim_map` is no order of the axes"
    if isinstance(kind, StridedViewType) and (
        len(kind.traversal_strides) != rank or any(step < 1 for step in kind.traversal_strides)
    ):
        return "`traversal_strides` must be positive, one an axis"
    return check_type(kind.tensor_view) or _check_shape(kind.tile_shape)
