"""The summary's document as tables for people."""

from collections.abc import Sequence

from results import beside
from results.distribution import distribution_table
from results.errors import RunError
from results.figures import Document, bracketed, figure_cell, headings, percent_cell
from results.manifest import side_name
from results.tables import (
    ABSENT,
    Table,
    level_text,
    percent_text,
    rounded_rate,
    value_text,
)
from results.until import shown as until
from results.variants import VARIANTS
from results.words import words_of


def foot_lines(document: Document) -> list[str]:
    """Return what stands below the tables of a run: where the figures are from, how to read intervals."""
    level = level_text(document["level"])
    return [
        f"Run {document['run']}, seed {document['seed']}.",
        f"Intervals [low, high] at {level}; their unit is the deal, as the games of a deal share their dice.",
    ]


def match_title(match: Document) -> str:
    """Return the heading of a match."""
    sides: dict[int, list[str]] = {}
    for name, side in zip(match["lineup"], match["sides"], strict=True):
        sides.setdefault(side, []).append(name)
    lineup = ", ".join(side_name(names, match["lineup"]) for names in sides.values())
    return f"Match {match['match']}: {match['title']} ({match['ruleset']}), {lineup}"


def match_lines(match: Document) -> list[str]:
    """Return the conclusion of a match, what ended it, and how much of it is played if that is not all."""
    lines = [match["conclusion"]]
    if until.KEY in match and match[until.KEY]["ended"]:
        lines.append(match[until.KEY]["ended"])
    if not match["complete"]:
        most = "at most " if until.KEY in match else ""
        played = f"{match['deals']:,} of {most}{match['deals_planned']:,} deals"
        lines.append(f"Incomplete: {played} are played; resume the run for the rest.")
    return lines


def match_tables(match: Document, ascii_only: bool = False, brief: bool = False) -> list[Table]:
    """Return the tables of a match, or in brief the first two and what was asked; none of winning in solitaire."""
    if not match["deals"]:
        return []
    if brief:
        asked = until.tables(match) if until.KEY in match else []
        return [*([_winning(match)] if match["ties"] else []), _scores(match, throws=False), *asked]
    tables = [_scores(match), _quantiles(match), distribution_table(match, ascii_only)]
    if match["ties"]:
        tables = [_winning(match), *tables, _ties(match)]
        tables += [_chairs(match, chairs) for chairs in ("seats", "positions") if chairs in match]
        tables += [_course(match)] if match["course"] else []
    tables += [table for variant in VARIANTS if variant.KEY in match for table in variant.tables(match)]
    tables += [_categories(match)] if match.get("categories") else []
    return [*tables, *(beside.tables(match) if beside.KEY in match else [])]


def chosen_tables(tables: Sequence[Sequence[Table]], titles: Sequence[str]) -> list[list[Table]]:
    """Return, of the tables of each match, those that have one of some texts in their title; all without a text.

    RunError where a text is in no title of any match.
    """
    known = list(dict.fromkeys(table.title for own in tables for table in own))
    strange = [text for text in titles if not any(_is_titled(title, text) for title in known)]
    if strange:
        # In quotes, as titles have commas of their own.
        there = ", ".join(f"'{title}'" for title in known)
        raise RunError(f"No table has {strange[0]!r} in its title; there are: {there}.")
    return [
        [table for table in own if not titles or any(_is_titled(table.title, text) for text in titles)]
        for own in tables
    ]


def _is_titled(title: str, text: str) -> bool:
    return text.casefold() in title.casefold()


def _winning(match: Document) -> Table:
    names, rivals = ("win", "shared", "credit"), words_of(match).rivals
    rows = [
        (
            e["strategy"],
            value_text(e["seats"]),
            value_text(e["games"]),
            *(percent_cell(e, f"{n}_rate") for n in names),
        )
        for e in match["strategies"]
    ]
    return Table(
        "Winning",
        headings("strategy", rivals, "n", *(f"{name} %" for name in names)),
        tuple(rows),
        f"n counts {rivals} and games. Shared: the top place is shared and nobody wins alone. "
        "Credit: a win is 1, a shared top is split.",
    )


def _scores(match: Document, throws: bool = True) -> Table:
    bonus, best = bool(match.get("bonus_points")), match.get("best_mean")
    rows = [
        (
            e["strategy"],
            value_text(e["games"]),
            figure_cell(e, "score_mean"),
            value_text(e["score_sd"]),
            *([percent_cell(e, "bonus_rate")] if bonus else []),
            *([figure_cell(e, "throws_mean")] if throws else []),
            *([value_text(e["points_short"])] if best is not None else []),
        )
        for e in match["strategies"]
    ]
    names = [
        "strategy",
        "n",
        "mean",
        "sd",
        *(["bonus %"] if bonus else []),
        *(["throws a game"] if throws else []),
    ]
    note = ""
    if best is not None:
        names.append("short of perfect")
        note = f"Short of perfect: the points that a mean falls short of perfect play's, {value_text(best)}."
    return Table(words_of(match).scores, headings(*names), tuple(rows), note)


def _quantiles(match: Document) -> Table:
    shares = list(match["strategies"][0]["score_quantiles"])
    rows = [
        (
            e["strategy"],
            value_text(e["score_min"]),
            *(
                bracketed(value_text(e["score_quantiles"][q]), e["score_quantile_intervals"][q])
                for q in shares
            ),
            value_text(e["score_max"]),
        )
        for e in match["strategies"]
    ]
    names = ["median" if q == "0.5" else f"{float(q) * 100:g} %" for q in shares]
    title = f"Quantiles of the {words_of(match).score}"
    return Table(title, headings("strategy", "min", *names, "max"), tuple(rows))


def _ties(match: Document) -> Table:
    ties, games = match["ties"], match["ties"]["games"]
    rows = [
        (
            "games with a tie for the top",
            percent_cell(ties, "rate", "interval"),
            value_text(ties["tied_games"]),
        )
    ]
    rows += [
        (label.format(k), percent_text(rounded_rate(count / games)), value_text(count))
        for label, counts in (
            (f"{{}} {words_of(match).rivals} tied", ties["by_tied_seats"]),
            ("decided in roll-off round {}", ties.get("by_rounds", {})),
            ("start roll settled in round {}", match.get("start", {}).get("by_rounds", {})),
        )
        for k, count in counts.items()
    ]
    return Table("Ties", headings("event", "% of games", "games"), tuple(rows))


def _chairs(match: Document, chairs: str) -> Table:
    key = chairs.removesuffix("s")
    has_chips = any("score_mean" in chair for chair in match[chairs])
    rows = [
        (
            str(chair[key]),
            value_text(chair["games"]),
            percent_cell(chair, "win_rate"),
            percent_cell(chair, "credit_rate"),
            percent_text(chair["fair_share"]),
            *([figure_cell(chair, "score_mean")] if has_chips else []),
        )
        for chair in match[chairs]
    ]
    names = (key, "n", "win %", "credit %", "fair share %", *(["mean chips at the end"] if has_chips else []))
    if chairs == "positions":
        return Table("Order of play, 0 begins", headings(*names), tuple(rows))
    begins = {"bank": "Seat 0 holds the bank first.", "pot": "Seat 0 throws first in the first round."}
    note = "".join(text for part, text in begins.items() if part in match)
    return Table("Seats", headings(*names), tuple(rows), note)


def _course(match: Document) -> Table:
    course = match["course"]
    rows = tuple(
        (label, value_text(course[n]), figure_cell(course, name))
        for name, label, n in (
            ("lead_changes_mean", "changes of the lead", "games"),
            ("decided_turn_mean", "round from whose end on the winner led", "won_games"),
            (
                "worst_deficit_mean",
                f"largest deficit the winner made up, {words_of(match).unit}",
                "won_games",
            ),
        )
    )
    note = "n counts games; of what the winner did, those that somebody won."
    if match["ties"].get("by_rounds"):
        note += " A game that a roll-off decided counts as decided after its last round."
    return Table("Course of the games", headings("measure", "n", "mean of a game"), rows, note)


def _categories(match: Document) -> Table:
    strategies = list(dict.fromkeys(row["strategy"] for row in match["categories"]))
    cells = {(row["category"], row["strategy"]): row for row in match["categories"]}
    names = {row["category"]: row["name"] for row in match["categories"]}
    rows = []
    for category, name in names.items():
        found = [cells.get((category, strategy)) for strategy in strategies]
        pairs = [
            (ABSENT, ABSENT) if c is None else (value_text(c["mean"]), percent_text(c["zero_rate"]))
            for c in found
        ]
        rows.append((name, *(text for pair in pairs for text in pair)))
    heads = [text for strategy in strategies for text in (f"{strategy} mean", f"{strategy} zero %")]
    # After steals a sheet no longer shows what its side chose to enter.
    note = (
        "Of the sheets at the end: zeros include forfeits and what thieves have left."
        if "steals" in match
        else ""
    )
    return Table("Categories", headings("category", *heads), tuple(rows), note)
