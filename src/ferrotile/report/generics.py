"""Generic kernels as a table, as text and as JSON lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from ferrotile.core import VerdictKind

if TYPE_CHECKING:
    from ferrotile.workflow import GenericKernel

PROVED = (VerdictKind.EQUAL, VerdictKind.REFINES)


def generics_table(kernels: Sequence[GenericKernel]) -> Table:
    """One line a kernel: how many specializations and texts, its generics, and the verdicts."""
    table = Table(show_edge=False, pad_edge=False)
    table.add_column("kernel", overflow="fold")
    for heading in ("specializations", "variants", "lines"):
        table.add_column(heading, justify="right")
    for heading in ("generics", "verdicts"):
        table.add_column(heading, overflow="fold")
    for kernel in kernels:
        names = dict.fromkeys(g.name for variant in kernel.variants for g in variant.generics)
        verdicts = Counter(str(one.verdict) for one in kernel.specializations)
        table.add_row(
            kernel.kernel,
            str(len(kernel.specializations)),
            str(len(kernel.variants)),
            str(kernel.line_count),
            ", ".join(names),
            ", ".join(f"{count} {word}" for word, count in verdicts.items()),
        )
    return table


def generic_text(kernel: GenericKernel) -> Iterator[RenderableType]:
    """What is not plain of a kernel: its variants with their guards, formulas, and what was not proved."""
    if len(kernel.variants) > 1:
        for variant in kernel.variants:
            guard = variant.guard or ("else" if variant is kernel.variants[-1] else "no condition found")
            yield Text(f"{kernel.kernel}: {variant.module} for {len(variant.members)}, when {guard}")
    for variant in kernel.variants:
        for generic in variant.generics:
            if generic.formula is not None:
                yield Text(f"{kernel.kernel}: {generic.name} = {generic.formula}")
    for one in kernel.specializations:
        if one.verdict not in PROVED:
            yield Text(f"{one.verdict} {one.input}: {one.code or ''} {one.message}".replace("  ", " "))


def generics_summary(kernels: Sequence[GenericKernel], seconds: float, exit_code: int) -> dict[str, Any]:
    """The last JSON line of a run."""
    verdicts = Counter(str(one.verdict) for kernel in kernels for one in kernel.specializations)
    return {
        "summary": {
            "kernels": len(kernels),
            "variants": sum(len(kernel.variants) for kernel in kernels),
            "specializations": sum(len(kernel.specializations) for kernel in kernels),
            "verdicts": dict(verdicts),
            "seconds": round(seconds, 3),
            "exit_code": exit_code,
        }
    }
