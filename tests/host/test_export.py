"""`ferrotile export c`: bundles become a library; what is not proved, not whole, or has no form in C does not."""

from __future__ import annotations

import hashlib
import json
import subprocess
from dataclasses import replace
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
    told = {"target": "sm_90", "embedded": True, "compiled_late": False}
    assert {"label": "vector_add.f32", **told} in json.loads(ran.output)["functions"]["cutile_vector_add"]
    ran = CliRunner().invoke(app, [*arguments, "--json", "--jit"])
    told = {"target": "sm_90", "embedded": False, "compiled_late": True}
    assert {"label": "vector_add.f32", **told} in json.loads(ran.output)["functions"]["cutile_vector_add"]
    ran = CliRunner().invoke(app, [*arguments, "--json", "--aot", "sm_80"])
    assert ran.exit_code == 2 and json.loads(ran.output)["code"] == "FT608"


def test_programs_are_exported_without_a_compiler(
    bundles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Machine code is made for the targets that are named, and for no other."""
    monkeypatch.setattr(tools, "assemble", lambda *_, **__: pytest.fail("tileiras ran"))
    (kernel,) = export(bundles, tmp_path / "out", is_late=True).library.kernels
    folder = tmp_path / "out" / "kernels" / "vector_add"
    assert not (folder / "cubins").exists() and host.features([kernel]) == ["jit"]
    for variant in kernel.variants:
        program = (bundles / variant.label / "lowered.tileirbc").read_bytes()
        assert variant.program == (folder / "programs" / f"{variant.label}.sm_90.tileirbc").read_bytes() == program
        assert hashlib.sha256(program).hexdigest() in (folder / "src" / "lib.rs").read_text()
    assert 'default = ["jit"]' in (tmp_path / "out" / "library" / "Cargo.toml").read_text()


def test_machine_code_and_programs_go_together(bundles: Path, tmp_path: Path) -> None:
    """Of a bundle for another target than those that are named, the program alone."""
    folder = bundles / "vector_add.f16-any-length"
    proof = bundle.read(folder).model_copy(update={"target": "sm_100"})
    bundle.write(folder, proof)
    assert refusal(bundles, is_late=True, targets=("sm_80",)).code == "FT608"
    (kernel,) = export(bundles, tmp_path / "out", is_late=True, targets=("sm_90",)).library.kernels
    assert {variant.label: variant.cubin for variant in kernel.variants} == {
        "vector_add.f32": CUBIN, "vector_add.f16-any-length": None,
    }  # fmt: skip
    assert all(variant.program is not None for variant in kernel.variants)
    manifest = (tmp_path / "out" / "library" / "Cargo.toml").read_text()
    assert 'default = ["aot", "jit"]' in manifest and 'aot = ["kernel-vector_add/aot"]' in manifest
    assert 'jit = ["ferrotile-launch/jit", "kernel-vector_add/jit"]' in manifest


def test_each_device_gets_the_program_of_the_nearest_target_below_it(bundles: Path, tmp_path: Path) -> None:
    (kernel,) = export(bundles, tmp_path / "out", is_late=True).library.kernels
    one = next(variant for variant in kernel.variants if variant.label == "vector_add.f32")
    alike = [replace(one, label=target, target=target) for target in ("sm_100", "sm_90a", "sm_120")]
    (kernel,) = kernels_of([*alike, replace(one, cubin=CUBIN, program=None, target="sm_80", label="sm_80")])
    covered = {variant.label: kernel.covers(variant) for variant in kernel.variants if variant.program}
    assert covered == {"sm_90a": (0, 99), "sm_100": (100, 119), "sm_120": (120, None)}
    with pytest.raises(FerrotileError) as caught:
        kernels_of([*alike, replace(one, target="sm_90")])
    assert caught.value.code == "FT604"


@pytest.mark.sweep
def test_library_of_real_machine_code(translated: Path, tmp_path: Path) -> None:
    exported = export(translated, tmp_path / "out", builds=True)
    assert exported.binary is not None
    for folder in translated.iterdir():
        made = tools.assemble((folder / "lowered.tileirbc").read_bytes(), "sm_90").cubin
        assert made is not None and made in exported.binary.read_bytes()


@pytest.mark.sweep
@pytest.mark.parametrize("options", [{}, {"is_late": True}, {"is_late": True, "targets": ("sm_90",)}])
def test_generated_crate_is_clean(translated: Path, tmp_path: Path, options: dict[str, Any]) -> None:
    """clippy has nothing to say of what is written, and rustfmt nothing to change."""
    export(translated, tmp_path / "out", builds=True, **options)
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
