"""`make docs`: the site builds without a warning, and a link to nothing is one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def built(root: Path, site: Path) -> subprocess.CompletedProcess[str]:
    """The site of a checkout, strictly."""
    command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(root / "mkdocs.yml")]
    return subprocess.run([*command, "--site-dir", str(site)], capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_site_builds_without_a_warning_and_a_dead_link_fails_it(tmp_path: Path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    made = built(ROOT, tmp_path / "site")
    assert made.returncode == 0 and "WARNING" not in made.stderr + made.stdout, made.stderr
    for name in ("index", "map", "first-op", "workflow", "c-abi", "codes", "ops", "front-end", "FOUND"):
        assert (tmp_path / "site" / f"{name}.html").is_file(), name
    first = (tmp_path / "site/first-op.html").read_text()
    assert 'href="FOUND.html"' in first, "a link out of docs/ is one in the site"
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(ROOT / "mkdocs.yml", copy)
    shutil.copy(ROOT / "README.md", copy)
    shutil.copytree(ROOT / "docs", copy / "docs")
    for page in (copy / "README.md", copy / "docs/words.md"):
        page.write_text("[somewhere](nowhere.md)\n")
    made = built(copy, tmp_path / "other")
    assert made.returncode != 0 and "nowhere.md" in made.stderr + made.stdout
