"""What the operation table covers, column by column."""

from __future__ import annotations

from dataclasses import dataclass

from ferrotile import ir

REQUIRED = ("codec", "verifier", "effect", "rust")
"""Columns that every operation must have; in `rust` a refusal with a reason counts."""


@dataclass(frozen=True, slots=True)
class Covered:
    """One operation: `rust` is `yes`, the code of its refusal, or empty."""

    name: str
    opcode: int
    since: str
    codec: bool
    verifier: bool
    effect: str
    laws: tuple[str, ...]
    rust: str
    reason: str
    example: bool
    source: bool

    @property
    def missing(self) -> tuple[str, ...]:
        """The required columns that are empty."""
        return tuple(column for column in REQUIRED if not getattr(self, column))


def coverage() -> tuple[Covered, ...]:
    """One record per operation of the table, by opcode."""
    return tuple(_covered(row) for row in sorted(ir.table(), key=lambda row: row.opcode))


def _covered(row: ir.OpRow) -> Covered:
    refusal = row.rust if isinstance(row.rust, ir.Refusal) else None
    return Covered(
        name=row.name,
        opcode=row.opcode,
        since=".".join(map(str, row.since)),
        codec=row.opcode is not None,
        verifier=bool(row.rules),
        effect=row.effect.name.lower(),
        laws=row.laws,
        rust=refusal.code if refusal is not None else "yes" if row.rust else "",
        reason="" if refusal is None else refusal.why,
        example=row.example is not None,
        source=bool(row.source),
    )
