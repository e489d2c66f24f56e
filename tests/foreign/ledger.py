"""What becomes of each module that cuTile Python never wrote: outcomes.toml, which tests and docs/foreign.md read.

`python tests/foreign/ledger.py` judges every module anew and writes the file; it takes minutes.
"""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "check")]

import hand_control  # noqa: E402, F401
import hand_modules  # noqa: E402, F401
import hand_numbers  # noqa: E402, F401
import hand_pointers  # noqa: E402, F401
import hand_views  # noqa: E402, F401
from cutile_crate import crate_folder, entries  # noqa: E402
from hand import CASES  # noqa: E402

from ferrotile import ir  # noqa: E402
from ferrotile.lower import lower  # noqa: E402
from ferrotile.workflow import Options, Row, Task, translate  # noqa: E402

FILE = HERE / "outcomes.toml"
VERSION = (13, 5)
USUAL = frozenset({
    "assume", "constant", "entry", "get_tile_block_id", "load_view_tko", "store_view_tko", "make_partition_view",
    "make_tensor_view", "make_token", "return", "yield", "continue", "reshape", "broadcast", "addi", "addf", "muli",
})  # fmt: skip
"""Operations that say nothing special about a kernel."""
OWN = {
    "own.rs": {
        "own::product": ["f16", "32", "32", "16"],
        **{f"own::{name}": ["64"] for name in ("softmax", "halves_until", "helpers", "asserted", "parts_of_a_part")},
    }
}
"""Kernels of this folder, with their generic arguments."""


@dataclass(frozen=True)
class Judged:
    """An outcome: the verdict, and the code of a refusal."""

    outcome: str
    code: str | None

    @staticmethod
    def of(row: Row) -> Judged:
        """The outcome of a translation."""
        return Judged(str(row.verdict), row.code)


def read() -> dict[str, Any]:
    """The ledger."""
    return tomllib.loads(FILE.read_text())


def rust_bytes(file: str, name: str, row: dict[str, Any]) -> bytes:
    """A kernel in Rust, of this folder or of cutile's own tests, as bytecode. Raises: FT4xx."""
    folder = HERE if is_ours(file) else crate_folder()
    assert folder is not None
    source = entries(folder / file)[name].source(tuple(row["generics"]))
    return lower(source, row.get("target", "sm_90"), VERSION).bytecode


def is_ours(file: str) -> bool:
    """Whether a file of the ledger stands in this folder."""
    return (HERE / file).is_file()


def judged(name: str, data: bytes, target: str) -> list[Row]:
    """What translate makes of a module: a row for each kernel, as of a file."""
    if ir.kernel_count(data) == 1:
        return [translate(Task(name, "x", bytecode=data), Options(target=target))]
    names = ir.kernel_names(ir.decode(data))
    return [translate(Task(one, "x", bytecode=ir.alone(data, one)), Options(target=target)) for one in names]


def worst(rows: list[Row]) -> Judged:
    """The outcome of the kernel that did worst."""
    return Judged.of(max(rows, key=lambda row: row.exit_code))


def special_of(data: bytes) -> str:
    """What a kernel does besides loading, adding and storing: its other operations."""
    names = {op.name.removeprefix("cuda_tile.") for op in ir.decode(data).entries[0].walk()} - USUAL
    return ", ".join(sorted(names)) or "loads and stores only"


def write(*, hand_only: bool = False) -> None:
    """Judge every module, or those built by hand, and write the ledger."""
    old = read()
    for file, kernels in OWN.items():
        old["rust"].setdefault(file, {name: {"generics": generics} for name, generics in kernels.items()})
    lines = ["# Written by `python tests/foreign/ledger.py`; with `hand` only that part is judged anew.", "", "[hand]"]
    for name, case in CASES.items():
        found = worst(judged(name, case.bytes(), case.target))
        lines.append(_line(name, {"special": case.special, "outcome": found.outcome, "code": found.code}))
    for file, rows in old["rust"].items():
        lines += ["", f"[rust.{json.dumps(file)}]"]
        is_known = hand_only and not is_ours(file)
        lines += [_line(name, row if is_known else _rust_row(file, name, row)) for name, row in rows.items()]
        print(file, flush=True)
    FILE.write_text("\n".join(lines) + "\n")


def _rust_row(file: str, name: str, row: dict[str, Any]) -> dict[str, Any]:
    data = rust_bytes(file, name, row)
    found = worst(judged(name, data, row.get("target", "sm_90")))
    asked = {"generics": row["generics"], "target": row.get("target")}
    return {**asked, "special": special_of(data), "outcome": found.outcome, "code": found.code}


def _line(name: str, row: dict[str, Any]) -> str:
    cells = ", ".join(
        f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in row.items() if value is not None
    )
    return f"{json.dumps(name)} = {{ {cells} }}"


if __name__ == "__main__":
    write(hand_only="hand" in sys.argv)


__all__ = ["CASES", "FILE", "Judged", "is_ours", "judged", "read", "rust_bytes", "special_of", "worst"]
