"""Run a function right after a module was imported, before the importer sees it."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Action = Callable[[Any], None]


def run(actions: Mapping[str, Action]) -> None:
    """Run each action once its module is imported; it is called with the module."""
    sys.meta_path.insert(0, _Finder(dict(actions)))  # type: ignore[arg-type]


class _Finder:
    """Stands first among the finders, lets the others find, and adds the action to what they found."""

    def __init__(self, actions: dict[str, Action]) -> None:
        self._actions = actions
        self._asked: set[str] = set()

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._actions or name in self._asked:
            return None
        self._asked.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self._asked.discard(name)
        if spec is not None and spec.loader is not None:
            _add(spec.loader, self._actions[name])
        return spec


def _add(loader: Any, action: Action) -> None:
    """A loader is made for one module, so that its own method can be replaced."""
    original = loader.exec_module

    def exec_module(module: ModuleType) -> None:
        original(module)
        action(module)

    loader.exec_module = exec_module
