"""A transplant as a table of two by two, in words, and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ferrotile.transplant import Case, Judged, Transplant

_STYLES = {"right": "green", "not made": "yellow", "not judged": "yellow"}
_BAD = "bold red"


def transplant_table(made: Transplant) -> Table:
    """Programs down, launchers across."""
    table = Table("", "reference launcher", "our launcher")
    by_cell = {(str(one.cell.program), str(one.cell.launcher)): one for one in made.cells}
    for program, name in (("reference", "reference program"), ("ours", "our program")):
        pair = (by_cell[program, launcher] for launcher in ("reference", "ours"))
        table.add_row(name, *(Text(str(one.state), _STYLES.get(str(one.state), _BAD)) for one in pair))
    return table


def transplant_text(made: Transplant) -> list[str]:
    """What is right, what each cell came to, and whose fault it is."""
    case, decision = made.case, made.decision
    lines = [f"{case.name}: grid {case.grid}, {made.device}", f"right is what {_oracle(case)}", *case.notes]
    lines += [f"{one.cell}: {one.state}: {_code(one)}{one.sentence}" for one in made.cells]
    owners = f" {' and '.join(decision.owners)}" if decision.owners else ""
    return [*lines, f"{decision.answer}{owners}: {decision.sentence}"]


def transplant_json(made: Transplant) -> dict[str, Any]:
    """The same for programs."""
    decision = made.decision
    return {
        **case_json(made.case, str(made.folder)),
        "device": made.device,
        "cells": [
            {
                "program": str(one.cell.program), "launcher": str(one.cell.launcher), "state": str(one.state),
                "code": one.code, "sentence": one.sentence, "launches": list(one.launches),
            }
            for one in made.cells
        ],
        "answer": str(decision.answer),
        "owners": [str(owner) for owner in decision.owners],
        "candidates": [[str(owner) for owner in owners] for owners in decision.candidates],
        "sentence": decision.sentence,
    }  # fmt: skip


def case_json(case: Case, folder: str) -> dict[str, Any]:
    """A case that was written, for programs."""
    return {
        "folder": folder,
        "name": case.name,
        "kernel": case.kernel,
        "target": case.target,
        "grid": list(case.grid),
        "oracle": case.oracle,
        "tolerances": {name: near.model_dump() for name, near in case.tolerances.items()},
        "notes": list(case.notes),
    }


def case_text(case: Case, folder: str) -> list[str]:
    """A case that was written, in words."""
    first = f"{folder}: `{case.kernel}` for {case.target}, grid {case.grid}; right is what {_oracle(case)}"
    return [first, *case.notes]


def _oracle(case: Case) -> str:
    if case.oracle is None:
        return "the reference leaves by its own launcher"
    used = {array.dtype for array in case.arrays}
    near = [
        f"{name} within {near.atol:g} + {near.rtol:g} of the number"
        for name, near in case.tolerances.items()
        if name in used and (near.atol or near.rtol)
    ]
    return f"{case.oracle} says" + (f", {', '.join(near)}" if near else ", exactly")


def _code(one: Judged) -> str:
    return f"{one.code}: " if one.code else ""
