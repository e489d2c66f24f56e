"""What a kernel can learn of an array that is passed to it, whatever library the array is of."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

ALIGNMENT = 256
"""Device memory is allocated at multiples of this. Unit: bytes."""


@dataclass(frozen=True)
class Array:
    """An array. Units: `strides` in elements; `offset` in bytes, of the first element from an address that is a
    multiple of 256. Arrays of a launch with the same `buffer` lie in the same allocation; None: not known.
    """

    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
    buffer: int | None = None


def described(arguments: Sequence[Any]) -> tuple[Any, ...]:
    """The arguments of a launch with an `Array` in place of every array; lists and tuples are gone through."""
    numbers: dict[int, int] = {}
    return tuple(_numbered(_described(argument), numbers) for argument in arguments)


def _numbered(value: Any, numbers: dict[int, int]) -> Any:
    """Buffers are counted from 0 in every launch: their addresses are other ones in every run."""
    if type(value) in (list, tuple):
        return _like(value, (_numbered(item, numbers) for item in value))
    if isinstance(value, Array) and value.buffer is not None:
        return replace(value, buffer=numbers.setdefault(value.buffer, len(numbers)))
    return value


def _described(value: Any) -> Any:
    if type(value) in (list, tuple):
        return _like(value, map(_described, value))
    if (torch := sys.modules.get("torch")) is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return _of_torch(value)
    if (numpy := sys.modules.get("numpy")) is not None and isinstance(value, numpy.generic):
        return value  # a number that has the attributes of an array
    for attribute, read in _PROTOCOLS.items():
        if not isinstance(value, type) and hasattr(value, attribute):
            return read(value)
    return value


def _like(value: Any, items: Iterable[Any]) -> Any:
    """A list of items for a list, a tuple for a tuple."""
    return list(items) if isinstance(value, list) else tuple(items)


def _of_torch(tensor: Any) -> Array:
    with sys.modules["torch"]._C.DisableTorchFunction():
        is_on_device = bool(tensor.is_cuda)
    within = int(tensor.storage_offset()) * int(tensor.element_size())
    return Array(
        str(tensor.dtype).removeprefix("torch."),
        tuple(int(extent) for extent in tensor.shape),
        tuple(int(stride) for stride in tensor.stride()),
        int(tensor.data_ptr()) % ALIGNMENT if is_on_device else within,
        int(tensor.untyped_storage()._cdata),
    )


def _of_cuda_interface(value: Any) -> Array:
    return _of_interface(value, value.__cuda_array_interface__, lambda address: (address % ALIGNMENT, None))


def _of_numpy_interface(value: Any) -> Array:
    """Host memory stands for device memory: what owns it is taken to be aligned as the device does it."""
    owner = value
    while (base := getattr(owner, "base", None)) is not None and hasattr(base, "__array_interface__"):
        owner = base
    start = int(owner.__array_interface__["data"][0])
    return _of_interface(value, value.__array_interface__, lambda address: (address - start, start))


def _of_interface(value: Any, facts: dict[str, Any], place: Callable[[int], tuple[int, int | None]]) -> Array:
    shape = tuple(int(extent) for extent in facts["shape"])
    kind = facts["typestr"]
    size = int(kind[2:])
    # The letter is an abbreviation that new types lack; their arrays have a dtype with a name.
    name = getattr(getattr(value, "dtype", None), "name", None) or _LETTERS.get(kind[1], "") + str(8 * size)
    strides = facts.get("strides")
    elements = _row_major(shape) if strides is None else tuple(int(stride) // size for stride in strides)
    offset, buffer = place(int(facts["data"][0]))
    return Array("bool" if kind[1] == "b" else name, shape, elements, offset, buffer)


def _of_dlpack(value: Any) -> Array:
    capsule = value.__dlpack__()
    address = _capsule_pointer(capsule, b"dltensor")
    tensor = _Managed.from_address(address).tensor
    shape = tuple(tensor.shape[axis] for axis in range(tensor.ndim))
    strides = tuple(tensor.strides[axis] for axis in range(tensor.ndim)) if tensor.strides else _row_major(shape)
    first = (tensor.data or 0) + tensor.byte_offset
    return Array(_dtype_name(tensor.code, tensor.bits * tensor.lanes), shape, strides, first % ALIGNMENT)


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, product = [], 1
    for extent in reversed(shape):
        strides.append(product)
        product *= extent
    return tuple(reversed(strides))


_PROTOCOLS: dict[str, Callable[[Any], Array]] = {
    "__cuda_array_interface__": _of_cuda_interface,
    "__array_interface__": _of_numpy_interface,
    "__dlpack__": _of_dlpack,
}
_LETTERS = {"i": "int", "u": "uint", "f": "float"}


class _Tensor(ctypes.Structure):
    """DLTensor of the DLPack standard."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter))


_keep = _Deleter(lambda address: None)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

_CUDA = 2
_KINDS = {"int": 0, "uint": 1, "float": 2, "bfloat": 4}
_ODD = {
    "bool": (6, 8),
    "float8_e4m3fn": (10, 8),
    "float8_e5m2": (12, 8),
    "float8_e8m0fnu": (14, 8),
    "float4_e2m1fn": (17, 4),
}


class View:
    """An array on CUDA device 0, as DLPack tells it; nothing may be read from it."""

    def __init__(self, array: Array) -> None:
        rank = len(array.shape)
        extents = ctypes.c_int64 * max(rank, 1)
        numbers = ctypes.POINTER(ctypes.c_int64)
        self._shape, self._strides = extents(*array.shape), extents(*array.strides)
        code, bits = _code(array.dtype)
        tensor = _Tensor(
            (1 << 40) + array.offset,
            _CUDA,
            0,
            rank,
            code,
            bits,
            1,
            ctypes.cast(self._shape, numbers),
            ctypes.cast(self._strides, numbers),
            0,
        )
        self._managed = _Managed(tensor, None, _keep)

    def __dlpack__(self, stream: Any = None, **rest: Any) -> Any:
        return _new_capsule(ctypes.addressof(self._managed), b"dltensor", None)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, 0


def viewed(value: Any) -> Any:
    """The described value with a `View` in place of every `Array`: what cuda.tile takes for arrays on a device."""
    if isinstance(value, Array):
        return View(value)
    if type(value) in (list, tuple):
        return _like(value, map(viewed, value))
    return value


def _code(dtype: str) -> tuple[int, int]:
    """DLPack's code and bits of a dtype. Raises: TypeError."""
    if dtype in _ODD:
        return _ODD[dtype]
    kind = dtype.rstrip("0123456789")
    if kind not in _KINDS or kind == dtype:
        raise TypeError(f"arrays of `{dtype}` cannot be recorded")
    return _KINDS[kind], int(dtype[len(kind) :])


def _dtype_name(code: int, bits: int) -> str:
    names = [name for name, pair in _ODD.items() if pair == (code, bits)]
    names += [f"{kind}{bits}" for kind, other in _KINDS.items() if other == code]
    return names[0] if names else f"dlpack type {code}"
