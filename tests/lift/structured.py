"""The cases of all rows that are more than an expression over their operands, by row."""

from __future__ import annotations

from cases import Case
from structured_access import ACCESS
from structured_control import CONTROL
from structured_data import DATA
from structured_memory import MEMORY

CASES: dict[str, list[Case]] = {}
for _case in (*CONTROL, *DATA, *MEMORY, *ACCESS):
    CASES.setdefault(_case.row, []).append(_case)
