"""The builder of this folder: kernels without debug places, with arrays of every layout, several in one module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from builder import DEFAULTS, Builder, tile  # pyright: ignore[reportMissingImports]
from xdsl.ir import Block, Operation, Region, SSAValue

from ferrotile import ir
from ferrotile.ir.debug import Record, locate
from ferrotile.ir.enums import ComparisonPredicate
from ferrotile.ir.types import FunctionType, PointerType, ScalarType, TensorViewType, TileType

Build = Callable[["Kernel"], object]
Extents = Sequence[int | SSAValue]
CASES: dict[str, Hand] = {}


class Kernel(Builder):
    """One kernel; nothing in it says where it came from, but for what is given a place."""

    place: Record = None

    def numbers(self, *words: str) -> tuple[SSAValue, ...]:
        """Entry parameters of which is known that they are not negative."""
        return tuple(self.assume(number, ir.Bounded(0, None)) for number in self.parameters(*words))

    def view(self, base: SSAValue, shape: Extents, strides: Extents) -> SSAValue:
        """An array whose extents and strides are each a number in the type or a value."""
        assert isinstance(base.type, TileType) and isinstance(base.type.element, PointerType)
        sizes, steps = ([x if isinstance(x, int) else None for x in group] for group in (shape, strides))
        kind = TensorViewType(base.type.element.pointee, tuple(sizes), tuple(steps))
        dynamic = [[x for x in group if not isinstance(x, int)] for group in (shape, strides)]
        values = {"base": base, "dynamicShape": dynamic[0], "dynamicStrides": dynamic[1]}
        return self._add("make_tensor_view", values, {}, [kind]).results[0]

    def vector(self, element: str = "f32") -> SSAValue:
        """A dense array with one axis, of parameters of its own."""
        (base,) = self.parameters(f"ptr<{element}>")
        (extent,) = self.numbers("i32")
        return self.view(base, [extent], [1])

    def tiles(self, element: str = "f32", size: int = 16) -> SSAValue:
        """A dense array with one axis, cut into tiles."""
        return self.partition(self.vector(element), (size,))

    def splat(self, value: SSAValue, shape: Sequence[int]) -> SSAValue:
        """A tile of one number or pointer."""
        assert isinstance(value.type, TileType)
        ones = self._add("reshape", {"source": value}, {}, [TileType(value.type.element, (1,) * len(shape))]).results[0]
        return self._add("broadcast", {"source": ones}, {}, [TileType(value.type.element, tuple(shape))]).results[0]

    def compared(self, lhs: SSAValue, rhs: SSAValue, predicate: str = "LESS_THAN") -> SSAValue:
        """A comparison of integers or floats."""
        assert isinstance(lhs.type, TileType) and isinstance(lhs.type.element, ScalarType)
        name = "cmpi" if lhs.type.element.is_integer else "cmpf"
        attributes = {**DEFAULTS, "comparison_predicate": ComparisonPredicate[predicate]}
        kind = TileType(ScalarType("i1"), lhs.type.shape)
        return self._add(name, {"lhs": lhs, "rhs": rhs}, attributes, [kind]).results[0]

    def any(self, op: str, values: dict[str, Any], kinds: Sequence[Any], **attributes: Any) -> tuple[SSAValue, ...]:
        """Any operation, by its parts; types may be words."""
        results = [tile(kind) if isinstance(kind, str) else kind for kind in kinds]
        return tuple(self._add(op, values, {**DEFAULTS, **attributes}, results).results)

    def entry_named(self, name: str, hints: object = None) -> Operation:
        """The finished kernel."""
        self.block = self.entry
        if self.entry.last_op is None or self.entry.last_op.name != "cuda_tile.return":
            self._add("return", {"operands": ()}, {}, [])
        kind = FunctionType(tuple(value.type for value in self.entry.args), ())
        attributes = {"sym_name": name, "function_type": kind, "optimization_hints": hints}
        entry = ir.make("entry", {}, attributes, [], [Region(self.entry)])
        locate(entry, self.place)
        return entry


@dataclass(frozen=True)
class Hand:
    """A module built by hand: its kernels by symbol, what its globals hold, and for whom it is."""

    name: str
    builds: dict[str, Build]
    version: tuple[int, int] = (13, 4)
    target: str = "sm_90"
    hints: object = None
    producer: str | None = None
    globals: Callable[[], list[Operation]] = field(default=list)

    @property
    def special(self) -> str:
        """What is special about it: the docstring of its first kernel."""
        return " ".join((next(iter(self.builds.values())).__doc__ or "").split()).rstrip(".")

    def bytes(self) -> bytes:
        """The module as bytecode."""
        entries: list[Operation] = []
        for symbol, build in self.builds.items():
            kernel = Kernel()
            build(kernel)
            entries.append(kernel.entry_named(symbol, self.hints))
        members = Region(Block([*self.globals(), *entries]))
        op = ir.make("module", {}, {"sym_name": "kernels", "producer": self.producer}, [], [members])
        return ir.encode(ir.Module(self.version, op))


def hand(build: Build | None = None, **more: Any) -> Any:
    """Declare a module of one kernel: the function builds it, its docstring says what is special."""

    def declare(build: Build) -> Build:
        name = more.pop("name", build.__name__)
        assert name not in CASES, name
        CASES[name] = Hand(name, more.pop("builds", {more.pop("symbol", "kernel"): build}), **more)
        return build

    return declare if build is None else declare(build)
