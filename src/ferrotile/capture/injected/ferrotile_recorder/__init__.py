"""Record the cuTile launches of the program that this is loaded into, and export each distinct specialization.

This package runs inside the command that `ferrotile capture` starts, in that command's own Python environment: it
imports the standard library and, once the program has imported them, `cuda.tile` and `torch`; nothing else of ours.
It writes rows (`journal`) and bytecode into the folder that the environment variable FERROTILE_CAPTURE names.

Non-goals: no file is read, no verdict is made, and the program is not changed beyond its launches.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping

from . import after_import
from .settings import Settings

_labels: list[str] = []
"""What the program says it is doing, outermost first."""


def start(environment: Mapping[str, str]) -> None:
    """Wait for `cuda.tile` and `torch` to be imported, and hook them then."""
    settings = Settings(environment["FERROTILE_CAPTURE"], **json.loads(environment["FERROTILE_CAPTURE_SETTINGS"]))
    from .journal import Journal

    journal = Journal(settings.folder)
    journal.write({"row": "process"})

    def tile(module: object) -> None:
        from . import launches

        launches.hook(module, settings, journal, _labels)

    def tune(module: object) -> None:
        from . import launches

        launches.hook_tuner(module, settings)

    def torch(module: object) -> None:
        if settings.is_pretended:
            from . import pretend

            pretend.install(module, settings, journal)

    after_import.run({"cuda.tile": tile, "cuda.tile.tune": tune, "torch": torch})


@contextlib.contextmanager
def operator(name: str) -> Iterator[None]:
    """Launches of this block are recorded as those of an operator. Programs may use it; nothing asks them to."""
    _labels.append(name)
    try:
        yield
    finally:
        _labels.pop()
