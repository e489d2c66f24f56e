"""Is everything there that ferrotile needs, in a version that fits, and does it work?"""

from __future__ import annotations

import importlib.metadata
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ferrotile.core import EnvironmentFault, FerrotileError, store, tools

CUTILE_VERSION = "0.5.0"
TILE_TOOLS_VERSION = "13.5"
PACKAGES = {"cuda-tile": "1.7.0", "xdsl": "0.75.0", "capstone": "", "numpy": "", "pydantic": ""}
"""Python packages; a version where only that one will do."""
TRIAL = bytes.fromhex(
    "7f54696c654952000d010000820e08cb01000206010b01010a00035c0000840808cbcbcbcbcbcbcb00cbcbcbcbcbcbcb"
    "832908cbcbcbcbcb01cbcbcb0000000002cbcbcbcbcbcbcb0000000000000000000000000000000001cbcbcb00000000"
    "0085150403cbcbcb000000000100000002000000000310000081180402cbcbcb00000000070000006e6f7468696e6773"
    "6d5f393000"
)
"""A Tile IR program with one kernel that returns at once."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `is_needed`: without it translate, diff or their machine-code step cannot work."""

    name: str
    is_well: bool
    found: str
    cure: str = ""
    is_needed: bool = True


def examine() -> tuple[Finding, ...]:
    """Look at everything; nothing here raises."""
    findings = [_python(), _native(), *(_package(name, version) for name, version in PACKAGES.items())]
    findings += [_tool(name) for name in (*tools.NVIDIA_TOOLS, *tools.RUST_TOOLS)]
    findings += [_assembles(), *_other_toolkits(), _cache(), _corpus()]
    return tuple(findings)


def is_ready(findings: tuple[Finding, ...]) -> bool:
    """Whether everything needed is well."""
    return all(finding.is_well for finding in findings if finding.is_needed)


def _python() -> Finding:
    found = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", sys.version_info >= (3, 11), found, "install Python 3.11 or newer")


def _native() -> Finding:
    cure = "make build  # or, for an installed package: pip install --force-reinstall ferrotile"
    try:
        from ferrotile import _native as native  # pyright: ignore[reportMissingModuleSource]
    except ImportError as error:
        return Finding("native extension", False, f"does not load: {error}", cure)
    version = native.CUTILE_VERSION
    return Finding("native extension", version == CUTILE_VERSION, f"cutile {version}", cure)


def _package(name: str, version: str) -> Finding:
    cure = f"pip install {name}=={version}" if version else f"pip install {name}"
    try:
        found = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return Finding(name, False, "not installed", cure)
    return Finding(name, not version or found == version, found, cure)


def _tool(name: str) -> Finding:
    is_needed = name != "cargo"
    try:
        tool = tools.find(name)
    except EnvironmentFault as error:
        return Finding(name, False, error.message, tools.CURES[name], is_needed)
    fits = name in tools.RUST_TOOLS or tool.version.startswith(f"{TILE_TOOLS_VERSION}.")
    return Finding(name, fits, f"{tool.version} in {tool.path.parent}", tools.CURES[name], is_needed)


def _assembles() -> Finding:
    """Whether tileiras makes a cubin of a trial program: it needs ptxas, libnvvm and libdevice besides itself."""
    cure = "pip install --force-reinstall nvidia-cuda-tileiras==13.5.37 nvidia-nvvm==13.5.37 nvidia-cuda-nvcc==13.5.37"
    return _tried("tileiras works", _trial, cure)


def _other_toolkits() -> list[Finding]:
    """For each variable that names another toolkit: does tileiras, run as it stands, still work?

    ferrotile drops these variables for its own calls; other programs that call tileiras do not.
    """
    findings = []
    for name in tools.TOOLKIT_VARIABLES:
        if not (value := os.environ.get(name)):
            continue
        title, cure = f"{name}={value}", f"unset {name}"
        tried = _tried(title, partial(_trial, (name,)), cure)
        found = tried.found if tried.is_well else f"leads tileiras to another libnvvm: {tried.found}"
        findings.append(Finding(title, tried.is_well, found, cure))
    return findings


def _trial(keep: tuple[str, ...] = ()) -> str | None:
    return tools.assemble_afresh(TRIAL, "sm_90", keep=keep).refusal


def _tried(name: str, trial: Callable[[], str | None], cure: str) -> Finding:
    try:
        refusal = trial()
    except FerrotileError as error:
        return Finding(name, False, error.message, error.hint or cure)
    return Finding(name, refusal is None, "a trial program assembles" if refusal is None else refusal, cure)


def _cache() -> Finding:
    folder = tools.cache_folder()
    probe = folder / f".probe-{os.getpid()}"
    try:
        store.write_bytes(probe, b"")
        store.remove(probe)
    except FerrotileError as error:
        return Finding("cache folder", False, error.message, "export FERROTILE_CACHE=FOLDER  # one that you can write")
    return Finding("cache folder", True, str(folder))


def _corpus() -> Finding:
    """The reference corpus: only tests and measurements read it."""
    folder = Path(os.environ.get("FERROTILE_CORPUS", "../shared/corpus"))
    count = sum(1 for _ in folder.rglob("*.tileirbc")) if folder.is_dir() else 0
    cure = "export FERROTILE_CORPUS=FOLDER  # tests that need it are skipped without"
    return Finding("corpus", count > 0, f"{count} files" if count else "not here", cure, is_needed=False)
