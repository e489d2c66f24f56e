"""From a command's files to a stage's artifacts: everything that can be computed is computed, never taken."""

from __future__ import annotations

from pathlib import Path

from ferrotile import lift
from ferrotile.core import FerrotileError, InputError, store
from ferrotile.workflow.agents.layout import lifted, lifted_launch
from ferrotile.workflow.agents.tasks import HOLES, LAUNCH
from ferrotile.workflow.run.artifacts import read
from ferrotile.workflow.run.context import Context
from ferrotile.workflow.run.words import Letter
from ferrotile.workflow.stages import analyst, author, ir_diff
from ferrotile.workflow.stages.kernel_text import require_plain
from ferrotile.workflow.stages.launch import Launch, write_bundle


def finish(context: Context, letter: Letter, folder: Path) -> None:
    """Add what a command may not write itself. Raises: FT004, FT811, FT826."""
    if letter is Letter.ANALYST:
        analyst.capture(context, folder)
    elif letter is Letter.AUTHOR:
        _bundles(context, folder)
    elif letter is Letter.IR_DIFF:
        ir_diff.add_reports(context, folder)


def _bundles(context: Context, folder: Path) -> None:
    """Make a bundle of each kernel text. Raises: FT811 when one is missing, FT826."""
    names = {variant.name for variant in context.analysis.variants}
    strange = [path.name for path in sorted((folder / "bundles").glob("*")) if path.name not in names]
    if strange:
        raise InputError("FT821", f"`bundles/{strange[0]}` is of no variant")
    for variant in context.analysis.variants:
        place = folder / "bundles" / variant.name
        if (place / HOLES).exists():
            _fill(context, place, variant.name)
        text = _text(place / "kernel.rs", variant.name)
        require_plain(text)
        launch = _launch(context, place, variant.name)
        reference = (context.folder(Letter.ANALYST) / variant.reference).read_bytes()
        write_bundle(place, variant, reference, (text, launch), context.request.target)
    author.write_report(context, folder, "agent")


def _fill(context: Context, place: Path, name: str) -> None:
    """Make kernel.rs of the lifted text and the functions for its holes. Raises: FT811, FT821, FT826, FT004."""
    kernel = lifted(context, name)
    if (place / "kernel.rs").exists() or not kernel.holes:
        raise InputError("FT821", f"`bundles/{name}/{HOLES}` fills no hole")
    text = lift.filled(kernel.text, kernel.holes, _text(place / HOLES, name))
    store.write_text(place / "kernel.rs", text)
    store.remove(place / HOLES)


def _text(path: Path, name: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        raise InputError("FT811", f"`bundles/{name}/{path.name}` is missing") from None
    except UnicodeDecodeError:
        raise InputError("FT826", f"`bundles/{name}/{path.name}` is not UTF-8") from None


def _launch(context: Context, place: Path, name: str) -> Launch:
    """The launch that came with a text, or that of the lifted one. Raises: FT811."""
    if (place / LAUNCH).exists():
        launch = read(place / LAUNCH, Launch)
        launch.source("")
        store.remove(place / LAUNCH)
        return launch
    try:
        return lifted_launch(context, name)
    except FerrotileError as error:
        why = f"the kernel does not lift ({error.code})"
        raise InputError("FT811", f"`bundles/{name}/launch.json` is needed: {why}") from None
