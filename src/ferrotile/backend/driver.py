"""The CUDA driver, as far as a launch needs it: the caller's context, programs, launches on the caller's stream.

Called through ctypes: nothing is built, and nothing but the driver of the machine is needed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from ferrotile.core import EnvironmentFault

LIBRARY = "libcuda.so.1"
_LAST_DEFAULT_STREAM = 2
"""Handles up to this one stand for the default streams of the current context."""
_CAPABILITY_MAJOR, _CAPABILITY_MINOR, _L2_SIZE = 75, 76, 38
"""CUdevice_attribute."""
_CONTEXT_OF_POINTER = 1
"""CUpointer_attribute."""


class Driver(Protocol):
    """What the launcher asks of a driver. Contexts, functions and streams are the driver's handles."""

    def inside(self, stream: int, address: int | None) -> AbstractContextManager[int]:
        """Makes the context of a stream current for a time, and gives it. That of a default stream is the current one,
        else that of an address, which stays current.
        """
        ...

    def addresses(self) -> tuple[int, int] | None:
        """Where `cuCtxGetCurrent` and `cuLaunchKernel` are, for launches without Python; or None."""
        ...

    def device(self) -> int:
        """The number of the current context's device."""
        ...

    def target(self) -> str:
        """The architecture of the current context's device, such as `sm_90`."""
        ...

    def function(self, cubin: bytes, entry: str) -> int:
        """Load a program into the current context."""
        ...

    def launch(self, function: int, grid: Sequence[int], stream: int, words: Sequence[int]) -> None:
        """Launch on a stream; does not wait."""
        ...

    def tables(self, stream: int) -> Any:
        """A context manager around a launch, that gives what puts tables into the GPU's memory for its time."""
        ...

    def time(self, stream: int, call: Callable[[], None], flush: bool) -> float:
        """How long what a call puts on a stream takes there; with `flush` the L2 cache is emptied before."""
        ...


class CudaDriver:
    """The driver of this machine, loaded at the first call. Raises: FT622 there is none, or it refuses a call."""

    def __init__(self) -> None:
        self._targets: dict[int, str] = {}
        self._flushed: dict[int, tuple[ctypes.c_void_p, int]] = {}

    @cached_property
    def _library(self) -> ctypes.CDLL:
        try:
            library = ctypes.CDLL(LIBRARY)
        except OSError:
            raise EnvironmentFault("FT622", f"there is no CUDA driver here: `{LIBRARY}` does not load") from None
        if status := library.cuInit(0):
            raise EnvironmentFault("FT622", f"the CUDA driver does not start: error {status}")
        return library

    def context(self, address: int | None) -> int:
        """The current context; one of an address is made current in a thread that has none."""
        handle = ctypes.c_void_p()
        self._call("cuCtxGetCurrent", ctypes.byref(handle))
        if handle.value is None and address:
            self._call("cuPointerGetAttribute", ctypes.byref(handle), _CONTEXT_OF_POINTER, ctypes.c_uint64(address))
            self._call("cuCtxSetCurrent", handle)
        if handle.value is None:
            raise EnvironmentFault("FT622", "this thread has no CUDA context, and no array tells of one")
        return handle.value

    @contextmanager
    def inside(self, stream: int, address: int | None) -> Iterator[int]:
        """The stream's own context, as cuTile Python has it; what was current is current again afterwards."""
        if stream <= _LAST_DEFAULT_STREAM:
            yield self.context(address)
            return
        current, of_stream = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuCtxGetCurrent", ctypes.byref(current))
        self._call("cuStreamGetCtx", ctypes.c_void_p(stream), ctypes.byref(of_stream))
        if current.value == of_stream.value:
            yield self.context(address)
            return
        self._call("cuCtxSetCurrent", of_stream)
        try:
            yield self.context(address)
        finally:
            self._call("cuCtxSetCurrent", current if current.value else of_stream)

    def addresses(self) -> tuple[int, int]:
        """In the library that is loaded."""
        get_current, launch = (
            ctypes.cast(getattr(self._library, name), ctypes.c_void_p).value or 0
            for name in ("cuCtxGetCurrent", "cuLaunchKernel")
        )
        return get_current, launch

    def target(self) -> str:
        """From the compute capability of the current device."""
        device = self.device()
        if device not in self._targets:
            digits = (self._attribute(which, device) for which in (_CAPABILITY_MAJOR, _CAPABILITY_MINOR))
            self._targets[device] = "sm_" + "".join(map(str, digits))
        return self._targets[device]

    def function(self, cubin: bytes, entry: str) -> int:
        """The entry of a program; the program stays loaded as long as its context lives."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self._call("cuModuleLoadData", ctypes.byref(module), cubin)
        self._call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
        assert function.value is not None
        return function.value

    def launch(self, function: int, grid: Sequence[int], stream: int, words: Sequence[int]) -> None:
        """One thread block of size 1 is asked for: Tile IR programs bring their own number of threads."""
        count = max(len(words), 1)
        values = (ctypes.c_uint64 * count)(*words)
        start = ctypes.addressof(values)
        pointers = (ctypes.c_void_p * count)(*range(start, start + 8 * count, 8))
        x, y, z = (*grid, 1, 1)[:3]
        handle, queue = ctypes.c_void_p(function), ctypes.c_void_p(stream)
        self._call("cuLaunchKernel", handle, x, y, z, 1, 1, 1, 0, queue, pointers, None)

    @contextmanager
    def tables(self, stream: int) -> Iterator[Callable[[np.ndarray[Any, Any]], int]]:
        """Tables lie in memory that is taken and given back in the order of the stream."""
        taken: list[ctypes.c_uint64] = []
        queue = ctypes.c_void_p(stream)

        def put(rows: np.ndarray[Any, Any]) -> int:
            taken.append(address := ctypes.c_uint64())
            self._call("cuMemAllocAsync", ctypes.byref(address), ctypes.c_size_t(max(rows.nbytes, 8)), queue)
            source = ctypes.c_void_p(rows.ctypes.data)
            self._call("cuMemcpyHtoDAsync_v2", address, source, ctypes.c_size_t(rows.nbytes), queue)
            return address.value

        try:
            yield put
        finally:
            for address in taken:
                self._call("cuMemFreeAsync", address, queue)

    def time(self, stream: int, call: Callable[[], None], flush: bool) -> float:
        """Between two events. Unit: microseconds."""
        queue, events = ctypes.c_void_p(stream), (ctypes.c_void_p(), ctypes.c_void_p())
        for event in events:
            self._call("cuEventCreate", ctypes.byref(event), 0)
        try:
            if flush:
                memory, size = self._flush_memory()
                self._call("cuMemsetD8Async", memory, ctypes.c_ubyte(0), ctypes.c_size_t(size), queue)
            self._call("cuEventRecord", events[0], queue)
            call()
            self._call("cuEventRecord", events[1], queue)
            self._call("cuEventSynchronize", events[1])
            elapsed = ctypes.c_float()
            self._call("cuEventElapsedTime", ctypes.byref(elapsed), *events)
            return 1000.0 * elapsed.value
        finally:
            for event in events:
                self._call("cuEventDestroy_v2", event)

    def _flush_memory(self) -> tuple[ctypes.c_void_p, int]:
        """Memory of twice the size of the L2 cache, taken once for a device."""
        device = self.device()
        if device not in self._flushed:
            size = 2 * self._attribute(_L2_SIZE, device)
            address = ctypes.c_void_p()
            self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
            self._flushed[device] = address, size
        return self._flushed[device]

    def device(self) -> int:
        """As the CUDA driver numbers it; PyTorch and DLPack number devices alike."""
        device = ctypes.c_int()
        self._call("cuCtxGetDevice", ctypes.byref(device))
        return device.value

    def _attribute(self, which: int, device: int) -> int:
        value = ctypes.c_int()
        self._call("cuDeviceGetAttribute", ctypes.byref(value), which, device)
        return value.value

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self._library.cuGetErrorName(status, ctypes.byref(text))
            raise EnvironmentFault("FT622", f"`{name}` answers {(text.value or b'?').decode()}")
