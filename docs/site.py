"""mkdocs' hooks: README.md is the first page, and what pages link to outside docs/ comes with the site.

A link is written as it works in the repository; here it is turned into one that works in the site.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
MOVED = {"README.md": "index.md"}
LINK = re.compile(r"(\]\()([^)#:\s]+)(#[^)\s]*)?(\))")


def on_files(files: Any, config: Any) -> Any:
    """Add README.md, and every file of the repository that a page links to."""
    waiting = ["README.md", *(f"docs/{file.src_uri}" for file in files.documentation_pages())]
    seen: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in seen or not (ROOT / path).is_file():
            continue
        seen.add(path)
        if files.get_file_from_path(_in_site(path)) is None:
            files.append(File.generated(config, _in_site(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            waiting += _targets(path)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links of the repository into links of the site."""
    del config, files
    here = page.file.src_uri
    source = _in_repository(here)

    def turned(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match[2]))
        there = posixpath.relpath(_in_site(target), posixpath.dirname(here) or ".")
        return f"{match[1]}{there}{match[3] or ''}{match[4]}"

    return LINK.sub(turned, markdown)


def _targets(path: str) -> Iterator[str]:
    """What a page links to, as paths from the repository's root."""
    for match in LINK.finditer((ROOT / path).read_text()):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))


def _in_site(path: str) -> str:
    """A path of the repository, in the site."""
    return MOVED.get(path, path.removeprefix("docs/"))


def _in_repository(path: str) -> str:
    """A page of the site, in the repository."""
    for origin, moved in MOVED.items():
        if path == moved:
            return origin
    return f"docs/{path}" if (ROOT / "docs" / path).is_file() else path
