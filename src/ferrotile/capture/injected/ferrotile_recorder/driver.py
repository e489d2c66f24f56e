"""A stand-in for the CUDA driver, as far as cuda.tile asks it before it has a device.

cuda.tile derives the signature of a launch in native code, which loads the driver first; it gets the driver's table
of functions through the Python module `cuda.tile._load_libcuda`. Ours says that the driver is there, has a version,
and knows nothing of any pointer; every other function answers "no device".
"""

from __future__ import annotations

import ctypes
import sys
import types
from typing import Any

VERSION = 13030
SUCCESS, NO_DEVICE = 0, 100
_kept: list[Any] = []


def install() -> None:
    """Put the stand-in where cuda.tile looks for the driver."""
    module: Any = types.ModuleType("cuda.tile._load_libcuda")
    cell = ctypes.c_void_p(_function_table())
    _kept.append(cell)
    module.cuGetProcAddress_v2_ptrptr = ctypes.addressof(cell)
    sys.modules["cuda.tile._load_libcuda"] = module


def _function_table() -> int:
    pointer, number = ctypes.c_void_p, ctypes.c_int

    def version(out: Any) -> int:
        out[0] = VERSION
        return SUCCESS

    def attribute(out: Any, which: int, address: int) -> int:
        out[0] = None
        return SUCCESS

    def message(error: int, out: Any) -> int:
        out[0] = b"no device: launches are only recorded"
        return SUCCESS

    known = {
        b"cuInit": _callback(lambda flags: SUCCESS, number),
        b"cuDriverGetVersion": _callback(version, ctypes.POINTER(number)),
        b"cuPointerGetAttribute": _callback(attribute, ctypes.POINTER(pointer), number, pointer),
        b"cuGetErrorString": _callback(message, number, ctypes.POINTER(ctypes.c_char_p)),
    }
    refusal = _callback(lambda: NO_DEVICE)

    def find(name: bytes, out: Any, version: int, flags: int, status: int) -> int:
        out[0] = known.get(name, refusal)
        return SUCCESS

    return _callback(find, ctypes.c_char_p, ctypes.POINTER(pointer), number, ctypes.c_uint64, pointer)


def _callback(function: Any, *argument_types: Any) -> int:
    """The address of a C function that calls a Python function; both live as long as the process."""
    wrapped = ctypes.CFUNCTYPE(ctypes.c_int, *argument_types)(function)
    _kept.append(wrapped)
    address = ctypes.cast(wrapped, ctypes.c_void_p).value
    assert address is not None
    return address
