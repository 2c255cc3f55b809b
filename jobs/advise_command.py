"""The command dicecup advise: ranks what may be done with five dice by what the rest of the game then brings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from jobs.catalogue import format_option
from results.printing import print_json, print_lines

if TYPE_CHECKING:
    from sim.cheerio_ruleset import CheerioRuleset
    from strategies.lineup import Player


@click.command(
    epilog="Examples: dicecup advise --ruleset cheerio-bonus --open 'fives,sixes,high-straight,chance' --upper 30 "
    "--dice 2,3,4,5,5 --throws-left 1 --strategy par; dicecup advise --ruleset yahtzee"
)
@click.option("--ruleset", "-r", "name", required=True, help="The ruleset, by name or TOML file.")
@click.option(
    "--open",
    "opened",
    metavar="CATEGORIES",
    help="The open categories by id or name, as ones,twos,chance; all; or all but ones,twos.  [default: all]",
)
@click.option("--filled", metavar="CATEGORIES", help="The filled categories, in place of --open.")
@click.option(
    "--upper",
    type=int,
    help="Points so far in the categories that count towards the bonus, where any is filled.",
)
@click.option(
    "--points", type=int, help="All points so far, the bonus apart; then final scores are told too."
)
@click.option(
    "--joker",
    type=click.Choice(("held", "zero")),
    help="Whether the joker's category, once filled, holds points or a zero.",
)
@click.option("--dice", metavar="DICE", help="The five dice, as 2,3,4,5,5.  [default: none are thrown yet]")
@click.option(
    "--throws-left", type=int, help="How many throws may follow; with 0 a category is to be filled."
)
@click.option(
    "--strategy",
    "-s",
    "strategies",
    multiple=True,
    help="A strategy, by name or as mine.py:Bold, to tell what it would do and what that costs; may be repeated.",
)
@click.option(
    "--difference",
    type=int,
    help="Points ahead of the best rival, for strategies that see it; behind is below 0.",
)
@click.option("--standing", type=click.IntRange(-2, 2), help="The view standing, for strategies that see it.")
@click.option(
    "--rival-open", metavar="CATEGORIES", help="The best rival's open categories; none if all are filled."
)
@click.option("--rival-upper", type=int, help="The best rival's upper subtotal.")
@click.option("--top", type=click.IntRange(min=1), help="Tell only so many options.  [default: all]")
@format_option
def advise(
    name: str,
    opened: str | None,
    filled: str | None,
    upper: int | None,
    points: int | None,
    joker: str | None,
    dice: str | None,
    throws_left: int | None,
    strategies: Sequence[str],
    difference: int | None,
    standing: int | None,
    rival_open: str | None,
    rival_upper: int | None,
    top: int | None,
    form: str,
) -> None:
    """Rank what may be done with five dice by the exact mean of the points still to come.

    With throws left that is what to keep, else what to fill; without --dice, what the sheet is worth. Values hold for
    perfect play from there on, for the mean score.
    """
    from jobs.advice_document import build_document
    from jobs.advice_words import (
        build_situation,
        check_known,
        check_points,
        read_categories,
        read_dice,
        read_open,
        read_ruleset,
        read_throws_left,
    )
    from jobs.errors import JobError
    from jobs.progress import note
    from strategies.options import build_turn_options, decided_options
    from strategies.rows import RowMaker
    from strategies.valuation import build_valuation

    ruleset = read_ruleset(name)
    left = read_throws_left(throws_left, ruleset, dice is not None)
    roll = None if dice is None else read_dice(dice)
    if strategies and roll is None:
        raise JobError(
            "--strategy given without --dice; give the dice that it is asked about, or leave it out"
        )
    players = named_players(strategies, ruleset)
    situation = build_situation(
        ruleset,
        read_open(opened, filled, ruleset),
        upper=upper,
        joker=None if joker is None else joker == "held",
        standing=standing,
        difference=difference,
        rival_open=None if rival_open is None else read_categories(rival_open, ruleset, "--rival-open"),
        rival_upper=rival_upper,
    )
    check_points(situation, points)
    valuation = build_valuation(ruleset)
    needed = [(f"what a sheet of {ruleset.name} is worth", view) for view in valuation.sees]
    needed += [
        (f"strategy {player.label}", view) for player in players for view in RowMaker(player, ruleset).sees
    ]
    check_known(situation, needed)
    views = situation.views()
    asked = None if roll is None or left is None else (roll, left)
    decided = {}
    if asked is not None:
        decided = {player.label: decided_options(player, ruleset, views, *asked) for player in players}
    turn, remarks = build_turn_options(valuation, views), remarks_on(ruleset)
    document = build_document(situation, valuation.start, turn, asked, points, top, decided, remarks)
    if form != "json":
        for remark in remarks:
            note(remark)
    print_advice(document, ruleset, form)


def named_players(words: Sequence[str], ruleset: CheerioRuleset) -> tuple[Player, ...]:
    """Builds the strategies that the command line names; JobError for one that is none of the ruleset's game."""
    from jobs.errors import JobError
    from jobs.games import other_game_fault
    from strategies.lineup import get_lineup
    from strategies.strategy import StrategyError

    try:
        players = get_lineup(tuple(dict.fromkeys(words)))
    except StrategyError as error:
        raise JobError(str(error)) from error
    if fault := other_game_fault(players, ruleset):
        raise JobError(fault)
    return players


def remarks_on(ruleset: CheerioRuleset) -> list[str]:
    """Says what of a ruleset the values leave out."""
    parts = {"steals": ruleset.steal != "none", "the clock": ruleset.clock is not None}
    return [
        f"{ruleset.name}: {part} left out; the values are those of the same sheet played without"
        for part, there in parts.items()
        if there
    ]


def print_advice(document: dict[str, object], ruleset: CheerioRuleset, form: str) -> None:
    """Prints a document on stdout in a format."""
    import sys

    from jobs.advice_document import advice_csv, advice_lines, advice_tables, advice_title
    from results.tables import markdown_table, markdown_text, print_tables

    if form == "json":
        print_json(document)
    elif form == "csv":
        print_lines(advice_csv(document, ruleset))
    elif form == "markdown":
        title, lines = (
            markdown_text(advice_title(document)),
            map(markdown_text, advice_lines(document, ruleset)),
        )
        body = [markdown_table(table, 2).rstrip("\n") for table in advice_tables(document, ruleset)]
        print_lines("\n\n".join([f"# {title}", *lines, *body]))
    else:
        tables = advice_tables(document, ruleset)
        print_tables(tables, sys.stdout, advice_title(document), advice_lines(document, ruleset))
