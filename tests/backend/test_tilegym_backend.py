"""TileGym's backend `cutile-rs`, with a stand-in for TileGym whose kernels are those of examples/."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile.core import EnvironmentFault, InputError


@pytest.fixture
def registered(device: Any, kernels: Path) -> Iterator[Any]:
    """The backend, registered, with the stand-in current in another one."""
    module: Any = importlib.import_module("ferrotile.tilegym")
    tilegym: Any = importlib.import_module("tilegym")
    tilegym.set_backend("cutile")
    module.install(driver=device, folder=kernels)
    module.reset()
    yield module
    module.uninstall()


@pytest.fixture
def originals(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Launches of the original."""
    import cuda.tile as ct

    launches: list[Any] = []
    monkeypatch.setattr(ct, "launch", lambda stream, grid, kernel, arguments, /: launches.append(kernel))
    return launches


def two(device: Any) -> tuple[Any, Any]:
    """An array and room for another."""
    return device.array(np.ones((4, 1024), np.float32)), device.array(np.zeros((4, 1024), np.float32))


def test_the_current_backend_answers_launches(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    x, y = two(device)
    tilegym.set_backend("cutile-rs")
    tilegym.backend.dispatch("softmax", x, y)
    np.testing.assert_allclose(y.data, 1 / 1024, rtol=1e-6)
    report = registered.report()
    assert (report.rust, report.reference, originals) == (1, 0, [])
    assert report.last.kernel == "softmax_rows" and len(report.last.rust_sha256) == 64


def test_another_backend_launches_the_original(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    tilegym.backend.dispatch("softmax", *two(device))
    assert (registered.report().rust, len(originals)) == (0, 1)


def test_a_call_can_ask_for_a_backend(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    tilegym.backend.dispatch("softmax", *two(device), backend="cutile-rs")
    assert (registered.report().rust, len(originals)) == (1, 0)
    tilegym.set_backend("cutile-rs")
    tilegym.backend.dispatch("softmax", *two(device), backend="cutile")
    assert (registered.report().rust, len(originals)) == (1, 1)


def test_operators_inside_an_operator_run_as_it_does(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    x = device.array(np.ones(1024, np.float32))
    with pytest.raises(Exception):  # noqa: B017  # the softmax of a vector: its kernel takes rows
        tilegym.backend.dispatch("add_softmax", x, x, backend="cutile-rs")
    assert (registered.report().rust, len(originals)) == (1, 0)


def test_operators_that_come_later_are_served(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    tilegym.backend.register_impl("later", backend="cutile")(tilegym.ops.softmax_cutile)
    tilegym.backend.dispatch("later", *two(device), backend="cutile-rs")
    assert (registered.report().rust, len(originals)) == (1, 0)


def test_host_code_that_asks_sees_the_backend_whose_code_it_is(registered: Any) -> None:
    import tilegym

    tilegym.set_backend("cutile-rs")
    assert tilegym.ops.tile_size() == 128
    assert tilegym.get_current_backend() == tilegym.backend.get_current_backend() == "cutile-rs"
    registered.uninstall()
    with pytest.raises(KeyError):
        tilegym.ops.tile_size()


def test_uninstalled_it_leaves_nothing(originals: list[Any], device: Any, registered: Any) -> None:
    import tilegym

    registered.uninstall()
    with pytest.raises(ValueError, match="cutile-rs"):
        tilegym.set_backend("cutile-rs")
    with pytest.raises(KeyError):
        tilegym.backend.dispatch("softmax", *two(device), backend="cutile-rs")


def test_an_unknown_policy_is_refused(registered: Any) -> None:
    with pytest.raises(InputError, match="FT902"):
        registered.install(refused="perhaps")


def test_another_tilegym_is_refused(registered: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from tilegym.backend import dispatcher

    monkeypatch.delattr(dispatcher, "_REGISTRY")
    with pytest.raises(EnvironmentFault, match="FT623"):
        registered.install()
