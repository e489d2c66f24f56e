"""Random programs of operations on values, to hold what check says of values against what they are when run."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import prod

import numpy as np
from builder import Builder
from xdsl.ir import Operation, SSAValue

from ferrotile import ir
from ferrotile.check.exits import settle_exits
from ferrotile.check.kernel import Interner, Kernel
from ferrotile.check.liveness import mark_live
from ferrotile.check.numbering import Numbering
from ferrotile.core import Role
from ferrotile.interp import interpret
from ferrotile.ir.enums import ComparisonPredicate, Signedness
from ferrotile.ir.types import ScalarType, TileType

SHAPES = ((), (1,), (4,), (1, 1), (2, 2), (1, 4), (4, 1), (2, 1), (1, 2), (2, 1, 2), (1, 1, 2), (1, 2, 2), (2, 2, 2))
ELEMENTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "f32": np.float32}
WIDER = {"i8": ("i16", "i32"), "i16": ("i32",), "i32": ("i64",)}
SAME_BITS = {"i32": "f32", "f32": "i32"}
NUMBERS = (0, 1, -1, 2, 127, -128)


def word_of(element: str, shape: tuple[int, ...]) -> str:
    """The word for a tile type."""
    return "x".join([*map(str, shape), element])


@dataclass
class Values:
    """A program that stores every value it makes into an array of its own."""

    seed: int
    k: Builder = field(default_factory=Builder)
    made: list[SSAValue] = field(default_factory=list)
    arrays: list[np.ndarray] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.rng = np.random.default_rng(self.seed)

    def write(self, count: int) -> ir.Module:
        """`count` operations on a few loaded tiles and constants."""
        for element in ("i8", "i16", "i32", "i32", "f32"):
            self.made.append(self._loaded(element, self.dice.choice(SHAPES)))
        while len(self.made) < count:
            makers = (self._constant, self._reshaped, self._repeated, self._widened, self._computed, self._compared)
            self.dice.choice(
                (*makers, *(self._turned, self._renamed) * 2, self._reshaped, self._folded, *(self._again,) * 2)
            )()
        self.outputs = [self._stored(value) for value in self.made]
        return self.k.module()

    def _array(self, data: np.ndarray, element: str) -> SSAValue:
        (base,) = self.k.parameters(f"ptr<{element}>")
        self.arrays.append(data)
        return self.k.partition(self.k.array(base, [self.k.constant("i32", data.size)], [1]), [data.size])

    def _loaded(self, element: str, shape: tuple[int, ...]) -> SSAValue:
        size = prod(shape)
        data = self.rng.integers(-128, 128, size).astype(ELEMENTS[element])
        flat, _ = self.k.load(self._array(data, element), [self.k.constant("i32", 0)])
        return self.k.reshape(flat, to=word_of(element, shape))

    def _stored(self, value: SSAValue) -> int:
        element, shape = self._kind(value)
        if element == "i1":
            value, element = self.k.exti(value, to=word_of("i8", shape), signedness=Signedness.Unsigned), "i8"
        flat = self.k.reshape(value, to=word_of(element, (prod(shape),)))
        view = self._array(np.zeros(prod(shape), ELEMENTS[element]), element)
        self.k.store(flat, view, [self.k.constant("i32", 0)])
        return len(self.arrays) - 1

    def _kind(self, value: SSAValue) -> tuple[str, tuple[int, ...]]:
        kind = value.type
        assert isinstance(kind, TileType) and isinstance(kind.element, ScalarType)
        return kind.element.name, kind.shape

    def _pick(self, *elements: str) -> tuple[SSAValue, str, tuple[int, ...]]:
        fitting = [value for value in self.made if self._kind(value)[0] in elements or not elements]
        value = self.dice.choice(fitting or self.made[:1])
        return value, *self._kind(value)

    # Makers

    def _constant(self) -> None:
        element, shape = self.dice.choice(list(ELEMENTS)), self.dice.choice(SHAPES)
        self.made.append(self.k.constant(word_of(element, shape), self.dice.choice(NUMBERS)))

    def _reshaped(self) -> None:
        value, element, shape = self._pick()
        others = [other for other in SHAPES if prod(other) == prod(shape)]
        if others:
            self.made.append(self.k.reshape(value, to=word_of(element, self.dice.choice(others))))

    def _repeated(self) -> None:
        value, element, shape = self._pick()
        others = [o for o in SHAPES if len(o) == len(shape) and all(a in (1, b) for a, b in zip(shape, o, strict=True))]
        if others:
            self.made.append(self.k.broadcast(value, to=word_of(element, self.dice.choice(others))))

    def _widened(self) -> None:
        value, element, shape = self._pick("i8", "i16", "i32")
        if element in WIDER:
            to = word_of(self.dice.choice(WIDER[element]), shape)
            self.made.append(self.k.exti(value, to=to, signedness=self.dice.choice(list(Signedness))))

    def _partner(self, value: SSAValue) -> SSAValue:
        return self.dice.choice([other for other in self.made if other.type == value.type])

    def _computed(self) -> None:
        value, _, _ = self._pick("i8", "i16", "i32", "i64")
        name = self.dice.choice(("addi", "subi", "muli", "xori"))
        self.made.append(getattr(self.k, name)(value, self._partner(value)))

    def _compared(self) -> None:
        value, _, shape = self._pick("i8", "i16", "i32", "i64")
        attributes = {
            "comparison_predicate": self.dice.choice(list(ComparisonPredicate)),
            "signedness": self.dice.choice(list(Signedness)),
        }
        self.made.append(self.k.cmpi(value, self._partner(value), to=word_of("i1", shape), **attributes))

    def _turned(self) -> None:
        value, element, shape = self._pick()
        order = list(range(len(shape)))
        self.dice.shuffle(order)
        if order:
            to = word_of(element, tuple(shape[axis] for axis in order))
            self.made.append(self.k.permute(value, to=to, permutation=tuple(order)))

    def _renamed(self) -> None:
        value, element, shape = self._pick("i32", "f32")
        if element in SAME_BITS:
            to = self.dice.choice((element, SAME_BITS[element]))
            self.made.append(self.k.bitcast(value, to=word_of(to, shape)))

    def _folded(self) -> None:
        value, element, shape = self._pick("i32", "i64")
        if not shape or element not in ("i32", "i64"):
            return
        axis = self.dice.randrange(len(shape))
        to = word_of(element, (*shape[:axis], *shape[axis + 1 :]))
        with self.k.reduce(value, axis, ir.IntAttr(ScalarType(element), 0), to=to) as (lhs, rhs):
            self.k.end("yield", self.k.addi(lhs, rhs))
        self.made.append(self.k.last)

    def _again(self) -> None:
        """An operation once more, perhaps with its operands exchanged."""
        makers = [value.owner for value in self.made if isinstance(value.owner, Operation)]
        pure = [op for op in makers if not op.regions and not op.name.endswith("_tko")]
        pairs = [op for op in pure if len(op.operands) == 2 and op.operands[0].type == op.operands[1].type]
        copy = self.dice.choice(pairs or pure).clone()
        if pairs and self.dice.random() < 0.7:
            copy.operands = list(copy.operands)[::-1]
        self.k.block.add_op(copy)
        self.made.append(copy.results[0])


@dataclass(frozen=True)
class Numbered:
    """Each value with its number in check's graph, its type, and its bits when run; the laws that were used."""

    values: list[tuple[int, object, bytes]]
    laws: frozenset[str]


def numbered(seed: int, count: int) -> Numbered:
    """Write a program, number its values, and run it."""
    program = Values(seed)
    module = program.write(count)
    kernel = Kernel(module.entries[0], Interner(), "sm_90", {})
    settle_exits(kernel)
    mark_live(kernel)
    graph = Numbering(kernel, Interner(), tuple(range(len(program.arrays))), relaxed=False)
    roles = tuple(Role.pointer(k) for k in range(len(program.arrays)))
    result = interpret(module, program.arrays, (1,), roles=roles)
    assert not result.findings, result.findings[0]
    found = [
        (graph.ids[kernel._numbers[value]], value.type, result.arrays[place].tobytes())
        for value, place in zip(program.made, program.outputs, strict=True)
    ]
    return Numbered(found, frozenset(kernel.laws))


def contradictions(found: Numbered) -> list[tuple[object, object]]:
    """Values with one number that have another type or other bits."""
    first: dict[int, tuple[object, bytes]] = {}
    return [
        (first[number][0], kind)
        for number, kind, data in found.values
        if first.setdefault(number, (kind, data)) != (kind, data)
    ]
