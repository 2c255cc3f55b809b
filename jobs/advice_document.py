"""The answer of dicecup advise as a document, and as tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from results.schema import SCHEMA_VERSION
from results.tables import (
    ABSENT,
    Heading,
    Table,
    Value,
    csv_text,
    percent_text,
    rounded_rate,
    rounded_value,
    value_text,
)
from sim.cheerio_ruleset import CheerioRuleset
from sim.dice import DICE, ROLLS, masked_dice
from strategies.options import Option, TurnOptions, barred_reasons
from strategies.situation import Situation

Document = dict[str, Any]
#: What the figures of an option are called in a document, each with its heading in a table.
FIGURES = {
    "rest_mean": "still to come",
    "loss": "loss",
    "turn_mean": "this turn",
    "left_mean": "left open",
    "score_mean": "final score",
}
CSV_HEADINGS = (
    "strategy", "chance", "option", *FIGURES, "aim", "aim_rate", "entry", "entry_rate",
)  # fmt: skip
NOTE = (
    "Means in points under the best play that follows, the bonus included: still to come is this turn and what is left "
    "open."
)
LOSS_NOTE = "The loss is against the best option."
ENDS_NOTE = (
    "Mainly for: the category that brings most of this turn's points, as a mean. Mostly enters: the one that is filled "
    "most often. Ends so: how often the turn ends in it."
)
STRATEGIES_NOTE = "Mean loss: over all that a strategy does here, each option as often as it takes it."


def build_document(
    situation: Situation,
    start: float,
    turn: TurnOptions,
    dice: tuple[int, int] | None,
    points: int | None,
    top: int | None,
    decided: Mapping[str, Mapping[int, float]],
    remarks: Sequence[str],
) -> Document:
    """Builds the document: `start` is what an empty sheet is worth, `dice` the roll and the throws left.

    `decided` says what each named strategy does, by option and chance.
    """
    ruleset = situation.ruleset
    views = situation.views()
    before = turn.start()
    options = (before,) if dice is None else turn.ranked(*dice)
    roll, throws_left = (None, None) if dice is None else dice
    written = {option.answer: _option(option, ruleset, points, roll, throws_left) for option in options}
    barred = {} if roll is None or throws_left else barred_reasons(turn.sheet, roll)
    ids = list(ruleset.categories)
    return {
        "schema_version": SCHEMA_VERSION,
        "ruleset": ruleset.name,
        "title": ruleset.title,
        "sheet": {
            "open": [category.id for category in turn.sheet.open],
            "upper": situation.upper if situation.upper is not None else views.get("upper"),
            "joker": bool(views["joker"]) if ruleset.joker is not None and "joker" in views else None,
            "points": points,
        },
        "dice": None if roll is None else list(ROLLS[roll]),
        "throws_left": throws_left,
        "start_mean": rounded_value(start),
        "before_mean": rounded_value(before.rest),
        "options_allowed": len(options),
        "options": list(written.values())[:top],
        "barred": [{"category": ids[index], "reason": reason} for index, reason in barred.items()],
        "strategies": [
            _strategy(label, chances, options, written, top) for label, chances in decided.items()
        ],
        "remarks": list(remarks),
    }


def _option(
    option: Option, ruleset: CheerioRuleset, points: int | None, roll: int | None, throws_left: int | None
) -> Document:
    ids = list(ruleset.categories)
    answer: Document = {"keep": []}
    if throws_left:
        answer = {"keep": list(masked_dice(roll or 0, option.answer))}
    elif roll is not None:
        answer = {"category": ids[option.answer]}
    return answer | {
        "rest_mean": rounded_value(option.rest),
        "loss": rounded_value(option.loss),
        "turn_mean": rounded_value(option.turn),
        "left_mean": rounded_value(option.rest - option.turn),
        "score_mean": None if points is None else rounded_value(points + option.rest),
        "aim": None if option.aim is None else ids[option.aim.category],
        "entries": [
            {
                "category": ids[entry.category],
                "rate": rounded_rate(entry.chance),
                "points_mean": rounded_value(entry.points),
            }
            for entry in option.entries
        ],
    }


def _strategy(
    label: str,
    chances: Mapping[int, float],
    options: Sequence[Option],
    written: Mapping[int, Document],
    top: int | None,
) -> Document:
    losses = {option.answer: option.loss for option in options}
    ranked = [answer for answer in losses if answer in chances]
    return {
        "strategy": label,
        "loss": rounded_value(sum(chance * losses[answer] for answer, chance in chances.items())),
        "options_allowed": len(ranked),
        "options": [{"chance": rounded_rate(chances[answer]), **written[answer]} for answer in ranked[:top]],
    }


def advice_title(document: Document) -> str:
    """Returns what is advised on: the ruleset, the dice, and how many throws may follow."""
    if document["dice"] is None:
        return f"{document['title']}: before the first throw of a turn"
    left = document["throws_left"]
    follow = "no throw" if not left else "1 throw" if left == 1 else f"{left} throws"
    return f"{document['title']}: {'-'.join(map(str, document['dice']))}, {follow} left"


def advice_lines(document: Document, ruleset: CheerioRuleset) -> list[str]:
    """Returns the sheet, what is best, and what may not be done, a sentence or two a line."""
    names = {key: rule.name for key, rule in ruleset.categories.items()}
    sheet = document["sheet"]
    whole = len(sheet["open"]) == len(names)
    stated = [f"Open: {'all' if whole else ', '.join(names[key] for key in sheet['open'])}"]
    if sheet["upper"] is not None and any(rule.upper for rule in ruleset.categories.values()):
        stated.append(f"upper subtotal {sheet['upper']}")
    if sheet["joker"] is not None:
        stated.append("the joker held" if sheet["joker"] else "no joker held")
    if sheet["points"] is not None:
        stated.append(f"{sheet['points']} points so far")
    best, dice = document["options"][0], document["dice"]
    worth = f"An empty sheet is worth {value_text(document['start_mean'])}."
    if dice is None:
        worth = f"This sheet is worth {value_text(best['rest_mean'])} points still to come. {worth}"
        return [f"{'; '.join(stated)}.", worth]
    verb = "keep" if document["throws_left"] else "enter"
    lines = [
        f"{'; '.join(stated)}.",
        f"Best: {verb} {option_text(best, names)}, {value_text(best['rest_mean'])} points still to come.",
        f"Before the turn the sheet was worth {value_text(document['before_mean'])}. {worth}",
    ]
    barred: dict[str, list[str]] = {}
    for item in document["barred"]:
        barred.setdefault(item["reason"], []).append(names[item["category"]])
    return lines + [f"Barred: {', '.join(keys)}, as {reason}." for reason, keys in barred.items()]


def option_text(option: Document, names: Mapping[str, str]) -> str:
    """Returns a keep as `5-5`, or a category's name."""
    if "category" in option:
        return names[option["category"]]
    if len(option["keep"]) == DICE:
        return "all five"
    return "-".join(map(str, option["keep"])) or "nothing"


def advice_tables(document: Document, ruleset: CheerioRuleset) -> list[Table]:
    """Returns the options ranked, and what each named strategy does."""
    names = {key: rule.name for key, rule in ruleset.categories.items()}
    figures = [key for key in FIGURES if key != "score_mean" or document["sheet"]["points"] is not None]
    entering = not document["dice"] or document["throws_left"]
    what = "keep" if entering else "category"
    if document["dice"] is None:
        figures.remove("loss")
    named = bool(document["dice"])
    leading = (Heading(what, "words"),) if named else ()
    heads = (*leading, *(Heading(FIGURES[key]) for key in figures))
    rows = [
        (*_named(option, names, named), *(value_text(option[key]) for key in figures))
        for option in document["options"]
    ]
    title, note = ("Options", f"{NOTE} {LOSS_NOTE}") if named else ("This turn", NOTE)
    tables = [Table(title, heads, tuple(rows), note)]
    if entering:
        tables.append(_ends_table(document["options"], names, named, leading))
    if document["strategies"]:
        tables.append(_strategies_table(document["strategies"], names, what))
    return tables


def _ends_table(
    options: Iterable[Document], names: Mapping[str, str], named: bool, leading: tuple[Heading, ...]
) -> Table:
    rows = [
        (
            *_named(option, names, named),
            *(
                text
                for key, rate in _two_entries(option)
                for text in (ABSENT if key is None else names[key], percent_text(rate))
            ),
        )
        for option in options
    ]
    heads = (
        head
        for text in ("mainly for", "mostly enters")
        for head in (Heading(text, "words"), Heading("ends so %"))
    )
    return Table("How the turn ends", (*leading, *heads), tuple(rows), ENDS_NOTE)


def _named(option: Document, names: Mapping[str, str], named: bool) -> tuple[str, ...]:
    return (option_text(option, names),) if named else ()


def _strategies_table(entries: Iterable[Document], names: Mapping[str, str], what: str) -> Table:
    rows = [
        (
            entry["strategy"],
            option_text(option, names),
            percent_text(option["chance"]),
            value_text(option["rest_mean"]),
            value_text(option["loss"]),
            value_text(entry["loss"]),
        )
        for entry in entries
        for option in entry["options"]
    ]
    words = (Heading("strategy", "words"), Heading(what, "words"))
    figures = ("how often %", "still to come", "loss", "mean loss")
    return Table("What strategies do", (*words, *map(Heading, figures)), tuple(rows), STRATEGIES_NOTE)


def advice_csv(document: Document, ruleset: CheerioRuleset) -> str:
    """Returns a row for each option, and for each option of each named strategy one with its name and chance."""
    names = {key: rule.name for key, rule in ruleset.categories.items()}
    rows = [_csv_row(None, None, option, names) for option in document["options"]]
    for entry in document["strategies"]:
        rows += [_csv_row(entry["strategy"], item["chance"], item, names) for item in entry["options"]]
    return csv_text(CSV_HEADINGS, rows)


def _csv_row(
    strategy: str | None, chance: float | None, option: Document, names: Mapping[str, str]
) -> list[Value]:
    figures = [option[key] for key in FIGURES]
    entries = [value for key, rate in _two_entries(option) for value in (key and names[key], rate)]
    return [strategy, chance, option_text(option, names), *figures, *entries]


def _two_entries(option: Document) -> list[tuple[str | None, float | None]]:
    """Returns what most points come from, and what is most often entered, each with how often it is."""
    rates = {entry["category"]: entry["rate"] for entry in option["entries"]}
    return [(key, rates.get(key)) for key in (option["aim"], next(iter(rates)))]
