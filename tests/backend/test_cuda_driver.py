"""The calls of the CUDA driver, against a driver in C that writes them down."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile.backend import CudaDriver
from ferrotile.core import EnvironmentFault

ADDRESS = 0x75_0000_1000
STREAM = 0x76_0000_0060


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver in C."""
    path = tmp_path_factory.mktemp("driver") / "libcuda-log.so"
    command = ["gcc", "-shared", "-fPIC", "-w", str(Path(__file__).parent / "driver.c"), "-o", str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.fixture
def said(library: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What was called since the test began."""
    monkeypatch.setattr("ferrotile.backend.driver.LIBRARY", str(library))
    loaded = ctypes.CDLL(str(library))
    loaded.said.restype = ctypes.c_char_p
    loaded.forget()
    loaded.cuCtxSetCurrent(None)
    return lambda: loaded.said().decode().splitlines()


def started(driver: Any) -> int:
    """A function of a context that an address led to."""
    assert driver.context(ADDRESS) == 0x71_0000_0010 == driver.context(None)
    return driver.function(b"\x7fELF machine code", "entry")


def test_a_thread_without_a_context_gets_that_of_the_array(said: Callable[[], list[str]]) -> None:
    driver = CudaDriver()
    with pytest.raises(EnvironmentFault, match=r"FT622.*no CUDA context"):
        driver.context(None)
    assert started(driver) == 0x73_0000_0030 and driver.target() == "sm_90"
    assert "current 0x7100000010" in said() and "function entry" in said()


def test_words_and_grid_arrive_whole(said: Callable[[], list[str]]) -> None:
    driver = CudaDriver()
    driver.launch(started(driver), (3, 2), STREAM, [ADDRESS, 7])
    assert said()[-1] == "launch 3 2 1 stream 0x7600000060 7500001000 7"


def test_tables_are_given_back_behind_the_launch(said: Callable[[], list[str]]) -> None:
    driver = CudaDriver()
    function = started(driver)
    with driver.tables(STREAM) as put:
        address = put(np.array([[ADDRESS, 5, 1]], np.uint64))
        driver.launch(function, (1,), STREAM, [address, 1])
    assert [line.split()[0] for line in said()[-4:]] == ["take", "copy", "launch", "give"]
    assert said()[-3] == "copy 7500000050 7500001000 5 1"


def test_a_timed_launch_stands_between_two_events(said: Callable[[], list[str]]) -> None:
    driver = CudaDriver()
    function = started(driver)
    for flush in (True, False):
        assert driver.time(STREAM, lambda: driver.launch(function, (1,), STREAM, [1, 2]), flush) == 250.0
    lines = [line.split()[0] for line in said()[said().index("function entry") + 1 :]]
    assert lines == ["flush", "flush", "record", "launch", "record", "record", "launch", "record"]


def test_what_the_driver_refuses_is_said_by_its_name(said: Callable[[], list[str]]) -> None:
    driver = CudaDriver()
    function = started(driver)
    with pytest.raises(EnvironmentFault, match=r"FT622.*CUDA_ERROR_INVALID_IMAGE"):
        driver.function(b"no machine code", "entry")
    with pytest.raises(EnvironmentFault, match="`cuLaunchKernel` answers CUDA_ERROR_INVALID_VALUE"):
        driver.launch(function, (0,), STREAM, [1, 2])
