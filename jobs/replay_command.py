"""The command dicecup replay: plays a stored game again, slowly and in the open, and compares."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from results.store import Match, Run
    from sim.reference import Game
    from sim.ruleset import Ruleset

#: Columns of a stored row that a replay must find again: of the seat, and of the whole game.
SEAT_COLUMNS = (
    "position", "score", "place", "won", "credit", "tied", "throws", "upper", "bonus", "decisions",
)  # fmt: skip
COURSE_COLUMNS = ("tiebreak_rounds", "start_rounds", "lead_changes", "decided_turn", "worst_deficit")
#: Fields of a replayed turn that say nothing but under rules with these parts.
TURN_PARTS = {"extra": "joker", "steal": "steal", "started": "clock", "ended": "clock", "sand_out": "clock"}


@dataclass(frozen=True)
class Replayed:
    """A game played again; `without` are, by side and where steals are in play, the games in which it never steals."""

    ruleset: Ruleset
    game: Game
    without: tuple[Game, ...] = ()

    def seat_fields(self, match: Match, seat: int) -> dict[str, int]:
        """Returns what is to be found in the stored row of a seat, by column."""
        game, result = self.game, self.game.seats[seat]
        fields = {name: getattr(result, name) for name in SEAT_COLUMNS}
        fields |= {name: getattr(game, name) for name in COURSE_COLUMNS}
        fields |= {name: getattr(result, name) for name in added_columns(match) if hasattr(result, name)}
        return fields | self.fields_without(match, seat)

    def fields_without(self, match: Match, seat: int) -> dict[str, int]:
        """Returns what the side of a seat comes to where it never steals, by column."""
        if not self.without:
            return {}
        seats = self.without[match.sides[seat]].seats
        own = match.sides[seat]
        best = max(other.score for other, side in zip(seats, match.sides, strict=True) if side != own)
        return {"margin_without": seats[seat].score - best, "credit_without": seats[seat].credit}


@click.command(epilog="Example: dicecup replay runs/cheerio-ab12cd34ef56 --game 123")
@click.argument("run", type=click.Path(path_type=Path))
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
def replay(run: Path, game: int, number: int | None, form: str) -> None:
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
    differing = differing_fields(match, played, stored) if stored else []
    if form == "json":
        document = replay_document(match, game, played)
        click.echo(json.dumps(document | {"stored": bool(stored), "differing": differing}, indent=2))
    else:
        from sim.replay import replay_lines

        labels = seat_labels(match, game % match.seatings)
        click.echo("\n".join(replay_lines(played.ruleset, labels, played.game)))
    if differing:
        raise JobFailed(
            f"game {game} of {run} is stored otherwise: {'; '.join(differing)}. "
            "The run was made by another dicecup, or this is a fault of it"
        )
    note("as stored" if stored else "this game is not stored yet: its chunk is still to be played")


def play_again(run: Run, match: Match, number: int) -> Replayed:
    """Plays a game of a run by the slow reference; JobError where a strategy is not what it was."""
    from jobs.errors import JobError
    from jobs.plan import ENGINE_VERSION, rebuild_ruleset
    from jobs.rebuild import changed_strategies, rebuild_lineup
    from sim.reference import play_game
    from sim.worth import build_worth
    from strategies.deciding import build_decider

    if run.manifest["engine_version"] != ENGINE_VERSION:
        raise JobError(
            f"{run.path} was played by engine version {run.manifest['engine_version']}, this is {ENGINE_VERSION}; "
            "replay it with the dicecup that made it (see versions in its manifest.json)"
        )
    ruleset = rebuild_ruleset(match.ruleset.rules, f"of {run.path}")
    players = rebuild_lineup(run, match)
    if changed := changed_strategies(match, players):
        raise JobError(
            f"{', '.join(changed)} changed since {run.path} was played, and would play another game; "
            "bring the strategy back as it was"
        )
    deal, seating = divmod(number, match.seatings)
    deciders = {player.label: build_decider(player, ruleset) for player in players}
    seated = [deciders[label] for label in seat_labels(match, seating)]
    worth = build_worth(ruleset).tolist()
    barred = range(match.side_count) if "margin_without" in added_columns(match) else ()
    return Replayed(
        ruleset,
        play_game(ruleset, seated, run.seed, deal, worth),
        tuple(play_game(ruleset, seated, run.seed, deal, worth, barred=side) for side in barred),
    )


def added_columns(match: Match) -> tuple[str, ...]:
    """Names the columns that the match's variant adds to its games."""
    from results.schema import GAMES

    return tuple(column.name for column in match.columns[len(GAMES) :])


def seat_labels(match: Match, seating: int) -> list[str]:
    """Names the strategies by seat in a seating."""
    return [match.strategy_at(seating, seat) for seat in range(match.seats)]


def stored_rows(run: Run, match: Match, number: int) -> list[dict[str, Any]]:
    """Returns the stored rows of a game by seat, or none where its chunk is not there."""
    from results.scan import game_arrays

    deal, seating = divmod(number, match.seatings)
    chunk, place = divmod(deal, match.chunk_deals)
    if chunk not in run.committed_chunks(match):
        return []
    arrays = game_arrays(run, match, chunk, (*SEAT_COLUMNS, *COURSE_COLUMNS, *added_columns(match)))
    return [
        {name: column[seating, seat, place].item() for name, column in arrays.items()}
        for seat in range(match.seats)
    ]


def differing_fields(match: Match, played: Replayed, stored: list[dict[str, Any]]) -> list[str]:
    """Names what a replayed game and its stored rows disagree about."""
    lines = []
    for seat, row in enumerate(stored):
        own = played.seat_fields(match, seat)
        lines += [
            f"{name} of seat {seat} is {own[name]}, {row[name]} is stored"
            for name in own
            if own[name] != row[name]
        ]
    return lines


def replay_document(match: Match, number: int, played: Replayed) -> dict[str, Any]:
    """Returns a game as JSON has it: its seats, and every turn with its throws.

    What variants add is there where it is in play.
    """
    from dataclasses import asdict

    from results.schema import SCHEMA_VERSION, VARIANT_COLUMNS

    categories = list(played.ruleset.categories)
    parts, added = match.ruleset.rules, added_columns(match)
    document = asdict(played.game)
    for number_of_seat, seat in enumerate(document["seats"]):
        seat["strategy"] = match.strategy_at(number % match.seatings, number_of_seat)
        seat["entries"] = dict(zip(categories, seat["entries"], strict=True))
        entered_by = dict(zip(categories, seat.pop("entered_by"), strict=True))
        for column in VARIANT_COLUMNS:
            if column.name not in added:
                seat.pop(column.name, None)
        seat |= played.fields_without(match, number_of_seat)
        seat |= {"side": match.sides[number_of_seat], "entered_by": entered_by} if added else {}
    for turn in document["turns"]:
        turn["category"] = categories[turn["category"]]
        for field, part in TURN_PARTS.items():
            if part not in parts:
                del turn[field]
        if turn.get("steal"):
            turn["steal"] |= {key: categories[turn["steal"][key]] for key in ("category", "forfeited")}
    return {
        "schema_version": SCHEMA_VERSION,
        "ruleset": played.ruleset.name,
        "match": match.number,
        "game": number,
        **document,
    }
