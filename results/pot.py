"""What a summary says of the pot: how often it takes a decider, and who takes it."""

from collections.abc import Iterator

import numpy as np

from results.figures import (
    Document,
    count_figure,
    csv_row,
    exact_cells,
    exact_figure,
    exact_rows,
    figure_cell,
    figure_row,
    headings,
    percent_cell,
    ratio_figure,
)
from results.ratios import RatioSums
from results.scan import GameArrays, at_cells, by_deal
from results.tables import ABSENT, Table, Value, percent_text, rounded_rate, value_text
from results.tally import MatchTally

KEY, PART = "pot", "ante"
#: Deciders by how many threw them, and rounds by which decider decided them.
_TIED = {str(players): f"tied_{players}" for players in range(2, 7)}
_DECIDED = {"1": "decided_1", "2": "decided_2", "3": "decided_3", "4+": "decided_4"}
COLUMNS: tuple[str, ...] = ("rounds", "bets", "bets_won", *_TIED.values(), *_DECIDED.values())


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the deciders and pots of a chunk."""
    seatings = tally.match.seatings
    totals = {name: by_deal(arrays[name][:, 0]) for name in ("rounds", *_TIED.values(), *_DECIDED.values())}
    for name, total in totals.items():
        tally.count(f"pot {name}", None, total, seatings)
    for measure, names in (("decided", _DECIDED), ("deciders", _TIED)):
        together = by_deal(np.stack([totals[name] for name in names.values()]))
        tally.count_ratio(measure, None, RatioSums.of(together, totals["rounds"]))
    for entry in tally.entries:
        cells = tally.cells[entry]
        antes, pots = (by_deal(at_cells(arrays[name], cells)) for name in ("bets", "bets_won"))
        tally.count("pots", entry, pots, len(cells))
        tally.count_ratio("pots", entry, RatioSums.of(pots, antes))


def document(tally: MatchTally, level: float) -> Document:
    """Return what is known of the pot: rounds with a decider, deciders by who threw them, and pots taken."""
    rounds = tally.of("pot rounds")
    return {
        "games": rounds.deals * tally.match.seatings,
        "rounds": rounds.total,
        **exact_figure(
            "decider_rate", tally.ratio_of("decided"), level, tally.match.exact.get("decider"), least=0.0
        ),
        **ratio_figure("deciders_mean", tally.ratio_of("deciders"), level),
        "by_tied_seats": {
            players: tally.of(f"pot {name}").total
            for players, name in _TIED.items()
            if int(players) <= tally.match.seats
        },
        "by_deciders": {number: tally.of(f"pot {name}").total for number, name in _DECIDED.items()},
        "strategies": [_entry(tally, entry, level) for entry in tally.entries],
    }


def tables(match: Document) -> list[Table]:
    """Return the tables of deciders and of pots."""
    pot = match["pot"]
    rounds, thrown = pot["rounds"], sum(pot["by_tied_seats"].values())
    decided = [
        (
            f"decided by decider {number}",
            percent_text(_share(count, rounds)),
            ABSENT,
            ABSENT,
            value_text(count),
        )
        for number, count in pot["by_deciders"].items()
    ]
    by_seats = tuple(
        (players, percent_text(_share(count, thrown)), value_text(count))
        for players, count in pot["by_tied_seats"].items()
        if count
    )
    told = (
        (
            e["strategy"],
            value_text(e["antes"]),
            percent_cell(e, "pot_rate"),
            figure_cell(e, "pots_mean"),
        )
        for e in pot["strategies"]
    )
    whole = (
        "decided by a decider",
        percent_cell(pot, "decider_rate"),
        *exact_cells(pot, "decider_rate"),
        value_text(sum(pot["by_deciders"].values())),
    )
    return [
        Table(
            "Rounds with a decider",
            headings("event", "% of rounds", "exactly %", "z", "rounds"),
            (whole, *decided),
            f"Deciders a round: {figure_cell(pot, 'deciders_mean')}.",
        ),
        Table("Deciders by the seats that threw", headings("seats", "% of deciders", "deciders"), by_seats),
        Table(
            "Pots",
            headings("strategy", "rounds played", "pots taken, % of its rounds", "pots a game"),
            tuple(told),
        ),
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on the pot."""
    pot = match["pot"]
    yield from exact_rows(match, pot, "decider_rate", pot["rounds"])
    yield figure_row(match, pot, "deciders_mean", pot["rounds"])
    for players, count in pot["by_tied_seats"].items():
        yield csv_row(match, f"deciders_of_{players}", count, sum(pot["by_tied_seats"].values()))
    for number, count in pot["by_deciders"].items():
        yield csv_row(match, f"decided_by_{number}", count, pot["rounds"])
    for e in pot["strategies"]:
        yield figure_row(match, e, "pot_rate", e["antes"], strategy=e["strategy"])
        yield figure_row(match, e, "pots_mean", e["games"], strategy=e["strategy"])


def _entry(tally: MatchTally, entry: str, level: float) -> Document:
    pots, shares = tally.of("pots", entry), tally.ratio_of("pots", entry)
    return {
        "strategy": entry,
        "games": pots.deals * len(tally.cells[entry]),
        "antes": shares.denominator.total,
        **ratio_figure("pot_rate", shares, level, least=0.0),
        **count_figure("pots_mean", pots, level, tally.match.turns),
    }


def _share(count: int, of: int) -> float | None:
    return rounded_rate(count / of) if of else None
