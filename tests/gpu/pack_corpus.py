"""Pack pairs of the corpus for device times: `python tests/gpu/pack_corpus.py PACK RUN.jsonl [MOST]`.

RUN.jsonl is what `ferrotile translate CORPUS --json --sass ..` printed: pairs with compared machine code are packed,
with the launch that was captured of TileGym's tests, arrays at their full size. On the machine with the GPU:
`python -m ferrotile.bench.device PACK --out times.jsonl`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))

from corpus_inputs import CORPUS
from corpus_launches import Captured, captured_launch

from ferrotile import ir
from ferrotile.bench.device.pack import Argument, Array, Pair, pack
from ferrotile.bundle.versions import versions
from ferrotile.core import Style
from ferrotile.workflow.record import Options, Task
from ferrotile.workflow.translation import translate

FOLDER = CORPUS / "tilegym-ops"
MOST_ELEMENTS = 1 << 29
DTYPES = {"bool": "bool", "bfloat16": "bf16", "float8_e4m3fn": "f8e4m3fn", "float8_e5m2": "f8e5m2"}


def pairs(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    """The compared pairs of a run, lowered again in the style that the run chose."""
    for row in rows:
        name = Path(row["input"]).name
        data = (FOLDER / name).read_bytes()
        made = translate(Task(name, "kernel", bytecode=data), Options(style=Style(row["style"])))
        if made.evidence is None:
            print(f"{name}: {made.code}: {made.message}", file=sys.stderr)
            continue
        grid, arguments = captured_launch(name, ir.decode(data))
        kernel = ".".join(name.split(".")[:2])
        packed = tuple(_argument(value) for value in arguments)
        evidence = made.evidence
        yield Pair(
            name.removesuffix(".tileirbc"),
            kernel,
            data,
            evidence.lowered,
            evidence.parameters,
            grid,
            packed,
            row["sass"],
        )


def _argument(value: Any) -> Argument:
    if isinstance(value, list):
        return tuple(_array(item) for item in value)
    return _array(value) if isinstance(value, Captured) else value


def _array(captured: Captured) -> Array:
    name = captured.dtype
    short = name[0] + name.lstrip("abcdefghijklmnopqrstuvwxyz")
    return Array(DTYPES.get(name, short), captured.shape, captured.strides, captured.offset)


def main(arguments: list[str]) -> int:
    """Write the pack."""
    folder, run = Path(arguments[0]), Path(arguments[1])
    rows = [json.loads(line) for line in run.read_text().splitlines() if line.startswith("{")]
    compared = [row for row in rows if row.get("sass") in ("identical", "differs", "device-identical")]
    plan, left_out = pack(
        folder, pairs(compared[: int(arguments[2]) if len(arguments) > 2 else None]), "sm_90", versions()
    )
    print(f"{len(plan.pairs)} pairs packed; {len(left_out)} left out", *left_out, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
