"""The columns of Cee-lo: of all its games, and of those with a bank or a pot."""

from dataclasses import replace

from results.cheerio_columns import CATEGORIES as CATEGORY_SUMS
from results.column import BOOL, INT16, INT32, ROW, UINT8, UINT16, Column

_BANK, _POT = ("stake",), ("ante",)

GAMES: tuple[Column, ...] = (
    *ROW,
    Column("score", INT16, "chips", "chips at the end"),
    Column("place", UINT8, "rank", "final place, shared ranks as 1, 2, 2, 4", "dictionary"),
    Column("won", BOOL, "yes/no", "has the most chips alone", "plain"),
    Column("credit", UINT8, "1/60", "60 for the most chips alone, a shared top split", "dictionary"),
    Column("tied", BOOL, "yes/no", "shares the most chips", "plain"),
    Column("throws", UINT16, "throws", "castings of three dice by the seat in the whole game"),
    Column("results", UINT16, "results", "results that the seat threw, those of deciders too"),
    Column(
        "lead_changes",
        UINT8,
        "changes",
        "how often the sole lead, as at the ends of the rounds, passed to another seat in the game",
        of_game=True,
    ),
    Column(
        "decided_turn",
        UINT8,
        "round",
        "the first round from whose end on the winner led alone to the end; one more than there are rounds in that "
        "game if nobody won",
        of_game=True,
    ),
    Column(
        "worst_deficit",
        INT16,
        "chips",
        "the largest deficit at the end of a round that the winner made up; 0 if none or if nobody won",
        of_game=True,
    ),
    Column("rounds", UINT8, "rounds", "rounds of the game", of_game=True),
    Column(
        "survived",
        UINT8,
        "rounds",
        "rounds at whose end the seat could play on: with a chip, or with the ante of a pot. Who is out stays out, so "
        "who survived fewer rounds than there were is ruined",
    ),
    Column("staked", INT32, "chips", "chips staked against the bank, after both cuts; or antes paid"),
    Column("bets", UINT8, "rounds", "rounds with a stake, or with an ante paid"),
    Column("bets_won", UINT8, "rounds", "bets won from the bank; or pots taken"),
)

VARIANT_COLUMNS: tuple[Column, ...] = (
    Column("pushes", UINT8, "rounds", "bets that were pushes; there with a bank", parts=_BANK),
    Column(
        "decisions",
        UINT16,
        "hash",
        "hash of the stakes of the seat, after both cuts; two different courses share it with chance 1/65,536; there "
        "with a bank",
        parts=_BANK,
    ),
    Column(
        "covered", INT32, "chips", "chips staked against the seat as bank; there with a bank", parts=_BANK
    ),
    Column(
        "bank_net",
        INT32,
        "chips",
        "what the seat won and lost as bank; there with a bank",
        "dictionary",
        _BANK,
    ),
    Column(
        "bank_rounds", UINT8, "rounds", "rounds that the seat held the bank; there with a bank", parts=_BANK
    ),
    Column(
        "instant_wins",
        UINT8,
        "rounds",
        "rounds that its own 4-5-6 or triple won as bank; there with a bank",
        parts=_BANK,
    ),
    Column(
        "instant_losses",
        UINT8,
        "rounds",
        "rounds that its own 1-2-3 lost as bank; there with a bank",
        parts=_BANK,
    ),
    Column(
        "bank_passes",
        UINT8,
        "rounds",
        "how often the seat took the bank by beating it with 4-5-6, in the last round too; 0 where the bank does not "
        "pass; there with a bank",
        "dictionary",
        _BANK,
    ),
    *(
        Column(
            f"tied_{players}",
            UINT16,
            "deciders",
            f"deciders of the game that {players} seats threw, each repetition counted; there with a pot",
            parts=_POT,
            of_game=True,
        )
        for players in range(2, 7)
    ),
    *(
        Column(
            f"decided_{number}",
            UINT16,
            "rounds",
            f"rounds of the game that decider {number}{' or a later one' if number == 4 else ''} decided; there with a "
            "pot",
            parts=_POT,
            of_game=True,
        )
        for number in range(1, 5)
    ),
)
"""Columns that stand after those of `GAMES` where the ruleset has one of their parts."""

_SUMS = {column.name: column for column in CATEGORY_SUMS}

RESULTS: tuple[Column, ...] = (
    _SUMS["block"],
    replace(_SUMS["seat"], meaning="the chair, from 0, of who threw"),
    _SUMS["strategy"],
    replace(_SUMS["category"], meaning="what the seat threw"),
    replace(
        _SUMS["count"],
        unit="results",
        meaning="how often a round was settled for the seat with this result: a banker's in every round, a bettor's "
        "when it threw for its bet, for the pot each one's before any decider",
    ),
    replace(
        _SUMS["sum"],
        unit="chips",
        meaning="chips that the seat won or lost in these rounds, summed: a banker's net of the round, a bettor's "
        "stake, the pot less the ante or the ante after all deciders",
    ),
    replace(
        _SUMS["sum_of_squares"],
        unit="chips squared",
        meaning="squares of the chips won or lost in these rounds, summed",
    ),
    replace(
        _SUMS["zeros"], unit="results", meaning="how many of these rounds brought and cost the seat nothing"
    ),
)
"""The second table, whose columns are those of any game: its lines are the results of the dice."""
