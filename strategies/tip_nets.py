"""The strategy `tip-nets`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from strategies.advice import Advised, check_not_negative
from strategies.lookahead import Worths
from strategies.nets import is_net
from strategies.strategy import Sheet


@dataclass(frozen=True)
class TipNets(Advised):
    """Plays as `base` does, but keeps Chance and Three of a Kind open for a poor roll: to fill either costs
    `price` points.

    They are the categories that take any roll, or any three alike. The second is no net for every roll, as the advice
    would have it: without three alike it pays nothing.
    """  # noqa: D205 - the whole rule is the first paragraph

    advice: ClassVar[str] = "Chance and Three of a Kind stay open"

    price: float = 5.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("price", self.price)

    def advise(self, worths: Worths, sheet: Sheet, stance: int) -> Worths:
        """Returns the worths, less the price of a net."""
        del stance
        nets = np.array([is_net(category) for category in sheet.categories])
        advised: Worths = worths - self.price * nets[:, None]
        return advised
