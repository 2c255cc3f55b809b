"""What a summary says of purses: who is ruined, how long games last, what is staked, and how long results take."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from results.figures import (
    Document,
    count_figure,
    exact_cells,
    exact_figure,
    exact_rows,
    figure_cell,
    figure_row,
    headings,
    mean_figure,
    percent_cell,
    rate_figure,
    ratio_figure,
)
from results.ratios import RatioSums
from results.scan import GameArrays, at_cells, by_deal
from results.tables import Table, Value, value_text
from results.tally import MatchTally
from results.words import OF_SEATS

KEY, PART = "purse", "chips"
COLUMNS: tuple[str, ...] = (
    "survived", "rounds", "throws", "results", "staked", "bets", "bets_won", "pushes",
)  # fmt: skip
_MINUTE = 60_000
_EXACT = "throws per result"
#: Figures of a bettor, told where there is a bank to bet against.
_BETS = ("stake_mean", "bet_win_rate", "bet_push_rate")


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the rounds, bets and results of a chunk."""
    seatings, last = tally.match.seatings, tally.match.turns
    rounds = arrays["rounds"]
    ruined = arrays["survived"] < rounds
    for entry in tally.entries:
        cells = tally.cells[entry]
        tally.count("ruined", entry, by_deal(at_cells(ruined, cells)), len(cells))
        tally.count("survived", entry, by_deal(at_cells(arrays["survived"], cells)), len(cells))
        results = by_deal(at_cells(arrays["results"], cells))
        throws = by_deal(at_cells(arrays["throws"], cells))
        tally.count_ratio("throws a result", entry, RatioSums.of(throws, results))
        if "pushes" in arrays:
            _count_bets(tally, entry, arrays)
    early = (rounds[:, 0] < last) & ((~ruined).sum(axis=1) <= 1)
    tally.count("rounds", None, by_deal(rounds[:, 0]), seatings)
    tally.count("early", None, by_deal(early), seatings)
    if milliseconds := _throw_milliseconds(tally):
        tally.count("time", None, _all(arrays["throws"]) * milliseconds, seatings * _MINUTE)
    tally.count_ratio("throws a result", None, RatioSums.of(_all(arrays["throws"]), _all(arrays["results"])))


def document(tally: MatchTally, level: float) -> Document:
    """Return what is known of purses; a game ends early where at most one is left who can play."""
    rounds = tally.of("rounds")
    return {
        "games": rounds.deals * tally.match.seatings,
        **count_figure("rounds_mean", rounds, level, tally.match.turns),
        **rate_figure("early_rate", tally.of("early"), level),
        **(mean_figure("minutes_mean", tally.of("time"), level) if _throw_milliseconds(tally) else {}),
        **_throws(tally, None, level),
        "strategies": [_entry(tally, entry, level) for entry in tally.entries],
    }


def tables(match: Document) -> list[Table]:
    """Return the tables of the length of games, of purses, of bets and of throws."""
    purse = match["purse"]
    entries = purse["strategies"]
    has_bets = "bets" in entries[0]
    game = (
        ("rounds a game", figure_cell(purse, "rounds_mean")),
        *([("minutes a game", figure_cell(purse, "minutes_mean"))] if "minutes_mean" in purse else []),
        ("games that end early, %", percent_cell(purse, "early_rate")),
    )
    note = "Early: before the last round, or before time is up, as nobody is left to play with."
    return [
        Table("Length of the games", headings("measure", "value"), game, note),
        _purses(entries, "out of chips" if has_bets else "short of the ante"),
        *([_bets_table(entries)] if has_bets else []),
        _throws_table([*entries, purse | {"strategy": "all"}]),
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on purses."""
    purse = match["purse"]
    for key in ("rounds_mean", "minutes_mean", "early_rate"):
        if key in purse:
            yield figure_row(match, purse, key, purse["games"], "game_")
    yield from exact_rows(match, purse, "throws_per_result", purse["results"])
    for e in purse["strategies"]:
        name = e["strategy"]
        for key in ("ruin_rate", "survived_mean", "bets_mean"):
            if key in e:
                yield figure_row(match, e, key, e["games"], strategy=name)
        for key in _BETS:
            if key in e:
                yield figure_row(match, e, key, e["bets"], strategy=name)
        yield from exact_rows(match, e, "throws_per_result", e["results"], strategy=name)


def _count_bets(tally: MatchTally, entry: str, arrays: GameArrays) -> None:
    staked, bets, won, pushed = (
        by_deal(at_cells(arrays[name], tally.cells[entry]))
        for name in ("staked", "bets", "bets_won", "pushes")
    )
    tally.count("bets", entry, bets, len(tally.cells[entry]))
    for measure, totals in (("stake", staked), ("bet won", won), ("bet pushed", pushed)):
        tally.count_ratio(measure, entry, RatioSums.of(totals, bets))


def _throw_milliseconds(tally: MatchTally) -> int:
    """Return how long a throw takes with all that goes with it, or 0 where no clock runs."""
    rules = tally.match.ruleset.rules
    return round(1000 * rules["throw_seconds"]) if rules.get("minutes") else 0


def _all(values: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    return by_deal(values.reshape(-1, values.shape[-1]))


def _entry(tally: MatchTally, entry: str, level: float) -> Document:
    survived = tally.of("survived", entry)
    return {
        "strategy": entry,
        "games": survived.deals * len(tally.cells[entry]),
        **rate_figure("ruin_rate", tally.of("ruined", entry), level),
        **count_figure("survived_mean", survived, level, tally.match.turns),
        **(_bets(tally, entry, level) if tally.match.has_column("pushes") else {}),
        **_throws(tally, entry, level),
    }


def _bets(tally: MatchTally, entry: str, level: float) -> Document:
    bets = tally.of("bets", entry)
    return {
        "bets": bets.total,
        **mean_figure("bets_mean", bets, level),
        **ratio_figure("stake_mean", tally.ratio_of("stake", entry), level),
        **ratio_figure("bet_win_rate", tally.ratio_of("bet won", entry), level, least=0.0),
        **ratio_figure("bet_push_rate", tally.ratio_of("bet pushed", entry), level, least=0.0),
    }


def _throws(tally: MatchTally, entry: str | None, level: float) -> Document:
    sums = tally.ratio_of("throws a result", entry)
    exact = tally.match.exact.get(_EXACT)
    return {"results": sums.denominator.total, **exact_figure("throws_per_result", sums, level, exact)}


def _purses(entries: list[Document], out: str) -> Table:
    told = tuple(
        (e["strategy"], value_text(e["games"]), percent_cell(e, "ruin_rate"), figure_cell(e, "survived_mean"))
        for e in entries
    )
    note = f"{OF_SEATS} Ruined: {out} by the end of the game."
    return Table("Purses", headings("strategy", "n", "ruined %", "rounds survived"), told, note)


def _bets_table(entries: list[Document]) -> Table:
    told = tuple(
        (
            e["strategy"],
            value_text(e["bets"]),
            figure_cell(e, "bets_mean"),
            figure_cell(e, "stake_mean"),
            percent_cell(e, "bet_win_rate"),
            percent_cell(e, "bet_push_rate"),
        )
        for e in entries
    )
    names = ("strategy", "bets", "bets a game", "chips a bet", "won %", "pushed %")
    return Table("Bets", headings(*names), told)


def _throws_table(entries: list[Document]) -> Table:
    key = "throws_per_result"
    told = tuple(
        (e["strategy"], value_text(e["results"]), figure_cell(e, key), *exact_cells(e, key)) for e in entries
    )
    return Table("Throws for a result", headings("strategy", "results", "throws", "exactly", "z"), told)
