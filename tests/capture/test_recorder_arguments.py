"""What the recorder learns of arrays of every kind, and how it tells cuda.tile of them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from ferrotile.capture.recording import RECORDER

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def recorder() -> Iterator[ModuleType]:
    """The recorder's module about arguments, as a recorded command imports it."""
    sys.path[:0] = [str(RECORDER), str(PROGRAMS)]
    try:
        yield importlib.import_module("ferrotile_recorder.arguments")
    finally:
        del sys.path[:2]


class CudaArray:
    """An array that has only `__cuda_array_interface__`, as numba's have."""

    def __init__(self, typestr: str, strides: tuple[int, ...] | None) -> None:
        self.__cuda_array_interface__ = {
            "shape": (4, 8), "typestr": typestr, "data": (0x1010, False), "strides": strides, "version": 3,
        }  # fmt: skip


def _one(recorder: Any, value: Any) -> Any:
    (described,) = recorder.described([value])
    return described


@pytest.mark.parametrize(
    "dtype", [np.float32, np.float64, np.int8, np.uint16, np.int64, ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn]
)
def test_dtypes_survive_the_way_through_dlpack(recorder: Any, dtype: Any) -> None:
    described = _one(recorder, np.zeros((3, 5), dtype))
    assert (described.dtype, described.shape, described.strides) == (np.dtype(dtype).name, (3, 5), (5, 1))
    again = recorder._of_dlpack(recorder.View(described))
    assert (again.dtype, again.shape, again.strides) == (described.dtype, described.shape, described.strides)


def test_truth_values_are_bool(recorder: Any) -> None:
    described = _one(recorder, np.zeros(4, np.bool_))
    assert described.dtype == "bool" and recorder._of_dlpack(recorder.View(described)).dtype == "bool"


def test_strides_count_elements_and_offsets_bytes(recorder: Any) -> None:
    described = _one(recorder, np.zeros((8, 6), np.float16).T[1:, ::2])
    assert (described.shape, described.strides, described.offset) == ((5, 4), (1, 12), 2)


def test_arrays_of_one_allocation_share_a_buffer(recorder: Any) -> None:
    whole, other = np.zeros(64, np.float32), np.zeros(64, np.float32)
    first, second, third = recorder.described([whole[:32], other, [whole[32:]]])
    assert (first.buffer, second.buffer, third[0].buffer) == (0, 1, 0)


def test_cuda_interface_is_read(recorder: Any) -> None:
    rows = _one(recorder, CudaArray("<f2", None))
    assert (rows.dtype, rows.strides, rows.offset) == ("float16", (8, 1), 0x10)
    assert _one(recorder, CudaArray("<i4", (4, 16))).strides == (1, 4)


def test_dlpack_alone_is_enough(recorder: Any) -> None:
    arrays = importlib.import_module("arrays")
    described = _one(recorder, arrays.DeviceArray((4, 8), address=(1 << 30) + 64, strides=(16, 1)))
    assert (described.dtype, described.shape, described.strides, described.offset) == ("float32", (4, 8), (16, 1), 64)
    assert _one(recorder, arrays.DeviceArray((4, 8))).strides == (8, 1)


def test_numbers_stay_numbers(recorder: Any) -> None:
    values = [1, 2.5, True, None, "text", np.int32(3), np.float32]
    assert list(recorder.described(values)) == values


def test_a_dtype_without_a_code_is_refused(recorder: Any) -> None:
    with pytest.raises(TypeError, match="complex64"):
        recorder.viewed(_one(recorder, np.zeros(4, np.complex64)))
