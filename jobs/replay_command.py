"""The command dicecup replay: plays a stored game again, slowly and in the open, and compares."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from results.commands import Place
from results.printing import print_json, print_line

if TYPE_CHECKING:
    from jobs.games import Replayed
    from results.location import Location
    from results.store import Match, Run


@click.command(epilog="Example: dicecup replay runs/cheerio-ab12cd34ef56 --game 123")
@click.argument("run", type=Place())
@click.option(
    "--game", "-g", type=click.IntRange(min=0), required=True, help="Number of the game in its match."
)
@click.option(
    "--match", "number", type=click.IntRange(min=0), help="Number of the match, where a run has several."
)
@click.option(
    "--format",
    "form",
    type=click.Choice(("table", "json")),
    default="table",
    show_default=True,
    help="Told in words, or as JSON.",
)
def replay(run: Location, game: int, number: int | None, form: str) -> None:
    """Tell a game of RUN throw by throw.

    It is played again by the slow reference, and must come to what is stored.
    """
    from jobs.errors import JobError, JobFailed
    from jobs.progress import note
    from results.store import Run

    opened = Run.open(run)
    if number is None and len(opened.matches) > 1:
        raise JobError(f"{run} has matches 0 to {len(opened.matches) - 1}; say which with --match")
    match = opened.match(number or 0)
    if game >= match.games:
        raise JobError(f"game {game} given; match {match.number} of {run} has games 0 to {match.games - 1}")
    played = play_again(opened, match, game)
    stored = stored_rows(opened, match, game)
    differing = differing_fields(match, played, stored)
    if form == "json":
        document = replay_document(match, game, played)
        print_json(document | {"stored": bool(stored), "differing": differing})
    else:
        for line in played.lines(seat_labels(match, game % match.seatings)):
            print_line(line)
    if differing:
        raise JobFailed(
            f"game {game} of {run} is stored otherwise: {'; '.join(differing)}. "
            "The run was made by another dicecup, or this is a fault of it"
        )
    note("as stored" if stored else "this game is not stored yet: its chunk is still to be played")


def play_again(run: Run, match: Match, number: int) -> Replayed:
    """Plays a game of a run by the slow reference; JobError where a strategy is not what it was."""
    from jobs.errors import JobError
    from jobs.games import replays_of
    from jobs.plan import ENGINE_VERSION
    from jobs.rebuild import rebuild_lineup, rebuild_rules

    if run.manifest["engine_version"] != ENGINE_VERSION:
        raise JobError(
            f"{run.path} was played by engine version {run.manifest['engine_version']}, this is {ENGINE_VERSION}; "
            "replay it with the dicecup that made it (see versions in its manifest.json)"
        )
    ruleset = rebuild_rules(run, match)
    players = rebuild_lineup(run, match)
    deal, seating = divmod(number, match.seatings)
    known = {player.label: player for player in players}
    seated = [known[label] for label in seat_labels(match, seating)]
    return replays_of(ruleset.game).play_again(match, ruleset, seated, run.seed, deal)


def seat_labels(match: Match, seating: int) -> list[str]:
    """Names the strategies by seat in a seating."""
    return [match.strategy_at(seating, seat) for seat in range(match.seats)]


def compared_columns(match: Match) -> list[str]:
    """Names the columns of a stored row that a replay must find again."""
    from results.schema import ROW

    return [column.name for column in match.columns if column not in ROW]


def stored_rows(run: Run, match: Match, number: int) -> list[dict[str, Any]]:
    """Returns the stored rows of a game by seat, or none where its chunk is not there."""
    from results.scan import game_arrays

    deal, seating = divmod(number, match.seatings)
    chunk, place = divmod(deal, match.chunk_deals)
    if chunk not in run.committed_chunks(match):
        return []
    arrays = game_arrays(run, match, chunk, compared_columns(match))
    return [
        {name: column[seating, seat, place].item() for name, column in arrays.items()}
        for seat in range(match.seats)
    ]


def differing_fields(match: Match, played: Replayed, stored: list[dict[str, Any]]) -> list[str]:
    """Names what a replayed game and its stored rows disagree about."""
    lines = []
    for seat, row in enumerate(stored):
        own = played.values(match, seat)
        lines += [
            f"{name} of seat {seat} is {own[name]}, {row[name]} is stored"
            for name in compared_columns(match)
            if own[name] != row[name]
        ]
    return lines


def replay_document(match: Match, number: int, played: Replayed) -> dict[str, Any]:
    """Returns a game as JSON has it: what it is, and all of it as its game tells it."""
    from results.schema import SCHEMA_VERSION

    return {
        "schema_version": SCHEMA_VERSION,
        "ruleset": match.ruleset.name,
        "match": match.number,
        "game": number,
        **played.document(match, seat_labels(match, number % match.seatings)),
    }
