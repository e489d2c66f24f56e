"""Running a command under the recorder: what is kept of its launches, and what becomes of commands that fail."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.capture import Exported, Index, RecordOptions, exit_code_of, read_index, record
from ferrotile.capture.index import ArrayArgument, ManyArgument, ValueArgument
from ferrotile.core import FerrotileError, InputError

PROGRAMS = Path(__file__).parent / "programs"
LAUNCHES = [sys.executable, str(PROGRAMS / "launches.py"), "--flag", "word"]
SIGNATURE = "Kt1_A1f32_1i16t1_p16_A1f32_1i16t1_p16"

Failing = Callable[[list[str]], FerrotileError]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Index]:
    """What the program of launches leaves, with the first configuration of its tuner."""
    out = tmp_path_factory.mktemp("captured") / "out"
    return out, record(LAUNCHES, out, RecordOptions(pretend=True, quiet=True))


@pytest.fixture
def failing(tmp_path: Path) -> Failing:
    """Record a command that must be refused; nothing is left of it."""

    def run(command: list[str], options: RecordOptions | None = None) -> FerrotileError:
        out = tmp_path / "parent" / "out"
        with pytest.raises(FerrotileError) as caught:
            record(command, out, options or RecordOptions(quiet=True))
        assert not out.parent.exists() or list(out.parent.iterdir()) == []
        return caught.value

    return run


def _of(index: Index, kernel: str) -> list[Exported]:
    return [one for one in index.exported if one.kernel == kernel]


def _python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_bytecode_is_of_the_launched_signature(captured: tuple[Path, Index]) -> None:
    out, index = captured
    assert read_index(out) == index
    for one in index.exported:
        (entry,) = ir.decode((out / one.file).read_bytes()).entries
        assert ir.attribute(entry, "sym_name") == one.symbol
    assert {path.name for path in out.iterdir()} == {"index.json", *(one.file for one in index.exported)}


def test_launches_that_differ_in_facts_are_other_specializations(captured: tuple[Path, Index]) -> None:
    launched = [one for one in _of(captured[1], "double") if one.via == "launch" and one.hints["num_ctas"] is None]
    assert sorted(one.symbol for one in launched if one.symbol) == [
        "double_Kt1_A1f32_1i16t1_A1f32_1i16t1_p16_I1024",  # an address that is no multiple of 16
        f"double_{SIGNATURE}_I1024",
        f"double_{SIGNATURE}_I512",  # launched by a forked process
        "double_Kt2_A1f32_1s1t1_p16_A1f32_1s1t1_p16_I1",  # an extent of 1 is part of the program
    ]


def test_launches_of_one_specialization_are_kept_smallest_first(captured: tuple[Path, Index]) -> None:
    (one,) = [row for row in _of(captured[1], "double") if row.symbol == f"double_{SIGNATURE}_I1024"]
    assert one.launch_count == 2, "three equal launches are one"
    assert [launch.grid for launch in one.launches] == [(2,), (4,)]
    assert one.launches[0].arguments == (
        ArrayArgument(dtype="float32", shape=(2048,), strides=(1,)),
        ArrayArgument(dtype="float32", shape=(2048,), strides=(1,)),
        ValueArgument(kind="constant", value=1024),
    )
    assert one.launches[0].place.endswith("launches.py:17 (main)")
    assert (one.parameters, Path(one.source).name, one.line) == (("x", "y", "TILE"), "kernels.py", 6)


def test_hints_tell_specializations_apart(captured: tuple[Path, Index]) -> None:
    by_target, replaced = sorted(_of(captured[1], "scale"), key=lambda one: str(one.hints["occupancy"]))
    assert (by_target.hints["occupancy.sm_90"], by_target.hints["occupancy"], replaced.hints["occupancy"]) == (2, 4, 8)
    assert by_target.symbol == replaced.symbol
    assert replaced.launches[0].arguments[2] == ValueArgument(kind="scalar", value="inf")


def test_lists_and_tuples_of_arrays_are_kept(captured: tuple[Path, Index]) -> None:
    (listed,), (paired,) = _of(captured[1], "gather_list"), _of(captured[1], "add_pair")
    arrays, pair = listed.launches[0].arguments[0], paired.launches[0].arguments[0]
    assert isinstance(arrays, ManyArgument) and isinstance(pair, ManyArgument)
    assert (arrays.kind, len(arrays.items), pair.kind) == ("list", 2, "tuple")
    assert paired.symbol == f"add_pair_Kt2_T2{'A1f32_1i16t1_p16' * 2}_A1f32_1i16t1_p16_I1024"


def test_two_programs_of_one_name_are_two_files(captured: tuple[Path, Index]) -> None:
    first, second = _of(captured[1], "power_of.<locals>.power")
    assert first.symbol == second.symbol and first.sha256 != second.sha256
    assert [first.name + ".2", second.name] == [second.name] * 2


def test_what_the_front_end_refuses_is_listed_with_its_line(captured: tuple[Path, Index]) -> None:
    tried, launched = captured[1].unexported
    assert (tried.kernel, tried.via, launched.kernel, launched.via) == ("double", "tune", "wrong", "launch")
    error = launched.fault()
    assert isinstance(error, InputError) and error.code == "FT104" and "not a power of two" in error.message
    assert error.at is not None and (Path(error.at.file).name, error.at.line) == ("kernels.py", 50)
    assert exit_code_of(captured[1]) == 2


def test_first_configuration_that_compiles_is_recorded(captured: tuple[Path, Index]) -> None:
    tuned = [one for one in _of(captured[1], "double") if one.hints["num_ctas"] == 2]
    assert [(one.via, one.launches[0].grid) for one in tuned] == [("tune", (8,))]


def test_all_configurations_are_recorded_on_request(tmp_path: Path) -> None:
    index = record(LAUNCHES, tmp_path / "out", RecordOptions(tune="all", pretend=True, quiet=True))
    tuned = [one for one in _of(index, "double") if one.hints["num_ctas"] == 2]
    assert sorted(one.launches[0].grid for one in tuned) == [(8,), (16,)]


def test_refusals_of_what_only_a_tuner_tried_do_not_count(captured: tuple[Path, Index]) -> None:
    tried = [one for one in captured[1].unexported if one.via == "tune"]
    assert exit_code_of(captured[1].model_copy(update={"unexported": tuple(tried)})) == 0


def test_a_command_that_fails_leaves_nothing(failing: Failing) -> None:
    error = failing(_python("raise SystemExit(7)"))
    assert error.code == "FT112" and "exit code 7" in error.message and error.exit_code == 2


def test_a_killed_command_leaves_nothing(failing: Failing) -> None:
    error = failing(_python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    assert error.code == "FT112" and "signal 9" in error.message


def test_what_a_failed_command_launched_is_kept_on_request(tmp_path: Path) -> None:
    code = f"""
import os, signal, sys
sys.path.insert(0, {str(PROGRAMS)!r})
import cuda.tile as ct, kernels
from arrays import DeviceArray
ct.launch(None, (4,), kernels.double, (DeviceArray((4096,)), DeviceArray((4096,)), 1024))
os.kill(os.getpid(), signal.SIGKILL)
"""
    options = RecordOptions(pretend=True, keep_going=True, quiet=True)
    index = record(_python(code), tmp_path / "out", options)
    assert [one.kernel for one in index.exported] == ["double"] and index.exit_code == -9


def test_a_command_that_does_not_start_is_told(failing: Failing) -> None:
    assert failing(["/no/such/program"]).code == "FT117"


def test_a_command_without_a_launch_is_refused_with_the_reason(failing: Failing) -> None:
    def refused(command: list[str]) -> str:
        error = failing(command)
        assert error.code == "FT113"
        return error.message

    assert "started no Python" in refused(["/bin/true"])
    assert "started no Python" in refused([sys.executable, "-I", "-c", "import cuda.tile"])
    assert "never imported" in refused(_python("pass"))
    assert "launched no kernel" in refused(_python("import cuda.tile"))


def test_rows_that_cannot_be_read_are_told(failing: Failing) -> None:
    spoiled = 'echo "{}" > "$FERROTILE_CAPTURE/1.rows"'
    assert failing(["/bin/sh", "-c", spoiled]).code == "FT115"


def test_a_line_that_was_cut_off_is_left_out(failing: Failing) -> None:
    cut = 'printf "{\\"row\\": \\"proc" > "$FERROTILE_CAPTURE/1.rows"'
    assert failing(["/bin/sh", "-c", cut]).code == "FT113"


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    with pytest.raises(InputError) as caught:
        record(LAUNCHES, tmp_path, RecordOptions(quiet=True))
    assert caught.value.code == "FT114" and [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_wrong_options_are_told_before_the_command_runs(failing: Callable[..., FerrotileError]) -> None:
    assert failing(LAUNCHES, RecordOptions(target="hopper")).code == "FT111"
    assert failing(LAUNCHES, RecordOptions(tune="best")).code == "FT902"


def test_pytest_is_recorded_with_the_names_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        f"""
import sys
sys.path.insert(0, {str(PROGRAMS)!r})
import cuda.tile as ct, ferrotile_recorder, kernels, numpy
def test_launch():
    x = numpy.zeros((8, 512), numpy.float32)
    with ferrotile_recorder.operator("doubling"):
        ct.launch(None, (4,), kernels.double, (x[1], x[2:3].reshape(512), 128))
"""
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_it.py")]
    out = tmp_path / "out"
    (one,) = record(command, out, RecordOptions(pretend=True, quiet=True)).exported
    assert one.operators == ("doubling",) and one.tests[0].endswith("test_it.py::test_launch")
    first, second = one.launches[0].arguments[:2]
    assert first == ArrayArgument(dtype="float32", shape=(512,), strides=(1,), offset=2048, buffer=0)
    assert second == ArrayArgument(dtype="float32", shape=(512,), strides=(1,), offset=4096, buffer=0)


def test_with_a_gpu_launches_are_recorded_and_made(tmp_path: Path) -> None:
    """The machine is told to have a GPU, and a driver that refuses: what refuses is cuda.tile's own launch."""
    code = f"""
import sys
sys.path.insert(0, {str(PROGRAMS)!r})
import ferrotile_recorder.driver, ferrotile_recorder.settings as settings
settings.has_gpu = lambda: True
import cuda.tile as ct, kernels
from arrays import DeviceArray
ferrotile_recorder.driver.install()
arrays = DeviceArray((4096,)), DeviceArray((4096,))
try:
    ct.launch(0, (4,), kernels.double, (*arrays, 1024))
except Exception as error:
    print(type(error).__name__, error)
    sys.exit(0)
sys.exit("nothing was launched")
"""
    index = record(_python(code), tmp_path / "out", RecordOptions(quiet=True))
    assert not index.is_pretended and [one.kernel for one in index.exported] == ["double"]


def test_the_environment_keeps_its_own_sitecustomize(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text("import builtins; builtins.customized = True")
    recorder = Path(record.__code__.co_filename).parent / "injected"
    path = os.pathsep.join([str(recorder), str(tmp_path)])
    command = [sys.executable, "-c", "print(customized)"]
    ran = subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True)
    assert ran.stdout == "True\n"


def test_the_index_says_how_it_was_made(captured: tuple[Path, Index]) -> None:
    index = json.loads((captured[0] / "index.json").read_text())
    assert (index["command"], index["exit_code"], index["target"]) == (LAUNCHES, 0, "sm_90")
    assert index["is_pretended"] and index["cuda_tile"].startswith("1.7")
