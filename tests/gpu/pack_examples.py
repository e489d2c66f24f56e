"""Compile the examples for a GPU machine that has no compiler: cubins and a manifest of how to launch them.

    python tests/gpu/pack_examples.py OUT [TRANSLATED]

TRANSLATED is a folder that `ferrotile translate examples` wrote; its kernels are packed beside the references. Then, on
the machine with the GPU and torch: `FERROTILE_PACK=OUT python -m pytest tests/gpu`.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from ferrotile import ir
from ferrotile.capture import ArraySpec, Capture, ScalarSpec, Specialization, discover, export
from ferrotile.core import ParameterMap, Role, store, tools

ROOT = Path(__file__).parents[2]
TARGET = "sm_90"


def pack(folder: Path, translated: Path | None) -> None:
    """Write the cubins of every example's first specialization, and `manifest.json`."""
    entries: dict[str, list[dict[str, object]]] = {}
    for path, kernel, row in discover(ROOT / "examples"):
        if kernel in entries:
            continue
        (capture,) = export(path, kernel, row, TARGET)
        sides = [_side(folder, f"{kernel}.reference", capture.bytecode, _roles(row, capture))]
        if translated is not None and (proof := translated / capture.name / "proof.json").is_file():
            parameters = ParameterMap.from_json(json.dumps(json.loads(proof.read_text())["parameters"]))
            lowered = (proof.parent / "lowered.tileirbc").read_bytes()
            sides.append(_side(folder, f"{kernel}.lowered", lowered, parameters.lowered))
        entries[kernel] = sides
    store.write_json(folder / "manifest.json", entries)


def _side(folder: Path, name: str, bytecode: bytes, roles: tuple[Role, ...]) -> dict[str, object]:
    (entry,) = ir.decode(bytecode).entries
    assembled = tools.assemble(bytecode, TARGET)
    assert assembled.cubin is not None, f"tileiras refuses {name}"
    store.write_bytes(folder / f"{name}.cubin", assembled.cubin)
    return {
        "cubin": f"{name}.cubin",
        "entry": ir.attribute(entry, "sym_name"),
        "roles": [asdict(role) for role in roles],
    }


def _roles(row: Specialization, capture: Capture) -> tuple[Role, ...]:
    """The entry parameters of cuTile Python: an array is its base, extents and strides, a scalar is itself."""
    roles: list[Role] = []
    arrays = scalars = 0
    known = row.parameters or {}
    for name in capture.parameters:
        entry = known[name]
        if isinstance(entry, ArraySpec):
            axes = range(len(entry.shape))
            roles += [Role.pointer(arrays), *(Role.shape(arrays, axis) for axis in axes)]
            roles += [Role.stride(arrays, axis) for axis in axes]
            arrays += 1
        elif isinstance(entry, ScalarSpec):
            roles.append(Role.scalar(scalars))
            scalars += 1
    return tuple(roles)


if __name__ == "__main__":
    pack(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
