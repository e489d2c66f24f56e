"""What `ferrotile capture` asks of the recorder, and whether there is a GPU to launch on."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Settings:
    """How to record. `folder`: where rows and bytecode go; `tune`: `first` or `all` configurations of a tuner;
    `pretend`: `auto` (where there is no GPU) or `always`; `values`: pretended tensors hold numbers.
    """

    folder: str
    target: str
    bytecode_version: str
    tune: str
    pretend: str
    values: bool
    multiprocessors: int

    @cached_property
    def is_pretended(self) -> bool:
        """Whether launches are only recorded."""
        return self.pretend == "always" or not has_gpu()

    @property
    def capability(self) -> tuple[int, int]:
        """Compute capability of the target: (9, 0) for `sm_90`."""
        digits = "".join(letter for letter in self.target if letter.isdigit())
        return int(digits[:-1]), int(digits[-1])


def has_gpu() -> bool:
    """Whether a program can launch here. The driver is loaded and not initialized: a fork would break it."""
    if os.environ.get("CUDA_VISIBLE_DEVICES", "0").strip() in ("", "-1"):
        return False
    if not any(os.path.exists(device) for device in ("/dev/nvidiactl", "/dev/dxg")):
        return False
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True
