"""A game told throw by throw, as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from sim.reference import Game, SeatResult, Turn
from sim.ruleset import Ruleset

WIDEST_LABEL = 30
GAP = "  "


def replay_lines(ruleset: Ruleset, labels: Sequence[str], game: Game) -> list[str]:
    """Tells a game line by line: start roll, every turn, roll-off, sheets side by side, and result.

    `labels` name the strategies by seat; control characters in them are escaped, and seats of the same
    label are told apart by their number.
    """
    if len(labels) != len(game.seats):
        raise ValueError(f"{len(labels)} labels given; the game has {len(game.seats)} seats, one label each")
    names = _names(labels)
    lines = [f"{escaped(ruleset.title)} ({ruleset.name}), seed {game.seed}, deal {game.deal}", ""]
    lines += [f"Seat {seat}: {escaped(label)}" for seat, label in enumerate(labels)]
    lines += _start_lines(names, game)
    lines += _turns_lines(ruleset, names, game)
    lines += _roll_off_lines(names, game)
    lines += ["", "Final sheets", "", *_sheet_lines(ruleset, names, game), ""]
    lines += _result_lines(names, game)
    return lines


def escaped(label: str) -> str:
    """Returns a label with all that is not printable ASCII written as an escape."""
    return "".join(
        letter if letter.isascii() and letter.isprintable() else _escape(letter) for letter in label
    )


def _escape(letter: str) -> str:
    return letter.encode("unicode_escape").decode("ascii")


def _names(labels: Sequence[str]) -> list[str]:
    shown = [escaped(label) for label in labels]
    short = [name if len(name) <= WIDEST_LABEL else f"{name[: WIDEST_LABEL - 3]}..." for name in shown]
    return [
        f"{name} (seat {seat})" if short.count(name) > 1 or not name else name
        for seat, name in enumerate(short)
    ]


def _dice(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice)) or "nothing"


def _start_lines(names: list[str], game: Game) -> list[str]:
    if not game.start_dice:
        return []
    lines = ["", "Start roll"]
    for number, rolled in enumerate(game.start_dice, start=1):
        dice = ", ".join(f"{names[seat]} {die}" for seat, die in rolled)
        lines.append(f"  round {number}: {dice}")
    starter = next(seat for seat, result in enumerate(game.seats) if result.position == 0)
    return [*lines, f"  {names[starter]} starts"]


def _turns_lines(ruleset: Ruleset, names: list[str], game: Game) -> list[str]:
    lines: list[str] = []
    bonus = [False] * len(names)
    upper = [0] * len(names)
    rules = list(ruleset.categories.values())
    last_round = -1
    for turn in game.turns:
        if turn.turn != last_round:
            last_round = turn.turn
            lines += ["", f"Round {turn.turn + 1}"]
        lines += _throw_lines(names, turn)
        upper[turn.seat] += turn.points if rules[turn.category].upper else 0
        earns = (
            ruleset.bonus.points > 0 and not bonus[turn.seat] and upper[turn.seat] >= ruleset.bonus.threshold
        )
        bonus[turn.seat] = bonus[turn.seat] or earns
        entry = f"{escaped(rules[turn.category].name)}: {_points(turn.points)}"
        lines.append(f"    {entry}{f', and the bonus of {ruleset.bonus.points}' if earns else ''}")
        totals = GAP.join(f"{name} {total}" for name, total in zip(names, turn.totals, strict=True))
        lines.append(f"    total  {totals}")
    return lines


def _throw_lines(names: list[str], turn: Turn) -> list[str]:
    lines = [f"  {names[turn.seat]}"]
    for number, throw in enumerate(turn.throws):
        verb = "throws " if number == 0 else "rethrows"
        line = f"    {verb:<8} {_dice(throw.cast):<9}"
        if number > 0:
            line += f"  making {_dice(throw.roll)}"
        if throw.kept is not None:
            line += f"  keeps {'all five' if len(throw.kept) == 5 else _dice(throw.kept)}"
        lines.append(line.rstrip())
    return lines


def _points(points: int) -> str:
    return "1 point" if points == 1 else f"{points} points"


def _roll_off_lines(names: list[str], game: Game) -> list[str]:
    if not game.tiebreak_dice:
        return []
    lines = ["", "Roll-off of those tied"]
    for number, rolled in enumerate(game.tiebreak_dice, start=1):
        lines.append(f"  round {number}")
        width = max(len(names[seat]) for seat, _ in rolled)
        lines += [f"    {names[seat]:<{width}}  {_dice(dice)}  sum {sum(dice)}" for seat, dice in rolled]
    return lines


def _sheet_lines(ruleset: Ruleset, names: list[str], game: Game) -> list[str]:
    rules = list(ruleset.categories.values())
    rows = [
        (escaped(rule.name), [str(result.entries[index]) for result in game.seats])
        for index, rule in enumerate(rules)
    ]
    closing = []
    if ruleset.bonus.points > 0:
        closing.append(("Upper subtotal", [str(result.upper) for result in game.seats]))
        closing.append(("Bonus", [str(result.bonus) for result in game.seats]))
    closing.append(("Total", [str(result.score) for result in game.seats]))
    first = max(len(name) for name, _ in rows + closing)
    widths = [max(len(name), 5) for name in names]
    rule_line = GAP.join(["-" * first, *("-" * width for width in widths)])

    def row(name: str, cells: list[str]) -> str:
        return GAP.join(
            [f"{name:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))]
        ).rstrip()

    body = [row(*line) for line in rows]
    return [row("", names), rule_line, *body, rule_line, *(row(*line) for line in closing)]


def _result_lines(names: list[str], game: Game) -> list[str]:
    if len(game.seats) == 1:
        return [f"{names[0]} scores {_points(game.seats[0].score)}"]
    ranking = sorted(range(len(names)), key=lambda seat: (game.seats[seat].place, seat))
    width = max(map(len, names))
    lines = [
        f"{game.seats[seat].place}. {names[seat]:<{width}}  {_points(game.seats[seat].score)}"
        for seat in ranking
    ]
    return [*lines, "", _verdict(names, game)]


def _verdict(names: list[str], game: Game) -> str:
    winner = next((seat for seat, result in enumerate(game.seats) if result.won), None)
    if winner is None:
        sharing = [names[seat] for seat, result in enumerate(game.seats) if result.tied]
        return f"{', '.join(sharing)} share the win"
    result: SeatResult = game.seats[winner]
    if result.tied:
        return f"{names[winner]} wins the roll-off"
    margin = result.score - max(other.score for seat, other in enumerate(game.seats) if seat != winner)
    return f"{names[winner]} wins by {_points(margin)}"
