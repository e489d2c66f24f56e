"""A device without a GPU on which both launchers run as they are: cuda.tile's native one through a table of driver
functions, ours through the interpreting driver of tests/backend. Machine code is Tile IR.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "backend"))

from device_arrays import ELF, ExchangingArray, InterpretingDriver

from ferrotile.backend import Word
from ferrotile.bundle import numpy_dtype
from ferrotile.capture.injected.ferrotile_recorder import arguments
from ferrotile.core import EnvironmentFault, tools
from ferrotile.lift.source import ListParameter, parse_symbol
from ferrotile.transplant.case import CaseArray, read_case

CONTEXT, LIBRARY = 0x77, 0x88
_kept: list[Any] = []
_right_bits = Word.bits
_table: list[Table] = []
"""What cuda.tile found when it looked, once in this process."""


def assemble(bytecode: bytes, target: str, **options: Any) -> tools.Assembled:
    """In place of tileiras: Tile IR stays as it is."""
    return tools.Assembled(ELF + bytecode, None, False, 0.0)


class AddressedArray(ExchangingArray):
    """cuda.tile reads its address too; `whole` are its bytes from the first element to the last."""

    whole: np.ndarray[Any, Any]

    def __dlpack__(self, **rest: Any) -> Any:
        described = arguments.Array(self.dtype.name, self.shape, self.stride())
        self._view = arguments.View(described)
        self._view._managed.tensor.data = self.data_ptr()
        return self._view.__dlpack__()


class Interpreter(InterpretingDriver):
    """Does one thing wrong on request, only where our launcher launches."""

    array_class = AddressedArray

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault, self.count = fault, 0

    def addresses(self) -> Any:
        """With a fault, every launch is answered in Python, where the fault is."""
        return None if self.fault else super().addresses()

    def launch(self, function: int, grid: Any, stream: int, words: Any) -> None:
        self.count += 1
        if self.fault == "death":
            os._exit(9)
        if self.fault == "driver":
            raise EnvironmentFault("FT622", "`cuLaunchKernel` answers CUDA_ERROR_ILLEGAL_ADDRESS")
        super().launch(function, grid, stream, words)
        if self.fault == "flaky" and self.count == 2:
            self.arrays[max(self.arrays)].whole[:4] = 1  # type: ignore[attr-defined]


class FakeDevice:
    """`folder`: of the case, for the images that cuda.tile loads by address. `fault`: see `Interpreter`, or `packing`,
    `no device`, `broken torch`, `other target`.
    """

    about = "an interpreting device"
    stream = 0x1234

    def __init__(self, folder: Path, fault: str = "") -> None:
        if fault == "broken torch":
            raise OSError("libcudart.so.13: cannot open shared object file")
        if fault == "no device":
            raise EnvironmentFault("FT642", "there is no GPU")
        self.driver: Any = Interpreter(fault if fault != "packing" else "in Python")
        if fault == "other target":
            self.driver.target = lambda: "sm_100"
        Word.bits = _wrong_bits if fault == "packing" else _right_bits  # type: ignore[method-assign]
        if not _table:
            _table.append(Table())
            _install(_table[0])
        _table[0].use(folder, self.driver)

    def array(self, array: CaseArray, data: bytes) -> Any:
        dtype = numpy_dtype(array.dtype)
        whole = np.frombuffer(bytearray(data), np.uint8)
        strides = [stride * dtype.itemsize for stride in array.strides]
        bits = np.lib.stride_tricks.as_strided(whole.view(f"u{dtype.itemsize}"), array.shape, strides)
        made = self.driver.array(bits.view(dtype), array.offset)
        made.whole = whole
        return made

    def fill(self, made: Any, data: bytes) -> None:
        made.whole[...] = np.frombuffer(data, np.uint8)

    def bytes_of(self, made: Any) -> bytes:
        return made.whole.tobytes()

    def wait(self) -> None:
        """Launches are done when they return."""


def _wrong_bits(self: Word, passed: Any, table: Any) -> int:
    """For every pointer that of the array before."""
    if self.role == "pointer":
        self = replace(self, index=(self.index - 1) % len(passed.arrays))
    return _right_bits(self, passed, table)


class Table:
    """The functions of the driver that cuda.tile asks for, as far as a launch needs them."""

    driver: Interpreter
    images: list[bytes]
    loaded: bytes
    ranks: list[int]

    def __init__(self) -> None:
        self.memory: list[tuple[int, int]] = []
        self.functions = {name: _function(call, *kinds) for name, call, *kinds in (*_answers(), *self._calls())}

    def _calls(self) -> tuple[Any, ...]:
        pointer, out, size = ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t
        some = [pointer] * 6
        return (
            ("cuMemAlloc", self._allocate, out, size),
            ("cuMemAllocHost", self._allocate, out, size),
            ("cuLibraryLoadData", self._load, out, *some),
            ("cuLibraryGetKernel", self._kernel, out, pointer, ctypes.c_char_p),
            ("cuLaunchKernelEx", self._launch, ctypes.POINTER(ctypes.c_uint32), pointer, out, pointer),
        )

    def use(self, folder: Path, driver: Interpreter) -> None:
        """From now on, the images of a case and the driver of its device."""
        self.driver, self.images = driver, [path.read_bytes() for path in folder.glob("*.cubin")]
        symbol = parse_symbol(read_case(folder).symbol)
        parameters = () if symbol is None else symbol.parameters
        self.ranks = [one.element.rank for one in parameters if isinstance(one, ListParameter)]

    def find(self, name: bytes, out: Any, *rest: Any) -> None:
        """`cuGetProcAddress`."""
        _put(out, self.functions.get(name.decode(), _function(lambda: 100)))

    def _load(self, out: Any, address: int, *rest: Any) -> None:
        self.loaded = next(image for image in self.images if ctypes.string_at(address, len(image)) == image)
        _put(out, LIBRARY)

    def _kernel(self, out: Any, library: int, name: bytes) -> None:
        _put(out, self.driver.function(self.loaded, name.decode()))

    def _launch(self, config: Any, function: int, parameters: Any, extra: Any) -> None:
        entry = self.driver._functions[function - 1].entries[0]
        words = []
        for place, value in enumerate(entry.regions[0].block.args):
            element = getattr(value.type, "element", None)
            bits = 32 if getattr(element, "name", "") in ("i32", "f32") else 64
            words.append(ctypes.cast(parameters[place], ctypes.POINTER(ctypes.c_uint64))[0] & ((1 << bits) - 1))
        self.driver._tables = dict(self._tables(words))
        InterpretingDriver.launch(self.driver, function, tuple(config[0:3]), 0, words)

    def _allocate(self, out: Any, size: int) -> None:
        """Memory of the host stands for that of the device: only tables lie in it."""
        _kept.append(buffer := ctypes.create_string_buffer(size))
        self.memory.append((ctypes.addressof(buffer), size))
        _put(out, ctypes.addressof(buffer))

    def _tables(self, words: list[int]) -> Iterator[tuple[int, np.ndarray[Any, Any]]]:
        """Lists of arrays: the address of a table, then how many rows it has."""
        pairs = [(word, following) for word, following in itertools.pairwise(words) if self._is_table(word)]
        for (word, count), rank in zip(pairs, self.ranks, strict=True):
            data = ctypes.string_at(word, 8 * count * (1 + 2 * rank))
            yield word, np.frombuffer(data, np.uint64).reshape(count, 1 + 2 * rank)

    def _is_table(self, word: int) -> bool:
        return any(first <= word < first + size for first, size in self.memory)


def _answers() -> tuple[Any, ...]:
    """Functions that answer the same always: their names, what they do, and the types of what they are given."""
    pointer, number, out = ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p)
    return (
        ("cuInit", lambda flags: None, number),
        ("cuDriverGetVersion", _gives(13030, number), ctypes.POINTER(number)),
        ("cuPointerGetAttribute", lambda out, which, address: _put(out, CONTEXT), out, number, pointer),
        ("cuCtxGetCurrent", lambda out: _put(out, CONTEXT), out),
        ("cuCtxGetId", lambda context, out: _put(out, 5), pointer, ctypes.POINTER(ctypes.c_uint64)),
        ("cuCtxSetCurrent", lambda context: None, pointer),
        ("cuCtxPushCurrent", lambda context: None, pointer),
        ("cuCtxPopCurrent", lambda out: None, out),
        ("cuCtxGetDevice", lambda out: _put(out, 0), ctypes.POINTER(number)),
        ("cuDeviceGet", lambda out, which: _put(out, 0), ctypes.POINTER(number), number),
        ("cuDeviceGetCount", lambda out: _put(out, 1), ctypes.POINTER(number)),
        ("cuDeviceGetAttribute", _attribute, ctypes.POINTER(number), number, number),
        ("cuMemcpyHtoDAsync", _copy, pointer, pointer, ctypes.c_size_t, pointer),
        ("cuEventCreate", lambda out, flags: _put(out, 9), out, number),
        ("cuEventRecord", lambda event, stream: None, pointer, pointer),
        ("cuEventQuery", lambda event: None, pointer),
        ("cuLibraryUnload", lambda library: None, pointer),
        ("cuKernelGetFunction", lambda out, kernel: _put(out, kernel), out, pointer),
        ("cuStreamGetCtx", lambda stream, out: _put(out, CONTEXT), pointer, out),
        ("cuStreamGetId", lambda stream, out: _put(out, 3), pointer, ctypes.POINTER(ctypes.c_uint64)),
        ("cuStreamIsCapturing", lambda stream, out: _put(out, 0), pointer, ctypes.POINTER(number)),
    )


def _gives(value: int, kind: Any) -> Callable[[Any], None]:
    return lambda out: _put(out, value)


def _put(out: Any, value: Any) -> None:
    out[0] = value


def _copy(target: int, source: int, size: int, stream: int) -> None:
    ctypes.memmove(target, source, size)


def _attribute(out: Any, which: int, device: int) -> None:
    _put(out, {75: 9, 76: 0}.get(which, 1 << 16))


def _function(call: Callable[..., Any], *kinds: Any) -> int:
    """The address of a C function; what a call raises becomes an error of the driver."""

    def checked(*given: Any) -> int:
        try:
            return call(*given) or 0
        except Exception:
            return 700

    wrapped = ctypes.CFUNCTYPE(ctypes.c_int, *kinds)(checked)
    _kept.append(wrapped)
    address = ctypes.cast(wrapped, ctypes.c_void_p).value
    assert address is not None
    return address


def _install(table: Table) -> None:
    """Where cuda.tile looks for the driver; it looks once in a process."""
    pointer = ctypes.c_void_p
    kinds = (ctypes.c_char_p, ctypes.POINTER(pointer), ctypes.c_int, ctypes.c_uint64, pointer)
    cell = pointer(_function(table.find, *kinds))
    _kept.append(cell)
    module: Any = types.ModuleType("cuda.tile._load_libcuda")
    module.cuGetProcAddress_v2_ptrptr = ctypes.addressof(cell)
    sys.modules["cuda.tile._load_libcuda"] = module
