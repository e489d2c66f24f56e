"""What an operation demands of its types and attributes, as small rules that rows are made of.

A rule names the part at fault (an operand, result or attribute, or `region`) or gives `None`.
Source: CUDA Tile IR 13.3, `Ops.td` and `SharedVerifiers.h`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from xdsl.ir import Operation

from ferrotile.ir.access import attribute, operands, row
from ferrotile.ir.enums import MemoryOrderingSemantics, RoundingMode
from ferrotile.ir.spec import Arity
from ferrotile.ir.types import (
    FLOATS,
    INTEGERS,
    GatherScatterViewType,
    PartitionViewType,
    PointerType,
    ScalarType,
    StridedViewType,
    TileIrType,
    TileType,
    TokenType,
)

ELEMENTS: dict[str, frozenset[str]] = {
    "float": frozenset(("f16", "bf16", "f32", "f64")),
    "any float": frozenset(FLOATS),
    "int": frozenset(INTEGERS) - {"i4"},
    "any int": frozenset(INTEGERS),
    "number": frozenset(FLOATS) | frozenset(INTEGERS),
    **{name: frozenset((name,)) for name in ("i1", "i8", "i32", "i64", "f32")},
}
"""Element words and the number types that they allow."""

REGION = "region"
VIEWS = (PartitionViewType, StridedViewType, GatherScatterViewType)


class Parts:
    """The types and attributes of one operation, by name."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.row = row(op)

    @cached_property
    def types(self) -> dict[str, tuple[TileIrType, ...]]:
        """The types of every operand and result name."""
        found: dict[str, tuple[Any, ...]] = {}
        for slot in self.row.operands:
            found[slot.name] = tuple(value.type for value in operands(self.op, slot.name))
        rest = self.op.result_types
        for slot in self.row.results:
            size = len(rest) if slot.arity is not Arity.ONE else 1
            found[slot.name], rest = tuple(rest[:size]), rest[size:]
        return found

    def one(self, name: str) -> Any:
        """The type of a single part; `None` if it is absent."""
        return next(iter(self.types[name]), None)

    def attribute(self, name: str) -> Any:
        """The value of an attribute."""
        return attribute(self.op, name)


Check = Callable[[Parts], "str | None"]


@dataclass(frozen=True)
class Rule:
    """A sentence about an operation, and the check of it."""

    says: str
    check: Check


def each(names: str, says: str, holds: Callable[[Any], bool]) -> Rule:
    """Every value of these names has a type with a property."""

    def check(parts: Parts) -> str | None:
        return next((name for name in names.split() if not all(map(holds, parts.types[name]))), None)

    return Rule(f"{_list(names)}: {says}", check)


def tile(names: str, of: str = "", rank: int | None = None) -> Rule:
    """Tiles with an element of a word of `ELEMENTS`, or `pointer`; of any element if no word is given."""
    shape = "" if rank is None else f" of rank {rank}"
    return each(names, f"a tile{shape}" + (f" of {of}" if of else ""), lambda kind: _is_tile(kind, of, rank))


def _is_tile(kind: object, of: str, rank: int | None) -> bool:
    if not isinstance(kind, TileType) or (rank is not None and len(kind.shape) != rank):
        return False
    if of == "pointer":
        return isinstance(kind.element, PointerType)
    return not of or (isinstance(kind.element, ScalarType) and kind.element.name in ELEMENTS[of])


def token(names: str) -> Rule:
    """Tokens."""
    return each(names, "a token", lambda kind: isinstance(kind, TokenType))


def view(name: str, *kinds: type[TileIrType]) -> Rule:
    """A view of an array by tiles."""
    return each(name, "a view of an array", lambda kind: isinstance(kind, kinds or VIEWS))


def carried(names: str) -> Rule:
    """Values that may pass through control flow: no views."""
    return each(names, "a tile or a token", lambda kind: isinstance(kind, TileType | TokenType))


def agree(names: str, what: str, measure: Callable[[Any], object]) -> Rule:
    """All present values of these names have the same measure."""

    def check(parts: Parts) -> str | None:
        found = [(name, measure(kind)) for name in names.split() for kind in parts.types[name]]
        return next((name for name, value in found if value != found[0][1]), None)

    return Rule(f"{_list(names)}: the same {what}", check)


def same(names: str) -> Rule:
    """All of these have the same type."""
    return agree(names, "type", lambda kind: kind)


def same_shape(names: str) -> Rule:
    """All of these have the same shape."""
    return agree(names, "shape", lambda kind: getattr(kind, "shape", kind))


def same_rank(names: str) -> Rule:
    """All of these have the same rank."""
    return agree(names, "rank", lambda kind: len(kind.shape) if isinstance(kind, TileType) else kind)


def same_element(names: str) -> Rule:
    """All of these have the same element type."""
    return agree(names, "element type", lambda kind: getattr(kind, "element", kind))


def alike(names: str, of: str) -> tuple[Rule, ...]:
    """All of these are one type, a tile of a word."""
    return tile(names, of), same(names)


def one_of(name: str, *values: Enum) -> Rule:
    """An attribute has one of these values."""

    def check(parts: Parts) -> str | None:
        return None if parts.attribute(name) in values else name

    return Rule(f"`{name}`: one of {', '.join(value.name.lower() for value in values)}", check)


def when(says: str, name: str, holds: Callable[[Parts], bool]) -> Rule:
    """Any other condition; `name` is the part at fault if it does not hold."""
    return Rule(says, lambda parts: None if holds(parts) else name)


def _list(names: str) -> str:
    return ", ".join(f"`{name}`" for name in names.split())


def element(parts: Parts, name: str) -> str:
    """The name of the element type of a part; empty if it is not a tile of numbers."""
    kind = getattr(parts.one(name), "element", None)
    return kind.name if isinstance(kind, ScalarType) else ""


IEEE = one_of(
    "rounding_mode",
    RoundingMode.NEAREST_EVEN, RoundingMode.ZERO, RoundingMode.NEGATIVE_INF, RoundingMode.POSITIVE_INF,
)  # fmt: skip
FTZ_F32 = when(
    "`flush_to_zero`: only for f32", "flush_to_zero",
    lambda parts: not parts.attribute("flush_to_zero") or element(parts, "result") == "f32",
)  # fmt: skip
ONLY_NEAREST = one_of("rounding_mode", RoundingMode.NEAREST_EVEN)
DEVICE_ACCURACY = one_of("rounding_mode", RoundingMode.FULL, RoundingMode.APPROX)


def _is_f32_if(*modes: RoundingMode) -> Rule:
    names = ", ".join(mode.name.lower() for mode in modes)
    return when(
        f"`rounding_mode`: {names} only for f32", "rounding_mode",
        lambda parts: parts.attribute("rounding_mode") not in modes or element(parts, "result") == "f32",
    )  # fmt: skip


APPROX_F32 = _is_f32_if(RoundingMode.APPROX)
FULL_F32 = _is_f32_if(RoundingMode.APPROX, RoundingMode.FULL)


def ordering(*allowed: MemoryOrderingSemantics) -> Rule:
    """The memory orderings that an operation may have."""
    return one_of("memory_ordering_semantics", *allowed)


LOAD_ORDER = ordering(MemoryOrderingSemantics.WEAK, MemoryOrderingSemantics.RELAXED, MemoryOrderingSemantics.ACQUIRE)
STORE_ORDER = ordering(MemoryOrderingSemantics.WEAK, MemoryOrderingSemantics.RELAXED, MemoryOrderingSemantics.RELEASE)
ATOMIC_ORDER = ordering(
    MemoryOrderingSemantics.RELAXED, MemoryOrderingSemantics.ACQUIRE,
    MemoryOrderingSemantics.RELEASE, MemoryOrderingSemantics.ACQ_REL,
)  # fmt: skip
WEAK_HAS_NO_SCOPE = when(
    "`memory_scope`: present exactly when the ordering is not weak", "memory_scope",
    lambda parts: (parts.attribute("memory_scope") is None)
    == (parts.attribute("memory_ordering_semantics") is MemoryOrderingSemantics.WEAK),
)  # fmt: skip


def points_to(pointer: str, value: str) -> Rule:
    """A tile of pointers fits the tile that is loaded or stored, lane by lane."""

    def holds(parts: Parts) -> bool:
        source, target = parts.one(pointer), parts.one(value)
        is_pair = _is_tile(source, "pointer", None) and _is_tile(target, "", None)
        return is_pair and (source.shape, source.element.pointee) == (target.shape, target.element)

    return when(f"`{pointer}`: pointers to the elements of `{value}`", pointer, holds)


def reads_tile(name: str, result: str) -> Rule:
    """The tile has the shape and element type of the view."""

    def holds(parts: Parts) -> bool:
        source, target = parts.one(name), parts.one(result)
        fits = isinstance(source, VIEWS) and isinstance(target, TileType)
        return fits and (source.tile_shape, source.tensor_view.element) == (target.shape, target.element)

    return when(f"`{result}`: the tile of `{name}`", result, holds)


def _indices_fit(parts: Parts) -> bool:
    source, indices = parts.one("view"), parts.types["index"]
    if not isinstance(source, VIEWS) or len(indices) != len(source.tile_shape):
        return False
    sparse = source.sparse_dim if isinstance(source, GatherScatterViewType) else None
    ranks = [0 if axis != sparse else 1 for axis in range(len(indices))]
    fits = all(_is_tile(kind, "int", rank) for kind, rank in zip(indices, ranks, strict=True))
    scalars = {kind for kind, rank in zip(indices, ranks, strict=True) if not rank}
    return fits and len(scalars) <= 1


INDEXED = when("`index`: one integer a tile axis, all of one type", "index", _indices_fit)
INBOUNDS = when(
    "`inbounds`: one value an index, or none", "inbounds",
    lambda parts: len(parts.attribute("inbounds")) in (0, len(parts.types["index"])),
)  # fmt: skip


def is_permutation(values: Sequence[int]) -> bool:
    """Whether these are the numbers from 0 in some order."""
    return sorted(values) == list(range(len(values)))
