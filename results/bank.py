"""What a summary says of the bank: its edge, how bets end, and who holds it for how long."""

from collections.abc import Iterator

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
    mean_figure,
    percent_cell,
)
from results.ratios import RatioSums
from results.scan import Cells, GameArrays, at_cells, by_deal
from results.tables import Table, Value, value_text
from results.tally import MatchTally, Subject
from results.words import OF_SEATS

KEY, PART = "bank", "stake"
COLUMNS: tuple[str, ...] = (
    "bets", "bets_won", "pushes", "covered", "bank_net", "bank_rounds", "instant_wins", "instant_losses",
    "bank_passes", "rounds",
)  # fmt: skip
#: Rates of bets and of rounds as bank, with what the manifest calls their exact values, and how tables call them.
_OF_BETS = {
    "bet_win_rate": ("bet won", "bets won"),
    "bet_push_rate": ("bet pushed", "bets pushed"),
    "bet_loss_rate": ("bet lost", "bets lost"),
}
_OF_ROUNDS = {
    "instant_win_rate": ("instant win", "rounds won at once by 4-5-6 or a triple of the bank"),
    "instant_loss_rate": ("instant loss", "rounds lost at once by 1-2-3 of the bank"),
}


def count(tally: MatchTally, arrays: GameArrays) -> None:
    """Count the bets, and what the banks win and lose, of a chunk."""
    match = tally.match
    everywhere = [(seating, seat) for seating in range(match.seatings) for seat in range(match.seats)]
    _count_edge(tally, None, arrays, everywhere)
    for entry in tally.entries:
        _count_edge(tally, entry, arrays, tally.cells[entry])
    for seat in range(match.seats):
        _count_edge(tally, seat, arrays, [cell for cell in everywhere if cell[1] == seat])
    bets, won, pushed, wins, losses, passes = (
        by_deal(at_cells(arrays[name], everywhere))
        for name in ("bets", "bets_won", "pushes", "instant_wins", "instant_losses", "bank_passes")
    )
    rounds = by_deal(arrays["rounds"][:, 0])
    ended = {"bet won": won, "bet pushed": pushed, "bet lost": bets - won - pushed}
    for measure, totals in ended.items():
        tally.count_ratio(measure, None, RatioSums.of(totals, bets))
    for measure, totals in {"instant win": wins, "instant loss": losses, "bank passes": passes}.items():
        tally.count_ratio(measure, None, RatioSums.of(totals, rounds))
    tally.count("bank passes", None, passes, match.seatings)


def document(tally: MatchTally, level: float) -> Document:
    """Return what is known of the bank; its edge is what it gains of each chip that is staked against it."""
    match = tally.match
    edge, passes = tally.ratio_of("edge"), tally.of("bank passes")
    games = passes.deals * match.seatings
    return {
        "games": games,
        "covered": edge.denominator.total,
        **_edge(tally, None, level),
        "bets": tally.ratio_of("bet won").denominator.total,
        **_rates(tally, _OF_BETS, level),
        "rounds": tally.ratio_of("instant win").denominator.total,
        **_rates(tally, _OF_ROUNDS, level),
        **(_passes(tally, level) if match.ruleset.rules["bank"] == "pass" else {}),
        "strategies": [
            {"strategy": entry, **_banker(tally, entry, deals * len(tally.cells[entry]), level)}
            for entry in tally.entries
            for deals in [passes.deals]
        ],
        "seats": [{"seat": seat, **_banker(tally, seat, games, level)} for seat in range(match.seats)],
    }


def tables(match: Document) -> list[Table]:
    """Return the tables of the bank."""
    bank = match["bank"]
    told = [_measure(bank, "edge", "edge of the bank, of the chips staked", bank["covered"])]
    told += [_measure(bank, key, name, bank["bets"]) for key, (_, name) in _OF_BETS.items()]
    told += [_measure(bank, key, name, bank["rounds"]) for key, (_, name) in _OF_ROUNDS.items()]
    if "pass_rate" in bank:
        told.append(
            _measure(bank, "pass_rate", "rounds in which a bettor takes the bank with 4-5-6", bank["rounds"])
        )
    return [
        Table(
            "The bank",
            headings("measure", "n", "%", "exactly %", "z"),
            tuple(told),
            "n counts chips, bets or rounds. z: standard errors above the exact value; about 19 of 20 lie within "
            "-2 and 2, but rows of one table hang together.",
        ),
        _bankers("As banker, by strategy", "strategy", bank["strategies"]),
        _bankers("As banker, by seat", "seat", bank["seats"]),
    ]


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on the bank."""
    bank = match["bank"]
    yield from exact_rows(match, bank, "edge", bank["covered"], "bank_")
    for key in _OF_BETS:
        yield from exact_rows(match, bank, key, bank["bets"])
    for key in _OF_ROUNDS:
        yield from exact_rows(match, bank, key, bank["rounds"])
    if "pass_rate" in bank:
        yield from exact_rows(match, bank, "pass_rate", bank["rounds"], "bank_")
        yield figure_row(match, bank, "passes_mean", bank["games"], "bank_")
    for chair in ("strategy", "seat"):
        for e in bank["strategies" if chair == "strategy" else "seats"]:
            place = {chair: e[chair]}
            yield csv_row(match, "bank_covered", e["covered"], e["games"], None, **place)
            yield figure_row(match, e, "rounds_mean", e["games"], "bank_", **place)
            yield from exact_rows(match, e, "edge", e["covered"], "bank_", **place)


def _count_edge(tally: MatchTally, subject: Subject, arrays: GameArrays, cells: Cells) -> None:
    net, covered, rounds = (
        by_deal(at_cells(arrays[name], cells)) for name in ("bank_net", "covered", "bank_rounds")
    )
    # Bets of a round share the bank's throw, and rounds of a game its chips: all of a deal is one unit.
    tally.count_ratio("edge", subject, RatioSums.of(net, covered))
    tally.count("bank rounds", subject, rounds, len(cells))


def _edge(tally: MatchTally, subject: Subject, level: float) -> Document:
    exact = tally.match.exact.get("bank edge")
    return exact_figure("edge", tally.ratio_of("edge", subject), level, exact, least=-1.0)


def _rates(tally: MatchTally, names: dict[str, tuple[str, str]], level: float) -> Document:
    found: Document = {}
    for key, (measure, _) in names.items():
        exact = tally.match.exact.get(measure)
        found |= exact_figure(key, tally.ratio_of(measure), level, exact, least=0.0)
    return found


def _passes(tally: MatchTally, level: float) -> Document:
    return {
        **exact_figure(
            "pass_rate", tally.ratio_of("bank passes"), level, tally.match.exact.get("bank pass"), least=0.0
        ),
        **mean_figure("passes_mean", tally.of("bank passes"), level),
    }


def _banker(tally: MatchTally, subject: Subject, games: int, level: float) -> Document:
    return {
        "games": games,
        **count_figure("rounds_mean", tally.of("bank rounds", subject), level, tally.match.turns),
        "covered": tally.ratio_of("edge", subject).denominator.total,
        **_edge(tally, subject, level),
    }


def _measure(bank: Document, key: str, name: str, n: int) -> tuple[str, ...]:
    return name, value_text(n), percent_cell(bank, key), *exact_cells(bank, key)


def _bankers(title: str, chair: str, bankers: list[Document]) -> Table:
    told = tuple(
        (
            str(e[chair]),
            value_text(e["games"]),
            figure_cell(e, "rounds_mean"),
            value_text(e["covered"]),
            percent_cell(e, "edge"),
            *exact_cells(e, "edge"),
        )
        for e in bankers
    )
    heads = headings(chair, "n", "rounds as bank a game", "chips covered", "edge %", "exactly %", "z")
    note = "n counts games." if chair == "seat" else OF_SEATS
    return Table(title, heads, told, note)
