"""Counts for docs/unsafe.md, from the bundles of one specialization of each corpus kernel, at both levels.

LIST="$(python docs/unsafe_figures.py --list ../shared/corpus/tilegym-ops)"
ferrotile translate $LIST --out build/one-each
ferrotile translate $LIST --level safe --out build/safe
ferrotile translate $(python docs/unsafe_figures.py --free build/safe) --level safe --sass --out build/safe
python docs/unsafe_figures.py build/one-each build/safe
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ferrotile import bundle, check, host, ir
from ferrotile.core import store

DATA = Path(__file__).parent / "data" / "unsafe.json"
BY_VIEWS = frozenset({"disjointness unproven", "form of an operation", "ordered load"})
"""The reasons of a kernel that reaches its arrays through views alone."""
HIGHEST_RANK = 3
"""Of an array that cutile 0.5.0 borrows mutably."""


def one_each(corpus: Path) -> list[Path]:
    """The first file of each kernel; files are named after the kernel and a digest."""
    first: dict[str, Path] = {}
    for path in sorted(corpus.glob("*.tileirbc")):
        first.setdefault(path.name.removesuffix(".tileirbc").rpartition(".")[0], path)
    return list(first.values())


def bundles(folder: Path) -> Iterator[tuple[str, Path]]:
    """Bundles by the name of their kernel."""
    for proof in sorted(folder.glob("*/proof.json")):
        yield proof.parent.name.rpartition(".")[0], proof.parent


def free(folder: Path) -> list[str]:
    """The inputs of the bundles without `unsafe`."""
    proofs = [bundle.read(place) for _, place in bundles(folder)]
    return [proof.input for proof in proofs if proof.unsafe == 0]


def figures(folder: Path) -> dict[str, dict[str, int] | None]:
    """By kernel: how often its text is `unsafe` for which reason; None where it was refused."""
    kernels: dict[str, dict[str, int] | None] = {}
    for name, place in bundles(folder):
        text, claims = place / "kernel.rs", json.loads((place / "proof.json").read_text())
        counted = dict(host.reasons(text.read_text())) if text.is_file() else None
        if counted is not None and sum(counted.values()) != claims["unsafe"]:
            raise SystemExit(f"{place.name}: {claims['unsafe']} blocks are claimed, and {counted} counted")
        kernels[name] = counted
    return kernels


def safe_figures(folder: Path, faithful: Path, kernels: dict[str, dict[str, int] | None]) -> dict[str, Any]:
    """By kernel that reaches its arrays through views alone: what the safe level made of it, or why it is faithful."""
    places, found = dict(bundles(folder)), {}
    for name, place in bundles(faithful):
        counted = kernels[name]
        if counted is None or not BY_VIEWS.issuperset(counted):
            continue
        proof = bundle.read(places[name])
        if proof.unsafe:
            found[name] = {"why": _why(place, counted), "rank": _rank(place)}
            continue
        machine = proof.sass
        found[name] = {
            "verdict": str(proof.verdict), "rank": _rank(place), "style": proof.style and proof.style.value,
            "machine": None if machine is None else str(machine.kind),
            "instructions": None if machine is None else list(machine.instructions),
            "facts": [fact for fact in proof.launch_checks if not fact.startswith("`")],
        }  # fmt: skip
    return found


def _why(place: Path, counted: dict[str, int]) -> str:
    if _rank(place) > HIGHEST_RANK:
        return f"an array of rank {_rank(place)} is written; cutile 0.5.0 borrows up to {HIGHEST_RANK} mutably"
    proof = bundle.read(place)
    assert proof.parameters is not None
    module = ir.decode((place / "lowered.tileirbc").read_bytes())
    apart = check.prove_exclusive(module, proof.parameters.lowered)
    if apart.why_not:
        return apart.why_not
    if "form of an operation" in counted:
        return "an operation has no safe form"
    return "cutile 0.5.0 has no safe form of this store: an extent that the type fixes, or an order without TMA"


def _rank(place: Path) -> int:
    """The highest rank of the tiles that a kernel stores."""
    (entry,) = ir.decode((place / "lowered.tileirbc").read_bytes()).entries
    stores = [op for op in entry.walk() if op is not entry and ir.row(op).name == "store_view_tko"]
    return max(len(ir.operands(op, "index")) for op in stores)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print(*one_each(Path(sys.argv[2])), sep="\n")
    elif sys.argv[1] == "--free":
        print(*free(Path(sys.argv[2])), sep="\n")
    else:
        given = [Path(argument) for argument in sys.argv[1:]]
        counts = figures(given[0])
        store.write_json(DATA, {"kernels": counts, "safe": safe_figures(given[1], given[0], counts)})
