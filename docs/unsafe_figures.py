"""Counts for docs/unsafe.md, from the bundles of one specialization of each corpus kernel.

ferrotile translate $(python docs/unsafe_figures.py --list ../shared/corpus/tilegym-ops) --out build/one-each
python docs/unsafe_figures.py build/one-each
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ferrotile import host
from ferrotile.core import store

DATA = Path(__file__).parent / "data" / "unsafe.json"


def one_each(corpus: Path) -> list[Path]:
    """The first file of each kernel; files are named after the kernel and a digest."""
    first: dict[str, Path] = {}
    for path in sorted(corpus.glob("*.tileirbc")):
        first.setdefault(path.name.removesuffix(".tileirbc").rpartition(".")[0], path)
    return list(first.values())


def figures(folder: Path) -> dict[str, object]:
    """By kernel: how often its text is `unsafe` for which reason; None where it was refused."""
    kernels: dict[str, dict[str, int] | None] = {}
    for proof in sorted(folder.glob("*/proof.json")):
        text, claims = proof.parent / "kernel.rs", json.loads(proof.read_text())
        counted = dict(host.reasons(text.read_text())) if text.is_file() else None
        if counted is not None and sum(counted.values()) != claims["unsafe"]:
            raise SystemExit(f"{proof.parent.name}: {claims['unsafe']} blocks are claimed, and {counted} counted")
        kernels[proof.parent.name.rpartition(".")[0]] = counted
    return {"kernels": kernels}


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*one_each(Path(sys.argv[2])), sep="\n")
    else:
        store.write_json(DATA, figures(Path(sys.argv[1])))
