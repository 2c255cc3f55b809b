"""How a summary calls what a game is scored in: one entry a game."""

from dataclasses import dataclass

from results.figures import Document

USUAL_GAME = "cheerio"
"""The game of a document that names none."""


@dataclass(frozen=True)
class Words:
    """The words of a game: for its scores and their unit, and for what one strategy alone comes to."""

    scores: str
    score: str
    unit: str
    comes_to: str
    has_sheet: bool


WORDS: dict[str, Words] = {
    "cheerio": Words("Scores", "score", "points", "scores {}", has_sheet=True),
    "ceelo": Words("Chips at the end", "chips", "chips", "ends with {} chips", has_sheet=False),
}


def words_of(match: Document) -> Words:
    """Return the words for the document of a match."""
    return WORDS[match.get("game", USUAL_GAME)]
