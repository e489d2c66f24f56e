"""Make mutants and harmless variants of a kernel, and ask check about them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import harmless_control  # noqa: F401
from alike import law_of
from edit import live_operations, number
from harmless import REWRITES, reversed_parameters
from kinds import MUTATIONS, Mutation
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.check import Verdict, compare
from ferrotile.core import EnvironmentFault, ParameterMap, Place, Role, VerdictKind, tools


@dataclass(frozen=True)
class Mutant:
    """One mutated program and the verdict on it; without a verdict, tileirdisasm rejects the program.

    `alike_by` is the law by which it is the same program after all.
    """

    kernel: str
    mutation: Mutation
    operation: str
    places: tuple[Place | None, ...]
    verdict: Verdict | None
    alike_by: str | None

    @property
    def text(self) -> str:
        """All that is known, on one line."""
        verdict = self.verdict
        found = (
            f"{verdict.kind} {verdict.difference}: {verdict.sentence} at {verdict.reference_place}" if verdict else ""
        )
        return f"{self.mutation.name}: {self.kernel}: {self.operation} at {self.places[0]}: {found}"

    @property
    def is_caught(self) -> bool:
        """Whether check tells it apart; REFINES says what was added."""
        return self.verdict is not None and self.verdict.kind in (VerdictKind.DIFFERS, VerdictKind.REFINES)

    @property
    def is_missed(self) -> bool:
        """Whether check should have told it apart."""
        return self.verdict is not None and not self.is_caught and self.alike_by is None

    @property
    def has_place(self) -> bool:
        """Whether the verdict points to the mutated operation, or where it may be seen."""
        if self.verdict is None or not self.is_caught:
            return self.alike_by is not None
        side = self.mutation.name == "extra load"
        return (self.verdict.lowered_place if side else self.verdict.reference_place) in self.places

    @property
    def has_kind(self) -> bool:
        """Whether the verdict calls the difference what it is."""
        return self.verdict is not None and self.verdict.difference in self.mutation.kinds


class Subject:
    """A kernel that mutants are made of."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data
        self.reference = ir.decode(data)
        self.operations = list(self.reference.entries[0].walk())
        self.positions = [number(self.reference, op) for op in live_operations(self.reference)]

    def mutants(self, per_kind: int) -> Iterator[Mutant]:
        """Each kind of mutation at up to `per_kind` operations."""
        for mutation in MUTATIONS:
            yield from islice(self.all_of(mutation), per_kind)

    def sample(self, count: int, turn: int) -> Iterator[Mutant]:
        """Mutants of different kinds, until `count` are programs; the kinds come in another order each turn."""
        start = turn * 7 % len(MUTATIONS)
        for mutation in [*MUTATIONS[start:], *MUTATIONS[:start]]:
            for mutant in islice(self.all_of(mutation), 1):
                yield mutant
                count -= mutant.verdict is not None
            if count == 0:
                return

    def all_of(self, mutation: Mutation) -> Iterator[Mutant]:
        """Mutants of one kind, at different operations, in an order that the name alone decides."""
        positions = list(self.positions)
        random.Random(f"{self.name} {mutation.name}").shuffle(positions)
        mutated = ir.decode(self.data)
        operations = list(mutated.entries[0].walk())
        for position in positions:
            if not mutation.mutate(operations[position]):
                continue
            op = self.operations[position]
            verdict = compare(self.reference, mutated, None, "sm_90") if is_program(mutated) else None
            law = None
            if verdict is not None and verdict.kind is VerdictKind.EQUAL:
                law = law_of(mutation.name, verdict.laws, self.reference, mutated)
            places = right_places(op) if not mutation.around else (*right_places(op), *neighbours(op))
            yield Mutant(self.name, mutation, op.name.removeprefix("cuda_tile."), places, verdict, law)
            mutated = ir.decode(self.data)
            operations = list(mutated.entries[0].walk())


def is_program(module: ir.Module) -> bool:
    """Whether NVIDIA's reader accepts a module."""
    try:
        tools.disassemble_bytecode(ir.encode(module))
    except EnvironmentFault as fault:
        if fault.code != "FT003":
            raise
        return False
    return True


def is_constant(op: Operation) -> bool:
    """Whether an operation gives a constant, brought to a shape or computed from constants."""
    if op.name.removeprefix("cuda_tile.") not in ("constant", "reshape", "broadcast", "exti", "addi", "subi", "muli"):
        return False
    return all(isinstance(value.owner, Operation) and is_constant(value.owner) for value in op.operands)


def right_places(op: Operation) -> tuple[Place | None, ...]:
    """Where a report may point: the operation; for a constant, who uses it; for an assumption, any on that value."""
    seen = [op]
    todo = [op]
    while todo:
        here = todo.pop()
        mnemonic = here.name.removeprefix("cuda_tile.")
        if mnemonic == "assume":
            above = here.operands[0].owner
            family = [use.operation for use in here.operands[0].uses]
            family += [above] if isinstance(above, Operation) else []
            more = [other for other in family if other.name == here.name]
        elif op.name == "cuda_tile.constant" and is_constant(here):
            more = [use.operation for use in here.results[0].uses]
        else:
            more = []
        more = [other for other in more if not any(other is old for old in seen)]
        seen += more
        todo += more
    return tuple(ir.place(other) for other in seen)


def neighbours(op: Operation) -> Iterator[Place | None]:
    """Where operands of an operation are made, and where its results are used."""
    yield from (ir.place(value.owner) for value in op.operands if isinstance(value.owner, Operation))
    yield from (ir.place(use.operation) for value in op.results for use in value.uses)


def rewrites(data: bytes, titles: list[str] | None = None) -> Iterator[tuple[str, Verdict]]:
    """Harmless rewrites of one kernel (some, or all): the name of each that applied, and the verdict."""
    reference = ir.decode(data)
    for title, rewrite in REWRITES.items():
        if titles is not None and title not in titles:
            continue
        changed = ir.decode(data)
        if rewrite(changed):
            yield title, compare(reference, changed, None, "sm_90")
    changed = ir.decode(data)
    reversed_parameters(changed)
    roles = tuple(Role.scalar(k) for k in range(len(changed.entries[0].regions[0].block.args)))
    yield OPPOSITE, compare(reference, changed, ParameterMap(roles, roles[::-1]), "sm_90")


OPPOSITE = "take parameters in the opposite order"


def swapped_map(data: bytes) -> Verdict | None:
    """A map that swaps two pointers of one type, which the kernel does not treat alike: it must differ."""
    module = ir.decode(data)
    arguments = module.entries[0].regions[0].block.args
    pointers = [k for k, value in enumerate(arguments) if "ptr" in str(value.type)]
    alike = [(i, j) for i in pointers for j in pointers if i < j and arguments[i].type == arguments[j].type]
    if not alike:
        return None
    i, j = alike[0]
    roles = [Role.scalar(k) for k in range(len(arguments))]
    swapped = list(roles)
    swapped[i], swapped[j] = roles[j], roles[i]
    return compare(module, ir.decode(data), ParameterMap(tuple(roles), tuple(swapped)), "sm_90")
