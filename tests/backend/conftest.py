"""Launches without a GPU: arrays that say they lie on one, and a driver that interprets what it is given."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ferrotile.backend import Counters, Launcher, Policy, Shelf
from ferrotile.capture.injected.ferrotile_recorder import driver
from ferrotile.core import tools

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
sys.path.insert(0, str(HERE))

from device_arrays import ELF, InterpretingDriver  # noqa: E402


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
