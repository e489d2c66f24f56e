"""Whose fault a failing launch is: both programs of a bundle under both launchers, and a table that names the owner.

`make_case` writes what a machine with a GPU needs; `transplant` runs the four cells there, each in its own process.

Non-goals: nothing is proved here, no time is measured, and an owner is never named that the table does not name.
Names are loaded when first used, as in `workflow`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ferrotile.core import lazy

if TYPE_CHECKING:
    from ferrotile.transplant.arguments import Asked
    from ferrotile.transplant.case import Case, Near, is_case, read_case
    from ferrotile.transplant.cells import LAUNCHES, Judged, Transplant, transplant
    from ferrotile.transplant.decision import Answer, Cell, Decision, Owner, Side, State, decide
    from ferrotile.transplant.device import TorchDevice
    from ferrotile.transplant.making import Setting, make_case
    from ferrotile.transplant.oracle import Right

_HOMES = {
    ".arguments": ("Asked",),
    ".case": ("Case", "Near", "is_case", "read_case"),
    ".cells": ("LAUNCHES", "Judged", "Transplant", "transplant"),
    ".decision": ("Answer", "Cell", "Decision", "Owner", "Side", "State", "decide"),
    ".device": ("TorchDevice",),
    ".making": ("Setting", "make_case"),
    ".oracle": ("Right",),
}
__getattr__ = lazy.attributes(__name__, _HOMES)

__all__ = [
    "LAUNCHES",
    "Answer",
    "Asked",
    "Case",
    "Cell",
    "Decision",
    "Judged",
    "Near",
    "Owner",
    "Right",
    "Setting",
    "Side",
    "State",
    "TorchDevice",
    "Transplant",
    "decide",
    "is_case",
    "make_case",
    "read_case",
    "transplant",
]
