"""The report page: what belongs together by line, what is shown, and that nothing is fetched."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ferrotile import report, workflow
from ferrotile.cli.main import app
from ferrotile.core import VerdictKind, store
from ferrotile.workflow.correspondence import rust_lines, sass_lines, tile_ir_lines

ROOT = Path(__file__).resolve().parents[2]

TILE_IR = """entry @k(%a: tile<ptr<f32>>) {
  %0 = iota : tile<4xi32> loc(#loc5)
  %r = reduce %0 dim=0 : tile<4xi32>
  (%x: tile<i32>, %y: tile<i32>) {
    yield %x : tile<i32> loc(#loc3)
  } loc(#loc4)
  return loc(#loc9)
} loc(#loc1)
#file = #cuda_tile.di_file<"k.py" in "/x">
#loc1 = loc("/x/k.py":3:0)
#loc2 = loc("/lib/helper.py":50:4)
#loc3 = loc("/x/k.py":7:4)
#loc4 = #cuda_tile.di_loc<#loc3 in #sub>
#loc5 = loc(callsite(#loc2 at #loc6))
#loc6 = #cuda_tile.di_loc<#loc7 in #sub>
#loc7 = loc("/x/k.py":5:4)
"""
SASS = """
.text.k:
	//## File "kernel.rs", line 9
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "runtime/prelude/src/tiles.rs", line 137 inlined at "kernel.rs", line 12
	//## File "kernel.rs", line 12 inlined at "kernel.rs", line 9
	//## File "kernel.rs", line 9
.L_x_1:
        /*0010*/               @P0 BRA `(.L_x_1) ;
        /*0020*/                   EXIT ;
	//## File "kernel.rs", line 77
        /*0030*/                   NOP ;
"""


def test_tile_ir_has_the_innermost_line_of_the_kernels_file() -> None:
    lines = tile_ir_lines(TILE_IR, "/x/k.py")
    assert [line.keys for line in lines] == [(3,), (5,), (7,), (7,), (7,), (7,), (), (3,)]
    assert lines[1].text == "  %0 = iota : tile<4xi32>" and not any("loc(" in line.text for line in lines)


def test_tile_ir_of_another_file_has_no_keys() -> None:
    assert not any(line.keys for line in tile_ir_lines(TILE_IR, "/x/other.py"))


def test_machine_code_has_the_innermost_line_of_the_kernel_that_has_keys() -> None:
    lines = sass_lines(SASS, {9: (3,), 12: (5, 6)})
    assert [(line.text.split()[0], line.keys) for line in lines] == [
        ("0000", (3,)), (".L_x_1:", ()), ("0010", (5, 6)), ("0020", (5, 6)), ("0030", ()),
    ]  # fmt: skip


def test_lines_of_one_statement_share_their_keys() -> None:
    lines = rust_lines("let a =\n    b(\n        c,\n    );\n// why\nlet d = e;\n", {2: (4,)})
    assert [line.keys for line in lines] == [(4,), (4,), (4,), (4,), (), ()]


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One kernel, whose verdict is claimed to be something with markup in it."""
    folder = tmp_path_factory.mktemp("bundles")
    options = workflow.Options(out=folder)
    (task, *_) = workflow.expand([str(ROOT / "examples" / "softmax_rows.py")], options)
    assert workflow.translate(task, options).verdict is VerdictKind.EQUAL
    return folder


class Page(HTMLParser):
    """Tags and what they carry."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def keys(self) -> list[str]:
        return [str(attributes["data-k"]) for _, attributes in self.tags if "data-k" in attributes]


def test_every_line_of_the_kernel_is_in_all_forms(bundles: Path) -> None:
    sides = workflow.sides_of(bundles, workflow.SideOptions(machine_code=False))
    (kernel,) = sides.kernels
    python, tile_ir, rust, sass = kernel.panels
    body = {line.number for line in python.lines if line.number and line.number >= 14 and line.keys}
    assert body == {14, 16, 17, 20, 21, 22, 24}
    for panel in (tile_ir, rust):
        seen = {key for line in panel.lines for key in line.keys}
        assert body - seen <= {17}, panel.title
    assert next(line for line in rust.lines if "exp(" in line.text and "let" in line.text).keys == (21,)
    assert (sass.note, sass.lines) == ("none: not asked for", ())


def test_the_page_says_what_was_found(bundles: Path) -> None:
    sides = workflow.sides_of(bundles, workflow.SideOptions(machine_code=False))
    text = report.page_html(sides)
    assert '<span class="badge good">EQUAL</span>' in text
    assert "<code>COLUMNS == 4096</code>" in text and "disjointness unproven" in text
    assert "Tensor&lt;f16, { [-1, -1] }&gt;" in text, "code is text, not markup"
    assert {"14", "24"} < set(Page(text).keys())


def test_the_page_fetches_nothing(bundles: Path, tmp_path: Path) -> None:
    sides = workflow.sides_of(bundles, workflow.SideOptions(machine_code=False))
    report.write_page(sides, tmp_path / "page.html")
    tags = Page((tmp_path / "page.html").read_text()).tags
    named = [value for _, attributes in tags for name, value in attributes.items() if name in ("src", "href")]
    assert all(value is not None and value.startswith(("#", "data:")) for value in named)
    assert re.search(r"@import|url\(|fetch\(", (tmp_path / "page.html").read_text()) is None


def test_what_is_not_there_is_said(bundles: Path, tmp_path: Path) -> None:
    folder = tmp_path / "refused"
    for path in next(bundles.iterdir()).iterdir():
        store.write_bytes(folder / path.name, path.read_bytes())
    (folder / "kernel.rs").unlink()
    (folder / "lowered.tileirbc").unlink()
    options = workflow.SideOptions(source_map=((str(ROOT / "examples"), str(tmp_path)),))
    (kernel,) = workflow.sides_of(folder, options).kernels
    notes = {panel.title: panel.note for panel in kernel.panels if not panel.lines}
    assert notes["Rust"] == "none: the kernel was refused" and notes["SASS"] == "none: nothing was lowered"


def test_a_run_is_shown_with_its_end(bundles: Path, tmp_path: Path) -> None:
    outcome = {"end": "COMPLETE", "steps": ["A", "B"], "gaps": [], "kernels": "kernels", "exit_code": 0}
    store.write_json(tmp_path / "outcome.json", {"format": 1, **outcome})
    store.write_json(tmp_path / "journal.json", {"format": 1})
    source = next(bundles.iterdir())
    for path in source.iterdir():
        store.write_bytes(tmp_path / "kernels" / source.name / path.name, path.read_bytes())
    sides = workflow.sides_of(tmp_path, workflow.SideOptions(machine_code=False))
    assert sides.end == "COMPLETE" and "the run ended as COMPLETE after A, B" in report.page_html(sides)
    store.write_json(tmp_path / "outcome.json", {"format": 1, **outcome, "kernels": None})
    ran = CliRunner().invoke(app, ["report", str(tmp_path), "--out", str(tmp_path / "page.html"), "--json"])
    assert ran.exit_code == 2 and json.loads(ran.stdout)["code"] == "FT610"


def test_command_line_writes_the_page(bundles: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ran = CliRunner().invoke(app, ["report", str(bundles), "--out", str(page), "--no-sass", "--json"])
    told = json.loads(ran.stdout)
    assert ran.exit_code == 0 and told["bytes"] == page.stat().st_size
    assert told["kernels"][0]["verdict"] == "EQUAL" and told["kernels"][0]["aligned"]["Rust"] >= 6
    ran = CliRunner().invoke(app, ["report", str(tmp_path / "nothing"), "--out", str(page)])
    assert ran.exit_code == 2
