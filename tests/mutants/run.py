"""`make mutants`: mutate example kernels and a sample of the corpus, and see what check says.

Prints a table: kind of mutation, mutants, how many DIFFERS, how many with the place of the mutated operation.
"""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))

from edit import live_operations, number, numbered
from harmless import REWRITES, reversed_parameters
from kinds import MUTATIONS, Mutation
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.check import Verdict, compare
from ferrotile.core import ParameterMap, Place, Role, VerdictKind

PER_KERNEL = 2
RIGHT_PLACES = 0.99
"""The share of mutants whose first place must be the mutated operation's."""


@dataclass
class Tally:
    """What became of the mutants of one kind."""

    mutants: int = 0
    differs: int = 0
    kind: int = 0
    place: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, mutant: Mutant) -> None:
        self.mutants += 1
        self.differs += mutant.is_caught
        self.kind += mutant.has_kind
        self.place += mutant.has_place
        if not (mutant.has_place and mutant.has_kind):
            self.misses.append(mutant.text)


@dataclass(frozen=True)
class Mutant:
    """One mutated program and the verdict on it."""

    kernel: str
    mutation: Mutation
    operation: str
    places: tuple[Place | None, ...]
    verdict: Verdict

    @property
    def text(self) -> str:
        verdict = self.verdict
        found = f"{verdict.kind} {verdict.difference}: {verdict.sentence} at {verdict.reference_place}"
        return f"{self.mutation.name}: {self.kernel}: {self.operation} at {self.places[0]}: {found}"

    @property
    def is_caught(self) -> bool:
        return self.verdict.kind is VerdictKind.DIFFERS

    @property
    def is_alike(self) -> bool:
        """Whether the mutant is the same program: the constant is a factor of a loop index that is always 0."""
        return self.mutation.name == "integer constant" and "one-round" in self.verdict.laws

    @property
    def has_place(self) -> bool:
        if self.mutation.name == "extra load":
            return self.is_caught and self.verdict.lowered_place in self.places
        return self.is_alike or (self.is_caught and self.verdict.reference_place in self.places)

    @property
    def has_kind(self) -> bool:
        return self.is_caught and self.verdict.difference in self.mutation.kinds


def mutants(name: str, data: bytes, per_kind: int = PER_KERNEL) -> Iterator[Mutant]:
    """Mutants of one kernel: each kind of mutation at up to `per_kind` operations."""
    reference = ir.decode(data)
    positions = [number(reference, op) for op in live_operations(reference)]
    for mutation in MUTATIONS:
        places = applicable(mutation, data, positions)
        step = max(1, len(places) // per_kind)
        for position in places[step - 1 :: step][:per_kind]:
            mutated = ir.decode(data)
            mutation.mutate(numbered(mutated, position))
            op = numbered(reference, position)
            verdict = compare(reference, mutated, None, "sm_90")
            yield Mutant(name, mutation, op.name, right_places(op), verdict)


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


def applicable(mutation: Mutation, data: bytes, positions: list[int]) -> list[int]:
    """Where a mutation applies, tried out on a module that is thrown away."""
    scratch = list(ir.decode(data).entries[0].walk())
    return [k for k in positions if mutation.mutate(scratch[k])]


def inputs(corpus_step: int) -> Iterator[tuple[str, bytes]]:
    """Example kernels, then a sample of the corpus if it is there."""
    from ferrotile.capture import export

    for path in sorted((ROOT / "examples").glob("*.py")):
        for capture in export(path):
            yield capture.name, capture.bytecode
    folder = Path(os.environ.get("FERROTILE_CORPUS", ROOT.parent / "shared" / "corpus"))
    files = sorted(folder.rglob("*.tileirbc"))
    if not files:
        print("the corpus is not here: examples only", file=sys.stderr)
    for path in files[::corpus_step]:
        yield path.stem, path.read_bytes()


def rewrites(name: str, data: bytes) -> Iterator[tuple[str, int, Verdict]]:
    """Harmless rewrites of one kernel: name, how often it applied, verdict."""
    reference = ir.decode(data)
    for title, rewrite in REWRITES.items():
        changed = ir.decode(data)
        count = rewrite(changed)
        if count:
            yield title, count, compare(reference, changed, None, "sm_90")
    changed = ir.decode(data)
    reversed_parameters(changed)
    roles = tuple(Role.scalar(k) for k in range(len(changed.entries[0].regions[0].block.args)))
    verdict = compare(reference, changed, ParameterMap(roles, roles[::-1]), "sm_90")
    yield "take parameters in the opposite order", 1, verdict


def swapped_map(name: str, data: bytes) -> Verdict | None:
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


def main() -> int:
    """Print the tables; fail if a mutant is missed, too few have the right place, or a rewrite is not EQUAL."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    kept: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    wrong: list[str] = []
    swapped = [0, 0]
    for name, data in inputs(corpus_step=int(os.environ.get("MUTANTS_CORPUS_STEP", "40"))):
        for mutant in mutants(name, data):
            tallies[mutant.mutation.name].add(mutant)
            if not mutant.is_caught and not mutant.is_alike:
                wrong.append(f"missed: {mutant.text}")
        for title, _, verdict in rewrites(name, data):
            kept[title][0] += 1
            kept[title][1] += verdict.kind is VerdictKind.EQUAL
            if verdict.kind is not VerdictKind.EQUAL:
                wrong.append(f"not EQUAL: {title} in {name}: {verdict.sentence} at {verdict.reference_place}")
        verdict = swapped_map(name, data)
        if verdict is not None:
            swapped[0] += 1
            swapped[1] += verdict.kind is VerdictKind.DIFFERS
            if verdict.kind is not VerdictKind.DIFFERS:
                wrong.append(f"a map that swaps two arrays is not DIFFERS: {name}")
    show(tallies, kept, swapped)
    total = sum(tally.mutants for tally in tallies.values())
    placed = sum(tally.place for tally in tallies.values())
    if placed < RIGHT_PLACES * total:
        wrong.append(f"only {placed} of {total} mutants have the right place")
    print("\n".join(wrong))
    return 1 if wrong else 0


def show(tallies: dict[str, Tally], kept: dict[str, list[int]], swapped: list[int]) -> None:
    """The tables."""
    print(f"{'mutation':<44}{'mutants':>8}{'DIFFERS':>8}{'kind':>8}{'place':>8}")
    for mutation in MUTATIONS:
        tally = tallies[mutation.name]
        print(f"{mutation.name:<44}{tally.mutants:>8}{tally.differs:>8}{tally.kind:>8}{tally.place:>8}")
        if "-v" in sys.argv:
            print("".join(f"    {miss}\n" for miss in tally.misses[:4]), end="")
    print(f"{'a map that swaps two arrays':<44}{swapped[0]:>8}{swapped[1]:>8}")
    print(f"\n{'harmless rewrite':<44}{'kernels':>8}{'EQUAL':>8}")
    for title, (count, equal) in kept.items():
        print(f"{title:<44}{count:>8}{equal:>8}")


if __name__ == "__main__":
    sys.exit(main())
