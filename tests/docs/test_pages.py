"""Generated pages are up to date, and links in pages lead somewhere."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("skills/*/*.md")])


def _generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATE = _generate()


@pytest.mark.parametrize("name", sorted(GENERATE.PAGES))
def test_generated_page_is_up_to_date(name: str) -> None:
    written = (ROOT / "docs" / name).read_text()
    assert written == GENERATE.PAGES[name](), "run `python docs/generate.py`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text())
    missing = [target for target in targets if not (page.parent / target).exists()]
    assert not missing


def test_every_module_says_in_one_line_what_it_is() -> None:
    text = (ROOT / "docs" / "map.md").read_text()
    assert not re.findall(r"^- `[\w/.]+` *$", text, re.MULTILINE), "a module without a docstring"


def test_map_knows_every_room() -> None:
    rooms = {path.parent.name for path in (ROOT / "src" / "ferrotile").glob("*/__init__.py")}
    assert rooms <= set(GENERATE.FLOW)
