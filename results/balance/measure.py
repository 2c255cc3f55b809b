"""What a measure of balance is, and how it is told in words."""

from dataclasses import dataclass

Fields = dict[str, str]
"""What a sentence may name beside the value, such as the seat that it is about."""


@dataclass(frozen=True)
class Measure:
    """A measure of balance: what it tells, in which unit, by which definition, and after whom.

    A `unit` of "rate" is a fraction that is told in per cent. `sentence` has a place for the value and may have others;
    `good`, `fair` and `poor` say what the verdict means to who plays; `above` has what fair and poor mean instead where
    there is too much of it. `more` and `less` compare two rulesets, as "longer" and "shorter" do.
    """

    group: str
    title: str
    unit: str
    definition: str
    sentence: str
    good: str = ""
    fair: str = ""
    poor: str = ""
    above: tuple[str, str] | None = None
    source: str = "counted by dicecup"
    more: str = "more"
    less: str = "less"

    @property
    def is_rate(self) -> bool:
        """Whether the value is a fraction that is told in per cent."""
        return self.unit == "rate"

    def spoken(self, value: float, differs: bool = False) -> str:
        """Return a value, or a difference of two, as a sentence has it: with fewer digits than a table."""
        if self.is_rate:
            return f"{_short(value * 100)} {'percentage points' if differs else '%'}"
        return f"{_short(value)} {self._unit_of(value)}"

    def _unit_of(self, value: float) -> str:
        if _short(value) != "1":
            return self.unit
        return f"{self.unit[:-3]}y" if self.unit.endswith("ies") else self.unit.removesuffix("s")

    def words(self, value: float, verdict: str, fields: Fields, is_above: bool = False) -> str:
        """Return what a value says, without a full stop; `is_above` where it is above what is good."""
        told = self.sentence.format(value=self.spoken(value), **fields)
        fair, poor = self.above if self.above and is_above else (self.fair, self.poor)
        meaning = {"good": self.good, "fair": fair, "poor": poor}.get(verdict, "")
        if not meaning and " or " in verdict:
            meaning = f"{verdict}, so few games can't tell which"
        if verdict == "unsettled":
            meaning = "too few games to tell whether that is good or poor"
        return f"{told}: {meaning}" if meaning else told

    def difference_words(self, difference: float, is_shown: bool, may_be: bool, base: str) -> str:
        """Return how a value differs from that under the base, without a full stop.

        It is shown, or it is only if nothing else is looked at, so that it may be by chance, or neither.
        """
        if not (is_shown or may_be):
            return f"no difference from {base} is shown"
        amount = self.spoken(abs(difference), differs=True)
        told = f"{amount} {self.more if difference > 0 else self.less} than under {base}"
        return told if is_shown else f"perhaps {told}"


def _short(value: float) -> str:
    # In binary a tenth is none, so that what is a whole number may miss it by little.
    value = round(value, 9) + 0.0
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    digits = 0 if value == round(value) else 1 if size >= 9.995 else 2
    return f"{round(value, digits) + 0.0:.{digits}f}"
