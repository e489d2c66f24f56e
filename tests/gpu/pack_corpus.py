"""Pack the corpus for device times: `python tests/gpu/pack_corpus.py PACK BUNDLES`.

BUNDLES is what `ferrotile translate CORPUS --out BUNDLES` wrote. Each proved pair is packed as bytecode, with the
launch that was captured of TileGym's tests, arrays at their full size. On the machine with the GPU and tileiras:
`python -m ferrotile.bench.device PACK --out times.jsonl`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "interp"))

from corpus_launches import Captured, captured_launch

from ferrotile import bundle, ir
from ferrotile.bench.device.pack import Argument, Array, Pair, pack
from ferrotile.core import VerdictKind
from ferrotile.workflow.benching import ELEMENTS


def pairs(bundles: Path) -> Iterator[Pair]:
    """The proved pairs of a folder of bundles."""
    for folder in sorted(path.parent for path in bundles.glob(f"*/{bundle.PROOF}")):
        proof = bundle.read(folder)
        if proof.parameters is None or proof.verdict is VerdictKind.REFUSED:
            print(f"{folder.name}: {proof.verdict}", file=sys.stderr)
            continue
        reference, lowered = ((folder / f"{side}.tileirbc").read_bytes() for side in ("reference", "lowered"))
        grid, arguments = captured_launch(f"{folder.name}.tileirbc", ir.decode(reference))
        packed = tuple(_argument(value) for value in arguments)
        machine = "skipped" if proof.sass is None else str(proof.sass.kind)
        kernel = ".".join(folder.name.split(".")[:2])
        yield Pair(folder.name, kernel, reference, lowered, proof.parameters, grid, packed, machine)


def _argument(value: Any) -> Argument:
    if isinstance(value, list):
        return tuple(_array(item) for item in value)
    return _array(value) if isinstance(value, Captured) else value


def _array(captured: Captured) -> Array:
    return Array(ELEMENTS[captured.dtype], captured.shape, captured.strides, captured.offset)


def main(arguments: list[str]) -> int:
    """Write the pack."""
    folder, bundles = map(Path, arguments)
    plan, left_out = pack(folder, pairs(bundles), "sm_90", bundle.versions(), as_bytecode=True)
    print(f"{len(plan.pairs)} pairs packed; {len(left_out)} left out", *left_out, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
