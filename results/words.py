"""How a summary calls what a game is scored in, and who plays it: one entry a game."""

from dataclasses import dataclass

from results.figures import Document

USUAL_GAME = "cheerio"
"""The game of a document that names none."""

OF_SEATS = "n counts a game once for each seat of the strategy."
"""What tables count by that tell of strategies, each seat on its own."""


@dataclass(frozen=True)
class Words:
    """The words of a game: for its scores and their unit, and for who competes."""

    scores: str
    score: str
    unit: str
    rivals: str
    has_sheet: bool

    @property
    def rival(self) -> str:
        """One of the rivals."""
        return self.rivals.removesuffix("s")


WORDS: dict[str, Words] = {
    "cheerio": Words("Scores", "score", "points", "sides", has_sheet=True),
    "ceelo": Words("Chips at the end", "chips", "chips", "players", has_sheet=False),
}


def words_of(match: Document) -> Words:
    """Return the words for the document of a match."""
    return WORDS[match.get("game", USUAL_GAME)]
