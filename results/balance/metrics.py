"""The measures of a game, taken from a match in which equals play: one function each, and one entry in METRICS."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from results.balance.game_totals import Games, Totals
from results.manifest import Match
from results.scan import by_deal
from results.schema import CREDIT_UNITS


def first_advantage(games: Games) -> Totals:
    """Return the credit of who plays first less its fair share."""
    sides, first = games.match.side_count, games.arrays["position"] == 0
    credit = (games.arrays["credit"] * first).sum(axis=1, dtype=np.int64)
    return Totals(by_deal(credit * sides - CREDIT_UNITS), len(credit), sides * CREDIT_UNITS)


def bank_edge(games: Games) -> Totals:
    """Return what the bank keeps of a chip staked against it."""
    net, covered = (games.arrays[name].sum(axis=1, dtype=np.int64) for name in ("bank_net", "covered"))
    return Totals(by_deal(net), by_deal(covered))


def tie_rate(games: Games) -> Totals:
    """Return the share of games in which sides share the best score."""
    return games.rate(games.arrays["tied"].max(axis=1).astype(np.bool_))


def roll_off_rounds(games: Games) -> Totals:
    """Return the rounds of a roll-off, of the games that have one."""
    rounds = games.of_game("tiebreak_rounds")
    return Totals(by_deal(rounds), by_deal(rounds > 0))


def decisive_rate(games: Games) -> Totals:
    """Return the share of games that one side wins alone, after any roll-off."""
    return games.rate(games.won)


def lead_changes(games: Games) -> Totals:
    """Return how often the lead passes in a game."""
    return Totals(by_deal(games.of_game("lead_changes")), games.match.seatings)


def comeback_rate(games: Games) -> Totals:
    """Return the share of won games whose winner had been far behind."""
    deficit = games.of_game("worst_deficit")
    return games.rate_of(games.reaches(deficit, games.counting.comeback), games.won)


def drama(games: Games) -> Totals:
    """Return the largest deficit that the winner made up, of won games."""
    return Totals(by_deal(games.of_game("worst_deficit") * games.won), by_deal(games.won))


def drama_share(games: Games) -> Totals:
    """Return the largest deficit that the winner made up over the winner's score, of won games."""
    top = by_deal(games.top * games.won)
    return Totals(by_deal(games.of_game("worst_deficit") * games.won), top, n=by_deal(games.won))


def decided_share(games: Games) -> Totals:
    """Return the rounds after which the winner led for good over all rounds, of won games."""
    decided = np.minimum(games.of_game("decided_turn"), games.rounds)
    return Totals(by_deal(decided * games.won), by_deal(games.rounds * games.won), n=by_deal(games.won))


def last_round_rate(games: Games) -> Totals:
    """Return the share of won games that the last round decides, or a roll-off."""
    return games.rate_of(games.of_game("decided_turn") >= games.rounds, games.won)


def margin(games: Games) -> Totals:
    """Return by how much the best score exceeds the next."""
    return Totals(by_deal(games.margin), games.match.seatings)


def margin_share(games: Games) -> Totals:
    """Return by how much the best score exceeds the next, over the best score."""
    top = by_deal(games.top)
    return Totals(by_deal(games.margin), top, n=np.full(len(top), games.match.seatings))


def blowout_rate(games: Games) -> Totals:
    """Return the share of games with a margin of a share of the best score, or more."""
    return games.rate(games.reaches(games.margin, games.counting.blowout))


def close_rate(games: Games) -> Totals:
    """Return the share of games with a margin below a share of the best score, or with a tie."""
    return games.rate(~games.reaches(games.margin, games.counting.close) | (games.margin == 0))


def rounds(games: Games) -> Totals:
    """Return the rounds of a game."""
    match = games.match
    most = match.turns + ("steal" in match.parts)
    return Totals(by_deal(games.rounds), match.seatings, most=most, fixed=_takes_its_turns(games))


def turns(games: Games) -> Totals:
    """Return the turns of all seats in a game; of Cee-lo, the results they throw."""
    match = games.match
    for name in ("results", "turns"):
        if name in games.arrays:
            taken = games.arrays[name].sum(axis=1, dtype=np.int64)
            return Totals(by_deal(taken), match.seatings, fixed=_takes_its_turns(games))
    return Totals(by_deal(games.rounds * match.side_count), match.seatings, fixed=True)


def _takes_its_turns(games: Games) -> bool:
    """Return whether every side takes a turn for each of its categories, by the rules."""
    return "rounds" not in games.arrays and not {"steal", "clock"} & games.match.parts


def throws(games: Games) -> Totals:
    """Return the throws of all seats in a game."""
    return Totals(by_deal(games.arrays["throws"].sum(axis=1, dtype=np.int64)), games.match.seatings)


def seconds(games: Games) -> Totals:
    """Return the seconds of a game."""
    if "milliseconds" in games.arrays:
        times = games.arrays["milliseconds"].max(axis=1).astype(np.int64)
    else:
        thrown = games.arrays["throws"].sum(axis=1, dtype=np.int64)
        times = thrown * round(1000 * games.match.ruleset.rules["throw_seconds"])
    return Totals(by_deal(times), games.match.seatings, 1000)


def early_rate(games: Games) -> Totals:
    """Return the share of games that end early, as at most one seat can play on."""
    able = (games.arrays["survived"] == games.arrays["rounds"]).sum(axis=1)
    return games.rate((games.rounds < games.match.turns) & (able <= 1))


def luckier_rate(games: Games) -> Totals:
    """Return the share of won games whose winner is the side with the most luck."""
    luck, won = games.of_sides("luck"), games.of_sides("won") > 0
    winners = np.where(won, luck, np.iinfo(np.int64).min).max(axis=1)
    others = np.where(won, np.iinfo(np.int64).min, luck).max(axis=1)
    return games.rate_of(winners > others, games.won)


def bonus_rate(games: Games) -> Totals:
    """Return the share of sheets with the bonus."""
    bonus = games.of_sides("bonus") > 0
    flat = bonus.reshape(-1, bonus.shape[-1])
    return Totals(by_deal(flat), len(flat))


def joker_mean(games: Games) -> Totals:
    """Return how often a sheet is paid for a joker."""
    jokers = games.of_sides("jokers")
    flat = jokers.reshape(-1, jokers.shape[-1])
    return Totals(by_deal(flat), len(flat))


def steal_rate(games: Games) -> Totals:
    """Return the share of games with a steal."""
    return games.rate(games.arrays["steals"].max(axis=1) > 0)


def steal_gain(games: Games) -> Totals:
    """Return the credit that a side gains by stealing, over the same game played with it never stealing."""
    gains = games.of_sides("credit") - games.of_sides("credit_without")
    flat = gains.reshape(-1, gains.shape[-1])
    return Totals(by_deal(flat), len(flat), CREDIT_UNITS)


def cut_rate(games: Games) -> Totals:
    """Return the share of games that time ends before all sheets are full."""
    return games.rate(games.arrays["empty"].max(axis=1) > 0)


def empty_mean(games: Games) -> Totals:
    """Return the categories that a side leaves empty."""
    empty = games.of_sides("empty")
    flat = empty.reshape(-1, empty.shape[-1])
    return Totals(by_deal(flat), len(flat))


@dataclass(frozen=True)
class Metric:
    """A measure of a game: how it is counted, the columns it can't do without, those it takes where they are there.

    `needs` names what the rules must have beside, as in NEEDS.
    """

    count: Callable[[Games], Totals]
    columns: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()

    def obstacle(self, match: Match) -> str:
        """Return why a match does not have the measure, or nothing where it has."""
        for need in self.needs:
            is_met, reason = NEEDS[need]
            if not is_met(match):
                return reason
        for column in self.columns:
            if not match.has_column(column):
                return MISSING[column]
        return ""


NEEDS: dict[str, tuple[Callable[[Match], bool], str]] = {
    "moments": (
        lambda match: "clock" not in match.ruleset.rules,
        "a round on a clock ends when its slowest side does, so the leads at its end are those of no one moment",
    ),
    "roll-off": (lambda match: match.tiebreak == "roll-off", "a tie is shared, and nothing is rolled off"),
    "bonus": (lambda match: match.bonus_points > 0, "there is no bonus"),
    "time": (
        lambda match: match.has_column("milliseconds") or bool(match.ruleset.rules.get("minutes")),
        "no clock runs",
    ),
}
"""What rules may have to have for a measure, and what is said where they haven't."""

MISSING = {
    "position": "the order of play is that of the seats; see the seat farthest from its fair share",
    "tiebreak_rounds": "a tie is shared, and nothing is rolled off",
    "bank_net": "there is no bank",
    "survived": "nobody is out before the end",
    "luck": "the luck of the dice is not kept in this run",
    "bonus": "there is no sheet",
    "jokers": "there is no joker",
    "steals": "nobody may steal",
    "empty": "no clock runs",
}
"""What is said where a game has no such column."""

_ROUNDS = ("rounds", "turns")

METRICS: dict[str, Metric] = {
    "first_advantage": Metric(first_advantage, ("position", "credit")),
    "bank_edge": Metric(bank_edge, ("bank_net", "covered")),
    "tie_rate": Metric(tie_rate, ("tied",)),
    "roll_off_rounds": Metric(roll_off_rounds, ("tiebreak_rounds",), needs=("roll-off",)),
    "decisive_rate": Metric(decisive_rate, ("won",)),
    "lead_changes": Metric(lead_changes, ("lead_changes",), needs=("moments",)),
    "comeback_rate": Metric(comeback_rate, ("worst_deficit", "won", "score"), needs=("moments",)),
    "drama": Metric(drama, ("worst_deficit", "won"), needs=("moments",)),
    "drama_share": Metric(drama_share, ("worst_deficit", "won", "score"), needs=("moments",)),
    "decided_share": Metric(decided_share, ("decided_turn", "won"), _ROUNDS, needs=("moments",)),
    "last_round_rate": Metric(last_round_rate, ("decided_turn", "won"), _ROUNDS, needs=("moments",)),
    "margin": Metric(margin, ("score",)),
    "margin_share": Metric(margin_share, ("score",)),
    "blowout_rate": Metric(blowout_rate, ("score",)),
    "close_rate": Metric(close_rate, ("score",)),
    "rounds": Metric(rounds, ("won",), _ROUNDS),
    "turns": Metric(turns, ("won",), ("results", *_ROUNDS)),
    "throws": Metric(throws, ("throws",)),
    "seconds": Metric(seconds, ("throws",), ("milliseconds",), needs=("time",)),
    "early_rate": Metric(early_rate, ("survived", "rounds", "won")),
    "luckier_rate": Metric(luckier_rate, ("luck", "won")),
    "bonus_rate": Metric(bonus_rate, ("bonus",), needs=("bonus",)),
    "joker_mean": Metric(joker_mean, ("jokers",)),
    "steal_rate": Metric(steal_rate, ("steals",)),
    "steal_gain": Metric(steal_gain, ("steals", "credit", "credit_without")),
    "cut_rate": Metric(cut_rate, ("empty",)),
    "empty_mean": Metric(empty_mean, ("empty",)),
}
"""How each measure of a game is counted, by its key; its words are in MEASURES."""
