"""Wrong launches are refused with their code, nothing is launched, and the next right one is answered as before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import wrong_calls as calls
from device_arrays import ELF, InterpretingDriver

from ferrotile import backend
from ferrotile.backend import Counters, Launcher, Shelf, checks
from ferrotile.core import FerrotileError, tools


@dataclass
class Answering:
    """A launcher over a device that writes launches down and computes nothing: what is wrong may have no array."""

    launcher: Launcher
    device: Any

    def make(self, call: calls.Call) -> None:
        """Launch by `cuda.tile.launch`, with the launcher in its place."""
        import cuda.tile as ct

        remove = backend.install(self.launcher)
        try:
            call.made(ct.launch)
        finally:
            remove()

    def counts(self) -> tuple[int, int]:
        """Launches by our counter and by the driver."""
        return self.launcher.counters.report().rust, len(self.device.launches)


@pytest.fixture(scope="module")
def answering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Answering]]:
    """Makes launchers with one folder of kernels, and one memory of what was exported."""
    folder, exported = tmp_path_factory.mktemp("wrong"), {}

    def make() -> Answering:
        device = InterpretingDriver()
        device.launch = lambda function, grid, stream, words: device.launches.append((stream, tuple(grid), list(words)))
        launcher = Launcher(device, Shelf(folder), Counters())
        launcher._by_signature = exported
        return Answering(launcher, device)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tools, "assemble", lambda code, target, **_: tools.Assembled(ELF + code, None, False, 0.0))
        yield make


@pytest.fixture(scope="module")
def shared(answering: Callable[[], Answering]) -> Answering:
    """One launcher for all wrong launches."""
    return answering()


@pytest.mark.parametrize("kind", calls.KINDS, ids=lambda kind: kind.name)
def test_a_wrong_launch_is_refused_and_nothing_is_launched(shared: Answering, kind: calls.Kind) -> None:
    for name, make in calls.KERNELS.items():
        right = make(shared.device)
        if (wrong := kind.of(right)) is None:
            continue
        shared.make(right)
        by_python = len(shared.device.launches) - shared.device.without_python
        before = shared.counts()
        with pytest.raises(FerrotileError) as refused:
            shared.make(wrong)
        assert refused.value.code == kind.code, (name, refused.value)
        assert str(refused.value).startswith(f"{kind.code}: ")
        cause = refused.value.__cause__
        assert cause is None or isinstance(refused.value, type(cause)), "programs catch cuda.tile's errors by class"
        assert shared.counts() == before, name
        shared.make(right)
        assert shared.counts() == (before[0] + 1, before[1] + 1), name
        assert len(shared.device.launches) - shared.device.without_python == by_python, "it was prepared, and still is"


def test_at_least_fifteen_kinds_are_refused_by_five_kernels_each(shared: Answering) -> None:
    """Counted, so that a kernel that no longer takes such an argument is noticed."""
    rights = [make(shared.device) for make in calls.KERNELS.values()]
    counts = {kind.name: sum(kind.of(right) is not None for right in rights) for kind in calls.KINDS}
    assert all(counts.values())
    assert sum(count >= 5 for count in counts.values()) >= 30


OFF: dict[str, Callable[..., Any]] = {
    "place": lambda array, device: None,
    "address": lambda array: None,
    "extents": lambda array: None,
    "grid": lambda given: (1,),
    "stream": lambda given: 7,
    "options": lambda given: None,
}


@pytest.mark.parametrize("kind", [kind for kind in calls.KINDS if kind.check], ids=lambda kind: kind.name)
def test_without_its_check_a_wrong_launch_is_not_refused_so(
    answering: Callable[[], Answering], kind: calls.Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mutants: each check off, one at a time. cuda.tile refuses all other kinds by itself."""
    assert kind.check is not None
    monkeypatch.setattr(checks, kind.check, OFF[kind.check])
    mutant, outcomes = answering(), []
    for make in list(calls.KERNELS.values())[:2]:
        wrong = kind.of(make(mutant.device))
        assert wrong is not None
        try:
            mutant.make(wrong)
            outcomes.append("launched")
        except Exception as error:
            outcomes.append(getattr(error, "code", type(error).__name__))
    assert "launched" in outcomes
