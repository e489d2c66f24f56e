"""Whether the blocks of a launch keep out of each other's way: what one writes, no other block reads or writes.

An array that is written must be reached through tiles alone, and the index of a tile on each axis must be a number, or
made of block ids and counters that go by whole grids in a way that can be undone: from the index on all axes follow the
ids, in the same way everywhere. Then blocks that differ in one of these ids have other tiles. What remains are facts of
the launch, which come back as sentences: one block along every other axis of the grid, and no tile that begins outside
the array.
Non-goals: arrays that overlap, with each other or with themselves, are for the host to refuse; other indices than those
of `tile_index` are not proved, whatever they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.check.launch import AXES, one_block
from ferrotile.check.tile_counts import LARGEST, Count, Tiles, Unproved
from ferrotile.check.tile_facts import below, by_blocks, ends_of, needs_of, told
from ferrotile.check.tile_index import BlockId, Counter, Index, IndexReader, Number, unassumed
from ferrotile.core import Role
from ferrotile.ir import Effect
from ferrotile.ir.types import PartitionViewType, ScalarType, TensorViewType, TileType

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


@dataclass(frozen=True, slots=True)
class _Access:
    """One access of a whole tile: the array, its axis behind each tile axis, the tile, and the index by tile axis."""

    array: int
    axes: tuple[int, ...]
    tile: tuple[int, ...]
    extents: tuple[int | None, ...]
    index: tuple[Index | None, ...]
    is_store: bool

    @property
    def parts(self) -> tuple[Index, ...]:
        """The index. Raises: Unproved where it is not known what a part of it is."""
        known = tuple(part for part in self.index if part is not None)
        if len(known) < len(self.index):
            raise Unproved(
                f"a tile of array {self.array} is chosen by other numbers than block ids, constants, whole grids"
            )
        return known


def prove_exclusive(module: ir.Module, roles: Sequence[Role]) -> Exclusive:
    """Decide it for the one kernel of a module, given what each of its entry parameters is."""
    (entry,) = module.entries
    if len(roles) != len(entry.regions[0].block.args):
        return Exclusive(why_not="the parameter map is that of another kernel")
    try:
        return Exclusive(_facts(_accesses(entry, roles)))
    except Unproved as reason:
        return Exclusive(why_not=str(reason))


def _facts(accesses: list[_Access]) -> tuple[str, ...]:
    written = {access.array for access in accesses if access.is_store}
    facts: dict[str, None] = {}
    for array in sorted(written):
        owned = [access for access in accesses if access.array == array]
        ids = _block_axes(array, owned)
        facts.update((one_block(axis), None) for axis in range(len(AXES)) if axis not in ids)
        for access in owned:
            facts.update((fact, None) for fact in _bounds(access))
    return tuple(facts)


def _block_axes(array: int, owned: Sequence[_Access]) -> frozenset[int]:
    """The axes of the grid along which blocks reach other tiles of an array; the same in all of its accesses."""
    found = [_ways(access) for access in owned]
    for access, ways in zip(owned, found, strict=True):
        if ways != found[0]:
            raise Unproved(f"array {array} is reached by block ids in more than one way")
        sizes = [dict(zip(one.axes, one.tile, strict=True)) for one in (access, owned[0])]
        if any(sizes[0][axis] != sizes[1][axis] for axis in ways):
            raise Unproved(f"array {array} is cut into tiles of more than one size")
    steps: dict[int, set[int | None]] = defaultdict(set)
    for access in owned:
        of_axis = _ends(access)
        for counter in (one for one in of_axis.values() if isinstance(one, Counter)):
            steps[counter.axis].add(counter.step)
    if any(len(sizes) > 1 for sizes in steps.values()):
        raise Unproved(f"array {array} is gone over in steps of more than one size")
    used = {end.axis for way in found[0].values() for end in ends_of(way)}
    if hidden := used - told(found[0].values()):
        raise Unproved(f"blocks with other ids along {AXES[min(hidden)]} may reach the same tile of array {array}")
    return frozenset(used)


def _ways(access: _Access) -> dict[int, Index]:
    """How block ids choose the tile, by axis of the array; a counter counts as the id that it starts from."""
    return {
        axis: by_blocks(part)
        for axis, part in zip(access.axes, access.parts, strict=True)
        if not isinstance(part, Number)
    }


def _ends(access: _Access) -> dict[int, BlockId | Counter]:
    """What stands for blocks along each axis of the grid. Raises: Unproved where two numbers do.

    With one, digits are of the same number; with two, `bx // 4` and `i % 4`, say, they are not put together.
    """
    found: dict[int, BlockId | Counter] = {}
    for one in (end for part in access.parts for end in ends_of(part)):
        if found.setdefault(one.axis, one) != one:
            raise Unproved(f"a tile of array {access.array} is chosen by two numbers of blocks along {AXES[one.axis]}")
    return found


def _bounds(access: _Access) -> Iterator[str]:
    """That no tile begins outside the array, and that each index is what it was read as."""
    for axis, size, part in zip(access.axes, access.tile, access.parts, strict=True):
        extent = access.extents[axis]
        tiles = Tiles(Role.shape(access.array, axis) if extent is None else extent, size)
        if isinstance(part, Number) and part.value < 0:
            raise Unproved(f"a tile of array {access.array} has the index {part.value}")
        yield from needs_of(part)
        yield from below(part, Count.of(tiles))


def _accesses(entry: Operation, roles: Sequence[Role]) -> list[_Access]:
    """Every access of memory, arrays by number. Raises: Unproved where one may reach what is not known."""
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
            raise Unproved(f"`{row.name}` writes to memory, or orders it")
    both = read_by_address & {access.array for access in found if access.is_store}
    if both:
        raise Unproved(f"array {min(both)} is written, and read by address")
    return found


def _access(op: Operation, role_of: dict[SSAValue, Role]) -> _Access:
    view = ir.operand(op, "view")
    is_store = ir.row(op).name == "store_view_tko"
    type_ = None if view is None else view.type
    source = unassumed(view).owner if view is not None else None
    if not isinstance(type_, PartitionViewType) or not isinstance(source, Operation) or view is None:
        raise Unproved("a view is none of tiles that touch, or comes out of a branch or a loop")
    array = _whole_array(ir.operand(source, "tensor_view"), role_of)
    if is_store and any(ir.attribute(op, "inbounds") or ()):
        raise Unproved("a store promises to lie inside the array")
    reader = IndexReader(role_of)
    index = tuple(reader.index(value) for value in ir.operands(op, "index"))
    return _Access(array, type_.dim_map, type_.tile_shape, type_.tensor_view.shape, index, is_store)


def _whole_array(tensor: SSAValue | None, role_of: dict[SSAValue, Role]) -> int:
    """The number of the array that a tensor view is the whole of. Raises: Unproved where it is another view."""
    op = None if tensor is None else tensor.owner
    if (
        not isinstance(op, Operation)
        or ir.row(op).name != "make_tensor_view"
        or (base := ir.operand(op, "base")) is None
    ):
        raise Unproved("a view is not of a whole array")
    pointer = role_of.get(unassumed(base))
    if pointer is None or pointer.kind != "pointer" or pointer.array is None:
        raise Unproved("a view is not of a whole array")
    type_ = op.results[0].type
    assert isinstance(type_, TensorViewType)
    _require_32_bits(op, type_, pointer.array)
    shape = [Role.shape(pointer.array, axis) for axis, number in enumerate(type_.shape) if number is None]
    strides = [Role.stride(pointer.array, axis) for axis, number in enumerate(type_.strides) if number is None]
    for name, wanted in (("dynamicShape", shape), ("dynamicStrides", strides)):
        if [role_of.get(unassumed(value)) for value in ir.operands(op, name)] != wanted:
            raise Unproved(f"a view of array {pointer.array} has other extents or strides than the array")
    return pointer.array


def _require_32_bits(op: Operation, type_: TensorViewType, array: int) -> None:
    """Tiles of a longer axis have no number of 32 bits. Raises: Unproved where an axis may be longer than `LARGEST`."""
    wide = [size for size in ir.operands(op, "dynamicShape") if size.type != TileType(ScalarType("i32"), ())]
    if wide or any(number is not None and number > LARGEST for number in type_.shape):
        raise Unproved(f"array {array} may have more elements along an axis than 32 bits can count")


def _arrays_behind(op: Operation, entry: Operation, role_of: dict[SSAValue, Role]) -> set[int]:
    """The arrays whose addresses a read may have. Raises: Unproved where an address is made of a number."""
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
                raise Unproved("memory is read at an address that belongs to no array")
            arrays.add(role.array)
            continue
        owner = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
        assert isinstance(owner, Operation) and owner is not entry
        if ir.row(owner).name in ("int_to_ptr", "get_global") or ir.row(owner).effect in (Effect.READ, Effect.WRITE):
            raise Unproved("memory is read at an address that was computed or read")
        leaving = [other for region in owner.regions for block in region.blocks for other in ir.leaving(block)]
        waiting += [other for other in (*owner.operands, *leaving) if ir.is_address(other)]
    return arrays
