"""Recognise what a front end spells out: element addresses with bounds masks, view accesses, floor remainders.

A recipe stands at one operation and names the values that it needs; the operations in between then have no user
left and are not written. What does not fit exactly stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile.ir import DivBy, attribute, operand, operands, result, row
from ferrotile.ir.enums import (
    ComparisonPredicate,
    IntegerOverflow,
    MemoryOrderingSemantics,
    Signedness,
)
from ferrotile.ir.types import PartitionViewType, TileType
from ferrotile.lift.definers import constant_of, definer, is_zero, shape_of_tile, spread_source
from ferrotile.lift.parameters import Part, Tensor, root_of
from ferrotile.lift.remainders import FloorRemainder, floor_remainder


@dataclass(frozen=True, slots=True)
class Index:
    """One index of an element access: an i32 number or tile that was widened to i64 and spread.

    `shape`: what the source is reshaped to before it is spread; `None` for a number.
    """

    source: SSAValue
    shape: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Access:
    """A gather, scatter or atomic on a `Tensor`: indices per axis, and which masks guard it."""

    tensor: Tensor
    indices: tuple[Index, ...]
    in_bounds: bool
    mask: SSAValue | None

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        """The values that the address and the mask need."""
        extra = () if self.mask is None else (self.mask,)
        return (*(index.source for index in self.indices), *extra)


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a contiguous array of rank 1, at a number; nothing where that lies outside.

    `divisor`: what the size of an element is a multiple of, in bytes.
    """

    tensor: Tensor
    index: SSAValue
    divisor: int

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        """The value that the address needs."""
        return (self.index,)


@dataclass(frozen=True, slots=True)
class TileAccess:
    """A load or store of one tile through a view that needs no variable."""

    tensor: SSAValue
    index: tuple[SSAValue, ...]
    type: PartitionViewType

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        """The values that the access needs, besides a stored tile."""
        return (self.tensor, *self.index)


@dataclass(frozen=True, slots=True)
class Filled:
    """A tile of one constant, however it came to its shape."""

    constant: Operation

    @property
    def leaves(self) -> tuple[SSAValue, ...]:
        """Nothing: the constant is written anew."""
        return ()


Recipe = Access | Element | TileAccess | FloorRemainder | Filled


class Recipes:
    """All recipes of one entry."""

    def __init__(self, entry: Operation, parts: Sequence[Part], *, enabled: bool) -> None:
        self._parts = dict(zip(entry.regions[0].block.args, parts, strict=bool(parts)))
        self.of: dict[Operation, Recipe] = {}
        for op in entry.walk() if enabled else ():
            recipe = self._recognise(op)
            if recipe is not None:
                self.of[op] = recipe

    def part(self, value: SSAValue) -> Part | None:
        """The entry parameter under `value`, seen through assumptions."""
        root = root_of(value)
        return self._parts.get(root) if isinstance(root, BlockArgument) else None

    def operands_of(self, op: Operation) -> tuple[SSAValue, ...]:
        """The values that `op` needs once recipes are written as calls."""
        recipe = self.of.get(op)
        if recipe is None:
            return tuple(op.operands)
        match row(op).name:
            case "load_ptr_tko":
                padding = operand(op, "paddingValue")
                more = [None if padding is None or is_zero(padding) else padding, operand(op, "token")]
            case "store_ptr_tko":
                more = [operand(op, "value"), operand(op, "token")]
            case "atomic_rmw_tko":
                more = [operand(op, "arg"), operand(op, "token")]
            case "atomic_cas_tko":
                more = [operand(op, "cmp"), operand(op, "val"), operand(op, "token")]
            case "store_view_tko":
                more = [operand(op, "tile"), operand(op, "token")]
            case _:
                more = [operand(op, "token")] if any(s.name == "token" for s in row(op).operands) else []
        return (*recipe.leaves, *(value for value in more if value is not None))

    def _recognise(self, op: Operation) -> Recipe | None:
        match row(op).name:
            case "load_ptr_tko":
                return self._element(op, "source") or self._access(operand(op, "source"), operand(op, "mask"))
            case "store_ptr_tko":
                return self._element(op, "destination") or self._access(operand(op, "destination"), operand(op, "mask"))
            case "atomic_rmw_tko" | "atomic_cas_tko":
                return self._access(operand(op, "pointers"), operand(op, "mask"))
            case "load_view_tko" | "store_view_tko":
                return _tile_access(op)
            case "select":
                return floor_remainder(op)
            case "reshape" | "broadcast":
                return _filled(op)
            case _:
                return None

    def _access(self, pointers: SSAValue | None, mask: SSAValue | None) -> Access | None:
        offset = definer(pointers, "offset")
        if offset is None:
            return None
        base, distance = operand(offset, "ptr"), operand(offset, "offset")
        part = self.part(spread_source(base)) if base is not None else None
        if part is None or part.role.kind != "pointer" or not isinstance(part.parameter, Tensor) or distance is None:
            return None
        tensor = part.parameter
        terms = list(_chain(distance, "addi"))
        if len(terms) != tensor.rank:
            return None
        indices = [self._term(term, tensor, axis) for axis, term in enumerate(terms)]
        if any(index is None for index in indices):
            return None
        wide = [index for index in indices if index is not None]
        guards = self._guards(mask, tensor, wide)
        if guards is None:
            return None
        sources = tuple(_index(value) for value in wide)
        return Access(tensor, sources, *guards)

    def _element(self, op: Operation, name: str) -> Element | None:
        """One element of rank 1 behind a promise about its address, with no order, padding or hint of its own."""
        assumed = definer(operand(op, name), "assume")
        predicate = attribute(assumed, "predicate") if assumed is not None else None
        if assumed is None or not isinstance(predicate, DivBy) or predicate.every is not None or not _is_unhinted(op):
            return None
        access = self._access(operand(assumed, "value"), operand(op, "mask"))
        if access is None or not access.in_bounds or access.mask is not None or shape_of_tile(assumed.results[0]) != ():
            return None
        if access.tensor.strides != (1,) or access.tensor.shape != (None,) or access.indices[0].shape != ():
            return None
        index = access.indices[0].source
        if not str(index.type).endswith("i32>") or not _reads_zero_in_any_order(op):
            return None
        return Element(access.tensor, index, predicate.divisor)

    def _term(self, term: SSAValue, tensor: Tensor, axis: int) -> SSAValue | None:
        """The i64 index of `index * stride`, if the stride is that axis' stride."""
        product = definer(term, "muli")
        if product is None or attribute(product, "overflow") is not IntegerOverflow.NONE:
            return None
        index, stride = operand(product, "lhs"), operand(product, "rhs")
        assert index is not None and stride is not None
        return index if self._is_extent(stride, tensor, "stride", axis, tensor.strides[axis]) else None

    def _is_extent(self, value: SSAValue, tensor: Tensor, kind: str, axis: int, static: int | None) -> bool:
        """Whether `value` is the extent or stride of that axis, widened to i64 and spread."""
        if static is not None and constant_of(value) == static:
            return True
        widened = definer(spread_source(value), "exti")
        source = operand(widened, "from") if widened is not None else None
        if source is None or attribute(widened, "signedness") is not Signedness.Signed:  # type: ignore[arg-type]
            return False
        if static is not None:
            return constant_of(source) == static
        part = self.part(source)
        return part is not None and part.parameter is tensor and (part.role.kind, part.role.axis) == (kind, axis)

    def _guards(
        self, mask: SSAValue | None, tensor: Tensor, indices: Sequence[SSAValue]
    ) -> tuple[bool, SSAValue | None] | None:
        """Whether the mask holds the bounds of every axis, and what else it holds; `None` if it is another mask."""
        if mask is None:
            return False, None
        terms = list(_chain(mask, "andi"))
        rank = tensor.rank
        if len(terms) < rank or not all(
            self._is_bound(term, tensor, axis, indices[axis]) for axis, term in enumerate(terms[:rank])
        ):
            return False, mask
        if len(terms) == rank:
            return True, None
        return (True, terms[rank]) if len(terms) == rank + 1 else None

    def _is_bound(self, term: SSAValue, tensor: Tensor, axis: int, index: SSAValue) -> bool:
        op = definer(term, "cmpi")
        if op is None or attribute(op, "comparison_predicate") is not ComparisonPredicate.LESS_THAN:
            return False
        lhs, rhs = operand(op, "lhs"), operand(op, "rhs")
        assert lhs is not None and rhs is not None
        if attribute(op, "signedness") is not Signedness.Unsigned or not _same_index(lhs, index):
            return False
        return self._is_extent(rhs, tensor, "shape", axis, tensor.shape[axis])


def _chain(value: SSAValue, name: str) -> Iterator[SSAValue]:
    """The terms of `((a op b) op c)`, left to right."""
    op = definer(value, name)
    if op is None or ("overflow" in row(op).field and attribute(op, "overflow") is not IntegerOverflow.NONE):
        yield value
        return
    lhs, rhs = operand(op, "lhs"), operand(op, "rhs")
    assert lhs is not None and rhs is not None
    yield from _chain(lhs, name)
    yield rhs


def _index(value: SSAValue) -> Index:
    """Where an i64 index came from: an i32 number or tile, widened; else the value itself."""
    inner = value
    spread = definer(inner, "broadcast")
    if spread is not None:
        inner = operand(spread, "source") or inner
    shaped = definer(inner, "reshape")
    if shaped is not None:
        inner = operand(shaped, "source") or inner
    widened = definer(inner, "exti")
    source = operand(widened, "from") if widened is not None else None
    if widened is None or source is None or attribute(widened, "signedness") is not Signedness.Signed:
        return Index(value, shape_of_tile(value))
    if not isinstance(source.type, TileType) or str(source.type.element) != "i32":
        return Index(value, shape_of_tile(value))
    if source.type.shape == () and shape_of_tile(value) != ():
        return Index(source, None)
    before_spread = shape_of_tile(shaped.results[0]) if shaped is not None else source.type.shape
    return Index(source, before_spread)


def _same_index(lhs: SSAValue, rhs: SSAValue) -> bool:
    return lhs is rhs or (_index(lhs) == _index(rhs) and shape_of_tile(lhs) == shape_of_tile(rhs))


def _filled(op: Operation) -> Filled | None:
    """The constant of one element that reshapes and broadcasts bring to a shape."""
    source = op.operands[0]
    while (inner := definer(source, "reshape") or definer(source, "broadcast")) is not None:
        source = inner.operands[0]
    constant = definer(source, "constant")
    return Filled(constant) if constant is not None and shape_of_tile(source) == () else None


def is_plain(op: Operation) -> bool:
    """Whether a view access has no hint, promise or ordering beyond the default."""
    return _is_unhinted(op) and not any(attribute(op, "inbounds") or ())


def _is_unhinted(op: Operation) -> bool:
    """Whether an access has no hint or ordering beyond the default."""
    hints = attribute(op, "optimization_hints") or ()
    is_weak = attribute(op, "memory_ordering_semantics") is MemoryOrderingSemantics.WEAK
    return is_weak and not any(entries for _, entries in hints)


def _reads_zero_in_any_order(op: Operation) -> bool:
    """Whether a load gives 0 outside, waits for nothing, and nothing waits for it; a store may be in any order."""
    if row(op).name == "store_ptr_tko":
        return True
    padding, token = operand(op, "paddingValue"), operand(op, "token")
    waits = token is not None and definer(token, "make_token") is None
    return padding is not None and is_zero(padding) and not waits and not result(op, "result_token").uses


def _tile_access(op: Operation) -> TileAccess | None:
    view = definer(operand(op, "view"), "make_partition_view")
    if view is None or not is_plain(op):
        return None
    type_ = view.results[0].type
    assert isinstance(type_, PartitionViewType)
    is_identity = type_.dim_map == tuple(range(len(type_.dim_map)))
    if row(op).name == "store_view_tko" and not (is_identity and type_.padding is None):
        return None
    tensor = operand(view, "tensor_view")
    assert tensor is not None
    return TileAccess(tensor, operands(op, "index"), type_)


__all__ = ["Access", "Element", "Filled", "Index", "Recipe", "Recipes", "TileAccess", "is_plain"]
