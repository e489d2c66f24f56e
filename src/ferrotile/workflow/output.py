"""The folder of one translation: kernel.rs, reference.tileirbc, lowered.tileirbc, proof.json.

proof.json is written last and holds the digests of the other files: a folder whose digests do not fit its
files was written by two runs, and proves nothing.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import ferrotile
from ferrotile.core import FerrotileError, ParameterMap, store, tools
from ferrotile.lower import RustSource
from ferrotile.workflow.record import Row, machine_json

FILES = ("kernel.rs", "reference.tileirbc", "lowered.tileirbc")
PROOF = "proof.json"
PROOF_FORMAT = 1


def write_folder(
    folder: Path, files: dict[str, bytes], row: Row, parameters: ParameterMap | None, source: RustSource | None
) -> None:
    """Write what there is of a translation; files of an earlier run that this one did not make go. Raises: FT004."""
    for name in (PROOF, *FILES):
        if name not in files:
            store.remove(folder / name)
    for name, data in files.items():
        store.write_bytes(folder / name, data)
    store.write_json(folder / PROOF, proof(files, row, parameters, source))


def update_machine(row: Row) -> None:
    """Put a row's machine-code result into the proof that was written for it. Raises: FT004."""
    assert row.folder is not None
    path = row.folder / PROOF
    content = json.loads(path.read_text(encoding="utf-8"))
    content["sass"] = None if row.machine is None else machine_json(row.machine)
    store.write_json(path, content)


def proof(
    files: dict[str, bytes], row: Row, parameters: ParameterMap | None, source: RustSource | None
) -> dict[str, Any]:
    """The content of proof.json."""
    return {
        "format": PROOF_FORMAT,
        "input": row.input,
        "kernel": row.kernel,
        "target": row.target,
        "verdict": str(row.verdict),
        "sentence": row.message,
        "code": row.code,
        "place": None if row.place is None else str(row.place),
        "rust_place": None if row.rust_place is None else str(row.rust_place),
        "difference": row.difference,
        "laws": list(row.laws),
        "assumptions": list(row.assumptions),
        "added": list(row.added),
        "launch_checks": list(row.launch_checks),
        "checks_in_kernel": row.checks_in_kernel,
        "unsafe": row.unsafe,
        "names_from": row.names_from,
        "style": None if row.style is None else row.style.value,
        "notes": list(row.notes),
        "sass": None if row.machine is None else machine_json(row.machine),
        "parameters": None if parameters is None else parameters.to_dict(),
        "specialization": None if source is None else _specialization(source),
        "sha256": {name: hashlib.sha256(data).hexdigest() for name, data in files.items()},
        "versions": versions(),
    }


@functools.cache
def versions() -> dict[str, str | None]:
    """The versions that a proof depends on; None for what is not installed."""
    return {
        "ferrotile": ferrotile.__version__,
        "cutile": _cutile_version(),
        "cuda-tile": _package_version("cuda-tile"),
        "tileiras": _tool_version("tileiras"),
        "xdsl": _package_version("xdsl"),
    }


def _specialization(source: RustSource) -> dict[str, Any]:
    fields = asdict(source)
    del fields["text"]
    return fields


def _cutile_version() -> str | None:
    try:
        from ferrotile import _native as native  # pyright: ignore[reportMissingModuleSource]
    except ImportError:
        return None
    return native.CUTILE_VERSION


def _package_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _tool_version(name: str) -> str | None:
    try:
        return tools.find(name).version
    except FerrotileError:
        return None
