"""The versions that a proof depends on, as they are installed here."""

from __future__ import annotations

import functools
import importlib.metadata

import ferrotile
from ferrotile.core import FerrotileError, tools

TOOLS = ("tileiras", "ptxas", "nvdisasm", "rustfmt")
PACKAGES = ("cuda-tile", "xdsl", "numpy")


@functools.cache
def versions() -> dict[str, str | None]:
    """The version of everything that a proof depends on; None for what is not installed."""
    return {
        "ferrotile": ferrotile.__version__,
        "cutile": _cutile(),
        **{name: _package(name) for name in PACKAGES},
        **{name: _tool(name) for name in TOOLS},
    }


def _cutile() -> str | None:
    try:
        from ferrotile import _native as native  # pyright: ignore[reportMissingModuleSource]
    except ImportError:
        return None
    return native.CUTILE_VERSION


def _package(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _tool(name: str) -> str | None:
    try:
        return tools.find(name).version
    except FerrotileError:
        return None
