"""A pytest plugin for TileGym's own tests: which backend answers them, and what each test launched.

FERROTILE_SIDE is `reference` (TileGym as it is) or `ours` (who asks for the backend `cutile` gets `cutile-rs`).
Of a tuner's configurations the first that runs is taken, and its compiler has no time limit, on either side: which one
is fastest is no question here. Every test's outcome becomes a line of the file FERROTILE_OUTCOMES.

Loaded with `-p backend_plugin`: it has to come before TileGym is imported. Needs torch, TileGym and a GPU.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

GPUS = int(os.environ.get("FERROTILE_GPUS", "1"))
"""Test processes take them in turn. TileGym's conftest asks for one before plugins are configured."""
if GPUS > 1:
    os.environ["CUDA_VISIBLE_DEVICES"] = str(int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % GPUS)
BOTH = ("attention_sink_decode",)
SIDE = os.environ.get("FERROTILE_SIDE", "reference")
original: Counter[str] = Counter()
"""Launches by cuTile Python, timed ones of its tuner included, by kernel."""


def pytest_configure(config: Any) -> None:
    """Count, shorten tuning, and choose the backend."""
    import cuda.tile as tile

    tuner: Any = importlib.import_module("cuda.tile.tune")
    inner: Any = importlib.import_module("cuda.tile.tune._tune")
    tile.launch = _counted(tile.launch)
    inner._benchmark = _counted(inner._benchmark)
    tile.compiler_timeout = lambda *args, **named: contextlib.nullcontext()
    tuner.exhaustive_search = first_that_runs(tuner.exhaustive_search)
    tilegym: Any = importlib.import_module("tilegym")
    if SIDE == "ours":
        importlib.import_module("ferrotile.tilegym")
        for module in (tilegym, tilegym.backend, tilegym.backend.selector):
            module.set_backend = answered_by_ours(module.set_backend)
        tilegym.set_backend("cutile")
        answer_named_calls(importlib.import_module("tilegym.backend.dispatcher")._REGISTRY)


def _counted(function: Any) -> Any:
    def call(stream: Any, grid: Any, kernel: Any, *rest: Any, **named: Any) -> Any:
        original[kernel._pyfunc.__name__] += 1
        return function(stream, grid, kernel, *rest, **named)

    return call


def first_that_runs(search: Callable[..., Any]) -> Callable[..., Any]:
    """A search of one configuration after the other, until one runs."""

    def short(space: Any, *args: Any, **named: Any) -> Any:
        fault: Exception | None = None
        for configuration in space:
            try:
                return search([configuration], *args, **{**named, "quiet": True})
            except ValueError as error:
                fault = error
        raise fault or ValueError("Search space is empty.")

    return short


def answered_by_ours(set_backend: Callable[[str], None]) -> Callable[[str], None]:
    """Who asks for the reference gets ours."""
    return lambda backend: set_backend("cutile-rs" if backend == "cutile" else backend)


def answer_named_calls(registry: dict[str, dict[str, Any]]) -> None:
    """A call with `backend="cutile"` gets ours as well, but of operators that a test of ours calls in both."""
    for operator, implementations in registry.items():
        if operator not in BOTH and "cutile-rs" in implementations:
            implementations["cutile"] = implementations["cutile-rs"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: Any) -> Iterator[None]:
    """Note what the test launched, however it ends; it travels with the report of the test."""
    original.clear()
    if SIDE == "ours":
        backend: Any = importlib.import_module("ferrotile.tilegym")
        backend.reset()
    try:
        return (yield)
    finally:
        item.user_properties.append(("original", dict(original)))
        if SIDE == "ours":
            report = backend.report()
            ran = {f"{one.kernel} {one.rust_sha256[:12]} {one.verdict}": n for one, n in report.kernels.items()}
            item.user_properties.append(("rust", ran))
            item.user_properties.append(("refused", report.refused))


def pytest_runtest_logreport(report: Any) -> None:
    """A line for every test, written by the process that collects the reports."""
    path = os.environ.get("FERROTILE_OUTCOMES")
    if path is None or "PYTEST_XDIST_WORKER" in os.environ:
        return
    if report.when == "call" or (report.when == "setup" and report.outcome != "passed"):
        row = {"test": report.nodeid, "outcome": report.outcome, "seconds": round(report.duration, 3)}
        row |= {"why": _why(report), **dict(report.user_properties)}
        with open(path, "a") as file:
            file.write(json.dumps(row) + "\n")


def _why(report: Any) -> str:
    """Why a test was skipped or failed, in a line."""
    if report.outcome == "passed":
        return ""
    if isinstance(report.longrepr, tuple):
        return str(report.longrepr[2])[:300]
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(report.longrepr if crash is None else crash.message).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " | ".join(lines[:2])[:300]
