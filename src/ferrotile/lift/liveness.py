"""Which operations matter, who uses a value, and until where it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.ir import Block, Operation, SSAValue

from ferrotile.ir import Effect, row

_ACTING = frozenset({Effect.READ, Effect.WRITE, Effect.CONTROL, Effect.SYMBOL})


class Liveness:
    """Positions of operations in text order, and the live users of every value."""

    def __init__(self, entry: Operation, needs: Callable[[Operation], Sequence[SSAValue]]) -> None:
        """`needs(op)`: the values that writing `op` takes, its operands or those of a recipe."""
        self._needs = needs
        self.start: dict[Operation, int] = {}
        self.end: dict[Operation, float] = {}
        self._users: dict[SSAValue, list[Operation]] = {}
        order = list(self._number(entry))
        self.end[entry] = len(order)  # the entry of a combining function is itself an operation in a block
        for op in self._live(order):
            for value in dict.fromkeys(needs(op)):
                self._users.setdefault(value, []).append(op)

    def users(self, value: SSAValue) -> list[Operation]:
        """Live operations that take `value`, in text order; one entry for each operation."""
        return self._users.get(value, [])

    def is_used(self, value: SSAValue) -> bool:
        """Whether a live operation takes `value`."""
        return value in self._users

    def use_count(self, value: SSAValue) -> int:
        """How often `value` stands as an operand of a live operation."""
        return sum(sum(1 for operand in self._needs(op) if operand is value) for op in self.users(value))

    def last(self, value: SSAValue) -> float:
        """Text position after which `value` is not needed: a use inside a loop counts until the loop's end."""
        home = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
        return max((self._end_in(home, op) for op in self.users(value)), default=-1)

    def _end_in(self, home: Block | None, op: Operation) -> float:
        while (block := op.parent_block()) is not home and block is not None:
            parent = block.parent_op()
            if parent is None:
                break
            op = parent
        return self.end[op] if op.regions else self.start[op]

    def _number(self, root: Operation) -> Iterator[Operation]:
        for region in root.regions:
            for op in region.block.ops:
                self.start[op] = len(self.start)
                yield op
                yield from self._number(op)
                self.end[op] = len(self.start) - 0.5

    def _live(self, order: list[Operation]) -> list[Operation]:
        """Operations that act, and all that they need; in text order."""
        needed: set[SSAValue] = set()
        live: list[Operation] = []
        for op in reversed(order):
            if row(op).effect in _ACTING or any(result in needed for result in op.results) or _in_body(op):
                needed.update(self._needs(op))
                live.append(op)
        return live[::-1]


def _in_body(op: Operation) -> bool:
    """Whether `op` belongs to the body of a reduction or scan, which is one expression."""
    parent = op.parent_op()
    return parent is not None and row(parent).name in ("reduce", "scan")


def holds(outer: Operation, inner: Operation) -> bool:
    """Whether `inner` is `outer` or stands inside it."""
    op: Operation | None = inner
    while op is not None and op is not outer:
        op = op.parent_op()
    return op is outer


def is_repeated(op: Operation, value: SSAValue) -> bool:
    """Whether `op` may run several times for one `value`: it stands in a loop behind it."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.parent_block()
    return home is None or is_nested(op, home)


def is_nested(op: Operation, block: Block) -> bool:
    """Whether `op` stands in a loop inside `block`, not in `block` itself."""
    while (home := op.parent_block()) is not block:
        parent = home.parent_op() if home is not None else None
        if parent is None:
            return False
        if row(parent).name in ("for", "loop"):
            return True
        op = parent
    return False
