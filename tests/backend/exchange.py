"""The DLPack C exchange API and two functions of the CUDA driver, as functions of C that come back to Python."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

CODES = {"f": 2, "i": 0, "u": 1, "b": 6, "V": 4, "c": 5}
"""DLDataTypeCode by the kind of a NumPy type; ml_dtypes' bfloat16 has kind V."""


class Tensor(ctypes.Structure):
    """`DLTensor`."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device_kind", ctypes.c_int32), ("device", ctypes.c_int32),
        ("rank", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


Read = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))


class Api(ctypes.Structure):
    """`DLPackExchangeAPI`."""

    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p), ("managed_from_object", ctypes.c_void_p),
        ("managed_to_object", ctypes.c_void_p), ("tensor_from_object", Read), ("current_stream", ctypes.c_void_p),
    )  # fmt: skip


def _read(array: Any, out: Any) -> int:
    """Fill a tensor in; extents live as long as the array."""
    axes = ctypes.c_int64 * max(len(array.shape), 1)
    try:
        array._axes = axes(*array.shape), axes(*array.stride())
    except (OverflowError, TypeError):
        return -1
    tensor = out.contents
    # A null pointer is legal, and a part of the address may stand in the offset.
    tensor.byte_offset = array.data_ptr() % 256
    tensor.data = array.data_ptr() - tensor.byte_offset
    tensor.device_kind, tensor.device = array.__dlpack_device__()
    tensor.rank, tensor.lanes = len(array.shape), 1
    tensor.code, tensor.bits = CODES[array.dtype.kind], 8 * array.dtype.itemsize
    tensor.shape, tensor.strides = (ctypes.addressof(one) for one in array._axes)
    return 0


_kept: list[Any] = []


def capsule(major: int = 1, minor: int = 3) -> Any:
    """What a class has as `__dlpack_c_exchange_api__`."""
    api = Api(major, minor, None, None, None, None, Read(_read), None)
    _kept.append(api)
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
    return new(ctypes.addressof(api), b"dlpack_exchange_api", None)


def word(parameters: Any, place: int) -> int:
    """A parameter of a launch."""
    return ctypes.cast(parameters[place], ctypes.POINTER(ctypes.c_uint64))[0]


class Callbacks:
    """`cuCtxGetCurrent` and `cuLaunchKernel` of one context whose handle is 1."""

    GetCurrent = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_uint64))
    Launch = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.c_uint64, *[ctypes.c_uint] * 7, ctypes.c_uint64, ctypes.POINTER(ctypes.c_void_p),
        ctypes.c_void_p,
    )  # fmt: skip

    def __init__(self, launch: Callable[[int, tuple[int, ...], int, Any], None]) -> None:
        self._launch = launch
        self._functions = self.GetCurrent(self._current), self.Launch(self._launched)
        get_current, started = (ctypes.cast(one, ctypes.c_void_p).value or 0 for one in self._functions)
        self.addresses = get_current, started

    def _current(self, context: Any) -> int:
        context[0] = 1
        return 0

    def _launched(self, function: int, x: int, y: int, z: int, *rest: Any) -> int:
        *block, shared, stream, parameters, extra = rest
        assert (block, shared, extra) == ([1, 1, 1], 0, None)
        try:
            self._launch(function, (x, y, z), stream, parameters)
        except Exception:
            return 1
        return 0
