"""The clock of the GPU's multiprocessors, and whether something holds it down; nothing is known without NVML."""

from __future__ import annotations

import importlib
from typing import Any


class Clocks:
    """Reads NVML through nvidia-ml-py."""

    def __init__(self) -> None:
        self._nvml: Any = None
        try:
            pynvml = importlib.import_module("pynvml")
            pynvml.nvmlInit()
            self._device = pynvml.nvmlDeviceGetHandleByIndex(0)
            self._nvml = pynvml
        except Exception:  # a clock is context for a reader, never a reason to stop
            self._nvml = None

    def multiprocessor_mhz(self) -> int | None:
        """The clock now."""
        if self._nvml is None:
            return None
        return int(self._nvml.nvmlDeviceGetClockInfo(self._device, self._nvml.NVML_CLOCK_SM))

    def is_throttled(self) -> bool:
        """Whether heat or power holds the clock down."""
        if self._nvml is None:
            return False
        reasons = int(self._nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._device))
        harmless = (
            self._nvml.nvmlClocksThrottleReasonGpuIdle | self._nvml.nvmlClocksThrottleReasonApplicationsClocksSetting
        )
        return bool(reasons & ~harmless)
