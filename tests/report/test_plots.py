"""Measured times on the page: what is drawn, what stands beside it, and that nothing is drawn without them."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from ferrotile import report, workflow
from ferrotile.bench.device import Ratio
from ferrotile.cli.main import app
from ferrotile.core import InputError
from ferrotile.report.plots import LONGEST, TOP, WIDTH, kind, plots_of, ticks
from ferrotile.workflow import Timed, Times, times_of
from ferrotile.workflow.run import artifacts as a

sys.path.insert(0, str(Path(__file__).parent))

from invented_times import DAY, GPU, invented, write

ROOT = Path(__file__).resolve().parents[2]


def rows(*ratios: float) -> tuple[Timed, ...]:
    """Specializations with these ratios; intervals of half a per cent to either side."""
    return tuple(
        Timed(f"k{number}", 10.0 * 3**number, 10.0 * 3**number / ratio, Ratio(ratio, ratio - 0.005, ratio + 0.005))
        for number, ratio in enumerate(ratios)
    )


def times(*given: Timed) -> Times:
    return Times(Path("times.jsonl"), given, (GPU,), (DAY,), ("cutile 0.5.0",))


def test_marks_stand_in_the_order_of_their_numbers() -> None:
    both, ratio = plots_of(times(*rows(0.9, 1.0, 1.2)))
    assert [len(plot.rows) for plot in (both, ratio)] == [3, 3]
    references = [row.marks[0].x for row in both.rows]
    assert references == sorted(references) and both.rows[0].marks[1].x > references[0], "slower is to the right"
    places = [row.marks[0].x for row in ratio.rows]
    assert places == sorted(places) and ratio.line == pytest.approx(places[1])
    for row in ratio.rows:
        assert row.interval is not None and row.interval[0] < row.marks[0].x < row.interval[1]
    assert ratio.band is not None and ratio.line is not None and ratio.band[0] < ratio.line < ratio.band[1]


@pytest.mark.parametrize("ratios", [(1.0,), (0.2, 5.0), (0.999, 1.001), (1.0,) * 200])
def test_everything_lies_inside_of_the_picture(ratios: tuple[float, ...]) -> None:
    for plot in plots_of(times(*rows(*ratios))):
        places = [mark.x for row in plot.rows for mark in row.marks]
        places += [end for row in plot.rows for end in row.interval or ()] + [place for place, _ in plot.ticks]
        assert all(0 < place < WIDTH for place in places) and len(plot.ticks) >= 2
        assert all(TOP <= row.y < plot.floor for row in plot.rows)


def test_nothing_is_drawn_without_rows() -> None:
    assert plots_of(times()) == ()


def test_a_long_name_loses_its_middle() -> None:
    (both, _) = plots_of(times(Timed("a" * 60 + "z" * 60, 1.0, 1.0, None)))
    assert len(both.rows[0].label) == LONGEST - 1 and both.rows[0].label.startswith("aaa") and "…" in both.rows[0].label


def test_an_interval_says_what_may_be_said() -> None:
    assert [kind(row) for row in rows(0.99, 1.0, 1.01)] == ["slower", "even", "faster"]
    assert kind(Timed("x", 2.0, 1.0, None)) == "medians"


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.9, 2000, [1, 10, 100, 1000]),
        (1.5, 60, [2, 5, 10, 20, 50]),
        (0.98, 1.02, [0.98, 0.99, 1.0, 1.01, 1.02]),
    ],
)
def test_ticks_are_round(low: float, high: float, wanted: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(wanted)


def test_times_are_those_of_the_page(tmp_path: Path) -> None:
    timings = [
        invented("one", 1.1), invented("two", void="FT714: died", reference=(), ours=()), invented("other"),
        invented("three", same_bits=False, throttled=True, device="another GPU"),
    ]  # fmt: skip
    found = times_of(write(tmp_path / "times.jsonl", timings), ["one", "two", "three", "four"])
    assert [row.name for row in found.rows] == ["one", "three"] and found.others == 1
    assert found.rows[0].ratio is not None and found.rows[0].ratio.value == pytest.approx(1.1, rel=0.01)
    assert found.rows[1].note == "other bits than the reference, clock held down"
    assert found.void == (("two", "FT714: died"),) and found.devices == (GPU, "another GPU")
    assert (found.dates, found.versions) == ((DAY,), ("cutile 0.5.0",)) and found.overall is not None
    with pytest.raises(InputError, match=r"FT716.*but 4 of others"):
        times_of(tmp_path / "times.jsonl", ["five"])


def test_a_filled_analysis_has_times_with_or_without_intervals(tmp_path: Path) -> None:
    new = a.Measured(device=GPU, baseline="b", baseline_us=2, lowered_us=1, ratio=(2, 1.9, 2.1), date=DAY)
    old = a.Measured(device=GPU, baseline="b", baseline_us=3, lowered_us=3)
    a.write(tmp_path / "filled.json", a.Analysis(target="sm_90", variants=(), measured={"one": new, "two": old}))
    found = times_of(tmp_path / "filled.json", ["one", "two"])
    assert [row.ratio for row in found.rows] == [Ratio(2, 1.9, 2.1), None] and found.dates == (DAY,)
    assert found.overall is not None and found.overall.value == pytest.approx(2)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundles")
    options = workflow.Options(out=folder)
    for task in workflow.expand([str(ROOT / "examples" / "vector_add.py")], options):
        workflow.translate(task, options)
    return folder


def page(bundles: Path, file: Path | None) -> str:
    return report.page_html(workflow.sides_of(bundles, workflow.SideOptions(machine_code=False, times=file)))


def test_without_times_the_page_says_not_measured(bundles: Path) -> None:
    text = page(bundles, None)
    assert "Not measured: no file of times was given." in text and "<svg" not in text
    assert "Nothing was measured" in text


def test_the_page_says_on_what_and_when(bundles: Path, tmp_path: Path) -> None:
    timings = [invented("vector_add.f32", 0.9), invented("vector_add.f16-any-length")]
    text = page(bundles, write(tmp_path / "times.jsonl", timings))
    assert f"Measured on {GPU}, {DAY}; cutile 0.5.0. From <code>times.jsonl</code>." in text
    assert "geometric mean of the ratios" in text and "Rust is slower" in text and "Nothing was measured" not in text
    old = [invented("vector_add.f32", device="", date="", versions={}), *timings[1:]]
    text = page(
        bundles,
        write(tmp_path / "old.jsonl", [timing.model_copy(update={"date": "", "versions": {}}) for timing in old]),
    )
    assert "on a day that the file does not name" in text and "versions are not in the file" in text


def test_a_picture_says_all_in_words_too(bundles: Path, tmp_path: Path) -> None:
    """Title, description, and a table with every number that is drawn."""
    timings = [invented("vector_add.f32", 0.9), invented("vector_add.f16-any-length")]
    text = page(bundles, write(tmp_path / "times.jsonl", timings))
    pictures = [ElementTree.fromstring(f"<svg {part.split('</svg>')[0]}</svg>") for part in text.split("<svg ")[1:]]
    assert len(pictures) == 2
    for picture in pictures:
        named = picture.attrib["aria-labelledby"].split()
        words = {one.attrib["id"]: one.text for one in picture if one.tag in ("title", "desc")}
        assert set(named) == set(words) and all(words.values()) and picture.attrib["role"] == "img"
        assert {one.attrib["data-row"] for one in picture if one.tag == "g"} == {timing.name for timing in timings}
    for timing in timings:
        assert timing.ratio is not None
        assert f"{timing.ratio.low:.4f} to {timing.ratio.high:.4f}" in text and f'data-times="{timing.name}"' in text


def test_the_command_takes_times(bundles: Path, tmp_path: Path) -> None:
    file = write(tmp_path / "times.jsonl", [invented("vector_add.f32")])
    arguments = ["report", str(bundles), "--out", str(tmp_path / "page.html"), "--no-sass", "--json", "--times"]
    ran: Any = CliRunner().invoke(app, [*arguments, str(file)])
    assert ran.exit_code == 0 and json.loads(ran.stdout)["measured"] == 1
    ran = CliRunner().invoke(app, [*arguments, str(tmp_path / "missing")])
    assert ran.exit_code == 2 and json.loads(ran.stdout)["code"] == "FT716"
