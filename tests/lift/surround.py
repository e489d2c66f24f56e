"""Kernels around one operation: operands come from arrays and scalars that the kernel is given, results are stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from builder import DEFAULTS, Builder, tile  # pyright: ignore[reportMissingImports]
from xdsl.ir import Block, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.debug import CompileUnit, File, Loc, Subprogram, locate
from ferrotile.ir.enums import RoundingMode
from ferrotile.ir.types import PointerType, ScalarType, TileIrType, TileType, TokenType

FILE = "rows.py"
_FILE = File(FILE, "")
SCOPE = Subprogram(_FILE, 1, "kernel", "kernel", CompileUnit(_FILE), 1)


class Surround(Builder):
    """Builds one kernel; what `around` adds has a line of its own in `rows.py`."""

    def __init__(self) -> None:
        super().__init__("")
        self.arrays: dict[tuple[str, str, int], SSAValue] = {}
        self.top = Block()
        self.used = 0
        self.line = 1

    def value(self, kind: TileIrType) -> SSAValue:
        """A value of this type that no compiler knows anything about."""
        match kind:
            case TokenType():
                return self.token()
            case TileType(element=PointerType() as pointer):
                numbers = self.value(TileType(ScalarType("i64"), kind.shape))
                return self._add("int_to_ptr", {"source": numbers}, {}, [TileType(pointer, kind.shape)]).results[0]
            case TileType(element=ScalarType(name="i1")):
                pair = [self.value(TileType(ScalarType("i32"), kind.shape)) for _ in range(2)]
                return self.less(*pair)
            case TileType(element=ScalarType(name="i4")):
                wide = self.value(TileType(ScalarType("i8"), kind.shape))
                return self._add("trunci", {"from": wide}, DEFAULTS, [kind]).results[0]
            case TileType(element=ScalarType() as element, shape=()):
                return self.parameters(element.name)[0]
            case TileType(element=ScalarType() as element, shape=shape):
                return self.load(*self.tile(element.name, "in", shape))[0]
        raise AssertionError(kind)

    def given(self, word: str) -> SSAValue:
        """A value of the type that a word stands for, such as `4xf32`."""
        return self.value(tile(word))

    def keep(self, value: SSAValue) -> None:
        """Store a value, so that it matters."""
        kind = value.type
        if isinstance(kind, TokenType):
            number = self.constant("1xi32", 1)
            self.store(number, *self.tile("i32", "out", (1,)), token=value)
            return
        assert isinstance(kind, TileType)
        if isinstance(kind.element, PointerType):
            kind = TileType(ScalarType("i64"), kind.shape)
            value = self._add("ptr_to_int", {"source": value}, {}, [kind]).results[0]
        elif kind.element == ScalarType("i1"):
            kind = TileType(ScalarType("i32"), kind.shape)
            picks = {"cond": value, "val_if_true": self.value(kind), "val_if_false": self.value(kind)}
            value = self._add("select", picks, {}, [kind]).results[0]
        elif kind.element == ScalarType("i4"):
            kind = TileType(ScalarType("i8"), kind.shape)
            value = self._add("exti", {"from": value}, DEFAULTS, [kind]).results[0]
        if not kind.shape:
            kind = TileType(kind.element, (1,))
            value = self._add("reshape", {"source": value}, {}, [kind]).results[0]
        assert isinstance(kind.element, ScalarType)
        self.store(value, *self.tile(kind.element.name, "out", kind.shape))

    def around(
        self, name: str, kinds: Mapping[str, Sequence[TileIrType]], attributes: Mapping[str, object],
        results: Sequence[TileIrType],
    ) -> None:  # fmt: skip
        """Add one operation with operands of these types, and store its results."""
        values = {slot: [self.value(kind) for kind in group] for slot, group in kinds.items()}
        for value in self._add(name, values, dict(attributes), list(results)).results:
            self.keep(value)
        self.line += 1

    @property
    def floor(self) -> RoundingMode:
        """Rounding toward negative infinity: such a division has no operator, so its result is a tile in Rust."""
        return RoundingMode.NEGATIVE_INF

    def bytes(self) -> bytes:
        """The finished kernel as bytecode."""
        for op in reversed(list(self.top.ops)):
            op.detach()
            first = self.entry.first_op
            assert first is not None
            self.entry.insert_op_before(op, first)
        return ir.encode(self.module())

    def _add(self, name: str, *parts: Any, **more: Any) -> Operation:
        op = super()._add(name, *parts, **more)
        locate(op, Loc(SCOPE, FILE, self.line, 0))
        return op

    def less(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Whether one integer is less than another, lane by lane."""
        assert isinstance(lhs.type, TileType)
        kind = TileType(ScalarType("i1"), lhs.type.shape)
        return self._add("cmpi", {"lhs": lhs, "rhs": rhs}, DEFAULTS, [kind]).results[0]

    def tile(self, element: str, side: str, shape: Sequence[int]) -> tuple[SSAValue, list[SSAValue]]:
        """A view of an array of this element and rank, and the index of a tile nobody else has."""
        key = (element, side, len(shape))
        if key not in self.arrays:
            outer, self.block = self.block, self.top
            base, *sizes = self.parameters(f"ptr<{element}>", *["i32"] * (2 * len(shape)))
            rest = [self.assume(size, ir.Bounded(0, None)) for size in sizes]
            self.arrays[key] = self.array(base, rest[: len(shape)], [*rest[len(shape) : -1], 1])
            self.block = outer
        self.used += 1
        index = self.constant("i32", self.used)
        zeros = [self.constant("i32", 0) for _ in shape[1:]]
        return self.partition(self.arrays[key], shape), [index, *zeros]
