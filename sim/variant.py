"""The parts that a variant may add to a ruleset and that have rules of their own: a clock, a joker."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from sim.category import Points, Rules

#: The least time that a turn may take by the clock, in milliseconds.
SHORTEST_TURN = 100

Seconds = Annotated[float, Field(ge=0, le=600)]


class Times(Rules):
    """How long something takes: `seconds` on average, every millisecond within `spread` of it equally likely."""

    seconds: Seconds
    spread: Seconds = 0.0

    @property
    def mean(self) -> int:
        """Returns the average in milliseconds."""
        return round(1000 * self.seconds)

    @property
    def reach(self) -> int:
        """Returns the spread in milliseconds."""
        return round(1000 * self.spread)

    @model_validator(mode="after")
    def _never_runs_backwards(self) -> Self:
        if self.spread > self.seconds:
            raise ValueError(
                f"spread {self.spread:g} given with seconds {self.seconds:g}; at most the seconds are allowed, "
                "or some would be less than nothing"
            )
        return self


class Clock(Rules):
    """All play at once, each at their own pace: what a throw and an entry take, and the sand timer of a turn.

    A timer of 0 is none; else throws that would end after so many seconds of a turn are not made, but for the first.
    """

    throw: Times
    entry: Times
    timer: Seconds = 0.0

    @property
    def sand(self) -> int:
        """Returns the timer in milliseconds, 0 for none."""
        return round(1000 * self.timer)

    @model_validator(mode="after")
    def _takes_time(self) -> Self:
        shortest = sum(times.mean - times.reach for times in (self.throw, self.entry))
        if shortest < SHORTEST_TURN:
            raise ValueError(
                f"a turn of one throw may take {shortest / 1000:g} s; at least {SHORTEST_TURN / 1000:g} s are needed, "
                "raise the seconds of throw or entry or lower their spread"
            )
        return self


class Joker(Rules):
    """What five alike are worth once `category`, which asks for five alike, is filled.

    They bring `points` extra each time while that category holds points. They pay in full in the categories of
    `fits`, whatever those ask for. Where `forced`, they have to be entered in the upper category of their face while it
    is open, then in a category that is not upper, and only then anywhere.
    """

    category: str
    points: Points = 0
    fits: Annotated[tuple[str, ...], Field(strict=False)] = ()
    forced: bool = True
