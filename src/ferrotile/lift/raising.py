"""Which arrays a kernel can borrow mutably, so that its stores need no `unsafe`.

Before: `x: &Tensor<..>` and `unsafe { store(x, [block_x, 0], tile, shape![1, 64]) };`
After: `x: &mut Tensor<..>` and `x.partition_mut(shape![1, 64]).store(tile, [block_x, 0i32]);`

cutile checks that such a store begins inside the array: before the launch where the index is a block id or a number.
That blocks keep apart is not its concern; check proves it, and says which facts a launch must have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from ferrotile.ir import Effect, operand, row
from ferrotile.lift.parameters import Parameter, Part, Tensor, root_of
from ferrotile.lift.recipes import Recipes, TileAccess

HIGHEST_RANK = 3
"""Of an array that cutile 0.5.0 borrows mutably."""


def raised(entry: Operation, parameters: Sequence[Parameter], parts: Sequence[Part]) -> tuple[Parameter, ...]:
    """The parameters, those borrowed mutably that are only stored to; the same ones if a store has no safe form."""
    recipes = Recipes(entry, parts, enabled=True)
    written: list[Tensor] = []
    for op in _writes(entry):
        recipe = recipes.of.get(op)
        if not isinstance(recipe, TileAccess) or not all(map(_is_known_before, recipe.index)):
            return tuple(parameters)
        tensor = _stored_to(recipes, recipe)
        if tensor is None or not _can_be_lent(tensor):
            return tuple(parameters)
        written.append(tensor)
    if any(tensor in written for tensor in _read(entry, recipes)):
        return tuple(parameters)
    return tuple(
        replace(one, is_lent=True) if isinstance(one, Tensor) and one in written else one for one in parameters
    )


def _writes(entry: Operation) -> Iterator[Operation]:
    return (op for op in entry.walk() if op is not entry and row(op).effect is Effect.WRITE)


def _stored_to(recipes: Recipes, recipe: TileAccess) -> Tensor | None:
    view = recipe.tensor.owner
    base = operand(view, "base") if isinstance(view, Operation) and row(view).name == "make_tensor_view" else None
    part = None if base is None else recipes.part(base)
    return part.parameter if part is not None and isinstance(part.parameter, Tensor) else None


def _can_be_lent(tensor: Tensor) -> bool:
    """Whether cutile borrows such an array mutably: as one with extents known at launch alone."""
    return tensor.rank <= HIGHEST_RANK and all(extent is None for extent in tensor.shape)


def _is_known_before(index: SSAValue) -> bool:
    """Whether the host can see to it before a launch that tiles with such an index begin inside the array."""
    op = root_of(index).owner
    return isinstance(op, Operation) and row(op).name in ("get_tile_block_id", "constant")


def _read(entry: Operation, recipes: Recipes) -> Iterator[Tensor]:
    """The arrays whose address something other than a store of a tile uses."""
    for op in entry.walk():
        if op is entry or row(op).name in ("assume", "store_view_tko", "make_partition_view"):
            continue
        for value in op.operands:
            if row(op).name == "make_tensor_view" and _is_only_stored_to(op):
                continue
            part = recipes.part(value)
            if part is not None and part.role.kind == "pointer" and isinstance(part.parameter, Tensor):
                yield part.parameter


def _is_only_stored_to(view: Operation) -> bool:
    tiles = [use.operation for use in view.results[0].uses]
    return all(
        row(one).name == "make_partition_view"
        and all(row(use.operation).name == "store_view_tko" for use in one.results[0].uses)
        for one in tiles
    )
