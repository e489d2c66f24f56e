"""Planted faults: how a bundle is changed, what the device does wrong, and how the case is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from fake_device import FakeDevice

from ferrotile.bundle import read, write
from ferrotile.core.parameters import ParameterMap, Role
from ferrotile.transplant import Asked, Right, Setting
from ferrotile.transplant.cells import Attempt, attempt
from ferrotile.transplant.decision import Cell
from ferrotile.workflow import Given

Change = Callable[[Path], None]


def subtract(bundle: Path) -> None:
    """Another kernel: a difference in place of the sum."""
    path = bundle / "kernel.rs"
    text = path.read_text()
    assert "left + right" in text
    path.write_text(text.replace("left + right", "left - right"))


def swap_map(bundle: Path) -> None:
    """The map says that our program takes the arrays in another order than it does."""
    proof = read(bundle)
    assert proof.parameters is not None
    swap = {0: 2, 2: 0}
    lowered = tuple(
        Role(role.kind, None if role.array is None else swap.get(role.array, role.array), role.axis, role.index)
        for role in proof.parameters.lowered
    )
    write(bundle, proof.model_copy(update={"parameters": ParameterMap(proof.parameters.reference, lowered)}))


def need_two_rows(bundle: Path) -> None:
    """Our program is said to need a fact that the launch lacks."""
    write(bundle, read(bundle).model_copy(update={"launch_checks": ("grid.y == 2",)}))


def own_arrays(bundle: Path) -> Setting:
    rng = np.random.default_rng(1)
    for name in ("a", "b"):
        np.save(bundle / f"{name}.npy", rng.standard_normal(4096).astype(np.float32))
    given = Given({"a": str(bundle / "a.npy"), "b": str(bundle / "b.npy"), "total": "4096"})
    return Setting(Asked(given, grid=(4,)))


def list_of_arrays(bundle: Path) -> Setting:
    """The second array of a list, times a number: a table in memory, and numbers of two types."""
    files = [str(bundle / f"item-{number}.npy") for number in range(3)]
    for number, file in enumerate(files):
        np.save(file, np.full(128, number + 1, np.float32))
    given = Given({"arrays": ",".join(files), "out": "128"}, {"factor": "0.5", "which": "1"})
    return Setting(Asked(given, grid=(2,)))


def expect_zeros(bundle: Path) -> Setting:
    np.save(bundle / "total.npy", np.zeros(256, np.float32))
    return Setting(right=Right(expected={"total": str(bundle / "total.npy")}))


@dataclass(frozen=True, slots=True)
class Scenario:
    """One case. `fault` is one of `fake_device`."""

    change: Change = lambda bundle: None
    fault: str = ""
    setting: Callable[[Path], Setting] = field(default=lambda bundle: Setting())
    launches: int = 1
    example: str = "vector_add.f32"


SCENARIOS = {
    "right": Scenario(launches=3),
    "other arguments": Scenario(example="rms_norm"),
    "list of arrays": Scenario(example="chosen", setting=list_of_arrays, launches=2),
    "wrong kernel": Scenario(subtract),
    "wrong packing": Scenario(fault="packing"),
    "both": Scenario(subtract, "packing"),
    "swapped map": Scenario(swap_map),
    "death": Scenario(fault="death"),
    "driver": Scenario(fault="driver"),
    "flaky": Scenario(fault="flaky", launches=3),
    "lacking fact": Scenario(need_two_rows),
    "no oracle": Scenario(subtract, setting=lambda bundle: Setting(right=Right(use_interpreter=False))),
    "other numbers expected": Scenario(setting=expect_zeros),
    "own arrays": Scenario(setting=own_arrays, launches=2),
    "no device": Scenario(fault="no device"),
    "broken torch": Scenario(fault="broken torch"),
    "other target": Scenario(fault="other target"),
}


@dataclass(frozen=True, slots=True)
class Item:
    """A cell of a scenario's case, for a worker process."""

    name: str
    folder: Path
    cell: Cell


def work(item: Item) -> Attempt:
    """Run it in this process."""
    scenario = SCENARIOS[item.name]
    return attempt(lambda: FakeDevice(item.folder, scenario.fault), item.folder, scenario.launches, item.cell)
