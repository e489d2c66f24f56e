"""Names of a package that are loaded when they are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def attributes(package: str, homes: Mapping[str, tuple[str, ...]]) -> Callable[[str], Any]:
    """The `__getattr__` of a package: `homes` has modules, relative to it, and the names that each has.

    Example:
        __getattr__ = lazy.attributes(__name__, {".batch": ("translate_all",)})
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module `{package}` has no `{name}`")
        return getattr(importlib.import_module(home_of[name], package), name)

    return load
