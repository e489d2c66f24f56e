"""The score of check: what became of mutants and harmless rewrites, kernel by kernel and in all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from engine import OPPOSITE, REWRITES, Mutant, Subject, rewrites, swapped_map
from kinds import MUTATIONS

from ferrotile.core import VerdictKind

SWAPPED = "a map that swaps two arrays"


@dataclass
class Tally:
    """What became of the mutants of one kind. `rejected` ones are no programs and count for nothing else."""

    mutants: int = 0
    differs: int = 0
    refines: int = 0
    alike: int = 0
    kind: int = 0
    place: int = 0
    rejected: int = 0

    def add(self, mutant: Mutant) -> None:
        """Count one mutant."""
        if mutant.verdict is None:
            self.rejected += 1
            return
        self.mutants += 1
        self.differs += mutant.verdict.kind is VerdictKind.DIFFERS
        self.refines += mutant.verdict.kind is VerdictKind.REFINES
        self.alike += mutant.alike_by is not None
        self.kind += mutant.has_kind
        self.place += mutant.has_place


@dataclass
class Score:
    """What became of all of them; `alike` names the mutants that are the same program, `wrong` what check got wrong."""

    kernels: int = 0
    mutations: dict[str, Tally] = field(default_factory=lambda: {m.name: Tally() for m in MUTATIONS})
    rewrites: dict[str, list[int]] = field(default_factory=lambda: {name: [0, 0] for name in (*REWRITES, OPPOSITE)})
    swapped: list[int] = field(default_factory=lambda: [0, 0])
    alike: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def add_mutants(self, found: Iterable[Mutant]) -> None:
        """Count the mutants of one kernel."""
        for mutant in found:
            self.mutations[mutant.mutation.name].add(mutant)
            if mutant.alike_by is not None:
                kernel = mutant.kernel.rpartition(".")[0] or mutant.kernel
                row = {"mutation": mutant.mutation.name, "operation": mutant.operation, "law": mutant.alike_by}
                self._add_alike({**row, "kernel": kernel, "times": 1})
            elif mutant.is_missed:
                self.wrong.append(f"missed: {mutant.text} by {mutant.verdict.laws if mutant.verdict else ()}")
            elif mutant.verdict is not None and not (mutant.has_place and mutant.has_kind):
                self.elsewhere.append(mutant.text)

    def _add_alike(self, row: dict[str, Any]) -> None:
        for old in self.alike:
            if all(old[key] == value for key, value in row.items() if key != "times"):
                old["times"] += row["times"]
                return
        self.alike.append(dict(row))

    def add_rewrites(self, name: str, data: bytes, titles: list[str] | None = None) -> None:
        """Count harmless rewrites of one kernel: some, or all."""
        for title, verdict in rewrites(data, titles):
            self.rewrites[title][0] += 1
            self.rewrites[title][1] += verdict.kind is VerdictKind.EQUAL
            if verdict.kind is not VerdictKind.EQUAL:
                self.wrong.append(f"not EQUAL: {title} in {name}: {verdict.sentence} at {verdict.reference_place}")

    def add_swapped_map(self, name: str, data: bytes) -> None:
        """Count a map that swaps two arrays, if the kernel has two of one type."""
        verdict = swapped_map(data)
        if verdict is not None:
            self.swapped[0] += 1
            self.swapped[1] += verdict.kind is VerdictKind.DIFFERS
            if verdict.kind is not VerdictKind.DIFFERS:
                self.wrong.append(f"{SWAPPED} is not DIFFERS: {name}")

    def merge(self, other: Score) -> None:
        """Add the score of other kernels."""
        self.kernels += other.kernels
        for name, tally in other.mutations.items():
            mine = self.mutations[name]
            for column in fields(Tally):
                setattr(mine, column.name, getattr(mine, column.name) + getattr(tally, column.name))
        for title, counts in other.rewrites.items():
            self.rewrites[title] = [a + b for a, b in zip(self.rewrites[title], counts, strict=True)]
        self.swapped = [a + b for a, b in zip(self.swapped, other.swapped, strict=True)]
        for row in other.alike:
            self._add_alike(row)
        self.wrong += other.wrong
        self.elsewhere += other.elsewhere

    def total(self, column: str) -> int:
        """The sum of a column of the mutants' table."""
        return sum(getattr(tally, column) for tally in self.mutations.values())

    def record(self) -> dict[str, Any]:
        """What is kept in a file."""
        rows = {name: asdict(tally) for name, tally in self.mutations.items()}
        shared = {"kernels": self.kernels, "mutations": rows, "rewrites": self.rewrites, "swapped": self.swapped}
        return {**shared, "alike": sorted(self.alike, key=lambda row: tuple(map(str, row.values())))}


@dataclass(frozen=True)
class Task:
    """What to do with one kernel: each kind of mutation at `per_kind` places and every rewrite; or, without that,
    `per_kernel` mutants of different kinds and a few rewrites, other ones at each `turn`."""

    name: str
    data: bytes
    turn: int = 0
    per_kind: int | None = None
    per_kernel: int = 0


REWRITES_AT_ONCE = 3


def score(task: Task) -> Score:
    """The score of one kernel."""
    found = Score(kernels=1)
    subject = Subject(task.name, task.data)
    if task.per_kind is not None:
        found.add_mutants(subject.mutants(task.per_kind))
        found.add_rewrites(task.name, task.data)
        found.add_swapped_map(task.name, task.data)
    else:
        titles = list(REWRITES)
        found.add_mutants(subject.sample(task.per_kernel, task.turn))
        some = [titles[(task.turn + k * 5) % len(titles)] for k in range(REWRITES_AT_ONCE)]
        found.add_rewrites(task.name, task.data, some)
    return found
