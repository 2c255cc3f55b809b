"""What variants, luck where it is kept, and questions add to a summary: one module for each, all of the same form."""

from collections.abc import Iterator
from typing import Any, Protocol

from results import bank, jokers, luck, outcomes, pot, purse, speed, steals
from results.figures import Document
from results.manifest import Match
from results.tables import Table, Value
from results.tally import MatchTally, Measures
from results.until import shown as until


class Variant(Measures, Protocol):
    """What a variant adds to the summary of a match whose rules have its part, which keeps luck or has questions.

    `document` makes what stands under `KEY` in the document of the match, of which `tables` and `rows` (of CSV)
    show it.
    """

    KEY: str
    PART: str

    def document(self, tally: MatchTally, level: float) -> Any:
        """Return what is known of the variant, at a level of confidence."""

    def tables(self, match: Document) -> list[Table]:
        """Return its tables."""

    def rows(self, match: Document) -> Iterator[tuple[Value, ...]]:
        """Yield its rows of CSV."""


VARIANTS: tuple[Variant, ...] = (steals, speed, jokers, purse, bank, pot, outcomes, luck, until)


def variants_of(match: Match) -> list[Variant]:
    """Return what the rules of a match, its luck and its questions add to its summary."""
    return [variant for variant in VARIANTS if variant.PART in match.parts]
