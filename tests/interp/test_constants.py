"""What the bytes of a constant say."""

from __future__ import annotations

import numpy as np
import pytest

from ferrotile.ir.rearrange import constant
from ferrotile.ir.types import ScalarType, TileType


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, -1.5, 2.0**-126, (2 - 2.0**-10) * 2.0**127, float("inf")])
def test_a_constant_of_tf32_is_the_high_bits_of_single_precision_in_three_bytes(number: float) -> None:
    high = (int(np.float32(number).view(np.uint32)) >> 13).to_bytes(3, "little")
    kind = TileType(ScalarType("tf32"), (2,))
    assert constant(kind, high).tolist() == [number] * 2
    assert constant(kind, high + bytes(3)).tolist() == [number, 0.0]
