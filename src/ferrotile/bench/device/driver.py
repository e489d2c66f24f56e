"""The few driver calls that a measurement needs: context, memory, programs, launches. Needs cuda-bindings and a GPU."""

from __future__ import annotations

import ctypes
import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ferrotile.bench.device.fill import content
from ferrotile.bench.device.plan import ArrayPlan, PairPlan, Parameter, SidePlan
from ferrotile.core import EnvironmentFault

ALIGNMENT = 256
CTYPES: dict[str, Any] = {
    "i1": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f16": ctypes.c_uint16,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


def bindings() -> Any:
    """cuda-bindings' driver module. Raises: FT711."""
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise EnvironmentFault(
            "FT711", f"cuda-bindings cannot be imported: {error}", hint="pip install ferrotile[gpu]"
        ) from None


def checked(answer: tuple[Any, ...]) -> Any:
    """What a driver call gave. Raises: FT712 with the driver's name for the error."""
    status, *values = answer
    if int(status):
        raise EnvironmentFault("FT712", f"the driver says {status.name}")
    return values[0] if len(values) == 1 else values


class Device:
    """The first GPU: its context, a stream, and memory to flush the L2 cache with."""

    def __init__(self) -> None:
        self.api = bindings()
        checked(self.api.cuInit(0))
        handle = checked(self.api.cuDeviceGet(0))
        self.context = checked(self.api.cuDevicePrimaryCtxRetain(handle))
        checked(self.api.cuCtxSetCurrent(self.context))
        self.stream = checked(self.api.cuStreamCreate(0))
        name = bytes(checked(self.api.cuDeviceGetName(256, handle)))
        self.name = name.split(b"\0")[0].decode(errors="replace")
        cache = checked(
            self.api.cuDeviceGetAttribute(self.api.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, handle)
        )
        self.flush_size = 2 * int(cache)
        self.flush_memory = checked(self.api.cuMemAlloc(self.flush_size))
        self.modules: dict[bytes, Any] = {}

    def flush(self) -> None:
        """Overwrite more than the L2 cache holds."""
        checked(self.api.cuMemsetD32Async(self.flush_memory, 0, self.flush_size // 4, self.stream))

    def wait(self) -> None:
        """Wait for the stream."""
        checked(self.api.cuStreamSynchronize(self.stream))

    def function(self, folder: Path, side: SidePlan) -> Any:
        """A program's entry; machine code, or PTX that the driver compiles."""
        image = (folder / side.image).read_bytes()
        if image not in self.modules:
            self.modules[image] = checked(self.api.cuModuleLoadData(image + b"\0"))
        return checked(self.api.cuModuleGetFunction(self.modules[image], side.entry.encode()))

    def launch(self, function: Any, pair: PairPlan, packed: Packed) -> None:
        """Launch on the stream."""
        checked(self.api.cuLaunchKernel(function, *pair.grid, *pair.block, 0, self.stream, packed.address, 0))


class Memory:
    """One set of a pair's arrays on the GPU. The same seed gives the same bytes."""

    def __init__(self, device: Device, arrays: Sequence[ArrayPlan], seed: int) -> None:
        self.device, self.arrays, self.seed = device, arrays, seed
        self.bases = [checked(device.api.cuMemAlloc(max(array.size + array.offset, 16))) for array in arrays]
        self.tables: list[Any] = []
        self.fill()

    def address(self, array: int) -> int:
        """Where an array begins."""
        return int(self.bases[array]) + self.arrays[array].offset

    def fill(self) -> None:
        """Give every array its first content."""
        for number, array in enumerate(self.arrays):
            if array.size:
                data = content(array, [self.seed, number])
                checked(self.device.api.cuMemcpyHtoD(self.address(number), data.ctypes.data, data.nbytes))

    def bytes_of(self, array: int) -> np.ndarray:
        """What an array holds now."""
        data = np.empty(self.arrays[array].size, np.uint8)
        if data.size:
            checked(self.device.api.cuMemcpyDtoH(data.ctypes.data, self.address(array), data.nbytes))
        return data

    def table(self, parameter: Parameter) -> int:
        """Write a table of arrays and give its address."""
        rows = zip(parameter.arrays, parameter.rows, strict=True)
        words = np.array([[self.address(array), *row] for array, row in rows], np.int64)
        self.tables.append(checked(self.device.api.cuMemAlloc(words.nbytes)))
        checked(self.device.api.cuMemcpyHtoD(int(self.tables[-1]), words.ctypes.data, words.nbytes))
        return int(self.tables[-1])

    def free(self) -> None:
        """Give the memory back."""
        for base in (*self.bases, *self.tables):
            checked(self.device.api.cuMemFree(base))


class Packed:
    """The arguments of one side over one set of arrays, as cuLaunchKernel takes them."""

    def __init__(self, memory: Memory, side: SidePlan) -> None:
        self._values = [_word(memory, parameter) for parameter in side.parameters]
        self._pointers = (ctypes.c_void_p * max(len(self._values), 1))(*map(ctypes.addressof, self._values))
        self.address = ctypes.addressof(self._pointers)


def _word(memory: Memory, parameter: Parameter) -> Any:
    if parameter.kind == "pointer":
        return ctypes.c_uint64(memory.address(parameter.array))
    if parameter.kind == "table":
        return ctypes.c_uint64(memory.table(parameter))
    if parameter.type == "f16":
        return ctypes.c_uint16(int(np.float16(parameter.value).view(np.uint16)))
    return CTYPES[parameter.type](parameter.value)
