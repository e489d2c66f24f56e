"""Launches without a GPU: arrays that say they lie on one, and a driver that interprets what it is given."""

from __future__ import annotations

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile import ir
from ferrotile.backend import Counters, Launcher, Policy, Shelf
from ferrotile.capture.injected.ferrotile_recorder import arguments, driver
from ferrotile.core import Role, tools
from ferrotile.interp import Table, interpret
from ferrotile.ir.types import PointerType

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
ELF = b"\x7fELF"


class DeviceArray:
    """A NumPy array that claims to be on the GPU, with the interface of torch's tensors."""

    def __init__(self, data: np.ndarray[Any, Any], address: int) -> None:
        self.data, self.dtype, self.shape, self._address = data, data.dtype, data.shape, address

    def data_ptr(self) -> int:
        """The address it claims."""
        return self._address

    def stride(self) -> tuple[int, ...]:
        """Strides in elements."""
        return tuple(step // self.data.itemsize for step in self.data.strides)

    def __dlpack__(self, **rest: Any) -> Any:
        array = arguments.Array(self.dtype.name, self.shape, self.stride(), self._address % 256)
        self._view = arguments.View(array)
        return self._view.__dlpack__()

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


class InterpretingDriver:
    """A driver whose machine code is Tile IR: a launch runs it on the arrays that lie at the addresses it is given."""

    def __init__(self) -> None:
        self.arrays: dict[int, DeviceArray] = {}
        self.loaded: list[str] = []
        self.launches: list[tuple[int, tuple[int, ...], list[int]]] = []
        self._functions: list[ir.Module] = []
        self._tables: dict[int, np.ndarray[Any, Any]] = {}
        self._addresses = itertools.count(1 << 20, 1 << 20)

    def array(self, data: np.ndarray[Any, Any], offset: int = 0) -> DeviceArray:
        """Put an array on the device, `offset` bytes behind an aligned address."""
        made = DeviceArray(data, next(self._addresses) + offset)
        self.arrays[made.data_ptr()] = made
        return made

    def context(self, address: int | None) -> int:
        """There is one."""
        return 1

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
        numbers: list[Any] = []
        for word, kind in zip(words, kinds, strict=True):
            if word in self._tables:
                roles.append(Role.scalar(_count(numbers)))
                numbers.append(Table(tuple(self.arrays[int(row[0])].data for row in self._tables[word])))
            elif isinstance(kind.element, PointerType):  # type: ignore[attr-defined]
                roles.append(Role.pointer(len(given)))
                given.append(self.arrays[word])
            else:
                roles.append(Role.scalar(_count(numbers)))
                numbers.append(_number(word, kind.element.name))  # type: ignore[attr-defined]
        result = interpret(module, [*(one.data for one in given), *numbers], grid, roles=roles)
        for array, after in zip(given, result.arrays, strict=True):
            array.data[...] = after

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


@pytest.fixture(scope="package", autouse=True)
def programs() -> Iterator[None]:
    """Example kernels and the stand-in for TileGym can be imported; cuda.tile meets a driver without a device."""
    paths = [str(EXAMPLES), str(HERE / "fake_tilegym"), str(HERE)]
    sys.path[:0] = paths
    driver.install()
    yield
    for path in paths:
        sys.path.remove(path)
    for name in [name for name in sys.modules if name.split(".")[0] == "tilegym" or name == "ferrotile.tilegym"]:
        del sys.modules[name]


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> InterpretingDriver:
    """A device whose assembler leaves Tile IR as it is."""

    def assemble(bytecode: bytes, target: str, **options: Any) -> tools.Assembled:
        return tools.Assembled(ELF + bytecode, None, False, 0.0)

    monkeypatch.setattr(tools, "assemble", assemble)
    return InterpretingDriver()


@pytest.fixture(scope="package")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of kernels that tests share."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def launcher(device: InterpretingDriver, kernels: Path) -> Launcher:
    """A launcher with counters of its own."""
    return Launcher(device, Shelf(kernels), Counters(), Policy.RAISE)


@pytest.fixture
def example() -> Callable[[str], Any]:
    """A kernel of examples/ by name."""
    return lambda name: getattr(importlib.import_module(name), name)
