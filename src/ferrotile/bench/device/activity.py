"""Kernel times by CUPTI's activity records. Needs cupti-python and a GPU."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ferrotile.core import EnvironmentFault

BUFFER_BYTES = 8 << 20


@dataclass
class Recorder:
    """Collects kernel records of this process from its making on; one for a process, since CUPTI takes one client."""

    records: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cupti = _cupti()
        self.cupti.activity_enable(self.cupti.ActivityKind.CONCURRENT_KERNEL)
        self.cupti.activity_register_callbacks(lambda: (BUFFER_BYTES, 0), self._completed)

    def times(self, run: Callable[[], None], launches: int, wait: Callable[[], None]) -> list[int]:
        """Nanoseconds of each kernel that `run` launches, in order of start. Raises: FT713 when any record is missing.

        `wait` returns when all kernels have ended.
        """
        self.cupti.activity_flush_all(1)
        self.records.clear()
        run()
        wait()
        self.cupti.activity_flush_all(1)
        found = sorted(self.records)
        if len(found) != launches:
            raise EnvironmentFault("FT713", f"CUPTI gave {len(found)} records for {launches} launches")
        return [end - start for start, end, _ in found]

    def _completed(self, activities: list[Any]) -> None:
        kernel = self.cupti.ActivityKind.CONCURRENT_KERNEL
        self.records += [(one.start, one.end, one.name) for one in activities if one.kind == kernel]


def _cupti() -> Any:
    """The module of cupti-python. Raises: FT711."""
    try:
        return importlib.import_module("cupti.cupti")
    except ImportError as error:
        raise EnvironmentFault(
            "FT711", f"cupti-python cannot be imported: {error}", hint="pip install ferrotile[gpu]"
        ) from None
