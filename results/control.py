"""A figure adjusted by a control: something that is known to have mean zero, and moves as the figure does.

What the control explains is taken off, in proportion to a coefficient. It is fitted on other deals than those that it
adjusts, so that the mean stays without bias: deals with an even number adjust those with an odd one, and these them.
Sources: Lavenberg and Welch (1981), Management Science 27, 322-335, control variates; Avramidis and Wilson (1993),
Operations Research 41, 1010-1029, the coefficient of split samples.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from results.statistics import DealSums, sum_of_products

LEAST_FOLD_DEALS = 10
"""Deals in each fold, below which a coefficient is worth nothing and nothing is adjusted."""


@dataclass(frozen=True)
class JointSums:
    """Integer sums over deals of a figure's totals and of a control's, and of their products."""

    figure: DealSums
    control: DealSums
    products: int

    @classmethod
    def of(
        cls, figures: npt.NDArray[np.integer], controls: npt.NDArray[np.integer], weight: int
    ) -> "JointSums":
        """Sum the totals of deals; `weight` is what a figure's total is divided by to be the deal's mean."""
        wide, known = (totals.astype(np.int64, copy=False) for totals in (figures, controls))
        return cls(DealSums.of(wide, weight), DealSums.of(known), sum_of_products(wide, known))

    def __add__(self, other: "JointSums") -> "JointSums":
        return JointSums(
            self.figure + other.figure, self.control + other.control, self.products + other.products
        )

    def __neg__(self) -> "JointSums":
        return JointSums(replace(self.figure, total=-self.figure.total), self.control, -self.products)

    @property
    def coefficient(self) -> tuple[int, int]:
        """What a unit of the control's total adds to the figure's by least squares, as a fraction; 0/1 if unknown."""
        spread = self.control.spread
        if not spread:
            return 0, 1
        return self.figure.deals * self.products - self.figure.total * self.control.total, spread


@dataclass(frozen=True)
class Folds:
    """The sums of a figure with its control, of the deals with an even number and of those with an odd one."""

    even: JointSums
    odd: JointSums

    @classmethod
    def of(
        cls,
        first_deal: int,
        figures: npt.NDArray[np.integer],
        controls: npt.NDArray[np.integer],
        weight: int,
    ) -> "Folds":
        """Sum the totals of deals in a row, given the number of the first."""
        even, odd = (slice((first_deal + rest) % 2, None, 2) for rest in (0, 1))
        return cls(
            JointSums.of(figures[even], controls[even], weight),
            JointSums.of(figures[odd], controls[odd], weight),
        )

    def __add__(self, other: "Folds") -> "Folds":
        return Folds(self.even + other.even, self.odd + other.odd)

    def __neg__(self) -> "Folds":
        return Folds(-self.even, -self.odd)

    @property
    def raw(self) -> DealSums:
        """The sums of the figure as it is."""
        return self.even.figure + self.odd.figure

    def adjusted(self) -> DealSums | None:
        """Return the sums of the figure less what its control explains, exactly; None with too few deals."""
        if min(self.even.figure.deals, self.odd.figure.deals) < LEAST_FOLD_DEALS:
            return None
        (above, below), (odd_above, odd_below) = self.even.coefficient, self.odd.coefficient
        # In units in which both coefficients are integers, so that no digit is lost.
        unit = below * odd_below
        return _less(self.even, odd_above * below, unit) + _less(self.odd, above * odd_below, unit)


def _less(sums: JointSums, taken: int, unit: int) -> DealSums:
    """Return the sums of unit x figure - taken x control."""
    figure, control = sums.figure, sums.control
    return DealSums(
        figure.deals,
        unit * figure.total - taken * control.total,
        unit**2 * figure.squares - 2 * unit * taken * sums.products + taken**2 * control.squares,
        unit * figure.weight,
    )


def variance_left(raw: DealSums, adjusted: DealSums | None) -> float | None:
    """Return the variance of the deal means after an adjustment, as a share of that before; None if there was none."""
    if adjusted is None or not raw.spread:
        return None
    return adjusted.spread * raw.weight**2 / (raw.spread * adjusted.weight**2)
