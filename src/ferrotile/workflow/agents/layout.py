"""The folders of one try: what a command may read, where it may write, and the prompt, which is nothing but paths."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from ferrotile import ir, lift
from ferrotile.core import FerrotileError, Unsupported, folders, store
from ferrotile.core.rust_source import RustSource
from ferrotile.workflow.agents.tasks import LAUNCH, text_of
from ferrotile.workflow.run import artifacts as a
from ferrotile.workflow.run.context import STAGES as FOLDER
from ferrotile.workflow.run.context import Context
from ferrotile.workflow.run.contract import artifact_of
from ferrotile.workflow.run.words import STAGE_NAMES, Letter
from ferrotile.workflow.stages.analyst import capture
from ferrotile.workflow.stages.launch import Launch, launch_of
from ferrotile.workflow.stages.table import STAGES


@dataclass(frozen=True, slots=True)
class Place:
    """Where one try happens."""

    root: Path

    @property
    def inputs(self) -> Path:
        """What is made for the command to read."""
        return self.root / "inputs"

    @property
    def work(self) -> Path:
        """Where it writes."""
        return self.root / "work"

    @property
    def scratch(self) -> Path:
        """Its TMPDIR; nothing in it counts."""
        return self.root / "tmp"


def lay_out(context: Context, letter: Letter, place: Place, failure: tuple[str, ...]) -> None:
    """Make the folders of a try; `failure` is what was wrong with the tries before. Raises: FT004."""
    folders.fresh(place.root)
    for path in (place.work, place.scratch, place.inputs):
        folders.fresh(path)
    stage, row = STAGE_NAMES[letter], artifact_of(letter)
    store.write_text(place.inputs / "TASK.md", text_of(letter, stage))
    assert row.model is not None
    store.write_json(place.inputs / "schemas" / row.path, a.schema(row.model))
    store.write_json(place.inputs / "schemas" / "verdict.json", a.schema(a.Claim))
    if letter is Letter.AUTHOR:
        _write_lifted(context, place.inputs / "draft")
    else:
        STAGES[letter].make(context, folders.fresh(place.inputs / "draft"))
    if letter is Letter.ANALYST:
        capture(context, place.inputs)
    if failure:
        store.write_json(place.inputs / "failure.json", list(failure))


def prompt_of(context: Context, letter: Letter, place: Place, number: int, tries: int, time_s: float) -> str:
    """The prompt: paths, and nothing of what is in them."""
    lines = [f"You are the stage `{STAGE_NAMES[letter]}` of a ferrotile run, try {number} of {tries}."]
    lines += [f"task: {place.inputs / 'TASK.md'}", f"inputs: {place.inputs}"]
    lines += [f"stage {one.name}: {context.root / FOLDER / one.name}" for one in context.done]
    lines += [f"python source: {path}" for path in sources(context)]
    if (place.inputs / "failure.json").exists():
        lines.append(f"what was wrong before: {place.inputs / 'failure.json'}")
    return "\n".join([*lines, f"write in: {place.work}", f"seconds: {time_s:g}"])


def repair_prompt_of(place: Place, fault: str) -> str:
    """The prompt for the one repair of the form of verdict.json; the fault is in a file. Raises: FT004."""
    store.write_text(place.root / "repair" / "fault.txt", fault + "\n")
    return "\n".join(
        [
            "Your files are kept. Only verdict.json must be written again, by its schema.",
            f"fault: {place.root / 'repair' / 'fault.txt'}",
            f"schema: {place.inputs / 'schemas' / 'verdict.json'}",
            f"write: {place.work / 'verdict.json'}",
        ]
    )


def sources(context: Context) -> list[str]:
    """The Python files of the variants that are here. Raises: FT811."""
    if not context.has(Letter.ANALYST):
        return []
    places = (variant.python for variant in context.analysis.variants)
    files = dict.fromkeys(place.rpartition(":")[0] for place in places if place is not None)
    return [file for file in files if Path(file).is_file()]


def lifted_launch(context: Context, name: str) -> Launch:
    """How the lifted text of a variant is launched. Raises: FT3xx."""
    return _launch(lifted(context, name))


def _write_lifted(context: Context, folder: Path) -> None:
    """The lifted text and its launch for each variant that lifts. Raises: FT004."""
    for variant in context.analysis.variants:
        try:
            kernel = lifted(context, variant.name)
        except FerrotileError as error:
            store.write_text(folder / variant.name / "refusal.txt", f"{error}\n")
            continue
        if kernel.holes:
            store.write_json(folder / variant.name / "holes.json", [asdict(hole) for hole in kernel.holes])
        store.write_text(folder / variant.name / "kernel.rs", kernel.text)
        store.write_json(folder / variant.name / LAUNCH, launch_of(_launch(kernel)))


def lifted(context: Context, name: str) -> lift.RustKernel:
    """The lifted kernel of a variant, with holes where it is refused. Raises: FT3xx where no hole can stand."""
    variant = next(one for one in context.analysis.variants if one.name == name)
    module = ir.decode((context.folder(Letter.ANALYST) / variant.reference).read_bytes())
    finder, target = lift.SourceFinder(list(context.request.source_map)), context.request.target
    try:
        return lift.lift(module, finder, target=target)
    except Unsupported:
        return lift.lift(module, finder, target=target, holes=True)


def _launch(kernel: lift.RustKernel) -> Launch:
    return Launch(parameters=kernel.parameters, specialization=_plain(kernel.source))


def _plain(source: RustSource) -> dict[str, object]:
    fields = asdict(source)
    del fields["text"]
    return fields
