"""Ratios, intervals, equivalence, and what the harness is asked before it is trusted."""

from __future__ import annotations

import numpy as np
import pytest

from ferrotile.bench.device import Ratio, Timing, geomean, ratio_of
from ferrotile.bench.device.calibration import complaints
from ferrotile.bench.device.summary import summarize


def times(mean: float, count: int = 40, noise: float = 0.01, seed: int = 0, drift: float = 0.0) -> list[float]:
    rng = np.random.default_rng(seed)
    return list(mean * (1 + noise * rng.standard_normal(count)) * (1 + drift * np.arange(count) / count))


def timing(name: str, reference: float, ours: float, noise: float = 0.01, **fields: object) -> Timing:
    made = {"kernel": name.split(".")[0], "machine": "identical", "same_bits": True, **fields}
    sides = (tuple(map(round, times(mean, noise=noise, seed=seed))) for seed, mean in enumerate((reference, ours)))
    return Timing.model_validate({"name": name, **dict(zip(("reference", "ours"), sides, strict=True)), **made})


def test_ratio_is_above_one_where_ours_is_faster() -> None:
    ratio = ratio_of(times(102_000, seed=1), times(100_000, seed=2))
    assert ratio.low < 1.02 < ratio.high and ratio.is_faster and not ratio.is_slower
    assert not ratio.is_equal_within(0.01)


def test_same_speed_is_equal_within_a_margin_and_neither_faster_nor_slower() -> None:
    ratio = ratio_of(times(100_000, seed=1), times(100_000, seed=2))
    assert ratio.is_equal_within(0.01) and not ratio.is_faster and not ratio.is_slower


def test_few_noisy_times_prove_nothing() -> None:
    ratio = ratio_of(times(100_000, 8, 0.2, 1), times(100_000, 8, 0.2, 2))
    assert not ratio.is_equal_within(0.01)


def test_one_outlier_does_not_move_the_ratio() -> None:
    slow = [*times(100_000, seed=1)[:-1], 1e9]
    assert ratio_of(slow, times(100_000, seed=2)).value == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("reference", "ours"), [([1.0], [1.0]), ([1.0, 2.0], [1.0, 2.0, 3.0, 4.0]), ([], []), ([1.0, 0.0], [1.0, 1.0])]
)
def test_times_that_are_no_quads_are_refused(reference: list[float], ours: list[float]) -> None:
    with pytest.raises(ValueError, match="quads"):
        ratio_of(reference, ours)


def test_geomean_of_opposite_ratios_is_one() -> None:
    assert geomean([2.0, 0.5]).value == pytest.approx(1)
    with pytest.raises(ValueError, match="no ratios"):
        geomean([])


def test_line_of_json_gives_the_timing_back() -> None:
    made = timing("softmax.1", 1000, 990, clocks=(1980, 1975))
    assert Timing.from_json(made.to_json()) == made
    assert '"median_us"' in made.to_json() and '"ratio"' in made.to_json()


CALIBRATED = [
    timing("same twice", 1_000_000, 1_000_000, noise=0.001),
    timing("ours slower", 100_000, 102_000),
    timing("ours faster", 102_000, 100_000),
]


def test_harness_that_sees_two_percent_is_trusted() -> None:
    assert complaints(CALIBRATED) == []


@pytest.mark.parametrize(
    ("place", "wrong", "words"),
    [
        (0, timing("same twice", 100_000, 101_000), "the same kernel twice"),
        (1, timing("ours slower", 100_000, 100_000), "2 % slower was not found"),
        (2, timing("ours faster", 100_000, 100_000), "2 % faster was not found"),
        (1, Timing(name="ours slower", kernel="chain", machine="skipped", void="FT713: lost"), "void"),
    ],
)
def test_harness_that_does_not_see_it_is_not_trusted(place: int, wrong: Timing, words: str) -> None:
    answers = [wrong if k == place else one for k, one in enumerate(CALIBRATED)]
    assert any(words in complaint for complaint in complaints(answers))


def test_summary_names_what_must_not_be_averaged_away() -> None:
    rows = [
        timing("matmul.1", 1000_00, 1000_00),
        timing("matmul.2", 2000_00, 2000_00),
        timing("rope.1", 1000_00, 1100_00, machine="differs"),
        timing("rope.2", 1000_00, 1000_00, same_bits=False),
        Timing(name="swa.1", kernel="swa", machine="identical", void="FT714: the kernel broke the context"),
    ]
    summary = summarize(rows)
    assert [line.kernel for line in summary.lines] == ["matmul", "rope"]
    assert summary.measured == 4 and [one.name for one in summary.void] == ["swa.1"]
    assert [one.name for one in summary.other_bits] == ["rope.2"]
    assert [line.kernel for line in summary.below] == ["rope"] and summary.below[0].worst.name == "rope.1"
    assert not summary.is_equally_fast
    plain = summary.to_json()
    assert plain["kernels"]["matmul"]["identical_machine_code"] == 2 and "swa.1" in plain["void"]


def test_equal_kernels_are_equally_fast() -> None:
    assert summarize([timing(f"k.{n}", 100_000, 100_000) for n in range(5)]).is_equally_fast


def test_interval_decides_not_the_value() -> None:
    assert Ratio(0.999, 0.98, 1.02).is_equal_within(0.01) is False
    assert Ratio(0.995, 0.992, 0.998).is_slower and Ratio(0.995, 0.992, 0.998).is_equal_within(0.01)
