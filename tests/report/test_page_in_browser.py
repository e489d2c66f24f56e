"""The report page in Chromium: choosing lines by mouse and keys, light and dark, wide and narrow.

Needs playwright and a Chromium (FERROTILE_CHROMIUM, else the one on PATH); without them it is skipped. docs/report.md
has the command.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ferrotile import report, workflow

sys.path.insert(0, str(Path(__file__).parent))

from invented_times import invented, write

ROOT = Path(__file__).resolve().parents[2]
SHOTS = ROOT / "build" / "report"
SIZES = ((1280, 900), (400, 800))

pytestmark = [pytest.mark.browser, pytest.mark.sweep]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of softmax, matmul and attention, with machine code and times."""
    folder = tmp_path_factory.mktemp("page")
    options = workflow.Options(out=folder / "bundles")
    for name in ("softmax_rows", "matmul", "attention"):
        for task in workflow.expand([str(ROOT / "examples" / f"{name}.py")], options):
            workflow.translate(task, options)
    names = [path.name for path in sorted((folder / "bundles").iterdir())]
    times = [invented(name, 1 + 0.05 * (number - 1)) for number, name in enumerate(names)]
    options_of_page = workflow.SideOptions(times=write(folder / "times.jsonl", times))
    report.write_page(workflow.sides_of(folder / "bundles", options_of_page), folder / "page.html")
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("FERROTILE_CHROMIUM") or shutil.which("chromium")
    if path is None:
        pytest.skip("there is no Chromium")
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(params=[(size, scheme) for size in SIZES for scheme in ("light", "dark")], ids=str)
def shown(browser: Any, page_file: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The page at one size in one scheme; nothing is complained of, and nothing is fetched."""
    (width, height), scheme = request.param
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda asked: complaints.append(asked.url) if asked.url[:5] not in ("file:", "data:") else None)
    page.goto(page_file.as_uri())
    yield page
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=str(SHOTS / f"{width}-{scheme}.png"))
    assert complaints == []
    page.close()


def lines(page: Any, title: str) -> Any:
    """The lines of the first kernel's form that have counterparts."""
    return page.locator("details").first.locator(f"[data-title='{title}'] [data-k]")


def hits(page: Any, title: str) -> int:
    return page.locator("details").first.locator(f"[data-title='{title}'] .hit").count()


def test_the_page_never_scrolls_sideways(shown: Any) -> None:
    for details in shown.locator("details").all():
        details.evaluate("one => { one.open = true }")
    assert shown.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert shown.locator("details").count() == 4


def test_a_click_lights_up_all_forms(shown: Any) -> None:
    chosen = lines(shown, "Python").filter(has_text="weights = ct.exp2(")
    chosen.click()
    for title in ("Python", "Tile IR", "Rust", "SASS"):
        assert hits(shown, title) > 0, title
        first = shown.locator("details").first.locator(f"[data-title='{title}'] .hit").first
        box, around = first.bounding_box(), first.locator("xpath=..").bounding_box()
        assert around["y"] - 1 <= box["y"] <= around["y"] + around["height"], "and scrolls to them"
    assert "1 of Python" in shown.locator("details").first.locator(".status").inner_text()
    assert hits(shown, "Rust") < lines(shown, "Rust").count()


def test_keys_do_the_same(shown: Any) -> None:
    first = lines(shown, "Rust").first
    first.focus()
    shown.keyboard.press("Enter")
    assert hits(shown, "Python") == 1
    before = shown.locator("details").first.locator("[data-title='Python'] .hit").first.inner_text()
    for key in ("End", "ArrowUp", "ArrowUp"):
        shown.keyboard.press(key)
    after = shown.locator("details").first.locator("[data-title='Python'] .hit").first.inner_text()
    assert before != after
    assert shown.evaluate("document.activeElement.parentElement.dataset.title") == "Rust"
    shown.keyboard.press("Escape")
    assert [hits(shown, title) for title in ("Python", "Tile IR", "Rust", "SASS")] == [0, 0, 0, 0]


def test_the_tab_key_stops_once_in_each_form(shown: Any) -> None:
    stops = "[...document.querySelectorAll('details')[0].querySelectorAll('.lines [tabindex=\"0\"]')].length"
    assert shown.evaluate(stops) == 4
    lines(shown, "Tile IR").nth(12).click()
    assert shown.evaluate(stops) == 4


def test_a_link_of_the_table_opens_its_kernel(shown: Any) -> None:
    last = shown.locator("details").last
    assert not last.evaluate("one => one.open")
    shown.locator("tbody a").last.click()
    assert last.evaluate("one => one.open")


def test_a_row_of_times_stands_out_in_both_plots_by_key_and_by_mouse(shown: Any) -> None:
    rows, drawn = shown.locator("tr[data-times]"), shown.locator(".plot .row.hit")
    assert rows.count() == shown.locator("details").count() and drawn.count() == 0
    rows.nth(1).locator("a").focus()
    assert drawn.count() == 2
    assert set(drawn.evaluate_all("all => all.map((one) => one.dataset.row)")) == {
        rows.nth(1).get_attribute("data-times")
    }
    shown.keyboard.press("Tab")
    assert drawn.first.get_attribute("data-row") == rows.nth(2).get_attribute("data-times")
    rows.nth(2).locator("a").blur()
    assert drawn.count() == 0
    rows.nth(0).hover()
    assert drawn.count() == 2


def test_plots_can_be_scrolled_by_keys_and_have_names(shown: Any) -> None:
    for plot in shown.locator(".plot").all():
        assert plot.get_attribute("tabindex") == "0" and plot.get_attribute("aria-label")
        image = plot.get_by_role("img")
        assert image.count() == 1 and image.evaluate("one => one.getBoundingClientRect().width") >= 360


def test_text_of_plots_stands_out_from_its_paper(shown: Any) -> None:
    for selector in (".plot .name", ".plot .tick", ".plot .unit"):
        ratio = shown.locator(selector).first.evaluate(CONTRAST.replace("getComputedStyle(element).color", PAINT))
        assert ratio >= 4.5, (selector, ratio)


PAINT = "getComputedStyle(element).fill"


def test_text_stands_out_from_its_paper(shown: Any) -> None:
    """At least 4.5 to 1, as WCAG asks, also where a line is chosen."""
    lines(shown, "Python").nth(8).click()
    for selector in ("body", ".dim", ".badge", ".lines .hit", ".comment"):
        ratio = shown.locator(selector).first.evaluate(CONTRAST)
        assert ratio >= 4.5, (selector, ratio)


CONTRAST = """element => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  let paper = element;
  while (numbers(getComputedStyle(paper).backgroundColor)[3] === 0) paper = paper.parentElement;
  const pair = [getComputedStyle(element).color, getComputedStyle(paper).backgroundColor];
  const [low, high] = pair.map((c) => light(numbers(c))).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""
