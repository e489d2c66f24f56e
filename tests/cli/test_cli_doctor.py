"""doctor names what is wrong, whatever is broken, and the command that cures it."""

import importlib.metadata
import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile.cli.main import app
from ferrotile.core import tools

runner = CliRunner()


def findings() -> tuple[int, dict[str, dict]]:
    result = runner.invoke(app, ["doctor", "--json"])
    answer = json.loads(result.stdout)
    assert answer["ok"] is (result.exit_code == 0)
    return result.exit_code, {finding["name"]: finding for finding in answer["findings"]}


@pytest.fixture(autouse=True)
def no_other_toolkit(monkeypatch: pytest.MonkeyPatch):
    for name in tools.TOOLKIT_VARIABLES:
        monkeypatch.delenv(name, raising=False)


def test_all_is_well_here():
    exit_code, found = findings()
    wrong = {
        name: finding["found"] for name, finding in found.items() if finding["is_needed"] and not finding["is_well"]
    }
    assert (exit_code, wrong) == (0, {})
    assert {*tools.NVIDIA_TOOLS, *tools.RUST_TOOLS, "python", "native extension", "cuda-tile", "corpus"} <= found.keys()


@pytest.mark.parametrize("missing", [*tools.NVIDIA_TOOLS, *tools.RUST_TOOLS])
def test_missing_tool(missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in (*tools.NVIDIA_TOOLS, *tools.RUST_TOOLS):
        if name != missing:
            (tmp_path / name).symlink_to(tools.find(name).path)
    monkeypatch.setenv("FERROTILE_TOOLS", str(tmp_path))
    exit_code, found = findings()
    assert not found[missing]["is_well"] and found[missing]["cure"] == tools.CURES[missing]
    assert exit_code == (0 if missing == "cargo" else 4)


def test_tool_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in (*tools.NVIDIA_TOOLS, *tools.RUST_TOOLS):
        (tmp_path / name).symlink_to(tools.find(name).path)
    (tmp_path / "ptxas").unlink()
    (tmp_path / "ptxas").write_text('#!/bin/sh\necho "Cuda compilation tools, release 12.4, V12.4.99"\n')
    (tmp_path / "ptxas").chmod(0o755)
    monkeypatch.setenv("FERROTILE_TOOLS", str(tmp_path))
    exit_code, found = findings()
    assert exit_code == 4 and "12.4.99" in found["ptxas"]["found"]


@pytest.mark.parametrize("variable", ["CUDA_HOME", "CUDA_PATH"])
def test_variable_that_leads_to_another_toolkit(variable: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    library = tmp_path / "nvvm" / "lib64" / "libnvvm.so"
    library.parent.mkdir(parents=True)
    shutil.copy(sys.executable if os.path.isfile(sys.executable) else __file__, library)
    monkeypatch.setenv(variable, str(tmp_path))
    exit_code, found = findings()
    finding = found[f"{variable}={tmp_path}"]
    assert exit_code == 4 and not finding["is_well"] and finding["cure"] == f"unset {variable}"
    assert found["tileiras works"]["is_well"]


def test_variable_that_names_the_same_toolkit_is_well(monkeypatch: pytest.MonkeyPatch):
    (folder,) = [folder for folder in tools.wheel_folders() if (folder / "tileiras").is_file()]
    monkeypatch.setenv("CUDA_HOME", str(folder.parent))
    assert findings()[1][f"CUDA_HOME={folder.parent}"]["is_well"]


def test_missing_native_extension(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ferrotile._native", None)
    monkeypatch.delattr("ferrotile._native", raising=False)
    exit_code, found = findings()
    assert exit_code == 4 and "make build" in found["native extension"]["cure"]


@pytest.mark.parametrize("package", ["cuda-tile", "xdsl", "capstone", "numpy", "pydantic"])
def test_missing_package(package: str, monkeypatch: pytest.MonkeyPatch):
    installed = importlib.metadata.version

    def version(name: str) -> str:
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return installed(name)

    monkeypatch.setattr(importlib.metadata, "version", version)
    exit_code, found = findings()
    assert exit_code == 4 and found[package]["cure"].startswith(f"pip install {package}")


def test_package_of_another_version(monkeypatch: pytest.MonkeyPatch):
    installed = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "1.0.0" if name == "cuda-tile" else installed(name))
    exit_code, found = findings()
    assert exit_code == 4 and found["cuda-tile"]["cure"] == "pip install cuda-tile==1.7.0"


def test_python_too_old(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 4, "final", 0))
    exit_code, found = findings()
    assert exit_code == 4 and found["python"]["found"] == "3.10.4"


def test_cache_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("FERROTILE_CACHE", str(tmp_path / "file" / "below"))
    exit_code, found = findings()
    assert exit_code == 4 and "FERROTILE_CACHE" in found["cache folder"]["cure"]


def test_missing_corpus_is_only_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FERROTILE_CORPUS", str(tmp_path))
    exit_code, found = findings()
    assert exit_code == 0 and not found["corpus"]["is_well"] and "FERROTILE_CORPUS" in found["corpus"]["cure"]


def test_text_shows_the_cure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FERROTILE_TOOLS", str(tmp_path))
    result = runner.invoke(app, ["doctor"])
    assert result.exit_code == 4 and f"cure: {tools.CURES['tileiras']}" in result.stdout
