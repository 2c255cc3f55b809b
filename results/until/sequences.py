"""Confidence sequences: intervals of a mean over deals that hold at all looks together, however often one looks.

Sources: Robbins (1970), Annals of Mathematical Statistics 41, 1397-1409, the mixture over normal laws; Waudby-Smith,
Arbour, Sinha, Kennedy and Ramdas (2024), Annals of Statistics 52, 2613-2640, theorem 2.2, its asymptotic form with the
variance of the deals so far. Asymptotic says that the law of a mean over deals must be near the normal one by the
first look; `LEAST_UNLIKE` sees to that.
"""

import math

from scipy import special

from results.statistics import DealSums, Interval

LEAST_UNLIKE = 1000
"""Deals that must differ from what most deals show before a sequence begins.

Deals that all show the same have no variance, and a few odd ones tell neither its size nor the skew; a mean over them
is not nearly normal, however many there are of the others.
"""

MOST_NEEDED = 10**15
"""So many deals are never played: who needs more is told that."""


def half_width(deals: int, deviation: float, tuned: float, level: float) -> float:
    """Return half the width of the sequence's interval after some deals, whose standard deviation is given.

    `tuned` is the number of deals at which the sequence is narrowest, beside an interval looked at once; it must not
    hang on what the deals show. There it is some 1.55 times as wide at 95 %.
    """
    scaled = deals * mixture_variance(tuned, level)
    wide = 2 * (1 + 1 / scaled) * (math.log1p(scaled) / 2 - math.log(1 - level))
    return deviation * math.sqrt(wide / deals)


def mixture_variance(tuned: float, level: float) -> float:
    """Return the variance of the mixture that makes the sequence narrowest at a number of deals.

    Source: Howard, Ramdas, McAuliffe and Sekhon (2021), Annals of Statistics 49, 1055-1080, proposition 3.
    """
    return float(-special.lambertw(-((1 - level) ** 2) / math.e, -1).real - 1) / tuned


def deal_deviation(sums: DealSums) -> float | None:
    """Return the standard deviation of the means of single deals; None for fewer than two."""
    variance = sums.variance_of_mean
    return None if variance is None else math.sqrt(variance * sums.deals)


def sequence_interval(sums: DealSums, tuned: float, level: float) -> Interval | None:
    """Return the sequence's interval of a mean over deals; None where the deals so far show no variance."""
    mean, deviation = sums.mean, deal_deviation(sums)
    if mean is None or not deviation:
        return None
    half = half_width(sums.deals, deviation, tuned, level)
    return mean - half, mean + half


def needed_deals(half: float, deviation: float, tuned: float, level: float) -> int | None:
    """Return the fewest deals after which half the width is no more than `half`; None for more than `MOST_NEEDED`."""
    if half <= 0 or half_width(MOST_NEEDED, deviation, tuned, level) > half:
        return None
    low, high = 0, MOST_NEEDED
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(middle, deviation, tuned, level) <= half else (middle, high)
    return high


def needed_once(half: float, deviation: float, level: float, chance: float = 0.5) -> int | None:
    """Return the deals that the usual interval needs for half a width, looked at once when all are played.

    Where that is the distance of a difference from what it is to be told from, it is told with a chance.
    """
    if half <= 0:
        return None
    errors = special.ndtri((1 + level) / 2) + special.ndtri(chance)
    deals = math.ceil((errors * deviation / half) ** 2)
    return deals if deals <= MOST_NEEDED else None
