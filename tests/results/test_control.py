"""Figures adjusted by a control, against least squares and variances reckoned deal by deal."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from results.control import LEAST_FOLD_DEALS, Folds, variance_left

Totals = npt.NDArray[np.int64]


def drawn(deals: int, seed: int = 1) -> tuple[Totals, Totals]:
    rng = np.random.default_rng(seed)
    controls = rng.integers(-90_000, 90_001, deals)
    figures = 60 * (controls + rng.integers(-60_000, 60_001, deals) > -20_000) + rng.integers(0, 3, deals)
    return figures, controls


def slow(first: int, figures: Totals, controls: Totals, weight: int) -> npt.NDArray[np.float64]:
    """Each deal's figure less what its control explains, by the slope of a line through the other half."""
    parity = (first + np.arange(len(figures))) % 2
    adjusted = np.empty(len(figures))
    for own in (0, 1):
        other, here = parity != own, parity == own
        slope = np.polyfit(controls[other] / 1000, figures[other] / weight, 1)[0]
        adjusted[here] = figures[here] / weight - slope * controls[here] / 1000
    return adjusted


@pytest.mark.parametrize("first", [0, 7])
def test_each_half_is_adjusted_by_the_slope_of_the_other(first: int) -> None:
    figures, controls = drawn(301)
    folds = Folds.of(first, figures, controls, 120)
    adjusted = folds.adjusted()
    expected = slow(first, figures, controls, 120)
    assert adjusted is not None
    assert adjusted.deals == folds.raw.deals == 301
    assert adjusted.mean == pytest.approx(expected.mean(), rel=1e-9)
    assert adjusted.variance_of_mean == pytest.approx(expected.var(ddof=1) / 301, rel=1e-9)
    raw = figures / 120
    assert folds.raw.mean == pytest.approx(raw.mean())
    left = variance_left(folds.raw, adjusted)
    assert left == pytest.approx(expected.var() / raw.var(), rel=1e-9)
    assert left is not None
    assert 0.2 < left < 0.9


@pytest.mark.parametrize("cuts", [(1, 2, 3), (100,), (17, 18, 150, 299)])
def test_how_deals_are_cut_into_chunks_changes_nothing(cuts: tuple[int, ...]) -> None:
    figures, controls = drawn(300)
    whole = Folds.of(5, figures, controls, 60)
    bounds = [0, *cuts, 300]
    parts = [
        Folds.of(5 + low, figures[low:high], controls[low:high], 60)
        for low, high in itertools.pairwise(bounds)
    ]
    for order in (parts, parts[::-1]):
        total = order[0]
        for part in order[1:]:
            total += part
        assert total == whole
        assert total.adjusted() == whole.adjusted()


def test_what_a_control_explains_wholly_leaves_no_variance() -> None:
    controls = drawn(100)[1]
    adjusted = Folds.of(0, 3 * controls + 700, controls, 10).adjusted()
    assert adjusted is not None
    assert adjusted.spread == 0
    assert adjusted.mean == 70.0
    assert variance_left(Folds.of(0, 3 * controls + 700, controls, 10).raw, adjusted) == 0.0


def test_a_control_that_never_moves_adjusts_nothing() -> None:
    figures = drawn(100)[0]
    folds = Folds.of(0, figures, np.zeros(100, np.int64), 60)
    adjusted = folds.adjusted()
    assert adjusted is not None
    assert adjusted.mean == folds.raw.mean
    assert variance_left(folds.raw, adjusted) == 1.0


def test_nothing_is_adjusted_by_few_deals_and_nothing_is_left_of_no_variance() -> None:
    figures, controls = drawn(2 * LEAST_FOLD_DEALS)
    assert Folds.of(0, figures, controls, 60).adjusted() is not None
    assert Folds.of(0, figures[1:], controls[1:], 60).adjusted() is None
    same = Folds.of(0, np.full(40, 30), drawn(40)[1], 60)
    assert variance_left(same.raw, same.adjusted()) is None


@pytest.mark.slow
def test_the_adjusted_mean_is_without_bias_and_its_interval_holds_as_often_as_it_says() -> None:
    """Over 2,000 samples, within 5 standard errors."""
    truth = drawn(1_000_000, 99)[0].mean()
    means, held = [], 0
    for seed in range(2000):
        adjusted = Folds.of(0, *drawn(60, seed), 1).adjusted()
        assert adjusted is not None
        assert adjusted.mean is not None
        assert adjusted.variance_of_mean is not None
        error = adjusted.variance_of_mean**0.5
        means.append(adjusted.mean)
        held += abs(adjusted.mean - truth) < 2.001 * error
    assert abs(np.mean(means) - truth) < 5 * (np.std(means) / 2000**0.5 + 30 / 1_000_000**0.5)
    assert abs(held / 2000 - 0.95) < 5 * (0.95 * 0.05 / 2000) ** 0.5
