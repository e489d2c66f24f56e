"""One crate of all kernels below a folder, each file a module of its own under its own path."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ferrotile.core import InputError, store

_RUST_KEYWORDS = frozenset(
    """as async await box break const continue crate dyn else enum extern false fn for if impl in let loop match mod
    move mut pub ref return self static struct super trait true type unsafe use where while""".split()
)


@dataclass(frozen=True, slots=True)
class CheckCrate:
    """A crate that was written: its manifest, and how many kernel files it holds of how many found."""

    manifest: Path
    module_count: int
    file_count: int


def write_check_crate(kernels: Path, crate: Path, workspace: Path) -> CheckCrate:
    """Write a crate with one module for each distinct `kernel.rs` below `kernels`.

    Files keep their place, so that rustc's messages name them. `workspace` is the tree whose prelude, profile and
    locked versions the crate uses; with them, compiled dependencies are shared.
    Raises: FT601 no `kernel.rs` below the folder.
    """
    files = sorted(path.resolve() for path in kernels.rglob("kernel.rs"))
    if not files:
        raise InputError("FT601", f"there is no `kernel.rs` below `{kernels}`")
    distinct = {path.read_bytes(): path for path in reversed(files)}
    modules = _named(sorted(distinct.values()))
    store.write_text(crate / "Cargo.toml", _manifest(workspace))
    store.write_bytes(crate / "Cargo.lock", (workspace / "Cargo.lock").read_bytes())
    store.write_text(crate / "src" / "lib.rs", _library(modules))
    return CheckCrate(crate / "Cargo.toml", len(modules), len(files))


def _named(files: list[Path]) -> dict[str, Path]:
    """Module names from the folders that hold the files."""
    named: dict[str, Path] = {}
    for path in files:
        stem = re.sub(r"\W", "_", path.parent.name, flags=re.ASCII).lower()
        if not stem or stem[0].isdigit() or stem in _RUST_KEYWORDS:
            stem = f"kernel_{stem}"
        name, number = stem, 2
        while name in named:
            name, number = f"{stem}_{number}", number + 1
        named[name] = path
    return named


def _library(modules: dict[str, Path]) -> str:
    lines = [
        "//! Every translated kernel of one run; written by ferrotile, not to be edited.",
        "#![allow(dead_code)]",
        "",
    ]
    for name, path in modules.items():
        lines += [f"#[path = {_text(str(path))}]", f"mod {name};"]
    return "\n".join(lines) + "\n"


def _manifest(workspace: Path) -> str:
    """The crate's manifest: the dependencies of native/, so that cargo picks the same features for all crates."""
    root = tomllib.loads((workspace / "Cargo.toml").read_text())
    native = tomllib.loads((workspace / "native" / "Cargo.toml").read_text())
    lines = [
        "[package]",
        'name = "translated-kernels"',
        'version = "0.0.0"',
        f'edition = "{root["workspace"]["package"]["edition"]}"',
        "publish = false",
        "",
        "[workspace]",
        "",
        "[dependencies]",
    ]
    for name, wanted in native["dependencies"].items():
        lines.append(f"{name} = {_dependency(name, wanted, root, workspace)}")
    return "\n".join([*lines, "", *_table(root["profile"], "profile")])


def _dependency(name: str, wanted: Any, root: dict[str, Any], workspace: Path) -> str:
    if isinstance(wanted, str):
        return _text(wanted)
    if wanted.get("workspace"):
        return _text(root["workspace"]["dependencies"][name])
    if "path" in wanted:
        return f"{{ path = {_text(str((workspace / 'native' / wanted['path']).resolve()))} }}"
    return f"{{ version = {_text(wanted['version'])}, features = {_text(wanted.get('features', []))} }}"


def _text(value: Any) -> str:
    """A string, or a list of strings, as TOML; JSON writes both the same way."""
    return json.dumps(value, ensure_ascii=False)


def _table(table: dict[str, Any], path: str) -> list[str]:
    """A TOML table of plain values and sub-tables; the profile must be the workspace's, or nothing is shared."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"[{path}]", *(f"{key} = {json.dumps(value)}" for key, value in plain.items()), ""] if plain else []
    for key, value in table.items():
        if isinstance(value, dict):
            lines += _table(value, f"{path}.{key}")
    return lines
