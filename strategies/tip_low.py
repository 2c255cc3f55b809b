"""The strategy `tip-low`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from strategies.advice import Advised, check_not_negative
from strategies.bank_low import lowest_upper
from strategies.lookahead import Worths
from strategies.strategy import Sheet

#: More than anything on a sheet is worth.
WASTED = 1000.0


@dataclass(frozen=True)
class TipLow(Advised):
    """Plays as `base` does, but puts a poor roll in Ones or Twos as long as one of them is open: it enters less than
    `poor` points elsewhere only where it has to.

    Ones and Twos are the two upper categories that can pay least. With `poor=1` only zeros are kept out of the others.
    """  # noqa: D205 - the whole rule is the first paragraph

    advice: ClassVar[str] = "a poor roll goes into Ones or Twos"

    poor: int = 5

    def __post_init__(self) -> None:
        super().__post_init__()
        check_not_negative("poor", self.poor)

    def advise(self, worths: Worths, sheet: Sheet, stance: int) -> Worths:
        """Returns the worths, with poor entries in dearer categories worth nothing while a low one is open."""
        del stance
        low = lowest_upper(sheet.scoresheet)
        if not set(low).intersection(sheet.open_indices):
            return worths
        wasted = sheet.scoresheet.points < self.poor
        wasted[list(low)] = False
        return np.where(wasted, worths - WASTED, worths)
