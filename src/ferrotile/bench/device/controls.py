"""Controls: is a ratio one of two programs, or of where and when they run?

The machine code of a pair may be the same and its times not. Three more pairs tell why: the same two with the sides
exchanged, the reference against a copy of its own file, ours against a copy of its own. What turns around with the
sides belongs to the program; what does not belongs to the order or to where the second one is loaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from ferrotile.bench.device.plan import FILE, PairPlan, SidePlan, read_plan
from ferrotile.core import InputError, store

COPY = "copy-"
"""How the name of a copied program begins."""


def add_controls(folder: Path, names: Sequence[str]) -> list[PairPlan]:
    """Add the controls of some pairs to a pack; the pairs that were added. Raises: FT710."""
    plan = read_plan(folder)
    by_name = {pair.name: pair for pair in plan.pairs}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise InputError("FT710", f"`{folder / FILE}` has no pair `{unknown[0]}`")
    added = [control for name in names for control in _controls(folder, by_name[name])]
    taken = [control.name for control in added if control.name in by_name]
    if taken:
        raise InputError("FT710", f"`{folder / FILE}` has the pair `{taken[0]}` already")
    whole = plan.model_copy(update={"pairs": (*plan.pairs, *added)})
    store.write_text(folder / FILE, whole.model_dump_json(exclude_defaults=False) + "\n")
    return added


def _controls(folder: Path, pair: PairPlan) -> list[PairPlan]:
    sides = {
        "exchanged": (pair.ours, pair.reference),
        "reference twice": (pair.reference, _copied(folder, pair.reference)),
        "ours twice": (pair.ours, _copied(folder, pair.ours)),
    }
    return [
        pair.model_copy(update={"name": f"{pair.name} {what}", "reference": first, "ours": second})
        for what, (first, second) in sides.items()
    ]


def _copied(folder: Path, side: SidePlan) -> SidePlan:
    """The same program from a file of its own, which is loaded by itself."""
    source = folder / side.image
    target = source.with_name(COPY + source.name)
    shutil.copyfile(source, target)
    return side.model_copy(update={"image": str(target.relative_to(folder))})
