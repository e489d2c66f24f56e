"""Faults that test_transplant_on_device.py plants in our launcher; each is a device for the process of a cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ferrotile.backend import CudaDriver, Word
from ferrotile.transplant import TorchDevice

_right_bits = Word.bits
_HOLE = 1 << 46
"""Far from everything that is allocated. Unit: bytes."""


class InPython(CudaDriver):
    """Lets no launch be answered by native code, so that what is planted here is what packs."""

    def addresses(self) -> Any:
        return None


def _device(bits: Any) -> TorchDevice:
    device = TorchDevice()
    device.driver = InPython()
    Word.bits = bits  # type: ignore[method-assign]
    return device


def _of_the_array_before(self: Word, passed: Any, table: Any) -> int:
    if self.role == "pointer":
        self = replace(self, index=(self.index - 1) % len(passed.arrays))
    return _right_bits(self, passed, table)


def _into_a_hole(self: Word, passed: Any, table: Any) -> int:
    return _right_bits(self, passed, table) + (_HOLE if self.role == "pointer" else 0)


def wrong_packing() -> TorchDevice:
    """For every pointer, that of the array before: the kernel runs, and leaves other numbers."""
    return _device(_of_the_array_before)


def stray_pointers() -> TorchDevice:
    """Every pointer leads to where nothing is: the GPU reports an error."""
    return _device(_into_a_hole)


def answered_in_python() -> TorchDevice:
    """No fault: the launches of our launcher that Python answers."""
    return _device(_right_bits)
