"""Whether the blocks of a launch keep out of each other's way: what one writes, no other block reads or writes.

An array that is written must be reached through tiles alone, and the index of a tile on each axis must be a block id, a
number, or a counter that goes by whole grids, with the same axis of the grid everywhere. Then blocks that differ in one
of these ids have other tiles. What remains are facts of the launch, which come back as sentences: one block along every
other axis of the grid, and no tile that begins outside the array.
Non-goals: arrays that overlap, with each other or with themselves, are for the host to refuse; other indices than
these (sums, products) are not proved, whatever they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.check.launch import AXES, one_block
from ferrotile.check.tile_index import BlockId, Counter, Index, Number, Tiles, index_of, unassumed
from ferrotile.core import Role
from ferrotile.ir import Effect
from ferrotile.ir.types import PartitionViewType, TensorViewType

LARGEST = 2**31 - 1
ACCESSES = ("load_view_tko", "store_view_tko")


@dataclass(frozen=True, slots=True)
class Exclusive:
    """The answer: `facts` a launch must have, each once; or `why_not`, in one sentence, and no facts."""

    facts: tuple[str, ...] = ()
    why_not: str = ""

    @property
    def holds(self) -> bool:
        """Whether it was proved, under the facts."""
        return not self.why_not


class _Unproved(Exception):
    """The reason is the text; never leaves this module."""


@dataclass(frozen=True, slots=True)
class _Access:
    """One access of a whole tile: the array, its axis behind each tile axis, the tile, and the index by tile axis."""

    array: int
    axes: tuple[int, ...]
    tile: tuple[int, ...]
    extents: tuple[int | None, ...]
    index: tuple[Index | None, ...]
    is_store: bool


def prove_exclusive(module: ir.Module, roles: Sequence[Role]) -> Exclusive:
    """Decide it for the one kernel of a module, given what each of its entry parameters is."""
    (entry,) = module.entries
    if len(roles) != len(entry.regions[0].block.args):
        return Exclusive(why_not="the parameter map is that of another kernel")
    try:
        return Exclusive(_facts(_accesses(entry, roles)))
    except _Unproved as reason:
        return Exclusive(why_not=str(reason))


def _facts(accesses: list[_Access]) -> tuple[str, ...]:
    written = {access.array for access in accesses if access.is_store}
    facts: dict[str, None] = {}
    for array in sorted(written):
        owned = [access for access in accesses if access.array == array]
        ids = _block_axes(array, owned)
        facts.update((one_block(axis), None) for axis in range(len(AXES)) if axis not in ids.values())
        for access in owned:
            facts.update((fact, None) for fact in _bounds(access))
    return tuple(facts)


def _block_axes(array: int, owned: Sequence[_Access]) -> dict[int, int]:
    """Which axis of the grid chooses the tile on which axis of an array; the same in all of its accesses."""
    found = [_own_axes(access) for access in owned]
    for access, ids in zip(owned, found, strict=True):
        if ids != found[0]:
            raise _Unproved(f"array {array} is reached by block ids in more than one way")
        sizes = [dict(zip(one.axes, one.tile, strict=True)) for one in (access, owned[0])]
        if any(sizes[0][axis] != sizes[1][axis] for axis in ids):
            raise _Unproved(f"array {array} is cut into tiles of more than one size")
    for axis in found[0]:
        parts = [access.index[access.axes.index(axis)] for access in owned]
        if len({part.step for part in parts if isinstance(part, Counter)}) > 1:
            raise _Unproved(f"array {array} is gone over in steps of more than one size")
    return found[0]


def _own_axes(access: _Access) -> dict[int, int]:
    ids: dict[int, int] = {}
    for axis, part in zip(access.axes, access.index, strict=True):
        if part is None:
            raise _Unproved(
                f"a tile of array {access.array} is chosen by other numbers than block ids, constants, whole grids"
            )
        if not isinstance(part, Number):
            ids[axis] = part.axis
    return ids


def _bounds(access: _Access) -> Iterator[str]:
    """That no tile begins outside the array, a fact for each axis that the types do not settle; and that a counter's
    steps are no shorter than the grid.
    """
    for axis, size, part in zip(access.axes, access.tile, access.index, strict=True):
        match part:
            case BlockId(grid):
                extent = access.extents[axis]
                shape = _shape(access, axis) if extent is None else str(extent)
                yield _below(f"grid.{AXES[grid]}", shape, size)
            case Number(value):
                yield from _has_tile(access, axis, value, size)
            case Counter(grid, step, end):
                if step is not None:
                    yield f"grid.{AXES[grid]} <= {step}"
                yield from _stays_in_32_bits(f"grid.{AXES[grid]}" if step is None else step, end)
                yield from _ends_inside(access, axis, size, end)
            case None:
                raise AssertionError("a part without an axis was refused before")


def _below(count: str, shape: str, size: int) -> str:
    """That so many tiles begin inside an extent."""
    return f"{count} <= {shape}" if size == 1 else f"{size} * {count} <= {shape} + {size - 1}"


def _has_tile(access: _Access, axis: int, number: int, size: int) -> Iterator[str]:
    """That the tile of a number begins inside."""
    extent = access.extents[axis]
    if number < 0:
        raise _Unproved(f"a tile of array {access.array} has the index {number}")
    if extent is None:
        yield f"{_shape(access, axis)} > {number * size}"
    elif extent <= number * size:
        raise _Unproved(f"a tile of array {access.array} begins outside it")


def _stays_in_32_bits(step: str | int, end: int | Tiles) -> Iterator[str]:
    """That a counter does not run over: it is the largest number at most when it is past its end, by a step."""
    if isinstance(end, int) and isinstance(step, int):
        if end + step > LARGEST:
            raise _Unproved("a counter may run over")
    elif isinstance(end, int):
        yield f"{step} <= {LARGEST - max(end, 0)}"
    else:
        extent = f"array({end.array}).shape[{end.axis}]"
        yield f"{extent} + {step} <= {LARGEST}"


def _ends_inside(access: _Access, axis: int, size: int, end: int | Tiles) -> Iterator[str]:
    """That the last tile of a counter begins inside: of a number of tiles, or of the tiles of an extent."""
    if isinstance(end, int):
        if end > 0:
            yield from _has_tile(access, axis, end - 1, size)
        return
    if size > end.size:
        raise _Unproved(f"array {access.array} has larger tiles than those that are counted")
    if (end.array, end.axis) == (access.array, axis):
        return
    counted, extent = f"array({end.array}).shape[{end.axis}]", access.extents[axis]
    yield f"{counted} <= {_shape(access, axis) if extent is None else extent}"


def _shape(access: _Access, axis: int) -> str:
    return f"array({access.array}).shape[{axis}]"


def _accesses(entry: Operation, roles: Sequence[Role]) -> list[_Access]:
    """Every access of memory, arrays by number. Raises: _Unproved where one may reach what is not known."""
    arguments = entry.regions[0].block.args
    role_of: dict[SSAValue, Role] = dict(zip(arguments, roles, strict=True))
    found: list[_Access] = []
    read_by_address: set[int] = set()
    for op in entry.walk():
        row = ir.row(op)
        if op is entry or row.effect not in (Effect.READ, Effect.WRITE):
            continue
        if row.name in ACCESSES:
            found.append(_access(op, role_of))
        elif row.effect is Effect.READ:
            read_by_address |= _arrays_behind(op, entry, role_of)
        else:
            raise _Unproved(f"`{row.name}` writes to memory, or orders it")
    both = read_by_address & {access.array for access in found if access.is_store}
    if both:
        raise _Unproved(f"array {min(both)} is written, and read by address")
    return found


def _access(op: Operation, role_of: dict[SSAValue, Role]) -> _Access:
    view = ir.operand(op, "view")
    is_store = ir.row(op).name == "store_view_tko"
    type_ = None if view is None else view.type
    source = unassumed(view).owner if view is not None else None
    if not isinstance(type_, PartitionViewType) or not isinstance(source, Operation) or view is None:
        raise _Unproved("a view is none of tiles that touch, or comes out of a branch or a loop")
    array = _whole_array(ir.operand(source, "tensor_view"), role_of)
    if is_store and any(ir.attribute(op, "inbounds") or ()):
        raise _Unproved("a store promises to lie inside the array")
    index = tuple(index_of(value, role_of) for value in ir.operands(op, "index"))
    return _Access(array, type_.dim_map, type_.tile_shape, type_.tensor_view.shape, index, is_store)


def _whole_array(tensor: SSAValue | None, role_of: dict[SSAValue, Role]) -> int:
    """The number of the array that a tensor view is the whole of. Raises: _Unproved where it is another view."""
    op = None if tensor is None else tensor.owner
    if (
        not isinstance(op, Operation)
        or ir.row(op).name != "make_tensor_view"
        or (base := ir.operand(op, "base")) is None
    ):
        raise _Unproved("a view is not of a whole array")
    pointer = role_of.get(unassumed(base))
    if pointer is None or pointer.kind != "pointer" or pointer.array is None:
        raise _Unproved("a view is not of a whole array")
    type_ = op.results[0].type
    assert isinstance(type_, TensorViewType)
    shape = [Role.shape(pointer.array, axis) for axis, number in enumerate(type_.shape) if number is None]
    strides = [Role.stride(pointer.array, axis) for axis, number in enumerate(type_.strides) if number is None]
    for name, wanted in (("dynamicShape", shape), ("dynamicStrides", strides)):
        if [role_of.get(unassumed(value)) for value in ir.operands(op, name)] != wanted:
            raise _Unproved(f"a view of array {pointer.array} has other extents or strides than the array")
    return pointer.array


def _arrays_behind(op: Operation, entry: Operation, role_of: dict[SSAValue, Role]) -> set[int]:
    """The arrays whose addresses a read may have. Raises: _Unproved where an address is made of a number."""
    reached: set[SSAValue] = set()
    waiting = [value for value in op.operands if ir.is_address(value)]
    arrays: set[int] = set()
    while waiting:
        value = waiting.pop()
        if value in reached:
            continue
        reached.add(value)
        if (role := role_of.get(value)) is not None:
            if role.array is None:
                raise _Unproved("memory is read at an address that belongs to no array")
            arrays.add(role.array)
            continue
        owner = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
        assert isinstance(owner, Operation) and owner is not entry
        if ir.row(owner).name in ("int_to_ptr", "get_global") or ir.row(owner).effect in (Effect.READ, Effect.WRITE):
            raise _Unproved("memory is read at an address that was computed or read")
        leaving = [other for region in owner.regions for block in region.blocks for other in ir.leaving(block)]
        waiting += [other for other in (*owner.operands, *leaving) if ir.is_address(other)]
    return arrays
