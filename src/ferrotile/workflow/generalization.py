"""One generic kernel for all specializations of a Python kernel, each of them lowered from it and checked."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ferrotile import bundle, ir, lift, lower
from ferrotile.check import Verdict, check
from ferrotile.core import FerrotileError, InputError, InternalError, VerdictKind, store
from ferrotile.core.pool import run_all
from ferrotile.lift import generic
from ferrotile.workflow.comparison import read
from ferrotile.workflow.guard import guarded
from ferrotile.workflow.inputs import python_file
from ferrotile.workflow.output import write_folder
from ferrotile.workflow.record import EXIT_OF_VERDICT, Options, Row, Task, worst
from ferrotile.workflow.variants import Case, Plan, find_plans, without
from ferrotile.workflow.verification import GENERIC

LIMIT_S = 3600
"""How long one kernel with all its specializations may take, where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A structural variant: a generic kernel in a module of its own, and when it is the one to launch.

    `guard`: a condition over constants, element types, ranks and extents, to be asked after those of the variants
    before; None for the last one, and where the specializations at hand do not tell one.
    """

    module: str
    entry: str
    guard: str | None
    generics: tuple[generic.Generic, ...]
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Specialization:
    """What became of one input: the variant that it is launched by, its generic arguments, and the verdict."""

    input: str
    name: str
    verdict: VerdictKind
    exit_code: int
    variant: int | None = None
    arguments: tuple[str, ...] = ()
    code: str | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class GenericKernel:
    """All specializations of one Python kernel. Units: `seconds` is wall time."""

    kernel: str
    name: str
    text: str
    variants: tuple[Variant, ...]
    specializations: tuple[Specialization, ...]
    seconds: float
    folder: Path | None = None
    source: str = ""
    """The Python file and the function, as the debug places have them."""

    @property
    def exit_code(self) -> int:
        """The worst of the specializations."""
        return worst([one.exit_code for one in self.specializations])

    @property
    def line_count(self) -> int:
        """Lines of the text without blank lines and comments."""
        return _line_count(self.text)

    def to_json(self) -> dict[str, Any]:
        """generic.json, and the JSON line of the command line."""
        return {
            "kernel": self.kernel,
            "source": self.source,
            "variants": [self._variant(variant) for variant in self.variants],
            "specializations": [
                {
                    "input": one.input,
                    "name": one.name,
                    "verdict": str(one.verdict),
                    "variant": None if one.variant is None else self.variants[one.variant].module,
                    "arguments": list(one.arguments),
                    "code": one.code,
                    "message": one.message,
                }
                for one in self.specializations
            ],
            "lines": self.line_count,
            "seconds": round(self.seconds, 3),
            "folder": None if self.folder is None else str(self.folder),
        }

    def _variant(self, variant: Variant) -> dict[str, Any]:
        return {
            "name": variant.module,
            "entry": variant.entry,
            "guard": variant.guard,
            "generics": [
                {"name": g.name, "kind": g.kind, "formula": None if g.formula is None else str(g.formula)}
                for g in variant.generics
            ],
            "specializations": len(variant.members),
        }


def generalize(
    tasks: list[Task],
    options: Options,
    watch: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    limit_s: float | None = None,
) -> Iterator[GenericKernel]:
    """Generic kernels, one for each Python kernel among the inputs, in the order of the first input of each.

    A kernel that takes more than `limit_s` seconds is refused with FT805; without a limit a single one is made in
    this process.
    """
    groups = _by_kernel(tasks)
    items = list(zip(_folder_names(list(groups), options.out), groups.values(), strict=True))
    job = partial(_generalize_one, options)
    if len(items) == 1 and limit_s is None:
        yield job(items[0])
        return
    limit = LIMIT_S if limit_s is None else limit_s
    waiting: dict[int, GenericKernel] = {}
    following = 0
    for done, (index, made) in enumerate(run_all(job, items, options.jobs, partial(_death, limit), limit), start=1):
        watch(done, len(items))
        waiting[index] = made
        while following in waiting:
            yield waiting.pop(following)
            following += 1


def _by_kernel(tasks: list[Task]) -> dict[str, list[Task]]:
    """Inputs by source file and function; one that cannot be read is alone."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        groups.setdefault(_source(task), []).append(task)
    return groups


def _source(task: Task) -> str:
    """The Python file and the function of an input; the input itself where these are not known."""
    try:
        module = ir.decode(_read(task))
    except FerrotileError:
        return task.input
    place = ir.place(module.entries[0]) if module.entries else None
    return task.input if place is None else f"{place.file}::{place.function}"


def _folder_names(keys: list[str], out: Path | None) -> list[str]:
    """A folder name for each kernel: its function's, with a number where several have the same, now or from before."""
    names: list[str] = []
    for key in keys:
        stem = key.rpartition("::")[2] if "::" in key else Path(key).stem
        name, number = stem, 2
        while name in names or (out is not None and _is_of_another(out / name / GENERIC, key)):
            name, number = f"{stem}.{number}", number + 1
        names.append(name)
    return names


def _is_of_another(file: Path, key: str) -> bool:
    """Whether a folder holds another kernel: that of an earlier run, which is not to be lost."""
    try:
        return bool(json.loads(file.read_text()).get("source", key) != key)
    except (OSError, ValueError, AttributeError):
        return False


def _read(task: Task) -> bytes:
    if task.fault is not None:
        raise task.fault
    if task.bytecode is not None:
        return task.bytecode
    assert task.path is not None
    return read(task.path)


def _death(limit_s: float, item: tuple[str, list[Task]], exit_code: int | None) -> GenericKernel:
    how = f"not done after {limit_s:g} s" if exit_code is None else f"the worker process ended with {exit_code}"
    error = InternalError("FT805" if exit_code is None else "FT802", how)
    return GenericKernel(item[0], item[0], "", (), tuple(_refused(task, error) for task in item[1]), 0.0)


def _refused(task: Task, error: FerrotileError) -> Specialization:
    return Specialization(
        task.input, task.name, VerdictKind.REFUSED, error.exit_code, code=error.code, message=error.message
    )


def _generalize_one(options: Options, item: tuple[str, list[Task]]) -> GenericKernel:
    began = time.perf_counter()
    name, tasks = item
    finder = lift.SourceFinder(list(options.source_map))
    results: dict[int, Specialization] = {}
    cases: list[Case] = []
    for index, task in enumerate(tasks):
        try:
            cases.append(_case(index, task, options, finder))
        except FerrotileError as error:
            results[index] = _refused(task, error)
    kernel = cases[0].kernel_name if cases else name
    plans, answers = _fewest_lines(cases, options, finder)
    text = plans[0].sources[0].text if plans else ""
    for number, plan in enumerate(plans):
        for member, source in zip(plan.members, plan.sources, strict=True):
            case = cases[member]
            results[case.index] = _specialization(case, source, number, answers[member], options, name)
    variants = _guarded(plans, cases)
    folder = None if options.out is None or not plans else options.out / name
    whole = GenericKernel(
        kernel, name, text, variants, tuple(results[k] for k in sorted(results)), time.perf_counter() - began, folder,
        _source(tasks[0]),
    )  # fmt: skip
    if folder is not None:
        store.write_text(folder / "kernel.rs", text)
        store.write_text(folder / GENERIC, _dump(whole))
    return whole


def _dump(whole: GenericKernel) -> str:
    return json.dumps(whole.to_json(), indent=2, ensure_ascii=False) + "\n"


def _case(index: int, task: Task, options: Options, finder: lift.SourceFinder) -> Case:
    """Decode and lift one input. Raises: what decode and lift raise, FT804."""
    with guarded("decode"):
        reference = _read(task)
        module = ir.decode(reference)
    if not module.entries:
        raise InputError("FT804", f"`{task.input}` holds no kernel")
    with guarded("lift", own_input=True):
        if options.style is None:
            kernel = lift.lift(module, finder, target=options.target)
        else:
            kernel = lift.lift(module, finder, target=options.target, style=options.style)
        constants = generic.constants_of(module, finder)
    place = ir.place(module.entries[0])
    symbol = str(ir.attribute(module.entries[0], "sym_name"))
    function = place.function if place is not None and place.function else symbol
    python = None if place is None else python_file(place.file, finder)
    specimen = generic.Specimen(replace(kernel.source, text=kernel.typed), constants, kernel.names)
    return Case(index, task, reference, module.version, kernel, specimen, function, python)


def _judged(case: Case, source: lower.RustSource, options: Options) -> tuple[lower.Lowered, Verdict]:
    """Lower a generic text for one specialization and compare it with the reference."""
    with guarded("lower", own_input=True):
        lowered = lower.lower(source, options.target, lower.version_for(case.version))
    with guarded("check", own_input=True):
        return lowered, check(case.reference, lowered.bytecode, case.kernel.parameters, options.target)


Answer = tuple[lower.Lowered, Verdict] | FerrotileError


class _Answers:
    """What became of each text for each case, asked for once."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.known: dict[tuple[int, lower.RustSource], Answer] = {}

    def of(self, case: Case, source: lower.RustSource) -> Answer:
        """The bytecode and its verdict, or the fault."""
        if (case.index, source) not in self.known:
            try:
                self.known[case.index, source] = _judged(case, source, self.options)
            except FerrotileError as error:
                self.known[case.index, source] = error
        return self.known[case.index, source]

    def holds(self, case: Case, source: lower.RustSource) -> bool:
        """Whether a text is a case."""
        answer = self.of(case, source)
        return not isinstance(answer, FerrotileError) and answer[1].holds


def _fewest_lines(
    cases: list[Case], options: Options, finder: lift.SourceFinder
) -> tuple[list[Plan], dict[int, Answer]]:
    """Plans that hold, and the verdict on every member.

    Where the texts need several variants, those with a statement for each value are merged too: what differs is then
    more often a statement that some have and others have not. The shorter text stands.
    """
    answer = _Answers(options)
    found = _judged_plans(find_plans(cases, answer.holds), cases, answer)
    if len(found[0]) < 2:
        return found
    unfolded = [_unfolded(case, options, finder) for case in cases]
    other = _judged_plans(find_plans(unfolded, answer.holds), unfolded, answer)
    return min(found, other, key=lambda plans: _line_count(plans[0][0].sources[0].text))


def _line_count(text: str) -> int:
    """Lines without blank lines and comments."""
    return sum(1 for line in text.splitlines() if line.strip() and not line.strip().startswith("//"))


def _unfolded(case: Case, options: Options, finder: lift.SourceFinder) -> Case:
    """The same case with the text that has a statement for each value. Raises: what decode and lift raise."""
    with guarded("lift", own_input=True):
        kernel = lift.lift(ir.decode(case.reference), finder, target=options.target, folds=False)
    return replace(case, specimen=replace(case.specimen, source=replace(kernel.source, text=kernel.typed)))


def _judged_plans(plans: list[Plan], cases: list[Case], answer: _Answers) -> tuple[list[Plan], dict[int, Answer]]:
    """The plans as one text, and the verdict on every member; a member that the text fails gets one of its own."""
    while True:
        plans = _assembled(plans)
        pairs = [pair for plan in plans for pair in zip(plan.members, plan.sources, strict=True)]
        answers = {member: answer.of(cases[member], source) for member, source in pairs}
        shared = {member for plan in plans if plan.generics or len(plan.members) > 1 for member in plan.members}
        failing = [
            member
            for member, answer in answers.items()
            if member in shared and (isinstance(answer, FerrotileError) or not answer[1].holds)
        ]
        if not failing or all(not plan.generics for plan in plans if set(failing) & set(plan.members)):
            return plans, answers
        plans = without(plans, failing, cases)


def _assembled(plans: list[Plan]) -> list[Plan]:
    """All variants in one text, each in a module of its own name."""
    texts: list[str] = []
    named: list[Plan] = []
    for number, plan in enumerate(plans):
        entry = plan.sources[0].entry
        module = entry if number == 0 else f"{entry}_form{number + 1}"
        texts.append(re.sub(r"\bpub mod \w+ \{", f"pub mod {module} {{", plan.text, count=1))
        named.append(replace(plan, sources=tuple(replace(source, module=module) for source in plan.sources)))
    text = "\n".join(texts)
    return [
        replace(plan, text=own, sources=tuple(replace(source, text=text) for source in plan.sources))
        for plan, own in zip(named, texts, strict=True)
    ]


def _specialization(
    case: Case, source: lower.RustSource, number: int, answer: Answer, options: Options, kernel: str
) -> Specialization:
    """What became of one input, written as a bundle where there is a folder for it."""
    if isinstance(answer, FerrotileError):
        return replace(_refused(case.task, answer), variant=number, arguments=source.generics)
    lowered, verdict = answer
    row = _row(case, source, lowered, verdict, options)
    if options.out is not None:
        files = {
            "kernel.rs": source.text.encode(),
            "reference.tileirbc": case.reference,
            "lowered.tileirbc": lowered.bytecode,
        }
        write_folder(options.out / kernel / case.task.name, files, row, case.kernel.parameters, source, case.python)
    return Specialization(row.input, row.name, row.verdict, row.exit_code, number, source.generics, message=row.message)


def _row(case: Case, source: lower.RustSource, lowered: lower.Lowered, verdict: Verdict, options: Options) -> Row:
    return Row(
        case.task.input, case.task.name, options.target, verdict.kind, EXIT_OF_VERDICT[verdict.kind],
        kernel=case.kernel_name, place=verdict.reference_place, rust_place=verdict.lowered_place,
        message=verdict.sentence, difference=verdict.difference, laws=verdict.laws, assumptions=verdict.assumptions,
        added=verdict.added, unsafe=bundle.unsafe_blocks(source.text), checks_in_kernel=lowered.checks_in_kernel,
        launch_checks=lowered.launch_checks, names_from=case.kernel.names_from, style=options.style,
        notes=tuple(case.kernel.notes),
    )  # fmt: skip


def _guarded(plans: list[Plan], cases: list[Case]) -> tuple[Variant, ...]:
    """The variants with their guards, to be asked in order."""
    facts = generic.facts([case.specimen for case in cases])
    left = frozenset(range(len(cases)))
    variants: list[Variant] = []
    for plan in plans:
        members = frozenset(plan.members)
        guard = None if members == left else generic.explain(members, left, facts)
        source = plan.sources[0]
        variants.append(Variant(source.module, source.entry, guard, plan.generics, plan.members))
        left -= members
    return tuple(variants)
