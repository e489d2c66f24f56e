"""Shows 8 of the plan: the kernels translated from the corpus, put in one crate, pass `cargo check`, no warnings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ferrotile import ir
from ferrotile.core import Level, Unsupported
from ferrotile.host import write_check_crate
from ferrotile.lift import lift
from ferrotile.workflow import Options, expand, generalize, translate

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(os.environ.get("FERROTILE_CORPUS", ROOT.parent / "shared" / "corpus")) / "tilegym-ops"


@pytest.mark.slow
@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS.is_dir(), reason="no corpus")
def test_one_of_each_corpus_kernel_passes_cargo_check(tmp_path: Path) -> None:
    first = {path.name.rsplit(".", 2)[0]: path for path in sorted(CORPUS.glob("*.tileirbc"), reverse=True)}
    for name, path in first.items():
        try:
            text = lift(ir.decode(path.read_bytes()), None).text
        except Unsupported:
            continue
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.rs").write_text(text)
    written = write_check_crate(tmp_path / "kernels", ROOT / "build" / "tests" / "corpus-crate", ROOT)
    assert written.module_count >= 0.8 * len(first)
    require_accepted(written.manifest)


def require_accepted(manifest: Path) -> None:
    """`cargo check` of a crate, without a warning."""
    command = [sys.executable, "build_backend/extension.py", "cargo", "check", "-q", "--release", "--manifest-path"]
    ran = subprocess.run([*command, str(manifest)], cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert ran.returncode == 0 and "warning" not in ran.stderr, ran.stderr


@pytest.mark.slow
def test_examples_pass_cargo_check_fluent_safe_and_generic(tmp_path: Path) -> None:
    """One crate; also numbers of every integer type, and folds, of tests/zoo."""
    inputs, options = [str(ROOT / "examples")], Options(out=tmp_path / "fluent")
    zoo = [str(ROOT / "tests" / "zoo" / "kernels" / name) for name in ("integers.py", "reduce.py")]
    for task in expand([*inputs, *zoo], options):
        translate(task, options)
    safe = Options(out=tmp_path / "safe", level=Level.SAFE)
    for task in expand(inputs, safe):
        translate(task, safe)
    common = Options(out=tmp_path / "generic")
    assert list(generalize(expand([*inputs, str(ROOT / "tests" / "lift" / "generic")], common), common))
    texts = [path.read_text() for path in (tmp_path / "safe").rglob("kernel.rs")]
    assert any("unsafe" not in text for text in texts)
    require_accepted(write_check_crate(tmp_path, ROOT / "build" / "tests" / "examples-crate", ROOT).manifest)
