"""Combining functions of reductions and scans as Rust functions, and words that hold what they combine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile.core.errors import Unsupported
from ferrotile.ir import FloatAttr, IntAttr, attribute, operands, row
from ferrotile.ir.types import ScalarType, TileType
from ferrotile.lift.emit import HANDLERS, Writer
from ferrotile.lift.leaves import NUMPY, filled
from ferrotile.lift.rust import SIGNED, Expr, Form, RustType, rust_type, shape_of


@dataclass(frozen=True, slots=True)
class Slot:
    """One operand in a word: its element, and the bits that count as 0."""

    element: ScalarType
    start: int

    @property
    def rust(self) -> str:
        """The Rust element."""
        return SIGNED[self.element.name]

    @property
    def bits(self) -> str:
        """The Rust element of its bits."""
        return f"u{self.element.bits}"


@dataclass(frozen=True, slots=True)
class Packing:
    """How operands lie in one word: alone, or two in the halves of 64 bits, the first in the upper half."""

    slots: tuple[Slot, ...]
    is_inverted: bool = False
    """Whether all bits are inverted, for what starts from all ones."""

    @property
    def width(self) -> int:
        """Bits of the word."""
        return 64 if len(self.slots) == 2 or self.slots[0].element.bits > 32 else 32

    @property
    def room(self) -> int:
        """Bits that each operand has."""
        return self.width // len(self.slots)

    def packed(self, writer: Writer, sources: Sequence[Expr]) -> Expr:
        """Tiles as one tile of words."""
        halves = [self._bits(writer, slot, source) for slot, source in zip(self.slots, sources, strict=True)]
        word = halves[0]
        if len(halves) == 2:
            reads = halves[0].reads | halves[1].reads
            text = f"pair({halves[0].text}, {halves[1].text})"
            word = writer.stable(Expr(text, word.type.of("u64"), opaque=True, reads=reads), stem="pairs")
        return self._inverted(writer, word)

    def _inverted(self, writer: Writer, word: Expr) -> Expr:
        if not self.is_inverted:
            return word
        type_ = word.type.of(f"i{self.width}")
        text = f"constant(-1{type_.element}, {shape_of(type_.shape)})"
        ones = writer.stable(Expr(text, type_, opaque=True), stem="ones")
        expr = Expr(f"differing({word.text}, {ones.text})", word.type, opaque=True, reads=word.reads | ones.reads)
        return writer.stable(expr, stem="inverted")

    def taken(self, writer: Writer, word: Expr, index: int) -> Expr:
        """Operand `index` out of a tile of words."""
        word = self._inverted(writer, word)
        slot = self.slots[index]
        bits = word
        if len(self.slots) == 2:
            function = "high_of" if index == 0 else "low_of"
            type_ = word.type.of("u32")
            bits = writer.stable(Expr(f"{function}({word.text})", type_, opaque=True, reads=word.reads), stem="bits")
        if slot.element.bits < self.room:
            type_ = word.type.of(slot.bits)
            bits = writer.stable(Expr(f"narrow({bits.text})", type_, opaque=True, reads=bits.reads), stem="bits")
        bits = self._differing(writer, slot, bits)
        return Expr(f"bitcast({bits.text})", word.type.of(slot.rust), opaque=True, reads=bits.reads)

    def _bits(self, writer: Writer, slot: Slot, source: Expr) -> Expr:
        type_ = source.type.of(slot.bits)
        bits = writer.stable(Expr(f"bitcast({source.text})", type_, opaque=True, reads=source.reads), stem="bits")
        bits = self._differing(writer, slot, bits)
        if slot.element.bits == self.room:
            return bits
        type_ = source.type.of(f"u{self.room}")
        return writer.stable(Expr(f"exti({bits.text})", type_, opaque=True, reads=bits.reads), stem="bits")

    def _differing(self, writer: Writer, slot: Slot, bits: Expr) -> Expr:
        """Bits without those of the start, or with them again."""
        start = self._start(writer, slot, bits.type)
        if start is None:
            return bits
        reads = bits.reads | start.reads
        expr = Expr(f"differing({bits.text}, {start.text})", bits.type, opaque=True, reads=reads)
        return writer.stable(expr, stem="bits")

    @staticmethod
    def _start(writer: Writer, slot: Slot, type_: RustType) -> Expr | None:
        """The number that a tile starts from, as a tile of a shape; none for the number whose bits are 0."""
        if slot.start == 0:
            return None
        dtype = NUMPY[slot.element.name]
        number = np.frombuffer(slot.start.to_bytes(dtype.itemsize, "little"), dtype=dtype)[0]
        return writer.stable(filled(writer, number, type_.of(slot.rust), slot.element), stem="start")


def packing_of(op: Operation) -> Packing:
    """How the operands of a reduction or scan go into words.

    Raises: FT305 for more than fits into a word of 64 bits.
    """
    slots: list[Slot] = []
    for value, start in zip(operands(op, "operands"), attribute(op, "identities"), strict=True):
        type_ = value.type
        assert isinstance(type_, TileType)
        if not isinstance(type_.element, ScalarType) or type_.element.name not in NUMPY or type_.element.bits < 8:
            hint = "Convert the tile to a wider element type first, with `ct.astype`."
            raise Unsupported("FT305", f"cutile 0.5.0 does not fold tiles of `{type_.element}`", hint=hint)
        slots.append(Slot(type_.element, _bits_of(start)))
    sizes = " and ".join(str(slot.element.bits) for slot in slots)
    if len(slots) > 2 or (len(slots) == 2 and any(slot.element.bits > 32 for slot in slots)):
        raise Unsupported(
            "FT305",
            f"cutile 0.5.0 folds one tile of up to 64 bits an element, `{row(op).name}` takes {sizes} bits",
            hint="Fold narrower elements, or one tile at a time: the maximum, then the least index where it stands.",
        )
    return Packing(tuple(slots))


def _bits_of(number: FloatAttr | IntAttr) -> int:
    if isinstance(number, FloatAttr):
        return number.bits
    assert isinstance(number.type, ScalarType)
    return number.value & ((1 << number.type.bits) - 1)


class Combiner:
    """The body of a reduction or scan, written as a function of two words, or of two elements."""

    def __init__(self, writer: Writer, op: Operation, packing: Packing | None) -> None:
        self.op = op
        self.packing = packing
        self.block = op.regions[0].block
        self.inner = Writer(op, writer.annotations, (), (), style=writer.style)

    def text(self, name: str = "{name}", *, scalars: bool = False) -> str:
        """The function; `scalars`: it takes and gives numbers, as a scan's does, and its name is left open."""
        inner, block = self.inner, self.inner.block
        element = rust_type(self.block.args[0].type)  # pyright: ignore[reportArgumentType]
        word = element if self.packing is None else RustType(Form.TILE, f"u{self.packing.width}", ())
        outer = RustType(Form.SCALAR, word.element) if scalars else word
        sides = [inner.names.take(side, 0, float("inf")) for side in ("a", "b")]
        for side in sides if scalars else ():
            block.add(f"let {side}: {word} = tile_of({side});")
        self._bind([Expr(side, word, reads=frozenset({side})) for side in sides])
        result = self._body()
        if scalars:
            block.add(f"let result: {outer} = tile_to_scalar({result.text});")
            result = Expr("result", outer)
        parameters = ", ".join(f"{side}: {outer}" for side in sides)
        head = [f"/// {self._about()}", "#[allow(dead_code)]", f"fn {name}({parameters}) -> {outer} {{"]
        return "\n".join([*head, *block.items, result.text, "}"])

    def _about(self) -> str:
        kind = "reduction" if row(self.op).name == "reduce" else "scan"
        if self.packing is None:
            return f"What a {kind} makes of two elements."
        inside = " and ".join(f"`{slot.rust}`" for slot in self.packing.slots)
        return f"What a {kind} makes of two words, each the bits of {inside}."

    def _bind(self, words: Sequence[Expr]) -> None:
        """Give the arguments of the body their values: operands in turn, of each the first side before the second."""
        for index, argument in enumerate(self.block.args):
            word = words[index % 2]
            if self.packing is None:
                self.inner.values[argument] = word
                continue
            expr = self.packing.taken(self.inner, word, index // 2)
            name = self.inner.names.take(self.inner.annotations.name(argument), 0, float("inf"))
            self.inner.block.add(f"let {name}: {expr.type} = {expr.text};")
            self.inner.values[argument] = Expr(name, expr.type, reads=frozenset({name}))

    def _body(self) -> Expr:
        inner = self.inner
        *body, end = self.block.ops
        self._constants()
        for op in body:
            inner.now, inner.op = inner.live.start[op], op
            inner.operation(op)
        inner.now, inner.op = inner.live.start[end], end
        values = [inner.named(inner.tile(value), value) for value in end.operands]
        wanted = [rust_type(value.type).element for value in end.operands]  # pyright: ignore[reportArgumentType]
        values = [inner.signed(v, False) if v.type.element != e else v for v, e in zip(values, wanted, strict=True)]
        return values[0] if self.packing is None else self.packing.packed(inner, values)

    def _constants(self) -> None:
        """Write the constants anew that the front end has moved out of the body.

        Raises: FT305 for a value of the kernel that is no constant.
        """
        inside = set(self.block.ops)
        for value in dict.fromkeys(value for op in self.block.ops for value in op.operands):
            if isinstance(value.owner, Operation) and value.owner not in inside and row(value.owner).name == "constant":
                HANDLERS["constant"](self.inner, value.owner)
            elif not self._is_inside(value, inside):
                raise Unsupported(
                    "FT305",
                    "the combining function takes a value of the kernel, cutile 0.5.0 gives it none",
                    hint="Apply the value to the tile before the reduction, or to its result.",
                )

    def _is_inside(self, value: SSAValue, inside: set[Operation]) -> bool:
        return value.owner is self.block if isinstance(value, BlockArgument) else value.owner in inside
