"""The hooks: what `cuda.tile.launch` and the tuner do under the recorder."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .arguments import described
from .export import Exporter
from .journal import Journal
from .rows import argument_rows
from .settings import Settings

_recorder: Recorder | None = None


class Recorder:
    """Writes a row for every launch that was not seen before."""

    def __init__(self, exporter: Exporter, journal: Journal, labels: Sequence[str]) -> None:
        self._exporter = exporter
        self._journal = journal
        self._labels = labels
        self._seen: set[object] = set()

    def record(self, grid: Any, kernel: Any, arguments: Any, via: str) -> bool:
        """Note a launch, and export its specialization if that is new. Whether it could be exported."""
        arguments = described(arguments)
        specialization = self._exporter.specialization(kernel, arguments, via)
        grid = tuple(int(extent) for extent in grid)
        operator = self._labels[0] if self._labels else None
        launch = (specialization.number, grid, repr(arguments), operator)
        if launch not in self._seen:
            self._seen.add(launch)
            self._journal.write(
                {
                    "row": "launch",
                    "specialization": specialization.number,
                    "grid": grid,
                    "arguments": argument_rows(arguments, specialization.constants),
                    "via": via,
                    "operator": operator,
                    "test": os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0] or None,
                    "from": _host_place(),
                }
            )
        return specialization.is_exported


def hook(tile: Any, settings: Settings, journal: Journal, labels: Sequence[str]) -> None:
    """Replace `launch` of the package cuda.tile."""
    global _recorder
    if settings.is_pretended:
        from . import driver

        driver.install()
    _recorder = recorder = Recorder(Exporter(tile, settings, journal), journal, labels)
    original = tile.launch
    journal.write({"row": "tile", "version": tile.__version__, "is_pretended": settings.is_pretended})

    def launch(stream: Any, grid: Any, kernel: Any, kernel_args: Any, /, **options: Any) -> Any:
        _require(isinstance(kernel, tile.kernel), f"`{kernel!r}` is launched, and is no cuTile kernel")
        _require(isinstance(grid, tuple) and 1 <= len(grid) <= 3, f"`{grid!r}` is no grid of one to three numbers")
        recorder.record(grid, kernel, kernel_args, "launch")
        return None if settings.is_pretended else original(stream, grid, kernel, kernel_args, **options)

    tile.launch = functools.update_wrapper(launch, original, updated=())


def hook_tuner(tune: Any, settings: Settings) -> None:
    """Replace `exhaustive_search` of the package cuda.tile.tune."""
    inner = sys.modules["cuda.tile.tune._tune"]
    original = tune.exhaustive_search

    @functools.wraps(original)
    def exhaustive_search(
        search_space: Any,
        stream: Any,
        grid_fn: Callable[[Any], Any],
        kernel: Any,
        args_fn: Callable[[Any], Any],
        hints_fn: Callable[[Any], dict[str, Any]] | None = None,
        **options: Any,
    ) -> Any:
        space = list(search_space)
        if not space:
            raise ValueError("Search space is empty.")
        passed: list[Any] = []
        for configuration in space:
            hints = hints_fn(configuration) if hints_fn is not None else {}
            base = kernel if isinstance(kernel, _tile().kernel) else kernel(configuration)
            if _recorded(grid_fn(configuration), base.replace_hints(**hints), args_fn(configuration)):
                passed.append(configuration)
                if settings.tune == "first":
                    break
        if settings.is_pretended:
            return _result(inner, passed)
        return original(space, stream, grid_fn, kernel, args_fn, hints_fn, **options)

    tune.exhaustive_search = exhaustive_search
    vars(inner)["exhaustive_search"] = exhaustive_search


def _recorded(grid: Any, kernel: Any, arguments: Any) -> bool:
    assert _recorder is not None, "cuda.tile.tune is imported after cuda.tile"
    return _recorder.record(grid, kernel, arguments, "tune")


def _result(inner: Any, configurations: list[Any]) -> Any:
    """What the tuner gives back where nothing can be timed: the first configuration is the best."""
    if not configurations:
        raise ValueError("No valid config found in search space.")
    made = [inner.Measurement(config=one, mean_us=1.0, num_samples=1, error_margin_us=0.0) for one in configurations]
    return inner.TuningResult(best=made[0], successes=tuple(made), failures=())


def _tile() -> Any:
    return sys.modules["cuda.tile"]


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise TypeError(message)


def _host_place() -> list[Any] | None:
    """File, line and function of the host code that launches."""
    frame = sys._getframe(1)
    inside = (os.path.dirname(os.path.abspath(__file__)), os.path.dirname(_tile().__file__))
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(inside):
            return [code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name)]
        frame = frame.f_back
    return None
