"""The compiler drops its library and all positions now and then: places after that are right, memory is bounded."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ferrotile.core import FerrotileError
from ferrotile.core.rust_source import RustSource
from ferrotile.lower import lower

KERNELS_A_LIBRARY = 64
"""As native/src/library.rs says."""


def _fault(kernel: RustSource) -> tuple[str, int]:
    wrong = kernel.text.replace("num_tile_blocks", "num_tile_blokcs").replace("let ", "let nothing = nowhere;\nlet ", 1)
    with pytest.raises(FerrotileError) as refused:
        lower(replace(kernel, text=wrong), "sm_90")
    assert refused.value.at is not None
    return refused.value.message, refused.value.at.line


def test_places_are_right_with_every_library(safe_add: RustSource) -> None:
    first, fault = lower(safe_add, "sm_90").bytecode, _fault(safe_add)
    for _ in range(KERNELS_A_LIBRARY):
        assert lower(safe_add, "sm_90").bytecode == first
    assert _fault(safe_add) == fault


def test_memory_does_not_grow_with_kernels(safe_add: RustSource) -> None:
    def megabytes() -> float:
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))

    for _ in range(2 * KERNELS_A_LIBRARY):
        lower(safe_add, "sm_90")
    before = megabytes()
    for _ in range(4 * KERNELS_A_LIBRARY):
        lower(safe_add, "sm_90")
    assert megabytes() - before < 12
