"""`ferrotile export crate`: a plain Rust crate with a checked function for each kernel; what cargo says of it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from c_library import BUILD, ROOT, alone
from typer.testing import CliRunner

from ferrotile import capture, host, ir, workflow
from ferrotile.capture.index import ArrayArgument, Exported, Launch, ValueArgument
from ferrotile.cli.main import app
from ferrotile.core import FerrotileError, VerdictKind, tools

CUBIN = tools.CUBIN_MAGIC + b" of a stand-in for tileiras"
TILE = 1024


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both specializations of vector_add, and a kernel with atomics by pointer."""
    folder = tmp_path_factory.mktemp("bundles")
    options = workflow.Options(out=folder)
    for name in ("vector_add", "histogram"):
        for task in workflow.expand([str(ROOT / "examples" / f"{name}.py")], options):
            assert workflow.translate(task, options).verdict is VerdictKind.EQUAL
    return folder


@pytest.fixture
def no_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """No wait for tileiras."""
    monkeypatch.setattr(tools, "assemble", lambda *_, **__: tools.Assembled(CUBIN, None, False, 0.0))


def recording(folder: Path, kernel: str, launches: list[tuple[tuple[int, ...], list[Any]]], names: list[str]) -> Path:
    """A capture as `ferrotile capture` writes it, of these launches."""
    rows = tuple(Launch(grid=grid, arguments=tuple(arguments)) for grid, arguments in launches)
    row = Exported(
        module=kernel, kernel=kernel, symbol=None, hints={}, parameters=tuple(names), source="", line=1, via="launch",
        launches=rows, launch_count=len(rows), name=kernel, file="x.tileirbc", sha256=hashlib.sha256(b"").hexdigest(),
    )  # fmt: skip
    index = capture.Index(
        command=("python",), exit_code=0, target="sm_90", tune="first", cuda_tile="1.7.0", is_pretended=True,
        has_placeholders=False, multiprocessors=132, exported=(row,), unexported=(),
    )  # fmt: skip
    folder.mkdir(parents=True)
    (folder / "x.tileirbc").touch()
    (folder / "index.json").write_text(index.to_text())
    return folder


def additions(folder: Path, grids: tuple[int, ...] = (3, 5)) -> Path:
    """Launches of vector_add: the arrays are as long as so many tiles, less one element."""
    made = []
    for blocks in grids:
        array = ArrayArgument(dtype="float32", shape=(blocks * TILE - 16,), strides=(1,))
        made.append(((blocks,), [array, array, array, ValueArgument(kind="constant", value=TILE)]))
    return recording(folder, "vector_add", made, ["a", "b", "total", "TILE"])


def export(bundles: list[Path], out: Path, **options: Any) -> workflow.ExportedCrate:
    return workflow.export_crate(bundles, out, workflow.CrateOptions(**{"builds": False, **options}))


@pytest.mark.usefixtures("no_wait")
def test_a_kernel_is_a_safe_function_with_its_grid(translated: Path, tmp_path: Path) -> None:
    exported = export([translated], tmp_path / "out", launches=additions(tmp_path / "captured"))
    assert str(exported.rules["vector_add"]) == "(cdiv(a.shape[0], TILE), 1, 1)"
    text = (tmp_path / "out" / "src" / "vector_add.rs").read_text()
    assert "pub fn launch(" in text and "total: &mut ViewMut" in text and "a: &View" in text
    assert "blocks([ceiling(a.extent(0), TILE), 1, 1])" in text
    assert 'require_equal(("a.shape[0]", a.extent(0)), ("b.shape[0]", b.extent(0)))?;' in text
    assert "/// Write `a + b` to `total`" in text or "///" in text.partition("pub fn launch(")[0]
    tests = (tmp_path / "out" / "tests" / "grids.rs").read_text()
    assert tests.count("assert_eq!(grid, Ok([3, 1, 1]));") == tests.count("assert_eq!(grid, Ok([5, 1, 1]));") == 1
    assert {path.read_bytes() for path in (tmp_path / "out" / "cubins" / "vector_add").iterdir()} == {CUBIN}


@pytest.mark.usefixtures("no_wait")
def test_without_a_rule_or_a_proof_of_bounds_the_caller_answers(translated: Path, tmp_path: Path) -> None:
    export([translated], tmp_path / "out", records=False)
    text = (tmp_path / "out" / "src" / "histogram.rs").read_text()
    assert "pub fn launch(" not in text and "pub unsafe fn launch_on(" in text
    assert "No rule for the grid is known: no launch was recorded." in text
    assert "nothing proves that the kernel stays inside them (atomic by pointer)." in text
    assert "unsafe: atomic by pointer" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.usefixtures("no_wait")
def test_a_recorded_call_is_like_the_smallest_launch(translated: Path, tmp_path: Path) -> None:
    bundles = [translated / "vector_add.f32"]
    exported = export(bundles, tmp_path / "out", launches=additions(tmp_path / "captured"))
    assert exported.recorded_count == 1
    cases = tmp_path / "out" / "tests" / "cases"
    assert "&[3056], &[1]" in (cases / "mod.rs").read_text().replace("\n", "").replace("            ", " ")
    a, b, total = (
        (cases / "vector_add.f32.sm_90" / f"{name}.{when}.bin").read_bytes()
        for name, when in (("a", "before"), ("b", "before"), ("total", "after"))
    )
    assert len(a) == len(b) == len(total) == 4 * 3056 and len({a, b, total}) == 3


@pytest.mark.usefixtures("no_wait")
def test_what_does_not_change_is_not_written_again(translated: Path, tmp_path: Path) -> None:
    export([translated], tmp_path / "out")
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    export([translated], tmp_path / "out")
    assert stamps == {path: path.stat().st_mtime_ns for path in stamps}


@pytest.mark.usefixtures("no_wait")
def test_an_edited_text_is_not_exported(translated: Path, tmp_path: Path) -> None:
    folder = tmp_path / "vector_add.f32"
    folder.mkdir()
    for path in (translated / "vector_add.f32").iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "kernel.rs").write_text("// mine\n" + (folder / "kernel.rs").read_text())
    with pytest.raises(FerrotileError) as caught:
        export([folder], tmp_path / "out")
    assert caught.value.code == "FT613"


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize("name", ["Operators", "7up", "a b", ""])
def test_a_crate_has_a_name_that_cargo_takes(translated: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(FerrotileError) as caught:
        export([translated], tmp_path / "out", name=name, records=False)
    assert caught.value.code == "FT601"


@pytest.mark.usefixtures("no_wait")
def test_two_targets_of_one_label_have_machine_code_of_their_own(translated: Path, tmp_path: Path) -> None:
    options = workflow.Options(out=tmp_path / "hopper", target="sm_90")
    (task,) = workflow.expand([str(ROOT / "examples" / "swiglu.py")], options)
    workflow.translate(task, options)
    other = workflow.Options(out=tmp_path / "blackwell", target="sm_100")
    (task,) = workflow.expand([str(ROOT / "examples" / "swiglu.py")], other)
    workflow.translate(task, other)
    both = [tmp_path / "hopper", tmp_path / "blackwell"]
    export(both, tmp_path / "out", targets=("sm_90", "sm_100"), records=False)
    names = {path.name for path in (tmp_path / "out" / "cubins" / "swiglu").iterdir()}
    assert names == {"swiglu.f16.sm_90.cubin", "swiglu.f16.sm_100.cubin"}


@pytest.mark.usefixtures("no_wait")
def test_command_line_tells_what_was_made(translated: Path, tmp_path: Path) -> None:
    arguments = ["export", "crate", str(translated), "--out", str(tmp_path / "out"), "--no-build", "--no-record"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    assert "2 operators, 0 recorded calls" in ran.output and "no rule for the grid: no launch was" in ran.output
    ran = CliRunner().invoke(app, [*arguments, "--json"])
    told = json.loads(ran.stdout)["operators"]["vector_add"]
    assert (told["grid"], told["why_no_grid"]) == (None, "no launch was recorded")
    ran = CliRunner().invoke(app, [*arguments, "--json", "--launches", str(translated)])
    assert ran.exit_code == 2 and json.loads(ran.stdout)["code"] == "FT116"


def test_every_unsafe_block_has_a_reason_of_the_list(translated: Path) -> None:
    found = {path.parent.name: host.reasons(path.read_text()) for path in translated.glob("*/kernel.rs")}
    assert found["histogram.f32-values"] == {"atomic by pointer": 1}
    assert found["vector_add.f32"] == {"disjointness unproven": 1}
    with pytest.raises(FerrotileError) as caught:
        host.reasons("let x = unsafe { transmute(y) };")
    assert caught.value.code == "FT630" and "`transmute`" in caught.value.message
    assert host.reasons("// unsafe { transmute(y) }\n/// unsafe { store(x) }") == {}


def test_reasons_count_what_the_proof_counts(translated: Path) -> None:
    for proof in translated.glob("*/proof.json"):
        text = (proof.parent / "kernel.rs").read_text()
        assert host.reasons(text).total() == json.loads(proof.read_text())["unsafe"]


def cargo(folder: Path, *arguments: str, **variables: str) -> str:
    """Run cargo, with the folder for compiled crates that these tests share."""
    given = {"CARGO_TARGET_DIR": str(BUILD.parent / "crate-target"), **variables}
    environment = {**tools.cleaned_environment(folder, os.environ), **given}
    command = ["cargo", *arguments]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr + ran.stdout
    return ran.stdout


@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize(("targets", "features"), [((), ["jit"]), (("sm_90",), ["aot", "jit"])])
def test_a_crate_may_compile_at_the_first_call(
    translated: Path, tmp_path: Path, targets: tuple[str, ...], features: list[str]
) -> None:
    export([translated / "vector_add.f32"], tmp_path / "out", records=False, is_late=True, targets=targets)
    manifest = tomllib.loads((tmp_path / "out" / "Cargo.toml").read_text())["features"]
    embedded: dict[str, list[str]] = {"aot": []} if "aot" in features else {}
    assert manifest == {"default": features, "jit": ["ferrotile-launch/jit"], **embedded}
    program = (translated / "vector_add.f32" / "lowered.tileirbc").read_bytes()
    assert (tmp_path / "out" / "programs" / "vector_add" / "vector_add.f32.sm_90.tileirbc").read_bytes() == program
    assert (tmp_path / "out" / "cubins").exists() == ("aot" in features)
    text = (tmp_path / "out" / "src" / "vector_add.rs").read_text()
    assert text.count("../programs/vector_add/") == 1 and text.count('#[cfg(feature = "jit")]') == len(features) - 1
    assert "tileiras" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.slow
@pytest.mark.usefixtures("no_wait")
@pytest.mark.parametrize("late", [{}, {"is_late": True, "targets": ("sm_90",)}], ids=["embedded", "late"])
def test_crate_of_three_operators_is_clean_and_passes_its_tests(
    translated: Path, tmp_path: Path, late: dict[str, Any]
) -> None:
    options = workflow.Options(out=tmp_path / "bundles")
    (task,) = workflow.expand([str(ROOT / "examples" / "swiglu.py")], options)
    assert workflow.translate(task, options).verdict is VerdictKind.EQUAL
    launches = additions(tmp_path / "captured")
    with alone(BUILD.parent / "crate-target"):
        exported = export([translated, tmp_path / "bundles"], tmp_path / "out", launches=launches, **late)
        assert len(exported.kernels) == 3 and exported.recorded_count >= 3
        told = cargo(tmp_path / "out", "test", "--offline", "-q")
        assert "1 ignored" in told and told.count("test result: ok") == 4
        cargo(tmp_path / "out", "clippy", "--offline", "-q", "--all-targets", "--", "-D", "warnings")
        cargo(tmp_path / "out", "doc", "--offline", "-q", "--no-deps", RUSTDOCFLAGS="-D warnings")
        cargo(tmp_path / "out", "fmt", "--all", "--check")
    page = BUILD.parent / "crate-target" / "doc" / "cutile_operators" / "vector_add" / "fn.launch.html"
    assert "multiple" in page.read_text() or "launch" in page.read_text()


def test_a_crate_that_does_not_build_is_told(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("[package]\nname = 7\n")
    with pytest.raises(FerrotileError) as caught:
        host.check_crate(tmp_path)
    assert caught.value.code == "FT607" and "cargo does not build the crate: error" in caught.value.message


def test_nothing_is_no_crate(tmp_path: Path) -> None:
    with pytest.raises(FerrotileError) as caught:
        host.write_crate(host.Crate((), {}), tmp_path, ROOT, "operators")
    assert caught.value.code == "FT601"


def test_every_unsafe_function_of_prelude_and_table_has_a_reason() -> None:
    prelude = "".join(path.read_text() for path in (ROOT / "runtime" / "prelude" / "src").glob("*.rs"))
    names = set(re.findall(r"pub unsafe fn (\w+)", prelude))
    forms = [row.rust for row in ir.table() if not isinstance(row.rust, ir.Refusal)]
    names |= {name for form in forms for name in re.findall(r"unsafe (\w+)", str(form))}
    assert len(names) > 30
    assert host.reasons("".join(f"unsafe {{ {name}(x) }}\n" for name in names)).total() == len(names)
