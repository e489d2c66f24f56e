"""Which arrays a kernel can borrow mutably, so that its stores need no `unsafe`.

Before: `x: &Tensor<..>` and `unsafe { store(x, [block_x, 0], tile, shape![1, 64]) };`
After: `x: &mut Tensor<..>` and `x.partition_mut(shape![1, 64]).store(tile, [block_x, 0i32]);`

cutile checks that such a store begins inside the array: before the launch where the index is a block id or a number,
else in the kernel. That blocks keep apart is not its concern; check proves it, and with it that the checks always pass,
and says which facts a launch must have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xdsl.ir import Operation

from ferrotile.ir import Effect, attribute, operand, result, row
from ferrotile.ir.enums import MemoryOrderingSemantics
from ferrotile.ir.types import PartitionViewType
from ferrotile.lift.parameters import Parameter, Part, Tensor
from ferrotile.lift.recipes import Recipes
from ferrotile.lift.tokens import access_hints

HIGHEST_RANK = 3
"""Of an array that cutile 0.5.0 borrows mutably."""


@dataclass(frozen=True, slots=True)
class Lent:
    """The array behind a view of tiles, and the view."""

    tensor: Tensor
    type: PartitionViewType


def raised(entry: Operation, parameters: Sequence[Parameter], parts: Sequence[Part]) -> tuple[Parameter, ...]:
    """The parameters, those borrowed mutably that are stored to; the same ones if a store has no safe form."""
    recipes = Recipes(entry, parts, enabled=True)
    written: list[Tensor] = []
    for op in entry.walk():
        if op is entry or row(op).effect is not Effect.WRITE:
            continue
        lent = lent_by(recipes, op) if row(op).name == "store_view_tko" and _has_safe_form(op) else None
        if lent is None or not _can_be_lent(lent.tensor):
            return tuple(parameters)
        written.append(lent.tensor)
    if any(tensor in written for tensor in _addressed(entry, recipes)):
        return tuple(parameters)
    return tuple(
        replace(one, is_lent=True) if isinstance(one, Tensor) and one in written else one for one in parameters
    )


def lent_by(recipes: Recipes, op: Operation) -> Lent | None:
    """The array that a store goes to, if it goes through tiles of the whole of it."""
    view = operand(op, "view")
    return None if view is None or not isinstance(view.owner, Operation) else lent_through(recipes, view.owner)


def lent_through(recipes: Recipes, view: Operation) -> Lent | None:
    """The array that a view cuts into tiles, axes in order and nothing beyond the array."""
    type_ = view.results[0].type if row(view).name == "make_partition_view" else None
    tensor = operand(view, "tensor_view") if isinstance(type_, PartitionViewType) else None
    whole = tensor.owner if tensor is not None else None
    if not isinstance(type_, PartitionViewType) or not isinstance(whole, Operation):
        return None
    base = operand(whole, "base") if row(whole).name == "make_tensor_view" else None
    part = None if base is None else recipes.part(base)
    if part is None or not isinstance(part.parameter, Tensor) or type_.padding is not None:
        return None
    is_in_order = type_.dim_map == tuple(range(len(type_.dim_map)))
    return Lent(part.parameter, type_) if is_in_order else None


def _has_safe_form(op: Operation) -> bool:
    """Whether nothing is promised of a store; and one that waits for others, or others for it, may use the tensor
    memory accelerator.
    """
    token = operand(op, "token")
    waits = token is not None and not (isinstance(token.owner, Operation) and row(token.owner).name == "make_token")
    is_weak = attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK
    is_in_order = waits or bool(result(op, "result_token").uses)
    is_without_tma = access_hints(op)[1] == "tma::Disabled"
    return is_weak and not (is_in_order and is_without_tma) and not any(attribute(op, "inbounds") or ())


def _can_be_lent(tensor: Tensor) -> bool:
    """Whether cutile borrows such an array mutably: as one with extents known at launch alone."""
    return tensor.rank <= HIGHEST_RANK and all(extent is None for extent in tensor.shape)


def _addressed(entry: Operation, recipes: Recipes) -> Iterator[Tensor]:
    """The arrays whose address something other than a load or store of a tile uses."""
    for op in entry.walk():
        if op is entry or row(op).name in ("assume", *_ACCESSES, "make_partition_view"):
            continue
        for value in op.operands:
            if row(op).name == "make_tensor_view" and _is_cut_into_tiles(op):
                continue
            part = recipes.part(value)
            if part is not None and part.role.kind == "pointer" and isinstance(part.parameter, Tensor):
                yield part.parameter


_ACCESSES = ("load_view_tko", "store_view_tko", "get_index_space_shape")
"""What is done with tiles of an array."""


def _is_cut_into_tiles(view: Operation) -> bool:
    tiles = [use.operation for use in view.results[0].uses]
    return all(
        row(one).name == "make_partition_view"
        and all(row(use.operation).name in _ACCESSES for use in one.results[0].uses)
        for one in tiles
    )


def is_only_stored_through(view: Operation) -> bool:
    """Whether a view of tiles has no use but stores."""
    return all(row(use.operation).name == "store_view_tko" for use in view.results[0].uses)
