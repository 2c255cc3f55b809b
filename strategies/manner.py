"""What a lineup may say of every strategy of Cheerio beside its own parameters: when it steals, and its pace."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from sim.lanes import NEVER
from sim.mistakes import near_hint
from strategies.strategy import StrategyError

#: The words that a lineup may say, and so no parameters of a strategy.
MANNERS = ("steal", "pace")
#: In place of the least swing to steal for: half of the most that any roll pays.
WHEN_IT_PAYS = -NEVER
#: The words for when to steal, with the least swing that is stolen for, in points.
STEALS = {"never": NEVER, "when-it-pays": WHEN_IT_PAYS}
MOST_SWING = 9999
#: A pace is stored in thousandths of the usual time.
USUAL_PACE = 1000
LEAST_PACE, MOST_PACE = 0.1, 10


@dataclasses.dataclass(frozen=True)
class Manner:
    """What a lineup may say of any strategy of Cheerio: the least swing to steal for, and how long its throws take.

    `steal` is in points, NEVER where no swing is enough, WHEN_IT_PAYS where the ruleset says how much is, and None
    where nothing is said: then the strategy's own `steal` is asked, and one that has none steals when it pays. `pace`
    is in thousandths of the usual time.
    """

    steal: int | None = None
    pace: int = USUAL_PACE

    @property
    def said(self) -> dict[str, Any]:
        """Returns what differs from the usual, as a lineup has it."""
        words = {swing: word for word, swing in STEALS.items()}
        said: dict[str, Any] = {}
        if self.steal is not None:
            said["steal"] = words.get(self.steal, self.steal)
        if self.pace != USUAL_PACE:
            said["pace"] = self.pace / USUAL_PACE
        return said


#: Of whom a lineup says nothing.
USUAL_MANNER = Manner()


def read_steal(words: str, text: str) -> int:
    """Reads when to steal, in points; `words` name the strategy in the StrategyError of what can't be read."""
    if text in STEALS:
        return STEALS[text]
    try:
        swing = int(text)
    except ValueError:
        swing = NEVER
    if abs(swing) > MOST_SWING:
        raise StrategyError(
            f"strategy {words}: steal is {text!r}{near_hint(text, STEALS)}; {', '.join(STEALS)} or a whole number "
            f"from -{MOST_SWING} to {MOST_SWING} is needed: the least swing in points to steal for"
        )
    return swing


def read_pace(words: str, text: str) -> int:
    """Reads a pace, in thousandths of the usual time."""
    try:
        pace = float(text)
    except ValueError:
        pace = math.nan
    # A comparison with nan is false.
    if not LEAST_PACE <= pace <= MOST_PACE:
        raise StrategyError(
            f"strategy {words}: pace is {text!r}; a number from {LEAST_PACE:g} to {MOST_PACE:g} is needed: "
            "1 is the usual time, 2 twice as long"
        )
    return round(USUAL_PACE * pace)
