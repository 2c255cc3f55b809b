"""The columns of Cheerio and its relatives."""

from results.column import BLOCK_DEALS, BOOL, INT16, INT32, INT64, LABEL, ROW, UINT8, UINT16, Column

GAMES: tuple[Column, ...] = (
    *ROW,
    Column("position", UINT8, "number", "place in the order of play, 0 first", "dictionary"),
    Column("score", INT16, "points", "final score of the side"),
    Column("place", UINT8, "rank", "final place of the side, shared ranks as 1, 2, 2, 4", "dictionary"),
    Column("won", BOOL, "yes/no", "sole winner, after any roll-off; never in solitaire", "plain"),
    Column(
        "credit",
        UINT8,
        "1/60",
        "credit of the side: 60 a win, shared ties split; 0 in solitaire",
        "dictionary",
    ),
    Column("tied", BOOL, "yes/no", "shared the top score before any tie-break", "plain"),
    Column("tiebreak_rounds", UINT8, "rounds", "rounds of the roll-off of the game, 0 if none", of_game=True),
    Column("start_rounds", UINT8, "rounds", "rounds of the start roll of the game, 0 if none", of_game=True),
    Column("throws", UINT16, "throws", "throws of the seat in the whole game"),
    Column("upper", INT16, "points", "upper subtotal of the side's sheet"),
    Column("bonus", INT16, "points", "bonus of the side's sheet"),
    Column(
        "lead_changes",
        UINT8,
        "changes",
        "how often the sole lead, as at the ends of the rounds, passed to another side in the game. A round is one "
        "turn of each side. With a clock it ends when every side has ended that many turns, and rounds left when the "
        "game ends have the final totals",
        of_game=True,
    ),
    Column(
        "decided_turn",
        UINT8,
        "round",
        "the first round from whose end on the winner led alone to the end; one more than there are rounds "
        "in that game if a tie-break decided or nobody won; 0 in solitaire. With steals a game has one round more "
        "where a thief needs it to fill its sheet. Rounds with a clock: see lead_changes",
        of_game=True,
    ),
    Column(
        "worst_deficit",
        INT16,
        "points",
        "the largest deficit at the end of a round that the winner made up; 0 if none or if nobody won. "
        "Rounds with a clock: see lead_changes",
        of_game=True,
    ),
    Column(
        "decisions",
        UINT16,
        "hash",
        "hash of the decisions that the seat took; two different courses share it with chance 1/65,536",
    ),
)

VARIANT_COLUMNS: tuple[Column, ...] = (
    Column(
        "turns",
        UINT8,
        "turns",
        "turns that the seat took; there with teams, steals or a clock",
        "dictionary",
        ("team", "steal", "clock"),
    ),
    Column(
        "jokers",
        UINT8,
        "jokers",
        "how often the side was paid for five alike beyond their category; there with a joker",
        "dictionary",
        ("joker",),
    ),
    Column("steals", UINT8, "steals", "steals by the seat; there with steals", "dictionary", ("steal",)),
    Column(
        "robbed",
        UINT8,
        "steals",
        "how often the side was robbed; there with steals",
        "dictionary",
        ("steal",),
    ),
    Column(
        "margin_without",
        INT16,
        "points",
        "score of the side minus the best other side's, where the deal and seating are played with this side "
        "never stealing; there with steals",
        "stream",
        ("steal",),
    ),
    Column(
        "credit_without",
        UINT8,
        "1/60",
        "credit of the side in that game; there with steals",
        "dictionary",
        ("steal",),
    ),
    Column(
        "milliseconds",
        INT32,
        "ms",
        "when the side ended its last turn, from the start of the game; there with a clock",
        "stream",
        ("clock",),
    ),
    Column(
        "empty",
        UINT8,
        "categories",
        "categories that the side left open when the game ended; there with a clock",
        "dictionary",
        ("clock",),
    ),
    Column(
        "luck",
        INT32,
        "1/1000 point",
        "what the dice (and the coins of a strategy that mixes) brought the side beyond what was to be expected before "
        "each throw, by the values of sheets under the best play; its mean is zero. Where a strategy doesn't see the "
        "upper subtotal, values leave the bonus out, and where it doesn't see whether a joker's extra points will be "
        "paid, those; there with --luck",
        "stream",
        ("luck",),
    ),
)
"""Columns that stand after those of `GAMES` where the ruleset has one of their parts, or luck is kept."""

CATEGORIES: tuple[Column, ...] = (
    Column(
        "block",
        INT64,
        "number",
        f"deal // {BLOCK_DEALS}; a block that two chunks share appears in both",
        "delta",
    ),
    Column("seat", UINT8, "number", "the chair, from 0, of who filled the category", "dictionary"),
    Column("strategy", LABEL, "name", "the strategy in the seat", "dictionary"),
    Column("category", LABEL, "id", "the category that was filled", "dictionary"),
    Column(
        "count",
        INT64,
        "entries",
        "entries of the seat on the sheets as they stand at the end. With steals an overwritten entry counts for who "
        "filled it, an erased one for nobody, and a forfeit for the robbed who entered it. With a clock a category "
        "left empty counts for nobody",
    ),
    Column(
        "sum",
        INT64,
        "points",
        "points of these entries, summed; an overwritten entry has its new points, and a forfeit 0",
    ),
    Column("sum_of_squares", INT64, "points squared", "squares of the points of these entries, summed"),
    Column(
        "zeros",
        INT64,
        "entries",
        "how many of these entries are 0; with steals also forfeits and entries overwritten with 0",
    ),
)
