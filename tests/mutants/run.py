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
from kinds import MUTATIONS, Mutation
from xdsl.ir import Operation

from ferrotile import ir
from ferrotile.check import Verdict, compare
from ferrotile.core import Place, VerdictKind

PER_KERNEL = 2


@dataclass
class Tally:
    """What became of the mutants of one kind."""

    mutants: int = 0
    differs: int = 0
    kind: int = 0
    place: int = 0
    misses: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Mutant:
    """One mutated program and the verdict on it."""

    kernel: str
    mutation: Mutation
    operation: str
    places: tuple[Place | None, ...]
    verdict: Verdict

    @property
    def is_caught(self) -> bool:
        return self.verdict.kind is VerdictKind.DIFFERS

    @property
    def has_place(self) -> bool:
        if self.mutation.name == "extra load":
            return self.is_caught and self.verdict.lowered_place in self.places
        return self.is_caught and self.verdict.reference_place in self.places

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
        elif mnemonic in ("constant", "reshape", "broadcast") and op.name == "cuda_tile.constant":
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


def main() -> int:
    """Print the table; fail if a mutant is missed or too few are caught at their place."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    for name, data in inputs(corpus_step=int(os.environ.get("MUTANTS_CORPUS_STEP", "40"))):
        for mutant in mutants(name, data):
            tally = tallies[mutant.mutation.name]
            tally.mutants += 1
            tally.differs += mutant.is_caught
            tally.kind += mutant.has_kind
            tally.place += mutant.has_place
            if not (mutant.has_place and mutant.has_kind):
                tally.misses.append(
                    f"{name}: {mutant.operation} at {mutant.places[0]}\n      {mutant.verdict.kind} "
                    f"{mutant.verdict.difference}: {mutant.verdict.sentence} at {mutant.verdict.reference_place}"
                )
    print(f"{'mutation':<26}{'mutants':>8}{'differs':>8}{'kind':>8}{'place':>8}")
    for mutation in MUTATIONS:
        tally = tallies[mutation.name]
        print(f"{mutation.name:<26}{tally.mutants:>8}{tally.differs:>8}{tally.kind:>8}{tally.place:>8}")
        if "-v" in sys.argv:
            for miss in tally.misses[:4]:
                print("   ", miss)
    return 0


if __name__ == "__main__":
    sys.exit(main())
