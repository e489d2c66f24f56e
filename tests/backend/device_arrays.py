"""Arrays that say they lie on a GPU, and a driver that interprets what it is given to launch."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import exchange
import numpy as np

from ferrotile import ir
from ferrotile.capture.injected.ferrotile_recorder import arguments
from ferrotile.core import Role
from ferrotile.interp import Table, interpret
from ferrotile.ir.types import PointerType

ELF = b"\x7fELF"


class DeviceArray:
    """A NumPy array that claims to be on the GPU, with the interface of torch's tensors; `claims` what is not true."""

    def __init__(self, data: np.ndarray[Any, Any], address: int, **claims: Any) -> None:
        self.data, self.dtype, self.shape, self._address = data, data.dtype, data.shape, address
        self._strides = tuple(step // data.itemsize for step in data.strides)
        self._device = (2, 0)
        self.__dict__.update(claims)

    def claiming(self, **claims: Any) -> DeviceArray:
        """The same array with other claims: `shape`, `_address`, `_strides`, `_device`."""
        return DeviceArray(self.data, self._address, **{**self.claims(), **claims})

    def claims(self) -> dict[str, Any]:
        """What it says of itself."""
        return {name: self.__dict__[name] for name in ("shape", "_strides", "_device")}

    def data_ptr(self) -> int:
        """The address it claims."""
        return self._address

    def stride(self) -> tuple[int, ...]:
        """Strides in elements."""
        return self._strides

    def __dlpack__(self, **rest: Any) -> Any:
        array = arguments.Array(self.dtype.name, self.shape, self.stride(), self._address % 256)
        self._view = arguments.View(array)
        return self._view.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device


class ExchangingArray(DeviceArray):
    """As torch's tensors from 2.10 on: what it is can be asked without a call of Python. Arrays of the other class are
    launched by Python each time.
    """

    __dlpack_c_exchange_api__ = exchange.capsule()

    def claiming(self, **claims: Any) -> DeviceArray:
        return ExchangingArray(self.data, self._address, **{**self.claims(), **claims})


class InterpretingDriver:
    """A driver whose machine code is Tile IR: a launch runs it on the arrays that lie at the addresses it is given."""

    array_class: type[DeviceArray] = ExchangingArray

    def __init__(self) -> None:
        self.arrays: dict[int, DeviceArray] = {}
        self.without_python = 0
        """Launches that came by the addresses."""
        self._callbacks = exchange.Callbacks(self._launch_by_address)
        self.loaded: list[str] = []
        self.launches: list[tuple[int, tuple[int, ...], list[int]]] = []
        self._functions: list[ir.Module] = []
        self._tables: dict[int, np.ndarray[Any, Any]] = {}
        self._addresses = itertools.count(1 << 20, 1 << 20)

    def array(self, data: np.ndarray[Any, Any], offset: int = 0) -> DeviceArray:
        """Put an array on the device, `offset` bytes behind an aligned address."""
        made = self.array_class(data, next(self._addresses) + offset)
        self.arrays[made.data_ptr()] = made
        return made

    @contextmanager
    def inside(self, stream: int, address: int | None) -> Iterator[int]:
        """There is one context."""
        yield 1

    def addresses(self) -> tuple[int, int]:
        """As functions of C that come back here."""
        return self._callbacks.addresses

    def device(self) -> int:
        """There is one."""
        return 0

    def target(self) -> str:
        """Of the one device."""
        return "sm_90"

    def function(self, cubin: bytes, entry: str) -> int:
        """Handles are numbers from 1."""
        assert cubin.startswith(ELF)
        self.loaded.append(entry)
        self._functions.append(ir.decode(cubin.removeprefix(ELF)))
        return len(self._functions)

    def launch(self, function: int, grid: Sequence[int], stream: int, words: Sequence[int]) -> None:
        """Interpret, and write what came out back into the arrays."""
        self.launches.append((stream, tuple(grid), list(words)))
        module = self._functions[function - 1]
        kinds = [value.type for value in module.entries[0].regions[0].block.args]
        roles: list[Role] = []
        given: list[DeviceArray] = []
        listed: list[DeviceArray] = []
        numbers: list[Any] = []
        for word, kind in zip(words, kinds, strict=True):
            if word in self._tables:
                roles.append(Role.scalar(_count(numbers)))
                items = [self.arrays[int(row[0])] for row in self._tables[word]]
                numbers.append(Table(tuple(item.data for item in items)))
                listed += items
            elif isinstance(kind.element, PointerType):  # type: ignore[attr-defined]
                roles.append(Role.pointer(len(given)))
                given.append(self.arrays[word])
            else:
                roles.append(Role.scalar(_count(numbers)))
                numbers.append(_number(word, kind.element.name))  # type: ignore[attr-defined]
        result = interpret(module, [*(one.data for one in given), *numbers], grid, roles=roles)
        after = (*result.arrays, *(left for left, _ in result.listed))
        for array, left in zip((*given, *listed), after, strict=True):
            array.data[...] = left

    def _launch_by_address(self, function: int, grid: tuple[int, ...], stream: int, parameters: Any) -> None:
        count = len(self._functions[function - 1].entries[0].regions[0].block.args)
        self.launch(function, grid, stream, [exchange.word(parameters, place) for place in range(count)])
        self.without_python += 1

    @contextmanager
    def tables(self, stream: int) -> Iterator[Callable[[np.ndarray[Any, Any]], int]]:
        """Tables live for the time of a launch."""

        def put(rows: np.ndarray[Any, Any]) -> int:
            address = next(self._addresses)
            self._tables[address] = rows
            return address

        yield put
        self._tables.clear()

    def time(self, stream: int, call: Callable[[], None], flush: bool) -> float:
        """Every launch takes the same time."""
        call()
        return 10.0


def _count(numbers: list[Any]) -> int:
    """Scalars so far; a table is two."""
    return sum(2 if isinstance(one, Table) else 1 for one in numbers)


def _number(word: int, name: str) -> Any:
    """What the low bits of a word are as an element type."""
    if name == "f32":
        return np.asarray(word, np.uint32).view(np.float32)[()]
    bits = int(name[1:])
    return word - (1 << bits) if word >= 1 << (bits - 1) else word
