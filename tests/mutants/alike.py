"""Mutants that are the same program after all: by which law, and a witness for it that shares nothing with check."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence

from mutation import is_a
from xdsl.ir import Block, Operation, SSAValue

from ferrotile import ir
from ferrotile.ir.enums import ComparisonPredicate
from ferrotile.ir.types import ScalarType, TileType, TokenType

ROUNDS = 3
"""How often loops run where order is traced: what a round hands on shows in the next, and what that hands on again."""

Event = tuple[int, tuple[int, ...]]
"""The position of an operation, and the rounds that the loops around it are in."""
Events = frozenset[Event]


def same_order(reference: ir.Module, mutated: ir.Module) -> bool:
    """Whether the same memory operations come after the same ones, told by following tokens through every round."""
    return _Trace(reference).pairs == _Trace(mutated).pairs


def same_index(reference: ir.Module, mutated: ir.Module) -> bool:
    """Whether there is a loop of one round, whose index is one number: the mutated constant is a factor of it."""
    return any(_rounds(op) == 1 for op in reference.entries[0].walk() if is_a(op, "for"))


def _rounds(op: Operation) -> int | None:
    bounds = [value.owner for value in op.operands[:3]]
    if not all(isinstance(maker, Operation) and is_a(maker, "constant") for maker in bounds):
        return None
    low, high, step = (_bits(maker) for maker in bounds)  # type: ignore[arg-type]
    return len(range(low, high, step))


HOLDS: dict[ComparisonPredicate, Callable[[int, int], bool]] = {
    ComparisonPredicate.EQUAL: operator.eq,
    ComparisonPredicate.NOT_EQUAL: operator.ne,
    ComparisonPredicate.LESS_THAN: operator.lt,
    ComparisonPredicate.LESS_THAN_OR_EQUAL: operator.le,
    ComparisonPredicate.GREATER_THAN: operator.gt,
    ComparisonPredicate.GREATER_THAN_OR_EQUAL: operator.ge,
}


COMPUTES: dict[str, Callable[[int, int], int]] = {"addi": operator.add, "subi": operator.sub, "muli": operator.mul}


def same_outcome(reference: ir.Module, mutated: ir.Module) -> bool:
    """Whether the two programs are one, operation by operation, once constants are computed with each other."""
    sides = [_Folded(module) for module in (reference, mutated)]
    return all(sides[0].of(k) == sides[1].of(k) for k in range(len(sides[0].operations)))


class _Folded:
    """The integer constants of a program, and what its operations make of them, as numbers."""

    def __init__(self, module: ir.Module) -> None:
        self.operations = list(module.entries[0].walk())
        self.position = {id(op): k for k, op in enumerate(self.operations)}
        self.numbers: dict[SSAValue, int] = {}
        for op in self.operations:
            number = self._number(op)
            if number is not None:
                self.numbers[op.results[0]] = number

    def of(self, k: int) -> object:
        """An operation: its name, attributes and operands; nothing but the type if its result is a known number."""
        op = self.operations[k]
        types = [value.type for value in op.results]
        if op.results and op.results[0] in self.numbers:
            return types
        return op.name, dict(op.properties), types, [self._operand(value) for value in op.operands]

    def _operand(self, value: SSAValue) -> object:
        if value in self.numbers:
            return self.numbers[value]
        owner = value.owner
        place = self.position[id(owner if isinstance(owner, Operation) else owner.parent_op())]
        return place, isinstance(owner, Operation), value.index  # type: ignore[attr-defined]

    def _number(self, op: Operation) -> int | None:
        """The number that an integer operation gives, if its type holds that signed or not, without wrapping."""
        kind = op.results[0].type if len(op.results) == 1 else None
        if not isinstance(kind, TileType) or not isinstance(kind.element, ScalarType) or not kind.element.is_integer:
            return None
        number = self._computed(op, kind.element.bits)
        return number if number is not None and 0 <= number < 1 << max(1, kind.element.bits - 1) else None

    def _computed(self, op: Operation, bits: int) -> int | None:
        known = [self.numbers[value] for value in op.operands if value in self.numbers]
        if is_a(op, "constant"):
            return _bits(op) if len(ir.attribute(op, "value")) == max(1, bits // 8) else None
        if len(known) < len(op.operands):
            return None
        if is_a(op, "reshape", "broadcast", "exti"):
            return known[0]
        if is_a(op, "cmpi"):
            return int(HOLDS[ir.attribute(op, "comparison_predicate")](*known))
        compute = COMPUTES.get(op.name.removeprefix("cuda_tile."))
        return None if compute is None else compute(*known)


def _bits(op: Operation) -> int:
    return int.from_bytes(ir.attribute(op, "value"), "little")


Witness = Callable[[ir.Module, ir.Module], bool]
ALIKE: dict[str, dict[str, tuple[str, Witness]]] = {
    "one-round": {"integer constant": ("a factor of a loop index that is always 0", same_index)},
    "integer-constants": dict.fromkeys(
        ("integer constant", "predicate", "swap operands", "signedness", "operation", "lost operation"),
        ("constants compare or compute alike", same_outcome),
    ),
    **dict.fromkeys(
        ("order-is-transitive", "token-sets", "early-return", "if-passes-through"),
        dict.fromkeys(
            ("token edge", "carried value lost"), ("other edges, or none, order the same operations", same_order)
        ),
    ),
}
"""By law, the mutations that it may undo: why, and who else says so."""


def law_of(mutation: str, laws: Sequence[str], reference: ir.Module, mutated: ir.Module) -> str | None:
    """The law by which a mutant that check calls equal is the same program, if there is one with a witness."""
    for law in laws:
        row = ALIKE.get(law, {}).get(mutation)
        if row is not None and row[1](reference, mutated):
            return law
    return None


class _Trace:
    """Which memory operations come after which."""

    def __init__(self, module: ir.Module) -> None:
        entry = module.entries[0]
        self.position = {id(op): k for k, op in enumerate(entry.walk())}
        self.behind: dict[SSAValue, Events] = {}
        self.pairs: set[tuple[Event, Event]] = set()
        self._block(entry.regions[0].block, ())

    def _block(self, block: Block, rounds: tuple[int, ...]) -> None:
        for op in block.ops:
            if is_a(op, "for", "loop"):
                self._loop(op, rounds)
            elif is_a(op, "if"):
                for region in op.regions:
                    self._block(region.block, rounds)
                self._pass(op.results, [end.operands for end in _ends(op, "yield")])
            else:
                self._event(op, rounds)

    def _event(self, op: Operation, rounds: tuple[int, ...]) -> None:
        before = frozenset[Event]().union(*(self._of(value) for value in op.operands))
        makes = [value for value in op.results if isinstance(value.type, TokenType)]
        own: Events = frozenset()
        if makes and not is_a(op, "make_token", "join_tokens"):
            own = frozenset(((self.position[id(op)], rounds),))
            self.pairs.update((earlier, event) for earlier in before for event in own)
        for value in makes:
            self.behind[value] = before | own

    def _loop(self, op: Operation, rounds: tuple[int, ...]) -> None:
        block, first = op.regions[0].block, 1 if is_a(op, "for") else 0
        arguments, starts = list(block.args)[first:], ir.operands(op, "initValues")
        self._pass(arguments, [starts])
        for number in range(ROUNDS):
            self._block(block, (*rounds, number))
            self._pass(arguments, [end.operands for end in _ends(op, "continue")])
        self._pass(op.results, [arguments] if first else [end.operands for end in _ends(op, "break")])

    def _pass(self, values: Sequence[SSAValue], given: Sequence[Sequence[SSAValue]]) -> None:
        found = [frozenset[Event]().union(*(self._of(group[k]) for group in given)) for k in range(len(values))]
        self.behind.update(zip(values, found, strict=True))

    def _of(self, value: SSAValue) -> Events:
        return self.behind.get(value, frozenset())


def _ends(op: Operation, name: str) -> Iterator[Operation]:
    """The operations that pass values on from the blocks of a loop or branch."""
    for region in op.regions:
        for inner in region.block.ops:
            if is_a(inner, name):
                yield inner
            elif is_a(inner, "if") and name != "yield":
                yield from _ends(inner, name)
