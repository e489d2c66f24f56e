"""Launches of cuTile Python that our kernels answer: which program, which arguments, what is counted and refused."""

from __future__ import annotations

import importlib
import logging
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ferrotile import backend, bundle
from ferrotile.backend import Counters, Launcher, Policy, Shelf
from ferrotile.backend.arguments import number
from ferrotile.backend.checks import stream as handle
from ferrotile.backend.driver import CudaDriver
from ferrotile.core import EnvironmentFault, InputError, Unsupported, VerdictKind
from ferrotile.workflow import Options, Row, Task

Example = Callable[[str], Any]


def rows(device: Any, count: int = 4, width: int = 1000, dtype: Any = np.float32) -> tuple[Any, Any]:
    """Random rows, and room for the softmax of each."""
    x = np.random.default_rng(0).standard_normal((count, width)).astype(dtype)
    return device.array(x), device.array(np.zeros((count, width), dtype))


def softmax(x: Any) -> Any:
    """As NumPy has it."""
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def refuse() -> None:
    """In place of the original launch."""
    raise AssertionError("the reference was launched")


def test_a_launch_computes_what_the_python_kernel_says(launcher: Launcher, device: Any, example: Example) -> None:
    x, y = rows(device)
    launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    np.testing.assert_allclose(y.data, softmax(x.data), rtol=1e-5)
    assert device.launches[0][:2] == (7, (4,))
    report = launcher.counters.report()
    assert (report.rust, report.reference, list(report.kernels.values())) == (1, 0, [1])
    assert report.last is not None and report.last.kernel == "softmax_rows" and report.last.verdict == "EQUAL"


def test_the_report_names_the_kernel_text_that_ran(
    launcher: Launcher, device: Any, example: Example, kernels: Path
) -> None:
    launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    last = launcher.counters.report().last
    assert last is not None
    assert last.rust_sha256 == bundle.digest((kernels / last.folder / "kernel.rs").read_bytes())
    assert launcher.counters.report().to_json()["kernels"][0]["cubin_sha256"] == last.cubin_sha256


def test_a_list_of_arrays_becomes_a_table(launcher: Launcher, device: Any) -> None:
    kernel = importlib.import_module("own_kernels").chosen
    arrays = [device.array(np.full(100, value, np.float32)) for value in (1.0, 2.0, 3.0)]
    out = device.array(np.zeros(100, np.float32))
    for which, factor, expected in ((1, 0.5, 1.0), (2, -2.0, -6.0)):
        launcher.launch(7, (2,), kernel, (arrays, out, factor, which, 64), refuse)
        assert (out.data == expected).all()
    assert len(device.loaded) == 1, "numbers given at launch are no part of the program"


def test_an_array_that_the_text_takes_apart_is_passed_beside_others(launcher: Launcher, device: Any) -> None:
    x, y = device.array(np.arange(100, dtype=np.float32)), device.array(np.zeros(100, np.float32))
    for factor in (2.0, -3.0, 4.0):
        launcher.launch(7, (2,), importlib.import_module("own_kernels").widely, (x, y, factor, 64), refuse)
        np.testing.assert_array_equal(y.data, x.data * np.float32(factor))
    assert len(device.loaded) == 1


def test_launches_of_one_program_load_it_once(
    launcher: Launcher, device: Any, example: Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    x, y = rows(device)
    launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    monkeypatch.setattr("ferrotile.backend.launcher.specialize", lambda *args: pytest.fail("it was exported again"))
    launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    assert len(device.loaded) == 1


@pytest.mark.parametrize(
    "changed",
    [
        lambda device: (*rows(device, dtype=np.float16), 1024),
        lambda device: (*rows(device), 2048),
        lambda device: (device.array(rows(device)[0].data, offset=4), rows(device)[1], 1024),
        lambda device: (*rows(device, width=1024), 1024),
        lambda device: (device.array(np.zeros((1000, 4), np.float32).T), rows(device)[1], 1024),
    ],
    ids=["dtype", "constant", "alignment", "divisor", "stride"],
)
def test_whatever_the_signature_depends_on_is_another_program(
    launcher: Launcher, device: Any, example: Example, changed: Callable[[Any], Any]
) -> None:
    kernel = example("softmax_rows")
    launcher.launch(7, (4,), kernel, (*rows(device), 1024), refuse)
    launcher.launch(7, (4,), kernel, changed(device), refuse)
    assert len(device.loaded) == 2


def test_hints_are_part_of_the_program(launcher: Launcher, device: Any, example: Example) -> None:
    kernel = example("softmax_rows")
    for occupancy in (1, 2, 1):
        launcher.launch(7, (4,), kernel.replace_hints(occupancy=occupancy), (*rows(device), 1024), refuse)
    assert len(device.loaded) == 2


def test_hints_by_target_are_told_apart(launcher: Launcher, device: Any, example: Example) -> None:
    import cuda.tile as ct

    for occupancy in (4, 8, 4):
        hints = {"occupancy": ct.ByTarget(sm_90=occupancy)}
        launcher.launch(7, (4,), example("softmax_rows").replace_hints(**hints), (*rows(device), 1024), refuse)
    assert len(device.loaded) == 2


def test_another_process_finds_the_kernel_made(device: Any, example: Example, kernels: Path) -> None:
    arguments = (*rows(device), 1024)
    Launcher(device, Shelf(kernels), Counters()).launch(7, (4,), example("softmax_rows"), arguments, refuse)
    again = Shelf(kernels, lambda task, options: pytest.fail("it was translated again"))
    Launcher(device, again, Counters()).launch(7, (4,), example("softmax_rows"), arguments, refuse)


def copied(kernels: Path, tmp_path: Path, device: Any, example: Example) -> Path:
    """A folder of kernels with that of `softmax_rows` alone; its bundle."""
    launcher = Launcher(device, Shelf(kernels), Counters())
    launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    last = launcher.counters.report().last
    assert last is not None
    return Path(shutil.copytree(kernels / last.folder, tmp_path / last.folder))


def edited(folder: Path, change: Callable[[str], str]) -> None:
    """Change a kernel.rs as an editor does."""
    path = folder / "kernel.rs"
    text = change(path.read_text())
    assert text != path.read_text()
    time.sleep(0.002)
    path.write_text(text)


def test_an_edited_kernel_is_used_by_the_next_launch_and_said(
    device: Any, example: Example, kernels: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = copied(kernels, tmp_path, device, example)
    launcher = Launcher(device, Shelf(tmp_path), Counters())
    launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    edited(folder, lambda text: text.replace("peak", "highest"))
    with caplog.at_level(logging.WARNING):
        launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    assert "was edited: EQUAL" in caplog.text
    first, second = launcher.counters.report().kernels
    assert first.rust_sha256 != second.rust_sha256


def test_a_kernel_edited_into_another_program_is_refused_until_it_is_right(
    device: Any, example: Example, kernels: Path, tmp_path: Path
) -> None:
    folder = copied(kernels, tmp_path, device, example)
    device.launches.clear()
    launcher = Launcher(device, Shelf(tmp_path), Counters())
    x, y = rows(device)
    launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    edited(folder, lambda text: text.replace("max_along_1(", "min_along_1("))
    for _ in range(2):
        with pytest.raises(Unsupported, match=r"FT620.*was edited and is DIFFERS"):
            launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    edited(folder, lambda text: text.replace("pub unsafe fn", "pub unsafe fnn"))
    with pytest.raises(InputError, match="FT403"):
        launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    edited(folder, lambda text: text.replace("fnn", "fn").replace("min_along_1(", "max_along_1("))
    launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1024), refuse)
    assert launcher.counters.report().rust == 2 == len(device.launches)


def test_a_refused_kernel_raises_its_code_and_launches_nothing(launcher: Launcher, device: Any) -> None:
    kernel = importlib.import_module("own_kernels").refused
    for _ in range(2):
        with pytest.raises(Unsupported, match="FT305"):
            launcher.launch(7, (1,), kernel, rows(device, 8, 8, np.float64), refuse)
    report = launcher.counters.report()
    assert (report.rust, report.reference, device.launches) == (0, 0, [])
    assert report.refused["refused"].startswith("FT305")


def test_only_by_policy_the_reference_is_launched_and_counted(device: Any, kernels: Path) -> None:
    launcher = Launcher(device, Shelf(kernels), Counters(), Policy.REFERENCE)
    called: list[str] = []
    kernel = importlib.import_module("own_kernels").refused
    launcher.launch(7, (1,), kernel, rows(device, 8, 8, np.float64), lambda: called.append("reference"))
    assert called == ["reference"] and launcher.counters.report().reference == 1


def test_what_is_not_proved_is_not_launched(device: Any, example: Example, tmp_path: Path) -> None:
    def unproved(task: Task, options: Options) -> Row:
        return Row(task.input, task.name, options.target, VerdictKind.UNPROVED, 5)

    launcher = Launcher(device, Shelf(tmp_path, unproved), Counters())
    with pytest.raises(Unsupported, match=r"FT620.*UNPROVED"):
        launcher.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), refuse)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("file", "change", "code"),
    [
        ("proof.json", lambda data: data.replace(b'"EQUAL"', b'"REFINES"'), "FT614"),
        ("lowered.tileirbc", lambda data: data + b"\0", "FT613"),
        ("kernel.rs", lambda data: None, "FT613"),
    ],
)
def test_a_bundle_that_is_not_whole_is_not_launched(
    device: Any, example: Example, kernels: Path, tmp_path: Path, file: str, change: Any, code: str
) -> None:
    arguments = (*rows(device), 1024)
    path = copied(kernels, tmp_path, device, example) / file
    data = change(path.read_bytes())
    path.unlink() if data is None else path.write_bytes(data)
    with pytest.raises(InputError, match=code):
        Launcher(device, Shelf(tmp_path), Counters()).launch(7, (4,), example("softmax_rows"), arguments, refuse)


def test_what_cuda_tile_refuses_it_refuses_itself(launcher: Launcher, device: Any, example: Example) -> None:
    x, y = rows(device)
    with pytest.raises(TypeError):
        launcher.launch(7, (4,), example("softmax_rows"), (x, y), refuse)
    with pytest.raises(Exception, match=r"power of 2|power of two"):
        launcher.launch(7, (4,), example("softmax_rows"), (x, y, 1000), refuse)
    assert launcher.counters.report().rust == 0


@pytest.mark.parametrize(
    ("value", "name", "bits"),
    [(-1, "i32", 0xFFFFFFFF), (1, "i1", 1), (1.5, "f32", 0x3FC00000), (1.0, "bf16", 0x3F80), (-2.0, "f16", 0xC000),
     (2**40, "i64", 2**40), (0.5, "f64", 0x3FE0000000000000)],
)  # fmt: skip
def test_numbers_are_passed_as_their_type_has_them(value: Any, name: str, bits: int) -> None:
    assert number(value, name) == bits


def test_a_number_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="FT621"):
        number(2**32, "i32")


def test_threads_count_all_their_launches(launcher: Launcher, device: Any, example: Example) -> None:
    kernel = example("vector_add")
    faults: list[BaseException] = []

    def work() -> None:
        arrays = [device.array(np.ones(64, np.float32)) for _ in range(3)]
        try:
            for _ in range(3):
                launcher.launch(7, (1,), kernel, (*arrays, 64), refuse)
        except BaseException as error:
            faults.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults and launcher.counters.report().rust == 12 and len(device.loaded) == 1


class TorchStream:
    """As torch has it."""

    cuda_stream = 5


class ProtocolStream:
    """By the protocol of CUDA Python."""

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 6


def test_streams_of_every_kind_have_a_handle() -> None:
    assert [handle(stream) for stream in (3, TorchStream(), ProtocolStream())] == [3, 5, 6]
    with pytest.raises(TypeError):
        handle("stream")


def test_the_tuner_times_our_kernels(launcher: Launcher, device: Any, example: Example) -> None:
    import cuda.tile as ct

    remove = backend.install(launcher, lambda: True)
    x, y = rows(device)
    try:
        result = ct.tune.exhaustive_search(
            [1, 2], 7, lambda hint: (4,), example("softmax_rows"), lambda hint: (x, y, 1024),
            lambda hint: {"occupancy": hint}, quiet=True,
        )  # fmt: skip
    finally:
        remove()
    assert len(result.successes) == 2 and len(device.loaded) == 2
    assert launcher.counters.report().rust == len(device.launches) >= 4


def test_launch_options_are_refused_not_dropped(launcher: Launcher, device: Any, example: Example) -> None:
    import cuda.tile as ct

    remove = backend.install(launcher, lambda: True)
    try:
        with pytest.raises(Unsupported, match="FT621"):
            ct.launch(7, (4,), example("softmax_rows"), (*rows(device), 1024), programmatic_dependent_launch=True)
    finally:
        remove()
    assert not device.launches


def test_without_a_driver_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ferrotile.backend.driver.LIBRARY", "libno-such-driver.so")
    with pytest.raises(EnvironmentFault, match="FT622"):
        CudaDriver().context(None)
