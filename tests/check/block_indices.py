"""Which tiles a launch reaches, worked out from a kernel by plain arithmetic in 32 bits: shares no code with `check`.

Only what indices are made of is known: constants, block ids, the grid, parameters, loops, integer arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from xdsl.ir import BlockArgument, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.enums import RoundingMode
from ferrotile.ir.types import PartitionViewType

Block = tuple[int, ...]
ENDS = 4
"""How many rounds of a long loop are looked at, first and last."""


class Undefined(Exception):
    """There is no such number: a division by 0, or a counter that goes on from the largest."""


@dataclass(frozen=True)
class Reached:
    """The tile of one access in one round of its loops."""

    block: Block
    index: tuple[int, ...]
    tile: tuple[int, ...]


def wrapped(value: int) -> int:
    """What 32 bits keep of a number."""
    return (value + 2**31) % 2**32 - 2**31


class Evaluator:
    """One block of a launch. `given`: the numbers of the entry parameters, None for pointers."""

    def __init__(self, entry: Operation, given: Sequence[int | None], grid: Block, block: Block) -> None:
        arguments = entry.regions[0].block.args
        self.grid, self.block, self.entry = grid, block, entry
        self.known: dict[SSAValue, int] = {
            argument: number for argument, number in zip(arguments, given, strict=True) if number is not None
        }

    def reached(self) -> Iterator[Reached]:
        """The tile of every store."""
        for op in self.entry.walk():
            if ir.row(op).name == "store_view_tko":
                behind = _behind(ir.operands(op, "index"))
                loops = [loop for loop in self._loops(op) if loop.regions[0].block.args[0] in behind]
                yield from self._rounds(op, loops)

    def _loops(self, op: Operation) -> list[Operation]:
        above = op.parent_op()
        if above is None or above is self.entry:
            return []
        return [*self._loops(above), above]

    def _rounds(self, op: Operation, loops: list[Operation]) -> Iterator[Reached]:
        if not loops:
            view = ir.operand(op, "view")
            assert view is not None and isinstance(view.type, PartitionViewType)
            index = tuple(self.value(one) for one in ir.operands(op, "index"))
            yield Reached(self.block, index, view.type.tile_shape)
            return
        loop, *inner = loops
        counter = loop.regions[0].block.args[0]
        for number in self._counted(loop):
            before = dict(self.known)
            self.known[counter] = number
            yield from self._rounds(op, inner)
            self.known = before

    def _counted(self, loop: Operation) -> list[int]:
        low, high, step = map(self.value, loop.operands[:3])
        rounds = range(low, high, max(step, 1))
        if step < 1 or (rounds and rounds[-1] + step >= 2**31):
            raise Undefined(f"a counter from {low} below {high} by {step}")
        return sorted({*rounds[:ENDS], *rounds[-ENDS:]})

    def value(self, value: SSAValue) -> int:
        """A number. Raises: Undefined."""
        if value not in self.known:
            assert not isinstance(value, BlockArgument) and isinstance(value.owner, Operation)
            self.known[value] = self._made(value.owner, value)
        return self.known[value]

    def _made(self, op: Operation, value: SSAValue) -> int:
        match ir.row(op).name:
            case "constant":
                return int.from_bytes(ir.attribute(op, "value"), "little", signed=True)
            case "get_tile_block_id":
                return self.block[list(op.results).index(value)]
            case "get_num_tile_blocks":
                return self.grid[list(op.results).index(value)]
            case name:
                left, right = map(self.value, op.operands)
                rounding = ir.attribute(op, "rounding") if name == "divi" else RoundingMode.ZERO
                return wrapped(_arithmetic(name, left, right, rounding))


def _behind(values: Sequence[SSAValue]) -> set[SSAValue]:
    """All that some values are made of; rounds of a loop whose counter is not among it reach the same."""
    found: set[SSAValue] = set()
    waiting = list(values)
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            owner = value.block.parent_op() if isinstance(value, BlockArgument) else value.owner
            waiting += [] if owner is None or ir.row(owner).name == "entry" else owner.operands
    return found


def _arithmetic(name: str, left: int, right: int, rounding: RoundingMode) -> int:
    match name:
        case "addi":
            return left + right
        case "subi":
            return left - right
        case "muli":
            return left * right
        case "mini":
            return min(left, right)
    if right == 0:
        raise Undefined(f"{left} divided by 0")
    down, is_exact = left // right, left % right == 0
    toward_zero = down + (down < 0 and not is_exact)
    if name == "remi":
        return left - toward_zero * right
    assert name == "divi"
    return {
        RoundingMode.ZERO: toward_zero,
        RoundingMode.NEGATIVE_INF: down,
        RoundingMode.POSITIVE_INF: down + (not is_exact),
    }[rounding]


def tiles_reached(module: ir.Module, given: Sequence[int | None], grid: Block) -> Iterator[Reached]:
    """All that is reached by the blocks of a launch; of a long axis of the grid, by those at its ends."""
    (entry,) = module.entries
    along = [sorted({*range(min(size, ENDS)), *range(max(size - ENDS, 0), size)}) for size in grid]
    for block in product(*along):
        yield from Evaluator(entry, given, grid, block).reached()
