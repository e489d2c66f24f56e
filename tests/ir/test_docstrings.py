"""The examples in docstrings of this room run as they stand."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

from ferrotile import ir


def test_docstring_examples_run() -> None:
    names = [found.name for found in pkgutil.walk_packages(ir.__path__, "ferrotile.ir.")]
    results = [doctest.testmod(importlib.import_module(name)) for name in names]
    assert sum(result.attempted for result in results) >= 4
    assert not any(result.failed for result in results)
