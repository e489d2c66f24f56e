"""Launches that were prepared are answered without Python: the same words, the same counts, and nothing else."""

from __future__ import annotations

import importlib
import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import exchange
import numpy as np
import pytest

from ferrotile import backend
from ferrotile._native import Chosen, Launches, Mark, Tally
from ferrotile.backend import Counters, Launcher, Shelf
from ferrotile.core import EnvironmentFault, InputError, Unsupported

Example = Callable[[str], Any]


@pytest.fixture
def launch(launcher: Launcher) -> Iterator[Callable[..., Any]]:
    """`cuda.tile.launch` with the launcher in its place."""
    import cuda.tile as ct

    remove = backend.install(launcher, lambda: True)
    yield ct.launch
    remove()


def rows(device: Any, count: int = 4, width: int = 1000, dtype: Any = np.float32) -> tuple[Any, Any]:
    x = np.random.default_rng(0).standard_normal((count, width)).astype(dtype)
    return device.array(x), device.array(np.zeros((count, width), dtype))


def softmax(x: Any) -> Any:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def test_the_second_launch_needs_no_python(launch: Any, launcher: Launcher, device: Any, example: Example) -> None:
    kernel, (x, y) = example("softmax_rows"), rows(device)
    for expected in range(3):
        y.data[...] = 0
        assert launch(7, (4,), kernel, (x, y, 1024)) is None
        np.testing.assert_allclose(y.data, softmax(x.data), rtol=1e-5)
        assert device.without_python == expected
    report = launcher.counters.report()
    assert (report.rust, list(report.kernels.values()), len(launcher.prepared)) == (3, [3], 1)
    assert report.last is not None and report.last.kernel == "softmax_rows"
    assert [launched[2] for launched in device.launches] == [device.launches[0][2]] * 3


def test_new_arrays_of_the_same_kind_are_passed(launch: Any, device: Any, example: Example) -> None:
    kernel = example("softmax_rows")
    launch(7, (4,), kernel, (*rows(device), 1024))
    x, y = rows(device)
    launch(8, (2, 1), kernel, (x, y, 1024))
    np.testing.assert_allclose(y.data, softmax(x.data), rtol=1e-5)
    assert device.without_python == 1
    assert device.launches[1][:2] == (8, (2, 1, 1))


def test_numbers_are_passed_and_are_no_part_of_the_key(launch: Any, device: Any) -> None:
    kernel = importlib.import_module("own_kernels").scaled
    x, y = (device.array(np.full(100, value, np.float32)) for value in (2.0, 0.0))
    for factor, count in ((0.5, 7), (-3.25, -1), (1.0, 2**31 - 1)):
        launch(7, (2,), kernel, (x, y, factor, count, 64))
        np.testing.assert_array_equal(y.data, np.float32(2.0 * factor) + np.float32(count))
    assert device.without_python == 2


@pytest.mark.parametrize(
    "changed",
    [
        lambda device, x, y: (*rows(device, dtype=np.float16), 1024),
        lambda device, x, y: (x, y, 2048),
        lambda device, x, y: (device.array(x.data, offset=4), y, 1024),
        lambda device, x, y: (*rows(device, width=1024), 1024),
        lambda device, x, y: (device.array(np.zeros((1000, 4), np.float32).T), y, 1024),
        lambda device, x, y: (*rows(device, count=5), 1024),
    ],
    ids=["dtype", "constant", "alignment", "divisor", "stride", "extent"],
)
def test_another_key_is_not_the_prepared_launch(launch: Any, device: Any, example: Example, changed: Any) -> None:
    kernel, (x, y) = example("softmax_rows"), rows(device)
    launch(7, (4,), kernel, (x, y, 1024))
    arguments = changed(device, x, y)
    launch(7, (4,), kernel, arguments)
    assert device.without_python == 0
    launch(7, (4,), kernel, arguments)
    assert device.without_python == 1


def test_hints_are_told_apart_and_equal_ones_are_not(launch: Any, device: Any, example: Example) -> None:
    arguments = (*rows(device), 1024)
    for occupancy, prepared in ((1, 0), (2, 0), (1, 1), (2, 2)):
        launch(7, (4,), example("softmax_rows").replace_hints(occupancy=occupancy), arguments)
        assert (device.without_python, len(device.loaded)) == (prepared, min(occupancy, 2) if prepared == 0 else 2)


def test_a_prepared_launch_of_a_new_shape_is_not_exported_again(
    launch: Any, device: Any, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    launch(7, (4,), example("softmax_rows"), (*rows(device), 1024))
    monkeypatch.setattr("ferrotile.backend.launcher.specialize", lambda *args: pytest.fail("it was exported again"))
    launch(7, (5,), example("softmax_rows"), (*rows(device, count=5), 1024))
    assert len(device.loaded) == 1


def test_arrays_that_tell_it_another_way_are_launched_by_python(launch: Any, device: Any, example: Example) -> None:
    device.array_class = type(device.array(np.zeros(1))).__mro__[1]
    x, y = rows(device)
    for _ in range(3):
        launch(7, (4,), example("softmax_rows"), (x, y, 1024))
    np.testing.assert_allclose(y.data, softmax(x.data), rtol=1e-5)
    assert (device.without_python, len(device.launches)) == (0, 3)


def test_an_exchange_table_of_another_version_is_not_read(launch: Any, device: Any, example: Example) -> None:
    for version in ((2, 0), (1, 2)):
        array_class = type(device.array(np.zeros(1)))
        other = type("Other", (array_class,), {"__dlpack_c_exchange_api__": exchange.capsule(*version)})
        x, y = (other(one.data, one.data_ptr()) for one in rows(device))
        for _ in range(2):
            launch(7, (4,), example("softmax_rows"), (x, y, 1024))
    assert device.without_python == 0


def test_lists_of_arrays_are_launched_by_python(launch: Any, device: Any) -> None:
    kernel = importlib.import_module("own_kernels").chosen
    arrays = [device.array(np.full(100, value, np.float32)) for value in (1.0, 2.0)]
    out = device.array(np.zeros(100, np.float32))
    for which in (0, 1):
        launch(7, (2,), kernel, (arrays, out, 1.0, which, 64))
        assert (out.data == which + 1).all()
    assert device.without_python == 0


def test_an_edit_is_seen_by_a_launch_a_millisecond_later(
    device: Any, example: Example, kernels: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    import cuda.tile as ct

    arguments = (*rows(device), 1024)
    first = Launcher(device, Shelf(kernels), Counters())
    first.launch(7, (4,), example("softmax_rows"), arguments, lambda: None)
    last = first.counters.report().last
    assert last is not None
    path = Path(shutil.copytree(kernels / last.folder, tmp_path / last.folder)) / "kernel.rs"
    launcher = Launcher(device, Shelf(tmp_path), Counters())
    remove = backend.install(launcher, lambda: True)
    try:
        for _ in range(2):
            ct.launch(7, (4,), example("softmax_rows"), arguments)
        assert device.without_python == 1
        right = path.read_text()
        path.write_text(right.replace("peak", "highest"))
        time.sleep(0.001)
        with caplog.at_level(logging.WARNING):
            ct.launch(7, (4,), example("softmax_rows"), arguments)
        assert "was edited: EQUAL" in caplog.text and device.without_python == 1
        ct.launch(7, (4,), example("softmax_rows"), arguments)
        assert device.without_python == 2
        path.write_text(right.replace("max_along_1(", "min_along_1("))
        time.sleep(0.001)
        for _ in range(2):
            with pytest.raises(Unsupported, match=r"FT620.*was edited and is DIFFERS"):
                ct.launch(7, (4,), example("softmax_rows"), arguments)
        path.unlink()
        with pytest.raises(InputError, match="FT613"):
            ct.launch(7, (4,), example("softmax_rows"), arguments)
    finally:
        remove()
    one, other = launcher.counters.report().kernels
    assert one.rust_sha256 != other.rust_sha256 and launcher.counters.report().rust == 4


def test_what_is_not_ours_is_the_originals(launcher: Launcher, device: Any, example: Example) -> None:
    import cuda.tile as ct

    original, ours, taken = ct.launch, [True], []
    ct.launch = lambda *arguments, **options: taken.append((arguments, options))
    remove = backend.install(launcher, lambda: ours[0])
    try:
        arguments = (7, (4,), example("softmax_rows"), (*rows(device), 1024))
        ct.launch(*arguments)
        ours[0] = False
        ct.launch(*arguments, programmatic_dependent_launch=True)
    finally:
        remove()
        ct.launch = original
    assert taken == [(arguments, {"programmatic_dependent_launch": True})]
    assert launcher.counters.report().rust == 1


def test_a_failing_question_whose_launch_it_is_is_told(launcher: Launcher) -> None:
    import cuda.tile as ct

    def broken() -> bool:
        raise KeyError("backend")

    remove = backend.install(launcher, broken)
    try:
        with pytest.raises(KeyError, match="backend"):
            ct.launch(7, (1,), None, ())  # type: ignore[arg-type]
    finally:
        remove()


def test_what_the_driver_refuses_is_told_and_not_counted(
    launch: Any, launcher: Launcher, device: Any, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = (7, (4,), example("softmax_rows"), (*rows(device), 1024))
    launch(*arguments)

    def refuses(*rest: Any) -> None:
        raise EnvironmentFault("FT622", "`cuLaunchKernel` answers CUDA_ERROR_ILLEGAL_ADDRESS")

    monkeypatch.setattr(device, "launch", refuses)
    with pytest.raises(EnvironmentFault, match="FT622"):
        launch(*arguments)
    assert launcher.counters.report().rust == 1


def test_threads_count_all_their_prepared_launches(
    launch: Any, launcher: Launcher, device: Any, example: Example
) -> None:
    kernel, faults = example("vector_add"), []
    begin = threading.Barrier(4)

    def work() -> None:
        arrays = [device.array(np.ones(64, np.float32)) for _ in range(3)]
        begin.wait()
        try:
            for _ in range(5):
                launch(7, (1,), kernel, (*arrays, 64))
            assert (arrays[2].data == 2).all()
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and launcher.counters.report().rust == 20 and len(device.loaded) == 1
    assert device.without_python >= 1, "while one thread is in code of Python, others launch by Python"


def test_counts_begin_again_for_prepared_launches(
    launch: Any, launcher: Launcher, device: Any, example: Example
) -> None:
    arguments = (7, (4,), example("softmax_rows"), (*rows(device), 1024))
    launch(*arguments)
    launcher.counters.reset()
    assert launcher.counters.report().rust == 0 and launcher.counters.report().last is None
    launch(*arguments)
    assert launcher.counters.report().rust == 1 and device.without_python == 1


def remembered(device: Any, arguments: tuple[Any, ...], *, most: int = 4, **program: Any) -> tuple[Launches, bool]:
    """A table that was asked to remember one launch."""
    launches = Launches([type], most, Mark)
    launches.connect(device.addresses())
    given = {"function": 1, "sources": [], "kernel_rs": "/nowhere", "changed_ns": 0, "size": 0} | program
    mark = Mark(0, [False] * len(arguments))
    return launches, launches.remember(1, mark, arguments, given, Tally())


def test_what_has_no_key_or_no_words_is_left_to_python(device: Any) -> None:
    x = device.array(np.zeros(4, np.float32))
    for arguments in ((x, 1, 2.5, True, None, "text", int, (x, (1,))), ()):
        assert remembered(device, arguments)[1]
    for arguments in (([x],), (2**70,), (np.float32(1),), (object(),), (x.claiming(_address=0),)):
        assert not remembered(device, arguments)[1], arguments
    for source in (("scalar", 0, 0, "bf16"), ("table", 0, 0, "i32")):
        assert not remembered(device, (x,), sources=[source])[1]


def test_the_table_does_not_grow_without_end(device: Any) -> None:
    launches = Launches([], 3, Mark)
    given = {"function": 1, "sources": [], "kernel_rs": "/nowhere", "changed_ns": 0, "size": 0}
    sizes = []
    for number in range(5):
        launches.remember(1, Mark(number, []), (), given, Tally())
        sizes.append(len(launches))
    assert sizes == [1, 2, 3, 1, 2]


def test_an_address_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="an address is 0"):
        Launches([], 3, Mark).connect((1, 0))


def test_a_name_that_is_asked_for_comes_before_the_current_one() -> None:
    asked: list[str | None] = [None]
    chosen = Chosen(lambda: asked[0], lambda: "cutile", "cutile-rs")
    assert not chosen()
    for name, expected in (("cutile-rs", True), ("-".join(("cutile", "rs")), True), ("cutile", False), (None, False)):
        asked[0] = name
        assert chosen() is expected
    assert Chosen(lambda: None, lambda: "cutile-rs", "cutile-rs")()
