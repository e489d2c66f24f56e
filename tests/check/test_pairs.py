"""Pairs of programs that are equal by a law, and twins that only look so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from builder import built

from ferrotile.check import LAWS, compare
from ferrotile.core import VerdictKind

PAIRS = Path(__file__).parents[1] / "pairs"
GOOD = sorted(PAIRS.glob("*.b.py"))
REFERENCES = sorted(PAIRS.glob("*.a.py"))


def reference_of(path: Path) -> Path:
    """The first half of a pair: that of its own name, or of the longest name that it starts with."""
    stem = path.name.removesuffix(".b.py").split("-bad")[0]
    return PAIRS / f"{stem}.a.py"


@pytest.mark.parametrize("path", [*REFERENCES, *GOOD], ids=lambda p: p.name)
def test_each_half_equals_itself(path: Path) -> None:
    verdict = compare(built(path), built(path), None, "sm_90")
    assert verdict.kind is VerdictKind.EQUAL, verdict.sentence


@pytest.mark.parametrize("path", [p for p in GOOD if "-bad" not in p.name], ids=lambda p: p.name)
def test_pair_has_the_verdict_that_its_last_line_says(path: Path) -> None:
    verdict = compare(built(reference_of(path)), built(path), None, "sm_90")
    wanted = path.read_text().splitlines()[-1].removeprefix("# ")
    assert str(verdict.kind) == wanted.split(":")[0], verdict.sentence
    for law in wanted.partition(":")[2].split():
        assert law in verdict.laws


@pytest.mark.parametrize("path", [p for p in GOOD if "-bad" in p.name], ids=lambda p: p.name)
def test_bad_twin_differs_where_its_last_line_says(path: Path) -> None:
    verdict = compare(built(reference_of(path)), built(path), None, "sm_90")
    assert verdict.kind is VerdictKind.DIFFERS, verdict.sentence
    wanted = re.fullmatch(r"# DIFFERS: (\w+) at a:(\d+|-) b:(\d+|-)", path.read_text().splitlines()[-1])
    assert wanted is not None, "the last line says `# DIFFERS: kind at a:LINE b:LINE`"
    places = [str(place.line) if place else "-" for place in (verdict.reference_place, verdict.lowered_place)]
    assert (verdict.difference, *places) == wanted.groups(), verdict.sentence


@pytest.mark.parametrize("law", LAWS)
def test_each_law_has_a_pair_and_a_bad_twin(law: str) -> None:
    needed = [p for p in GOOD if "-bad" not in p.name and law in p.read_text().splitlines()[-1].split()]
    assert needed, f"no pair names the law `{law}` in its last line"
    assert any((PAIRS / p.name.replace(".b.py", "-bad.b.py")).exists() for p in needed)
