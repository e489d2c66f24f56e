"""Arguments for kernels of the corpus: what `ferrotile verify` makes of their symbols."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ferrotile import ir
from ferrotile.bundle import inputs
from ferrotile.lift.source.symbol import parse_symbol

CORPUS = Path(os.environ.get("FERROTILE_CORPUS", Path(__file__).parents[3] / "shared" / "corpus"))


def one_per_kernel() -> list[Path]:
    """The first file of each kernel."""
    found: dict[str, Path] = {}
    for path in sorted(CORPUS.rglob("*.tileirbc")):
        found.setdefault(".".join(path.name.split(".")[:2]), path)
    return list(found.values())


def arguments(module: ir.Module) -> list[Any]:
    """Arguments that a kernel's symbol allows."""
    symbol = parse_symbol(ir.attribute(module.entries[0], "sym_name"))
    assert symbol is not None
    made = inputs.arguments(symbol, "random")
    assert made is not None, "the symbol has a parameter that nothing is made for"
    return made
