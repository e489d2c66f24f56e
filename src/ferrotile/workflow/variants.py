"""Which specializations of a kernel share a text: as few texts as lowering and checking allow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ferrotile import lift, lower
from ferrotile.lift import generic
from ferrotile.workflow.record import Task


@dataclass(frozen=True, slots=True)
class Case:
    """One specialization: its reference and the kernel that was lifted from it."""

    index: int
    task: Task
    reference: bytes
    version: tuple[int, int]
    kernel: lift.RustKernel
    specimen: generic.Specimen
    kernel_name: str
    python: bytes | None


@dataclass(frozen=True, slots=True)
class Plan:
    """One text for several specializations, and what to lower for each."""

    text: str
    members: tuple[int, ...]
    generics: tuple[generic.Generic, ...]
    sources: tuple[lower.RustSource, ...]


Judge = Callable[[Case, lower.RustSource], bool]


def find_plans(cases: Sequence[Case], judge: Judge) -> list[Plan]:
    """Texts that cover all cases, the one with most specializations first.

    One text for all is tried first. Where it is not each of the kernels, structures join one another as long as the
    common text holds for one member of each; what joins nothing keeps a text for its structure alone. All members
    are still to be judged: `without` takes those out for which a text does not hold.
    """
    if not cases:
        return []
    search = _Search(cases, [case.specimen for case in cases], judge)
    shapes = generic.shapes(search.specimens)
    whole = search.plan(shapes)
    if whole is not None:
        return [whole]
    joined: list[tuple[list[list[int]], Plan]] = []
    for shape in shapes:
        search.join(joined, shape)
    return sorted((plan for _, plan in joined), key=lambda plan: -len(plan.members))


def without(plans: Sequence[Plan], failing: Sequence[int], cases: Sequence[Case]) -> list[Plan]:
    """The plans without some members, which get the texts that were lifted for them alone."""
    kept: list[Plan] = []
    for plan in plans:
        pairs = [pair for pair in zip(plan.members, plan.sources, strict=True) if pair[0] not in failing]
        if pairs:
            members, sources = zip(*pairs, strict=True)
            kept.append(Plan(plan.text, members, plan.generics, sources))
    return [*kept, *_literal(failing, cases)]


def _literal(members: Sequence[int], cases: Sequence[Case]) -> list[Plan]:
    """The lifted texts as they are; equal ones once."""
    by_text: dict[str, list[int]] = {}
    for member in members:
        by_text.setdefault(cases[member].kernel.text, []).append(member)
    return [
        Plan(text, tuple(same), (), tuple(cases[member].kernel.source for member in same))
        for text, same in by_text.items()
    ]


@dataclass
class _Search:
    cases: Sequence[Case]
    specimens: list[generic.Specimen]
    judge: Judge

    def plan(self, shapes: Sequence[Sequence[int]]) -> Plan | None:
        """A common text, if there is one that is right for the first member of each shape."""
        members = [member for shape in shapes for member in shape]
        first = {shape[0] for shape in shapes}
        seen: set[str] = set()
        for gathers in (True, False):
            unified = generic.unify(self.specimens, members, gathers=gathers)
            if unified is None or unified.text in seen:
                continue
            seen.add(unified.text)
            pairs = zip(unified.members, unified.sources, strict=True)
            if all(member not in first or self.judge(self.cases[member], source) for member, source in pairs):
                return Plan(unified.text, unified.members, unified.generics, unified.sources)
        return None

    def join(self, joined: list[tuple[list[list[int]], Plan]], shape: list[int]) -> None:
        """Add a structure to the first text that can take it, else as a text of its own."""
        for number, (shapes, _) in enumerate(joined):
            plan = self.plan([*shapes, shape])
            if plan is not None:
                joined[number] = ([*shapes, shape], plan)
                return
        own = self.plan([shape])
        joined += [([shape], own)] if own is not None else [([shape], p) for p in _literal(shape, self.cases)]
