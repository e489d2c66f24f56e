"""Random kernels that choose tiles by digits of block ids and counters, in forms that `check` follows and others."""

from __future__ import annotations

from random import Random

from builder import Builder, tile
from xdsl.ir import SSAValue

from ferrotile import ir
from ferrotile.core import Role
from ferrotile.ir.enums import RoundingMode

DOWN, UP, ZERO = RoundingMode.NEGATIVE_INF, RoundingMode.POSITIVE_INF, RoundingMode.ZERO
NUMBERS = (1, 2, 2, 3, 4, 4, 5, 6, 8, 12, 0, -1, -3, -8, 1 << 16, 1 << 30, (1 << 31) - 1)
SIZES = (1, 1, 2, 3, 4, 8)
ROLES = (
    *(
        role
        for array in (0, 1)
        for role in (
            Role.pointer(array),
            *(kind(array, axis) for kind in (Role.shape, Role.stride) for axis in (0, 1)),
        )
    ),
    Role.scalar(0),
    Role.scalar(1),
)
"""Two arrays of two axes, the second of which is written, and two numbers."""


class IndexKernel:
    """Builds one kernel. `chance` decides its form; `form` that of an index, for each store anew or the same again."""

    def __init__(self, chance: Random) -> None:
        self.chance, self.form, self.k = chance, chance, Builder()
        kinds = ["ptr<f32>", "i32", "i32", "i32", "i32"]
        given = self.k.parameters(*kinds, *kinds, "i32", "i32")
        self.ids = self.k.block_id()
        self.grid = tuple(self.k._add("get_num_tile_blocks", {}, {}, [tile("i32")] * 3).results)
        self.extents, self.scalars = (given[1], given[2], given[6], given[7]), given[10:]
        self.fixed = [16 if self._is(0.1) else None for _ in "xy"]
        shape = [fixed or extent for fixed, extent in zip(self.fixed, given[6:8], strict=True)]
        self.array = self.k.array(given[5], shape, given[8:10])
        self.tile = (chance.choice(SIZES[1:]) % 8 + 1, chance.choice(SIZES[1:]) % 8 + 1)
        self.leaves = [[one] for one in self.ids]
        self.forms = [chance.random() for _ in range(2)]

    def module(self) -> ir.Module:
        """The kernel: stores in loops, and before them."""
        if self._is(0.2):
            self._store()
        self._loops(self.chance.choice((0, 0, 1, 1, 2)))
        return self.k.module()

    def _is(self, chance: float) -> bool:
        return self.form.random() < chance

    def _leaf(self) -> SSAValue:
        return self.chance.choice(self.leaves[self.form.choice((0, 0, 0, 1, 2))])

    def _loops(self, depth: int) -> None:
        if depth == 0:
            for _ in range(self.chance.choice((1, 1, 2))):
                self._store()
            return
        axis = self.chance.choice((0, 0, 0, 1, 2))
        step = self.grid[axis] if self._is(0.7) else self._number()
        start = self.ids[axis] if self._is(0.95) else self._number()
        with self.k.for_(start, self._count(2), step) as loop:
            assert loop.index is not None
            self.leaves[axis] += [loop.index] * 3
            self._loops(depth - 1)
            self.k.end("continue")

    def _number(self) -> SSAValue:
        return self.k.constant("i32", self.form.choice(NUMBERS))

    def _count(self, depth: int = 1) -> SSAValue:
        """A number, an argument, tiles of an extent, or a product."""
        k, kind = self.k, self.form.choice("number number argument tiles tiles sum product".split())
        if kind == "product" and depth:
            return k.muli(self._count(depth - 1), self._count(depth - 1))
        if kind in ("number", "product"):
            return self._number()
        if kind == "argument":
            return self.form.choice(self.scalars)
        whole, size = self.form.choice((*self.extents, *self.scalars)), self.form.choice(SIZES)
        if kind == "tiles":
            return k.divi(whole, k.constant("i32", size), rounding=UP)
        added = k.addi(whole, k.constant("i32", size - self._is(0.9)))
        return k.divi(added, k.constant("i32", size), rounding=DOWN)

    def _whole(self, depth: int) -> SSAValue:
        """A number that differs between blocks."""
        kind = self.form.choice("leaf leaf leaf joined quotient remainder".split())
        if kind == "leaf" or depth == 0:
            return self._leaf()
        if kind == "joined":
            return self._joined(self._whole(depth - 1), self._whole(depth - 1), self._count())
        return self._digits(self._whole(depth - 1), self._count())[kind == "remainder"]

    def _joined(self, high: SSAValue, low: SSAValue, radix: SSAValue) -> SSAValue:
        return self.k.addi(self.k.muli(high, radix), low)

    def _digits(self, whole: SSAValue, by: SSAValue) -> tuple[SSAValue, SSAValue]:
        alike = next((leaves for leaves in self.leaves if whole in leaves), [whole])
        other = self.chance.choice(alike) if self._is(0.95) else self._leaf()
        base = by if self._is(0.95) else self._count()
        return self.k.divi(whole, by, rounding=DOWN if self._is(0.8) else ZERO), self.k.remi(other, base)

    def _grouped(self) -> tuple[SSAValue, SSAValue]:
        """A row and a column of tiles that are taken `height` rows at a time."""
        k, whole = self.k, self._whole(1)
        rows, height = self._count(), k.constant("i32", self.form.choice((1, 2, 3, 4)))
        columns = self._count(0) if self._is(0.3) else self.k.divi(self.extents[3], self._sized(1), rounding=UP)
        if self._is(0.6):
            rows = k.divi(self.extents[2], self._sized(0), rounding=UP)
        numbers = k.muli(columns, height) if self._is(0.9) else self._number()
        first = k.muli(k.divi(whole, numbers, rounding=DOWN), height if self._is(0.95) else self._number())
        size = k.mini(k.subi(rows, first), height)
        inner = k.remi(whole, numbers)
        return k.addi(first, k.remi(inner if self._is(0.5) else whole, size)), k.divi(inner, size, rounding=DOWN)

    def _sized(self, axis: int) -> SSAValue:
        return self.k.constant("i32", self.tile[axis])

    def _index(self) -> tuple[SSAValue, SSAValue]:
        match self.form.choice("leaves leaves digits digits joined grouped grouped whole".split()):
            case "leaves":
                return self._whole(0), self._number() if self._is(0.5) else self._whole(0)
            case "digits":
                return self._digits(self._whole(2), self._count())
            case "joined":
                return self._joined(self._whole(2), self._whole(1), self._count()), self._number()
            case "grouped":
                return self._grouped()
            case _:
                return self._whole(2), self._whole(1)

    def _store(self) -> None:
        self.form = Random(self.forms[self.chance.random() < 0.1])
        index = self._index()
        if self._is(0.3):
            index = index[::-1]
        size = self.tile if self._is(0.9) else self.tile[::-1]
        value = self.k.constant(f"{size[0]}x{size[1]}xf32", 1.0)
        self.k.store(value, self.k.partition(self.array, size), index)
        self.form = self.chance
