"""A game told throw by throw, as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.cheerio_ruleset import CheerioRuleset
from sim.reference import Entries, Game, SeatResult, Steal, Turn, bonus_of, is_joker

WIDEST_LABEL = 30
GAP = "  "
EMPTY = "-"


def replay_lines(ruleset: CheerioRuleset, labels: Sequence[str], game: Game) -> list[str]:
    """Tells a game line by line: start roll, every turn, roll-off, sheets side by side, and result.

    `labels` name the strategies by seat; control characters in them are escaped, and seats and sides of the same
    name are told apart by their number.
    """
    if len(labels) != len(game.seats):
        raise ValueError(f"{len(labels)} labels given; the game has {len(game.seats)} seats, one label each")
    names = build_names(labels, ruleset.sides(len(labels)))
    lines = [f"{escaped(ruleset.title)} ({ruleset.name}), seed {game.seed}, deal {game.deal}", ""]
    lines += [f"Seat {seat}: {escaped(label)}" for seat, label in enumerate(labels)]
    lines += _side_lines(names)
    lines += _start_lines(names, game)
    lines += _turns_lines(ruleset, names, game)
    lines += _time_lines(ruleset, names, game)
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


@dataclass(frozen=True)
class Names:
    """How the seats are called, and the sides: as their seat, or as the partners joined."""

    seats: list[str]
    sides: list[str]

    @property
    def teams(self) -> bool:
        """Tells whether seats share sides."""
        return len(self.sides) < len(self.seats)

    def partners(self, side: int) -> range:
        """Returns the seats of a side."""
        return range(side, len(self.seats), len(self.sides))

    def side_of(self, seat: int) -> int:
        """Returns the side of a seat."""
        return seat % len(self.sides)


def build_names(labels: Sequence[str], sides: int) -> Names:
    """Shortens labels, and tells seats and sides of the same name apart by their number."""
    shown = [escaped(label) for label in labels]
    short = [name if len(name) <= WIDEST_LABEL else f"{name[: WIDEST_LABEL - 3]}..." for name in shown]
    seats = _told_apart(short, "seat")
    if sides == len(labels):
        return Names(seats, seats)
    return Names(seats, _told_apart(["+".join(short[side::sides]) for side in range(sides)], "side"))


def _told_apart(names: list[str], kind: str) -> list[str]:
    return [
        f"{name} ({kind} {number})" if names.count(name) > 1 or not name else name
        for number, name in enumerate(names)
    ]


def _dice(dice: Sequence[int]) -> str:
    return " ".join(map(str, dice)) or "nothing"


def _points(points: int) -> str:
    return "1 point" if points == 1 else f"{points} points"


def _time(milliseconds: int | None) -> str:
    seconds, rest = divmod(milliseconds or 0, 1000)
    return f"{seconds // 60}:{seconds % 60:02}.{rest:03}"


def _side_lines(names: Names) -> list[str]:
    if not names.teams:
        return []
    return [
        f"Side {side}: {name}, seats {' and '.join(map(str, names.partners(side)))}"
        for side, name in enumerate(names.sides)
    ]


def _start_lines(names: Names, game: Game) -> list[str]:
    if not game.start_dice:
        return []
    lines = ["", "Start roll"]
    for number, rolled in enumerate(game.start_dice, start=1):
        dice = ", ".join(f"{names.seats[seat]} {die}" for seat, die in rolled)
        lines.append(f"  round {number}: {dice}")
    starter = next(seat for seat, result in enumerate(game.seats) if result.position == 0)
    return [*lines, f"  {names.seats[starter]} starts"]


def _turns_lines(ruleset: CheerioRuleset, names: Names, game: Game) -> list[str]:
    lines: list[str] = []
    sheets = _Sheets(ruleset, names)
    if ruleset.clock is not None:
        lines += ["", "Turns in the order in which they begin, with the totals when they end"]
    last_round = -1
    for turn in game.turns:
        if ruleset.clock is None and turn.turn != last_round:
            last_round = turn.turn
            lines += ["", f"Round {turn.turn + 1}"]
        lines += [f"  {_who(names, turn)}", *_throw_lines(turn)]
        lines += sheets.entry_lines(turn)
        totals = GAP.join(f"{name} {total}" for name, total in zip(names.sides, turn.totals, strict=True))
        lines.append(f"    total  {totals}")
    return lines


def _who(names: Names, turn: Turn) -> str:
    who = names.seats[turn.seat]
    if names.teams:
        who += f" for {names.sides[names.side_of(turn.seat)]}"
    if turn.started is not None:
        who += f", turn {turn.turn + 1}, {_time(turn.started)} to {_time(turn.ended)}"
    return who


def _throw_lines(turn: Turn) -> list[str]:
    lines = []
    for number, throw in enumerate(turn.throws):
        verb = "throws " if number == 0 else "rethrows"
        line = f"    {verb:<8} {_dice(throw.cast):<9}"
        if number > 0:
            line += f"  making {_dice(throw.roll)}"
        if throw.kept is not None:
            line += f"  keeps {'all five' if len(throw.kept) == 5 else _dice(throw.kept)}"
        lines.append(line.rstrip())
    if turn.sand_out:
        lines.append("    the sand runs out")
    return lines


class _Sheets:
    """The sheets by side, as the turns that have been told leave them."""

    def __init__(self, ruleset: CheerioRuleset, names: Names) -> None:
        self._ruleset = ruleset
        self._names = names
        self._keys = list(ruleset.categories)
        self._entries: list[Entries] = [{} for _ in names.sides]

    def entry_lines(self, turn: Turn) -> list[str]:
        """Writes down what a turn enters, and tells it."""
        side = self._names.side_of(turn.seat)
        joker = self._is_joker(turn)
        before = self._bonuses()
        self._write(side, turn)
        after = self._bonuses()
        if turn.steal is not None:
            line = self._steal(turn, turn.steal)
        else:
            line = f"{self._category(turn.category)}: {_points(turn.points)}{' as a joker' if joker else ''}"
        if after[side] > before[side]:
            line += f", and the bonus of {self._ruleset.bonus.points}"
        if turn.extra:
            line += f", and {turn.extra} extra for five alike again"
        lines = [f"    {line}"]
        if turn.steal is not None:
            lines += self._consequences(turn.steal.side, before, after)
        return lines

    def _is_joker(self, turn: Turn) -> bool:
        entries = self._entries[self._names.side_of(turn.seat)]
        still_open = [place for place in range(len(self._keys)) if place not in entries]
        fits = self._ruleset.joker.fits if self._ruleset.joker is not None else ()
        return self._keys[turn.category] in fits and is_joker(self._ruleset, still_open, turn.throws[-1].roll)

    def _write(self, side: int, turn: Turn) -> None:
        steal = turn.steal
        if steal is None or self._ruleset.steal == "take":
            self._entries[side][turn.category] = turn.points
        if steal is not None:
            robbed = self._entries[steal.side]
            if self._ruleset.steal == "take":
                del robbed[steal.category]
            else:
                robbed[steal.category] = steal.pays
            robbed[steal.forfeited] = 0

    def _steal(self, turn: Turn, steal: Steal) -> str:
        line = f"steals {self._category(steal.category)} from {self._names.sides[steal.side]}: "
        if self._ruleset.steal == "take":
            line += f"{_points(turn.points)} here; {steal.entry} is erased there"
        else:
            line += f"{steal.entry} becomes {steal.pays} there"
        return (
            f"{line}; {self._names.seats[steal.forfeiting_seat]} gives up {self._category(steal.forfeited)}"
        )

    def _consequences(self, robbed: int, before: list[int], after: list[int]) -> list[str]:
        lines = []
        name = self._names.sides[robbed]
        if after[robbed] != before[robbed]:
            verb = "loses" if after[robbed] < before[robbed] else "earns"
            lines.append(f"    {name} {verb} the bonus of {self._ruleset.bonus.points}")
        if self._ruleset.steal == "overwrite" and len(self._entries[robbed]) == len(self._keys):
            lines.append(f"    {name} has a full sheet, and no turn left")
        return lines

    def _bonuses(self) -> list[int]:
        return [bonus_of(self._ruleset, entries) for entries in self._entries]

    def _category(self, index: int) -> str:
        return escaped(self._ruleset.categories[self._keys[index]].name)


def _time_lines(ruleset: CheerioRuleset, names: Names, game: Game) -> list[str]:
    if ruleset.clock is None:
        return []
    sides = game.seats[: len(names.sides)]
    called = min(result.milliseconds for result in sides if not result.empty)
    callers = [
        name
        for name, result in zip(names.sides, sides, strict=True)
        if result.milliseconds == called and not result.empty
    ]
    lines = ["", f"Time is called at {_time(called)} by {' and '.join(callers)}"]
    for name, result in zip(names.sides, sides, strict=True):
        if result.empty:
            number = "1 empty category" if result.empty == 1 else f"{result.empty} empty categories"
            lines.append(f"  {name} is cut short with {number}")
    return lines


def _roll_off_lines(names: Names, game: Game) -> list[str]:
    if not game.tiebreak_dice:
        return []
    lines = ["", "Roll-off of those tied"]
    for number, rolled in enumerate(game.tiebreak_dice, start=1):
        lines.append(f"  round {number}")
        width = max(len(names.sides[side]) for side, _ in rolled)
        lines += [
            f"    {names.sides[side]:<{width}}  {_dice(dice)}  sum {sum(dice)}" for side, dice in rolled
        ]
    return lines


def _sheet_lines(ruleset: CheerioRuleset, names: Names, game: Game) -> list[str]:
    sides = game.seats[: len(names.sides)]
    rows = [
        (escaped(rule.name), [EMPTY if entry is None else str(entry) for entry in entries])
        for rule, entries in zip(
            ruleset.categories.values(), zip(*(result.entries for result in sides), strict=True), strict=True
        )
    ]
    closing = []
    if ruleset.bonus.points > 0:
        closing.append(("Upper subtotal", [str(result.upper) for result in sides]))
        closing.append(("Bonus", [str(result.bonus) for result in sides]))
    if ruleset.joker is not None and any(result.jokers for result in sides):
        closing.append(("Extra points", [str(result.jokers * ruleset.joker.points) for result in sides]))
    closing.append(("Total", [str(result.score) for result in sides]))
    first = max(len(name) for name, _ in rows + closing)
    widths = [max(len(name), 5) for name in names.sides]
    rule_line = GAP.join(["-" * first, *("-" * width for width in widths)])

    def row(name: str, cells: list[str]) -> str:
        return GAP.join(
            [f"{name:<{first}}", *(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))]
        ).rstrip()

    body = [row(*line) for line in rows]
    return [row("", names.sides), rule_line, *body, rule_line, *(row(*line) for line in closing)]


def _result_lines(names: Names, game: Game) -> list[str]:
    sides = game.seats[: len(names.sides)]
    if len(sides) == 1:
        return [f"{names.sides[0]} scores {_points(sides[0].score)}"]
    ranking = sorted(range(len(sides)), key=lambda side: (sides[side].place, side))
    width = max(map(len, names.sides))
    lines = [
        f"{sides[side].place}. {names.sides[side]:<{width}}  {_points(sides[side].score)}" for side in ranking
    ]
    return [*lines, "", _verdict(names.sides, sides)]


def _verdict(names: list[str], sides: Sequence[SeatResult]) -> str:
    winner = next((side for side, result in enumerate(sides) if result.won), None)
    if winner is None:
        sharing = [names[side] for side, result in enumerate(sides) if result.tied]
        return f"{', '.join(sharing)} share the win"
    if sides[winner].tied:
        return f"{names[winner]} wins the roll-off"
    margin = sides[winner].score - max(other.score for side, other in enumerate(sides) if side != winner)
    return f"{names[winner]} wins by {_points(margin)}"
