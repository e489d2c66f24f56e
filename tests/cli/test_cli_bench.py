"""Figures of a run."""

import json

import pytest

from ferrotile.bench import figures, read_lines
from ferrotile.core import InputError


def line(operations: int, seconds: float, verdict: str = "EQUAL", decode_us: float = 50) -> str:
    steps = {"decode": decode_us * operations / 1e6, "lift": seconds / 2, "lower": seconds / 4, "check": seconds / 4}
    return json.dumps({"input": "x", "verdict": verdict, "operations": operations, "seconds": steps})


def test_quantiles_and_decode():
    rows = read_lines([*(line(100 * k, 0.1 * k) for k in range(1, 11)), line(50, 0, "REFUSED"), '{"summary": {}}'])
    found = figures(rows)
    assert (found.kernels, found.refused) == (10, 1)
    assert found.p50 == pytest.approx(0.6) and found.p90 == pytest.approx(1.0) and found.decode_us == pytest.approx(50)
    assert found.growth is not None and found.growth.is_linear and found.is_met
    assert "linear" in found.to_text() and "NOT" not in found.to_text()


def test_growth_beyond_linear_is_told():
    found = figures(read_lines(line(100 * k, 0.001 * k * k) for k in range(1, 30)))
    assert found.growth is not None and not found.growth.is_linear and not found.is_met


@pytest.mark.parametrize("rows", [[line(10, 2.0)], [line(10, 0.1, decode_us=200)]])
def test_missed_limit_is_told(rows: list[str]):
    assert not figures(read_lines(rows)).is_met


@pytest.mark.parametrize("rows", [["not json"], [], [line(10, 0, "REFUSED")]])
def test_run_without_figures_is_refused(rows: list[str]):
    with pytest.raises(InputError) as caught:
        figures(read_lines(rows))
    assert caught.value.code == "FT701"
