"""What a comparison shows, in sentences."""

from results.figures import Document, bracketed, percent_cell
from results.tables import level_text, percent_text, value_text
from results.words import WORDS


def conclusion_of(document: Document) -> str:
    """Return what a comparison shows: who is best, by how much, and whether that hangs together."""
    if len(document["strategies"]) == 2:
        return _of_two(document)
    return " ".join([_best(document), *_others(document), _cycles(document)])


def score_text(document: Document, pair: Document) -> str:
    """Return the difference of scores of a pair with its interval and unit."""
    figure = bracketed(value_text(pair["score_difference"]), pair["score_interval"])
    return f"{figure} {WORDS[document['game']].unit} a game"


def lead_text(document: Document, pair: Document) -> str:
    """Return by how much the first of a pair is ahead of the second, in what decides and in scores."""
    score = score_text(document, pair)
    if document["solitaire"]:
        return score
    credit = f"{percent_cell(pair, 'credit_difference', 'credit_interval')} percentage points of credit"
    # Who wins more may well score less.
    return f"{credit}, though {score}" if pair["score_difference"] < 0 else f"{credit} and {score}"


def is_level(document: Document, pair: Document) -> bool:
    """Return whether the figure that decides shows no digit of difference."""
    return not pair["score_difference" if document["solitaire"] else "credit_difference"]


def _of_two(document: Document) -> str:
    if not document["pairs"]:
        one, other = (row["strategy"] for row in document["strategies"])
        return f"{one} and {other} never met, nor had they the same rivals: nothing compares them."
    (pair,) = document["pairs"]
    first, second = pair["first"], pair["second"]
    lead = f"{lead_text(document, pair)} at {level_text(document['level'])}"
    if pair["verdict"] == "first is better":
        head = f"{first} beats {second} by {lead}"
    elif is_level(document, pair):
        head = f"No difference is shown: {first} and {second} are level: {lead}"
    else:
        head = f"No difference is shown: in these games {first} is ahead of {second} by {lead}"
    told = [f"{head}, {pair['how']} over {pair['games']:,} games ({pair['deals']:,} deals)."]
    if pair["divergent_rate"] is not None:
        told.append(
            f"On the same dice they took different decisions in {percent_text(pair['divergent_rate'])} % of the deals."
        )
    if pair["variance_ratio"] is not None:
        told.append(
            f"Games that each had dice of their own would have {value_text(pair['variance_ratio'])} times the variance."
        )
    return " ".join(told)


def _best(document: Document) -> str:
    level, count = level_text(document["level"]), len(document["strategies"])
    if not document["linked"]:
        return f"Which of {count} strategies is best can't be told: no chain of pairs links all of them."
    best = document["strategies"][0]
    name, (low, high) = best["strategy"], best["rank_interval"]
    at_once = f"at {level} for all of them at once"
    if high == 1:
        return f"{name} is the best of {count} strategies, shown {at_once}; {_next(document)}."
    ranks = f"leads and may have rank {_ranks(low, high)}, {at_once}"
    return f"No single best of {count} strategies is shown: {name} {ranks}; {_next(document)}."


def _next(document: Document) -> str:
    """Return how the strategy that leads stands to the next."""
    one, other = (row["strategy"] for row in document["strategies"][:2])
    pair = next((p for p in document["pairs"] if {p["first"], p["second"]} == {one, other}), None)
    if pair is None:
        return f"with {other}, the next, nothing compares it but others"
    if is_level(document, pair):
        return f"{other}, the next, is level with it"
    if pair["first"] == one:
        return f"it is ahead of {other}, the next, by {lead_text(document, pair)}"
    return f"between the two {other}, the next, is ahead by {lead_text(document, pair)}"


def _ranks(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"


def rank_text(row: Document) -> str:
    """Return the ranks that a strategy may have."""
    return _ranks(*row["rank_interval"])


def _others(document: Document) -> list[str]:
    rows = document["strategies"]
    told = []
    leaders = [row["strategy"] for row in rows if row["rank_interval"][0] == 1]
    if len(leaders) > 1:
        told.append(f"{len(leaders)} may be the best: {', '.join(leaders)}.")
    shown = sum(pair["verdict"] == "first is better" for pair in document["pairs"])
    told.append(f"Of {len(document['pairs'])} pairs {shown} show a difference.")
    if document["absent"]:
        told.append(f"Pairs that nothing compares: {len(document['absent'])}.")
    return told


def _cycles(document: Document) -> str:
    if not document["cycles"]:
        return "No strategies are shown to beat one another in a circle."
    told = "; ".join(" beats ".join([*cycle, cycle[0]]) for cycle in document["cycles"])
    return f"Differences shown that go in a circle: {told}."
