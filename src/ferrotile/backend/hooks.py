"""Where cuda.tile launches: `launch`, and the timed launches of its tuner."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from ferrotile._native import Hook
from ferrotile.backend import checks
from ferrotile.backend.launcher import Launcher


def install(launcher: Launcher, is_ours: Callable[[], bool] | None = None) -> Callable[[], None]:
    """Let the launcher answer every launch that is ours, by default all; gives what takes the hooks out again.

    Programs that took `launch` by name before keep the original.
    """
    import cuda.tile as tile
    import cuda.tile.tune  # noqa: F401

    tuner = sys.modules["cuda.tile.tune._tune"]
    taken = [
        _replace(tile, "launch", _launch(tile.launch, launcher, is_ours)),
        _replace(tuner, "_benchmark", _timed(vars(tuner)["_benchmark"], launcher, is_ours, flush_at=4)),
        _replace(
            tuner,
            "benchmark_with_timeout",
            _timed(vars(tuner)["benchmark_with_timeout"], launcher, is_ours, flush_at=5),
        ),
    ]

    def remove() -> None:
        for module, name, original in taken:
            setattr(module, name, original)

    return remove


def _replace(module: Any, name: str, function: Any) -> tuple[Any, str, Any]:
    original = getattr(module, name)
    setattr(module, name, function)
    return module, name, original


def _launch(original: Any, launcher: Launcher, is_ours: Callable[[], bool] | None) -> Any:
    def prepare(stream: Any, grid: Any, kernel: Any, kernel_args: Any, /, **options: Any) -> Any:
        checks.options(options)
        reference = functools.partial(original, stream, grid, kernel, kernel_args)
        return launcher.launch(stream, grid, kernel, kernel_args, reference)

    return Hook(launcher.prepared, original, is_ours, prepare).launch


def _timed(original: Any, launcher: Launcher, is_ours: Callable[[], bool] | None, flush_at: int) -> Any:
    """The tuner's timed launch; `flush_at` is the position of its `flush_l2`. Ours has no watchdog."""

    def timed(*arguments: Any) -> Any:
        if is_ours is not None and not is_ours():
            return original(*arguments)
        stream, grid, kernel, kernel_args = arguments[:4]
        flush = bool(arguments[flush_at]) if len(arguments) > flush_at else True
        return launcher.time(stream, grid, kernel, kernel_args, flush)

    return timed
