"""The build of the extension: one environment whatever the user's, one result for the same sources in any clone."""

from __future__ import annotations

import ast
import importlib.util
import shutil
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """build_backend/extension.py, for a copy of the tree's Rust sources."""
    spec = importlib.util.spec_from_file_location("ferrotile_native_build", ROOT / "build_backend" / "extension.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    clone = tmp_path / "clone"
    for name in ("native", "runtime"):
        shutil.copytree(ROOT / name, clone / name)
    for name in ("Cargo.toml", "Cargo.lock"):
        shutil.copy(ROOT / name, clone / name)
    monkeypatch.setattr(module, "ROOT", clone)
    return module


def test_foreign_toolkits_do_not_leak_in(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    clean = native.build_environment()
    for name in ("CUDA_HOME", "CUDA_PATH", "CUDA_TOOLKIT_PATH", "LIBCLANG_PATH", "CARGO_TARGET_DIR", "PYO3_PYTHON"):
        monkeypatch.setenv(name, "/nonexistent")
    assert native.build_environment() == clean


def test_cache_folder_follows_the_user(native: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("FERROTILE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert native.cache_folder() == tmp_path / "ferrotile"
    monkeypatch.setenv("FERROTILE_CACHE", str(tmp_path / "own"))
    assert native.cache_folder() == tmp_path / "own"


def test_key_is_of_the_sources_not_of_the_clone(native: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = native.build_environment()
    in_clone = native._source_key(environment)
    source = native.ROOT / "native" / "src" / "lib.rs"
    source.write_text(source.read_text() + "// changed\n")
    changed = native._source_key(environment)
    monkeypatch.setattr(native, "ROOT", ROOT)
    assert native._source_key(environment) == in_clone != changed


def test_missing_wheel_says_what_to_do(native: ModuleType) -> None:
    with pytest.raises(native.BuildFault) as caught:
        native._wheel_files("no-such-distribution", "/nothing.h")
    assert "make setup" in str(caught.value)


def test_stub_declares_what_the_extension_has() -> None:
    from ferrotile import _native

    stub = ast.parse((ROOT / "src" / "ferrotile" / "_native.pyi").read_text())
    declared = {node.name for node in stub.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    declared |= {
        node.target.id for node in stub.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    public = {name for name in dir(_native) if not name.startswith("__")}
    assert {name for name in declared if not name.startswith("_")} == public
