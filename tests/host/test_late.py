"""A library that compiles at the first call: once, for the device at hand, from the program that was proved."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import c_calls as calls
import pytest
from c_library import BUILD, ROOT, Built, Child, alone, build_late
from fake_compiler import SEAL_BYTES, FakeCompiler

from ferrotile.core import tools
from ferrotile.host.abi import CODES

NUMBER = {code.name: code.number for code in CODES}
LABEL, OTHER = "vector_add.f32", "rms_norm.bf16"


@pytest.fixture(scope="session")
def late() -> Built:
    """Programs alone."""
    return build_late("late", has_cubins=False)


@pytest.fixture(scope="session")
def both() -> Built:
    """Programs, and machine code for sm_90."""
    return build_late("late-and-embedded", has_cubins=True)


@pytest.fixture
def compiler(tmp_path: Path) -> FakeCompiler:
    return FakeCompiler(tmp_path)


@pytest.fixture
def child(late: Built, compiler: FakeCompiler) -> Iterator[Child]:
    """A process with that compiler."""
    child = late.child(compiler.variables)
    yield child
    child.close()


def command(built: Built, label: str, device: int = 0) -> list[Any]:
    """A right call on a device; 0 and 1 are sm_90, 2 is sm_80."""
    call = calls.right_call(*built.specialization(label))
    call.context = (device + 1) << 12
    for name in call.tensors:
        call.arguments[name]["device"] = device
    return call.command()


def refused(child: Child, call: list[Any], code: str) -> str:
    """The message of a call that is refused, and launches nothing."""
    answer = child.ask("call", *call)
    assert (answer["code"], answer["told"]) == (NUMBER[code], NUMBER[code]), answer["message"]
    assert answer["counts"][0] == answer["counts"][1] and child.ask("loads")[1] == 0
    return answer["message"]


def launched(child: Child, call: list[Any]) -> str:
    """The label of what is launched."""
    answer = child.ask("call", *call)
    assert answer["code"] == 0, answer["message"]
    return child.ask("launches", answer["counts"][0][1], 1)[0]["label"]


def test_the_proved_program_is_compiled_once_for_the_device(late: Built, child: Child, compiler: FakeCompiler) -> None:
    assert compiler.runs == [], "nothing before the first call"
    assert [launched(child, command(late, LABEL)) for _ in range(3)] == ["compiled-for-sm_90"] * 3
    assert (compiler.folder / "compiled.tileirbc").read_bytes() == late.translated(LABEL).lowered
    assert launched(child, command(late, LABEL, 1)) == "compiled-for-sm_90"
    assert len(compiler.runs) == 1 and child.ask("loads") == [2, 0], "a second context loads what is there"
    assert launched(child, command(late, LABEL, 2)) == "compiled-for-sm_80"
    assert [run.split()[1] for run in compiler.runs] == ["sm_90", "sm_80"]


def test_the_compiler_is_called_as_the_rest_of_the_project_calls_it(
    late: Built, child: Child, compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched(child, command(late, LABEL))
    monkeypatch.setenv("FERROTILE_TOOLS", str(compiler.folder))
    assert tools.assemble_afresh(late.translated(LABEL).lowered, "sm_90").cubin is not None
    assert len(compiler.runs) == 2 and compiler.runs[0] == compiler.runs[1]


def test_the_compiler_has_a_private_folder_and_a_clean_environment(
    late: Built, compiler: FakeCompiler, tmp_path: Path
) -> None:
    misleading = dict.fromkeys((*tools.TOOLKIT_VARIABLES, "LD_PRELOAD"), "")
    (tmp_path / "temporary").mkdir()
    child = late.child({**compiler.variables, **misleading, "TMPDIR": str(tmp_path / "temporary")})
    launched(child, command(late, LABEL))
    child.close()
    mode, place = (compiler.folder / "folder").read_text().split()
    assert mode == "700" and Path(place).parent == tmp_path / "temporary"
    assert list((tmp_path / "temporary").iterdir()) == [], "what was there is gone"
    lines = (compiler.folder / "environment").read_text().splitlines()
    environment = dict(line.split("=", 1) for line in lines if "=" in line)
    assert not {*tools.TOOLKIT_VARIABLES, *tools.LOADER_VARIABLES} & set(environment)
    assert environment["PATH"].split(":")[0] == str(compiler.folder) and environment["LC_ALL"] == "C"
    assert environment["TMPDIR"] == place


@pytest.mark.parametrize(
    ("mode", "says"),
    [
        ("fail", "error: the moon is full; and the tide is high"),
        ("silent", "exit code 4"),
        ("garbage", "what it wrote is no whole machine code"),
        ("cut", "what it wrote is no whole machine code"),
        ("nothing", "it wrote nothing: No such file or directory (os error 2)"),
    ],
)
def test_a_failure_is_told_and_not_tried_again(
    late: Built, child: Child, compiler: FakeCompiler, mode: str, says: str
) -> None:
    compiler.set("mode", mode)
    message = refused(child, command(late, LABEL), "Compile")
    assert message == f"vector_add: tileiras 13.5.37 does not compile for sm_90: {says}"
    compiler.set("mode", "0")
    assert refused(child, command(late, LABEL), "Compile") == message
    assert refused(child, command(late, LABEL, 1), "Compile") == message, "another context of the same architecture"
    assert len(compiler.runs) == 1 and compiler.cached == []
    assert child.ask("loads") == [0, 0]
    assert launched(child, command(late, LABEL, 2)) == "compiled-for-sm_80", "others are not concerned"
    assert launched(child, command(late, OTHER)) == "compiled-for-sm_90"
    again = late.child(compiler.variables)
    assert launched(again, command(late, LABEL)) == "compiled-for-sm_90", "another process tries again"
    again.close()


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_compiler_that_hangs_is_ended_with_what_it_started(late: Built, compiler: FakeCompiler) -> None:
    compiler.set("mode", "hang")
    child = late.child({**compiler.variables, "FERROTILE_COMPILE_LIMIT_S": "0.5"})
    message = refused(child, command(late, LABEL), "Compile")
    assert message == "vector_add: tileiras 13.5.37 does not compile for sm_90: took more than 0.5 s"
    assert refused(child, command(late, LABEL), "Compile") == message and len(compiler.runs) == 1
    child.close()
    started = [int(number) for number in (compiler.folder / "processes").read_text().split()]
    assert len(started) == 2 and not any(map(is_running, started))


@pytest.mark.parametrize("limit", ["soon", "-1", "0", "nan", "inf"])
def test_a_limit_that_is_none_is_told(late: Built, compiler: FakeCompiler, limit: str) -> None:
    child = late.child({**compiler.variables, "FERROTILE_COMPILE_LIMIT_S": limit})
    message = refused(child, command(late, LABEL), "Compile")
    assert message.endswith(f"FERROTILE_COMPILE_LIMIT_S is `{limit}`, no number of seconds") and compiler.runs == []
    child.close()


def test_without_a_temporary_folder_nothing_is_compiled(late: Built, compiler: FakeCompiler) -> None:
    child = late.child({**compiler.variables, "TMPDIR": "/dev/null/none"})
    message = refused(child, command(late, LABEL), "Compile")
    assert "no temporary folder can be made in `/dev/null/none`: Not a directory" in message and compiler.runs == []
    child.close()


def moved(built: Built, place: Path) -> Path:
    """The library in a folder of its own, as it is shipped; where the file is."""
    for path in ("include/cutile_kernels.cdef", "target/release/libcutile_kernels.so"):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built.folder / path, place / path)
    return place / "target" / "release"


def test_a_missing_compiler_is_told_with_where_it_was_looked_for(late: Built, tmp_path: Path) -> None:
    home = {"FERROTILE_CACHE": str(tmp_path / "cache"), "PATH": "/nowhere", "FERROTILE_TOOLS": ""}
    elsewhere = str(FakeCompiler(tmp_path / "elsewhere").folder)
    beside = moved(late, tmp_path / "shipped")
    for variables, says in (
        ({"FERROTILE_TOOLS": "/not/there", "PATH": elsewhere}, " in `/not/there`, which FERROTILE_TOOLS names"),
        ({}, f": FERROTILE_TOOLS is not set, and it is neither on PATH nor in the library's folder `{beside}`"),
    ):
        child = Child(tmp_path / "shipped", late.driver, {**home, **variables})
        message = refused(child, command(late, LABEL), "NoCompiler")
        expected = f"vector_add: there is no `tileiras`{says}"
        assert message.startswith(expected[:250]), message
        assert refused(child, command(late, LABEL), "NoCompiler") == message
        child.close()


def test_the_compiler_is_found_by_variable_then_beside_the_library_then_on_path(late: Built, tmp_path: Path) -> None:
    named, beside, on_path = (FakeCompiler(tmp_path / name) for name in ("named", "beside", "path"))
    place = moved(late, tmp_path / "shipped")
    for number, one in enumerate((named, beside, on_path)):
        one.set("mode", f"0.00{number}")
    for file in beside.folder.iterdir():
        shutil.copy2(file, place / file.name)
    beside.folder = place
    path = f"{on_path.folder}:{os.environ['PATH']}"
    variables = {"FERROTILE_CACHE": "/dev/null/none", "PATH": path, "FERROTILE_TOOLS": ""}
    for found, more in ((named, {"FERROTILE_TOOLS": str(named.folder)}), (beside, {}), (on_path, {})):
        child = Child(tmp_path / "shipped", late.driver, {**variables, **more})
        before = len(found.runs)
        launched(child, command(late, LABEL))
        child.close()
        assert len(found.runs) == before + 1
        if found is beside:
            (place / "tileiras").unlink()
    assert [len(one.runs) for one in (named, beside, on_path)] == [1, 1, 1]


def test_what_does_not_tell_its_version_is_no_compiler(late: Built, child: Child, compiler: FakeCompiler) -> None:
    compiler.set("version", "of its own")
    message = refused(child, command(late, LABEL), "NoCompiler")
    assert "tileiras` does not tell its version: exit code 0" in message and compiler.runs == []


def test_threads_that_ask_at_once_compile_once(late: Built, child: Child, compiler: FakeCompiler) -> None:
    compiler.set("mode", "0.3")
    commands = [command(late, label) for label in (LABEL, OTHER) for _ in range(4)]
    assert child.ask("threads", commands, 5) == {"codes": [0], "counts": [40, 40]}
    assert len(compiler.runs) == 2 and child.ask("loads") == [2, 0]


def test_threads_that_ask_at_once_fail_alike(late: Built, child: Child, compiler: FakeCompiler) -> None:
    compiler.set("mode", "fail")
    answer = child.ask("threads", [command(late, LABEL) for _ in range(4)], 5)
    assert answer == {"codes": [NUMBER["Compile"]], "counts": [0, 0]} and len(compiler.runs) == 1


def test_processes_that_ask_at_once_read_no_half_file(late: Built, compiler: FakeCompiler) -> None:
    compiler.set("mode", "0.3")
    children = [late.child(compiler.variables) for _ in range(4)]
    for child in children:
        child.begin("call", *command(late, LABEL))
    assert [child.answer()["code"] for child in children] == [0] * len(children)
    for child in children:
        child.close()
    assert len(compiler.runs) <= len(children) and len(compiler.cached) == 1


def test_a_second_process_compiles_nothing(late: Built, child: Child, compiler: FakeCompiler) -> None:
    launched(child, command(late, LABEL))
    (cached,) = compiler.cached
    compiler.set("mode", "fail")
    second = late.child(compiler.variables)
    assert launched(second, command(late, LABEL)) == "compiled-for-sm_90"
    second.close()
    assert len(compiler.runs) == 1 and cached.read_bytes()[:-SEAL_BYTES].endswith(b"compiled-for-sm_90 0\0")


def test_another_compiler_device_or_program_has_a_file_of_its_own(late: Built, compiler: FakeCompiler) -> None:
    for version, device, label in (
        ("13.5.37", 0, LABEL), ("13.6.1", 0, LABEL), ("13.5.37", 2, LABEL), ("13.5.37", 0, OTHER),
        ("13.5.37", 0, "vector_add.f16-any-length"),
    ):  # fmt: skip
        before = len(compiler.runs)
        compiler.set("version", version)
        child = late.child(compiler.variables)
        launched(child, command(late, label, device))
        child.close()
        assert len(compiler.runs) == before + 1
    assert len(compiler.cached) == 5


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "foreign", "renamed"])
def test_a_damaged_file_is_compiled_again(late: Built, compiler: FakeCompiler, damage: str) -> None:
    first = late.child(compiler.variables)
    launched(first, command(late, LABEL))
    launched(first, command(late, OTHER))
    first.close()
    one = next(path for path in compiler.cached if path.name.startswith(digest(late, LABEL)))
    other = next(path for path in compiler.cached if path != one)
    whole = one.read_bytes()
    flipped = whole.replace(b"compiled", b"Compiled")
    spoiled = {"flip": flipped, "cut": whole[:-1], "empty": b"", "foreign": b"x" * 200, "renamed": other.read_bytes()}
    one.write_bytes(spoiled[damage])
    second = late.child(compiler.variables)
    assert launched(second, command(late, LABEL)) == "compiled-for-sm_90"
    second.close()
    assert len(compiler.runs) == 3 and one.read_bytes() == whole


def digest(built: Built, label: str) -> str:
    return hashlib.sha256(built.translated(label).lowered).hexdigest()


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"FERROTILE_CACHE": "{}/mine"}, "mine"),
        ({"FERROTILE_CACHE": "", "XDG_CACHE_HOME": "{}/xdg"}, "xdg/ferrotile"),
        ({"FERROTILE_CACHE": "", "XDG_CACHE_HOME": "", "HOME": "{}/home"}, "home/.cache/ferrotile"),
    ],
)
def test_the_cache_is_where_the_rest_of_the_project_has_it(
    late: Built, compiler: FakeCompiler, tmp_path: Path, variables: dict[str, str], place: str
) -> None:
    given = {name: value.format(tmp_path) for name, value in variables.items()}
    child = late.child({**compiler.variables, **given})
    launched(child, command(late, LABEL))
    child.close()
    assert len(list((tmp_path / place / "jit").iterdir())) == 1


@pytest.mark.parametrize("cache", ["/dev/null/none", None])
def test_without_a_cache_every_process_compiles_once(late: Built, compiler: FakeCompiler, cache: str | None) -> None:
    empty = {"FERROTILE_CACHE": cache or "", "XDG_CACHE_HOME": "", "HOME": ""}
    for runs in (1, 2):
        child = late.child({**compiler.variables, **empty})
        for device in (0, 1):
            launched(child, command(late, LABEL, device))
        child.close()
        assert len(compiler.runs) == runs


def test_a_call_that_nothing_was_proved_for_is_refused_before_anything_is_compiled(
    late: Built, child: Child, compiler: FakeCompiler
) -> None:
    call = calls.right_call(*late.specialization(LABEL))
    call.arguments["TILE"] = 2048
    assert "for which nothing was compiled" in refused(child, call.command(), "Constant")
    call.arguments |= {"TILE": 1024, "a": call.arguments["a"] | {"rank": 2}}
    refused(child, call.command(), "Rank")
    assert not (compiler.folder / "runs").exists()


def test_embedded_machine_code_wins(both: Built, compiler: FakeCompiler) -> None:
    child = both.child(compiler.variables)
    assert launched(child, command(both, LABEL)) == LABEL
    assert not (compiler.folder / "runs").exists(), "the compiler is not even looked for"
    assert launched(child, command(both, LABEL, 2)) == "compiled-for-sm_80"
    assert [run.split()[1] for run in compiler.runs] == ["sm_80"]
    child.close()


@pytest.mark.parametrize(
    ("feature", "on_hopper", "on_ampere"), [("aot", LABEL, None), ("jit", "compiled-for-sm_90", "compiled-for-sm_80")]
)
def test_features_of_the_crate_choose(
    both: Built, compiler: FakeCompiler, tmp_path: Path, feature: str, on_hopper: str, on_ampere: str | None
) -> None:
    target = BUILD / f"late-{feature}"
    options = ["--no-default-features", "--features", feature, "--target-dir", str(target)]
    with alone(target):
        subprocess.run(["cargo", "build", "--release", "--offline", "-q", *options], cwd=both.folder, check=True)
    place = moved(both, tmp_path / "shipped")
    shutil.copy2(target / "release" / "libcutile_kernels.so", place)
    child = Child(tmp_path / "shipped", both.driver, compiler.variables)
    assert launched(child, command(both, LABEL)) == on_hopper
    if on_ampere is None:
        assert "no machine code for this device, sm_80" in refused(child, command(both, LABEL, 2), "Target")
        assert b"tileiras" not in (place / "libcutile_kernels.so").read_bytes()
    else:
        assert launched(child, command(both, LABEL, 2)) == on_ampere
    child.close()


def test_the_runtime_passes_its_own_tests(late: Built) -> None:
    command = ["cargo", "test", "--release", "--offline", "-q", "-p", "ferrotile-launch", "--lib", "--features", "jit"]
    with alone(BUILD / "late"):
        ran = subprocess.run([*command, "--target-dir", "target"], cwd=late.folder, capture_output=True, text=True)
    assert ran.returncode == 0 and "21 passed" in ran.stdout, ran.stdout + ran.stderr


def test_the_stand_in_of_the_gpu_pack_knows_what_was_packed(
    late: Built, compiler: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What tests/gpu/test_late_on_device.py compiles with, where there is no tileiras."""
    monkeypatch.syspath_prepend(ROOT / "tests" / "gpu")
    programs = [given.lowered for given in late.translations]
    importlib.import_module("pack_late").write_stand_in(compiler.folder, programs)
    child = late.child(compiler.variables)
    for label in (LABEL, OTHER):
        launched(child, command(late, label))
    assert "sm_80" in refused(child, command(late, LABEL, 2), "Compile")
    child.close()
    made = {tools.assemble(program, "sm_90").cubin for program in programs}
    assert {path.read_bytes()[:-SEAL_BYTES] for path in compiler.cached} <= made and len(compiler.cached) == 2


@pytest.mark.parametrize(("device", "target"), [(0, "sm_90"), (2, "sm_80")])
def test_the_real_compiler_makes_what_the_proof_is_about(late: Built, tmp_path: Path, device: int, target: str) -> None:
    """The driver is handed what tileiras makes of `lowered.tileirbc`, byte for byte."""
    real = tools.find("tileiras").path.parent
    child = late.child({"FERROTILE_TOOLS": str(real), "FERROTILE_CACHE": str(tmp_path)})
    for label in (LABEL, OTHER):
        answer = child.ask("call", *command(late, label, device))
        assert answer["code"] == 0, answer["message"]
    child.close()
    for label in (LABEL, OTHER):
        (cached,) = (tmp_path / "jit").glob(f"{digest(late, label)}.*.{target}.O3.cubin")
        assert cached.read_bytes()[:-SEAL_BYTES] == tools.assemble(late.translated(label).lowered, target).cubin
