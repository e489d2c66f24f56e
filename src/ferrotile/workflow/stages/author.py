"""Stage B: lift every variant, lower the Rust again, and let check say whether it is the reference."""

from __future__ import annotations

from pathlib import Path

from ferrotile import bundle, lift
from ferrotile.core import InputError, Style, VerdictKind
from ferrotile.workflow.record import Task
from ferrotile.workflow.run.artifacts import Author, IrDiff, Residual, Translation, read, write
from ferrotile.workflow.run.context import Context, Verdict, bundles
from ferrotile.workflow.run.words import Letter, Owner, Word
from ferrotile.workflow.stages.facts import roles_of
from ferrotile.workflow.stages.kernel_text import require_plain
from ferrotile.workflow.stages.untrue import require_equal
from ferrotile.workflow.translation import translate

FILE = "author.json"
HOLDS = (VerdictKind.EQUAL, VerdictKind.REFINES)


def make(context: Context, folder: Path) -> None:
    """Translate every variant, in the style that a specialist asked for. Raises: FT004."""
    styles = wanted_styles(context)
    for variant in context.analysis.variants:
        path = context.folder(Letter.ANALYST) / variant.reference
        options = context.options(folder / "bundles", styles.get(variant.name))
        translate(Task(variant.input, variant.name, path), options)
    write_report(context, folder, "lift")


def write_report(context: Context, folder: Path, author: str) -> None:
    """Write author.json from the bundles. Raises: FT004, FT610, FT611, FT612."""
    rows = [_row(one.name, bundle.read(one)) for one in _bundles(context, folder)]
    write(folder / FILE, Author(author=author, translations=tuple(rows)))  # pyright: ignore[reportArgumentType]


def wanted_styles(context: Context) -> dict[str, Style]:
    """The style that the latest specialist asks for, by variant. Raises: FT811."""
    asked: dict[str, Style] = {}
    for letter, model in ((Letter.IR_DIFF, IrDiff), (Letter.RESIDUAL, Residual)):
        if context.has(letter):
            actions = context.latest(letter, model).actions
            asked |= {one.name: Style(one.value) for one in actions if one.kind == "style"}
    return asked


def confirm(context: Context, folder: Path) -> None:
    """Replay every bundle; its reference is the analyst's. Raises: FT811, FT812, FT826, FT61x."""
    report, analysis = read(folder / FILE, Author), context.analysis
    names = tuple(variant.name for variant in analysis.variants)
    require_equal("the list of translations", tuple(row.name for row in report.translations), names)
    for row, variant, place in zip(report.translations, analysis.variants, _bundles(context, folder), strict=True):
        proof = bundle.read(place)
        require_equal(f"the row of `{row.name}`", row, _row(row.name, proof))
        require_equal(f"the target of `{row.name}`", proof.target, context.request.target)
        require_equal(f"the reference of `{row.name}`", proof.sha256.get("reference.tileirbc"), variant.sha256)
        _require_true(place)
        if row.verdict in HOLDS:
            require_plain((place / "kernel.rs").read_text(errors="replace"))
            roles = roles_of(variant.symbol)
            claimed = None if proof.parameters is None else proof.parameters.reference
            if roles is not None:
                require_equal(f"the parameter map of `{row.name}`", claimed, roles)


def verdict(folder: Path) -> Verdict:
    """COMPILED when check says that every variant is the reference. Raises: FT811."""
    rows = read(folder / FILE, Author).translations
    bad = [row for row in rows if row.verdict not in HOLDS]
    reasons = tuple(f"{row.name}: {row.verdict}: {row.code + ': ' if row.code else ''}{row.message}" for row in bad)
    if not bad:
        return Verdict(Word.COMPILED, None, (f"{len(rows)} variants are the reference",))
    if any(row.verdict is VerdictKind.REFUSED and not (row.code or "").startswith("FT4") for row in bad):
        return Verdict(Word.BLOCKED, Owner.KERNEL, reasons)
    is_refused = any(row.verdict is VerdictKind.REFUSED for row in bad)
    return Verdict(Word.FAIL_COMPILE if is_refused else Word.FAIL_FIXABLE, Owner.KERNEL, reasons)


def _bundles(context: Context, folder: Path) -> list[Path]:
    return bundles(folder, [variant.name for variant in context.analysis.variants])


def _require_true(place: Path) -> None:
    replay = bundle.replay(place)
    if replay.fault is not None:
        raise replay.fault
    for step in replay.failures:
        raise InputError(step.code or "FT812", f"`{place.name}`: {step.name}: {step.sentence}")
    if not replay.is_whole:
        raise InputError("FT812", f"`{place.name}` cannot be replayed here")


def _row(name: str, proof: bundle.Proof) -> Translation:
    return Translation(
        name=name,
        verdict=proof.verdict,
        code=proof.code,
        message=proof.sentence,
        style=proof.style,
        unsafe=proof.unsafe,
        checks_in_kernel=proof.checks_in_kernel,
        launch_checks=proof.launch_checks,
    )


def closer(style: Style | None) -> tuple[Style, ...]:
    """The styles that keep closer to the reference than this one."""
    order = tuple(lift.Style)
    return order[order.index(style) + 1 :] if style is not None else ()
