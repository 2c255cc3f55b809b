"""The chi-square test against scipy's, its bins by slow counting, and how often it rejects what is true."""

import numpy as np
import pytest
from scipy import stats

from results.goodness import bin_starts, fit_of

LOW = 7


def a_law(size: int = 60) -> np.ndarray:
    """Scores around a hump, with thin tails and a score in the middle that can't occur."""
    chances = stats.binom.pmf(np.arange(size), size - 1, 0.4)
    chances[25] = 0.0
    return np.asarray(chances / chances.sum())


def some_counts(chances: np.ndarray, values: int, seed: int) -> dict[int, int]:
    drawn = np.random.default_rng(seed).multinomial(values, chances)
    return {LOW + place: int(count) for place, count in enumerate(drawn) if count}


def by_hand(chances: np.ndarray, counts: dict[int, int]) -> tuple[list[float], list[int]]:
    """Bins from the lowest score on, each as soon as it expects five; the rest belongs to the last."""
    total = sum(counts.values())
    wanted, found = [0.0], [0]
    for place, chance in enumerate(chances):
        if wanted[-1] >= 5:
            wanted.append(0.0)
            found.append(0)
        wanted[-1] += chance * total
        found[-1] += counts.get(LOW + place, 0)
    if wanted[-1] < 5:
        wanted[-2:] = [sum(wanted[-2:])]
        found[-2:] = [sum(found[-2:])]
    return wanted, found


@pytest.mark.parametrize("values", [40, 1000, 50_000])
def test_the_statistic_is_scipys(values: int) -> None:
    chances = a_law()
    counts = some_counts(chances, values, seed=values)
    fit = fit_of(counts, LOW, chances)
    assert fit is not None
    wanted, found = by_hand(chances, counts)
    expected = stats.chisquare(found, wanted)
    assert (fit.values, fit.bins, fit.freedom) == (values, len(wanted), len(wanted) - 1)
    assert fit.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert fit.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    assert fit.impossible == 0


def test_bins_hang_on_what_is_expected_alone() -> None:
    assert bin_starts([5, 4.9, 0.1, 0, 2, 3, 1, 1]) == [0, 1, 3]
    assert bin_starts([1, 1, 1]) == []
    assert bin_starts([0, 0, 9, 4]) == [0]


def test_a_true_law_is_seldom_refuted_and_a_false_one_always() -> None:
    """Of 400 true laws about 20 come below 5 %: within 5 standard errors, with a fixed seed."""
    chances = a_law()
    fits = [fit_of(some_counts(chances, 2000, seed), LOW, chances) for seed in range(400)]
    refuted = sum(fit is not None and fit.p_value < 0.05 for fit in fits)
    assert abs(refuted - 20) < 5 * np.sqrt(400 * 0.05 * 0.95)
    other = np.roll(chances, 1)
    wrong = fit_of(some_counts(other, 50_000, seed=1), LOW, chances)
    assert wrong is not None
    assert wrong.p_value < 1e-9


def test_a_score_that_cannot_be_refutes_the_law() -> None:
    chances = a_law()
    counts = some_counts(chances, 1000, seed=3)
    for score in (LOW + 25, LOW - 1, LOW + 60):
        fit = fit_of(counts | {score: 1}, LOW, chances)
        assert fit is not None
        assert (fit.impossible, fit.p_value) == (1, 0.0)


def test_too_few_values_say_nothing() -> None:
    assert fit_of({LOW + 20: 4}, LOW, a_law()) is None
    assert fit_of({}, LOW, a_law()) is None
