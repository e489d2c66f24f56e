"""`ferrotile export c`: bundles become a library; what is not proved, not whole, or has no form in C does not."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from c_library import ROOT
from typer.testing import CliRunner

from ferrotile import bundle, host, workflow
from ferrotile.cli.main import app
from ferrotile.core import FerrotileError, VerdictKind, tools
from ferrotile.host.grouping import kernels_of
from ferrotile.host.library import write_library

CUBIN = tools.CUBIN_MAGIC + b" of a stand-in for tileiras"


@pytest.fixture(scope="module")
def translated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both specializations of vector_add, as translate writes them."""
    folder = tmp_path_factory.mktemp("bundles")
    options = workflow.Options(out=folder)
    for task in workflow.expand([str(ROOT / "examples" / "vector_add.py")], options):
        assert workflow.translate(task, options).verdict is VerdictKind.EQUAL
    return folder


@pytest.fixture
def bundles(translated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to spoil, and no wait for tileiras."""
    made = tools.Assembled(CUBIN, None, False, 0.0)
    monkeypatch.setattr(tools, "assemble", lambda *_, **__: made)
    for source in translated.rglob("*"):
        if source.is_file():
            target = tmp_path / "bundles" / source.relative_to(translated)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(source.read_bytes())
    return tmp_path / "bundles"


def export(bundles: Path, out: Path, **options: Any) -> workflow.Exported:
    return workflow.export_c([bundles], out, workflow.ExportOptions(**{"builds": False, **options}))


def refusal(bundles: Path, **options: Any) -> FerrotileError:
    with pytest.raises(FerrotileError) as caught:
        export(bundles, bundles.parent / "out", **options)
    return caught.value


def rewrite(bundles: Path, **claims: Any) -> None:
    folder = bundles / "vector_add.f32"
    bundle.write(folder, bundle.read(folder).model_copy(update=claims))


def test_specializations_of_one_kernel_are_one_function(bundles: Path, tmp_path: Path) -> None:
    exported = export(bundles, tmp_path / "out")
    assert exported.binary is None
    (kernel,) = exported.library.kernels
    assert [argument.name for argument in kernel.arguments] == ["a", "b", "total", "TILE"]
    assert {variant.label for variant in kernel.variants} == {"vector_add.f32", "vector_add.f16-any-length"}
    cubins = tmp_path / "out" / "kernels" / "vector_add" / "cubins"
    assert {path.read_bytes() for path in cubins.iterdir()} == {CUBIN}


def test_what_does_not_change_is_not_written_again(bundles: Path, tmp_path: Path) -> None:
    export(bundles, tmp_path / "out")
    stamps = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*") if path.is_file()}
    export(bundles, tmp_path / "out")
    assert stamps == {path: path.stat().st_mtime_ns for path in stamps}


def test_only_what_is_proved_is_exported(bundles: Path) -> None:
    rewrite(bundles, verdict=VerdictKind.DIFFERS)
    error = refusal(bundles)
    assert error.code == "FT602" and "DIFFERS" in error.message


def test_an_edited_bundle_is_refused(bundles: Path) -> None:
    proof = bundles / "vector_add.f32" / "proof.json"
    text = proof.read_text()
    proof.write_text(text.replace('"sentence": "the', '"sentence": "The'))
    assert refusal(bundles).code == "FT614"
    proof.write_text(text)
    (bundles / "vector_add.f32" / "lowered.tileirbc").write_bytes(b"another program")
    assert refusal(bundles).code == "FT613"
    (bundles / "vector_add.f32" / "lowered.tileirbc").unlink()
    assert refusal(bundles).code == "FT613"


def test_a_fact_that_cannot_be_checked_stops_the_export(bundles: Path) -> None:
    rewrite(bundles, launch_checks=("the moon is full",))
    assert refusal(bundles).code == "FT609"


def test_a_target_must_have_been_translated_for(bundles: Path, tmp_path: Path) -> None:
    assert refusal(bundles, targets=("sm_90", "sm_100")).code == "FT608"
    assert export(bundles, tmp_path / "out", targets=("sm_90",)).library.variant_count == 2


def test_what_tileiras_refuses_is_not_exported(bundles: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tools.Assembled(None, "error: no such luck", False, 0.0)
    monkeypatch.setattr(tools, "assemble", lambda *_, **__: made)
    error = refusal(bundles)
    assert error.code == "FT605" and "no such luck" in error.message


def test_the_runtime_must_be_there(bundles: Path, tmp_path: Path) -> None:
    assert refusal(bundles, tree=tmp_path).code == "FT606"


def test_what_cargo_says_is_told(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("[package]\nname = 7\n")
    with pytest.raises(FerrotileError) as caught:
        host.build_library(host.Library(tmp_path, ()))
    assert caught.value.code == "FT607" and "cargo does not build the library: error" in caught.value.message


def test_nothing_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(FerrotileError) as caught:
        host.export_library([], tmp_path, ROOT)
    assert caught.value.code == "FT601"


def test_command_line_tells_what_was_made(bundles: Path, tmp_path: Path) -> None:
    arguments = ["export", "c", str(bundles), "--out", str(tmp_path / "out"), "--no-build"]
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 0, ran.output
    assert "1 functions, 2 specializations" in ran.output
    ran = CliRunner().invoke(app, [*arguments, "--json"])
    assert set(json.loads(ran.output)["functions"]) == {"cutile_vector_add"}
    ran = CliRunner().invoke(app, [*arguments, "--json", "--aot", "sm_80"])
    assert ran.exit_code == 2 and json.loads(ran.output)["code"] == "FT608"


@pytest.mark.sweep
def test_library_of_real_machine_code(translated: Path, tmp_path: Path) -> None:
    exported = export(translated, tmp_path / "out", builds=True)
    assert exported.binary is not None
    for folder in translated.iterdir():
        made = tools.assemble((folder / "lowered.tileirbc").read_bytes(), "sm_90").cubin
        assert made is not None and made in exported.binary.read_bytes()


@pytest.mark.sweep
def test_generated_crate_is_clean(translated: Path, tmp_path: Path) -> None:
    """clippy has nothing to say of what is written, and rustfmt nothing to change."""
    export(translated, tmp_path / "out", builds=True)
    for command in (
        ["cargo", "clippy", "--offline", "-q", "--", "-D", "warnings"],
        ["cargo", "fmt", "--all", "--check"],
    ):
        ran = subprocess.run(command, cwd=tmp_path / "out", capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr + ran.stdout


def test_kernels_are_written_only_with_a_runtime(tmp_path: Path) -> None:
    with pytest.raises(FerrotileError) as caught:
        write_library(kernels_of([]), tmp_path / "out", tmp_path)
    assert caught.value.code == "FT606"
