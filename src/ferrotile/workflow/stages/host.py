"""Stage D: do the reference and the Rust leave the same numbers? On CPU, by interpretation, bit for bit.

`correctness` is the one place that compares; a C ABI export and a library's own tests take their place in it.
"""

from __future__ import annotations

from pathlib import Path

from ferrotile import bundle
from ferrotile.workflow.run.artifacts import Compared, Host, read, write
from ferrotile.workflow.run.context import Context, Verdict, bundles
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages.untrue import require_equal

FILE = "host.json"


def make(context: Context, folder: Path) -> None:
    """Compare every variant. Raises: FT004."""
    write(folder / FILE, Host(results=correctness(context)))


def correctness(context: Context) -> tuple[Compared, ...]:
    """Run both programs of every bundle on every kind of inputs."""
    names = [variant.name for variant in context.analysis.variants]
    return tuple(_compared(place) for place in bundles(context.folder(Letter.AUTHOR), names))


def confirm(context: Context, folder: Path) -> None:
    """Compare again. Raises: FT811, FT812."""
    require_equal("the results", read(folder / FILE, Host).results, correctness(context))


def verdict(folder: Path) -> Verdict:
    """ALL_PASS when every variant was compared and leaves the same bits. Raises: FT811."""
    results = read(folder / FILE, Host).results
    for outcome, word in (("FAILED", Word.FAIL), ("skipped", Word.BLOCKED)):
        bad = [one for one in results if one.outcome == outcome]
        if bad:
            owners = {one.owner for one in bad}
            owner = next(who for who in (Owner.KERNEL, Owner.HOST, Owner.ENV) if who in owners)
            return Verdict(word, owner, tuple(f"{one.name}: {one.sentence}" for one in bad))
    return Verdict(Word.ALL_PASS, None, (f"{len(results)} variants leave the same bits, on CPU, by interpretation",))


def _compared(place: Path) -> Compared:
    replay = bundle.replay(place, with_numbers=True)
    if replay.fault is not None:
        return Compared(name=place.name, outcome="FAILED", owner=Owner.KERNEL, sentence=replay.fault.message)
    step = next(step for step in replay.steps if step.name == "numbers")
    owner = {"FAILED": Owner.KERNEL, "skipped": Owner.ENV}.get(step.outcome)
    return Compared(name=place.name, outcome=step.outcome.value, owner=owner, sentence=step.sentence)
