"""Pack some corpus pairs as machine code, with their controls: `python tests/gpu/pack_controls.py PACK BUNDLES`.

BUNDLES is what `ferrotile translate FILES --sass --out BUNDLES` wrote. On the machine with the GPU:
`python -m ferrotile.bench.device PACK --out times.jsonl`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pack_corpus import pairs

from ferrotile import bundle
from ferrotile.bench.device.controls import add_controls
from ferrotile.bench.device.pack import pack


def main(arguments: list[str]) -> int:
    """Write the pack."""
    folder, bundles = map(Path, arguments)
    plan, left_out = pack(folder, pairs(bundles), "sm_90", bundle.versions())
    added = add_controls(folder, [pair.name for pair in plan.pairs])
    print(f"{len(plan.pairs)} pairs and {len(added)} controls packed; {len(left_out)} left out", *left_out, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
