"""All kernels of a folder in one crate: what is written, and that rustc sees what lower does not."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from ferrotile.core import InputError
from ferrotile.host import write_check_crate

ROOT = Path(__file__).resolve().parents[2]
KERNEL = """\
#[cutile::module]
pub mod double {
    use cutile::core::*;

    #[cutile::entry()]
    pub fn double<const N: i32>(x: &Tensor<f32, { [-1] }>, z: &mut Tensor<f32, { [N] }>) {
        let pid: (i32, i32, i32) = get_tile_block_id();
        let px = x.partition(const_shape![N]);
        let a = px.load([pid.0]);
        z.store(a + a);
    }
}
"""


def kernels(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        path = folder / "kernels" / name.replace("__", ".") / "kernel.rs"
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return folder / "kernels"


def cargo_check(manifest: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "build_backend/extension.py", "cargo", "check", "-q", "--release", "--manifest-path"]
    return subprocess.run([*command, str(manifest)], cwd=ROOT, capture_output=True, text=True, timeout=600)


def test_each_distinct_kernel_is_a_module(tmp_path: Path) -> None:
    other = KERNEL.replace("a + a", "a * a")
    folder = kernels(tmp_path, softmax__1=KERNEL, softmax__2=KERNEL, softmax_1=other, match=other + "\n")
    written = write_check_crate(folder, tmp_path / "crate", ROOT)
    library = (tmp_path / "crate" / "src" / "lib.rs").read_text()
    assert (written.module_count, written.file_count) == (3, 4)
    assert [line for line in library.splitlines() if line.startswith("mod ")] == [
        "mod kernel_match;",
        "mod softmax_1;",
        "mod softmax_1_2;",
    ]


def test_manifest_asks_for_what_the_extension_was_built_with(tmp_path: Path) -> None:
    written = write_check_crate(kernels(tmp_path, a=KERNEL), tmp_path / "crate", ROOT)
    manifest = tomllib.loads(written.manifest.read_text())
    root = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert manifest["profile"] == root["profile"]
    assert manifest["dependencies"]["cutile"] == root["workspace"]["dependencies"]["cutile"]
    assert Path(manifest["dependencies"]["ferrotile-prelude"]["path"]).is_dir()
    assert (written.manifest.parent / "Cargo.lock").read_bytes() == (ROOT / "Cargo.lock").read_bytes()


def test_folder_without_kernels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        write_check_crate(tmp_path, tmp_path / "crate", ROOT)
    assert caught.value.code == "FT601"


@pytest.mark.slow
def test_rustc_accepts_kernels_and_finds_what_lower_overlooks(tmp_path: Path) -> None:
    # Not in a fresh folder: cargo would keep what it compiled for every one of them.
    crate = ROOT / "build" / "tests" / "crate"
    good = write_check_crate(kernels(tmp_path, good=KERNEL), crate, ROOT)
    ran = cargo_check(good.manifest)
    assert ran.returncode == 0, ran.stderr
    kernels(tmp_path, bad=KERNEL.replace("cutile::core::*", "cutile::core::*;\n    use nowhere::at_all::*"))
    ran = cargo_check(write_check_crate(tmp_path / "kernels", crate, ROOT).manifest)
    assert ran.returncode != 0
    assert "bad/kernel.rs:4" in ran.stderr
