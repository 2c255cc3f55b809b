"""What a summary says of exact values: simulated figures beside them, and how well scores agree with their law."""

import math
from collections import Counter
from collections.abc import Iterator

from results.exact import MatchValues, StrategyValues, entry_strategies, not_exact_lines
from results.figures import Document, csv_row, exact_cells, headings
from results.goodness import LEAST_EXPECTED, Fit, fit_of
from results.scan import GameArrays, at_cells, by_deal
from results.statistics import DealSums, effective_deals, standard_deviation
from results.tables import Heading, Table, Value, percent_text, rounded_rate, rounded_value, value_text
from results.tally import MatchTally

KEY = "exact"
#: Deals, and deals in which a rate is expected to say yes or no, below which there is no z-score.
LEAST_DEALS, LEAST_EVENTS = 10, 10
_SPREAD, _APART = "score spread", "scores apart"
#: What is compared of a strategy: by key the words for it.
_MEASURES = {
    "score_mean": "mean score",
    "score_sd": "sd of the score",
    "bonus_rate": "bonus %",
    "jokers_mean": "jokers a game",
    "throws_mean": "throws a game",
    "win_rate": "win %",
    "shared_rate": "shared %",
    "credit_rate": "credit %",
}
_FIT_KEYS = ("scores", "bins", "chi_square", "freedom", "p_value", "impossible")
_NOTE = (
    "z: standard errors of the simulated figure above the exact one, by deals; about 19 of 20 lie within -2 and 2, but "
    "rows of one table hang together. No z where events are too few to tell."
)
_FIT_NOTE = (
    f"One score for each deal and seat. Neighbouring scores share a bin until it expects at least {LEAST_EXPECTED:g}. "
    "p: the chance of at least such a chi-square where the law holds."
)


class Beside:
    """Counts what simulated figures need to stand beside exact ones, chunk by chunk."""

    def __init__(self, values: MatchValues) -> None:
        self.COLUMNS: tuple[str, ...] = ()
        self._values = values

    def count(self, tally: MatchTally, arrays: GameArrays) -> None:
        """Count the spread of scores around their exact mean, and one score for each deal and seat."""
        for entry, law in self._laws(tally):
            cells = tally.side_cells(entry)
            score = at_cells(arrays["score"], cells)
            from_mean = score.astype("int64") - round(law.mean)
            tally.count(_SPREAD, entry, by_deal(from_mean * from_mean), len(cells))
            # Without interaction a strategy has the same game wherever the others sit.
            first_of = {seat: place for place, (_, seat) in reversed(list(enumerate(cells)))}
            tally.count_numbers(_APART, entry, score[sorted(first_of.values())])

    def document(self, tally: MatchTally) -> Document:
        """Return each figure with what it comes to exactly, and the test of the scores against their law."""
        outcome = self._values.outcome
        ties = None
        if outcome is not None and not tally.match.is_solitaire:
            ties = {"games": tally.of("tied").deals * tally.match.seatings}
            ties |= _rate("rate", tally.of("tied"), outcome.tie_rate)
        return {
            "strategies": [self._entry(tally, entry, law) for entry, law in self._laws(tally)],
            "ties": ties,
            "categories": [row for entry, law in self._laws(tally) for row in _categories(tally, entry, law)],
            "not_exact": [
                {"strategy": name, "reason": reason} for name, reason in self._values.not_exact.items()
            ],
        }

    def _laws(self, tally: MatchTally) -> Iterator[tuple[str, StrategyValues]]:
        """Yield the entries whose scores have a known law; partners that differ have none."""
        for entry in tally.entries:
            strategies = entry_strategies(tally.match, entry)
            law = self._values.strategies.get(strategies.pop())
            if law is not None and not strategies:
                yield entry, law

    def _entry(self, tally: MatchTally, entry: str, law: StrategyValues) -> Document:
        scores = tally.of("score", entry)
        match, outcome = tally.match, self._values.outcome
        found: Document = {
            "strategy": entry,
            "games": scores.deals * len(tally.side_cells(entry)),
            **_mean("score_mean", scores, law.mean),
            **_sd(tally, entry, law),
            **(
                {}
                if law.bonus_rate is None
                else _rate("bonus_rate", tally.of("bonus", entry), law.bonus_rate)
            ),
            **(
                {}
                if law.jokers_mean is None
                else _mean("jokers_mean", tally.of("jokers", entry), law.jokers_mean)
            ),
            **_mean("throws_mean", tally.of("throws", entry), law.throws_mean),
        }
        if outcome is not None and not match.is_solitaire:
            side = match.side_names.index(entry)
            for measure, key, rates in (
                ("won", "win_rate", outcome.win_rates),
                ("shared", "shared_rate", outcome.shared_rates),
                ("credit", "credit_rate", outcome.credit_rates),
            ):
                found |= _rate(key, tally.of(measure, entry), rates[side])
        return found | {"fit": _fit(tally, entry, law)}


def tables(match: Document) -> list[Table]:
    """Return the tables of exact values beside simulated ones."""
    exact = match[KEY]
    if not exact["strategies"]:
        return []
    rows = [
        (e["strategy"], _MEASURES[key], value_text(e["games"]), *_cells(e, key))
        for e in exact["strategies"]
        for key in _MEASURES
        if f"{key}_exact" in e
    ]
    if exact["ties"]:
        ties = exact["ties"]
        rows.append(
            ("all", "games with a tie for the top %", value_text(ties["games"]), *_cells(ties, "rate"))
        )
    heads = headings("strategy", "measure", "n", "simulated", "exactly", "z")
    note = " ".join([_NOTE, *not_exact_lines(exact["not_exact"])])
    found = [Table("Exact beside simulated", _in_words(heads, 2), tuple(rows), note)]
    fits = [(e["strategy"], e["fit"]) for e in exact["strategies"] if e["fit"]]
    if fits:
        told = tuple((name, *(value_text(fit[key]) for key in _FIT_KEYS)) for name, fit in fits)
        names = ("strategy", "scores", "bins", "chi-square", "degrees of freedom", "p", "impossible scores")
        found.append(Table("Scores against their exact law", headings(*names), told, _FIT_NOTE))
    if exact["categories"]:
        lines = tuple(
            (c["strategy"], c["name"], value_text(c["count"]), *_cells(c, "mean"), *_cells(c, "zero_rate"))
            for c in exact["categories"]
        )
        heads = headings("strategy", "category", "n", "mean", "exactly", "z", "zero %", "exactly %", "z")
        found.append(Table("Categories, exact beside simulated", _in_words(heads, 2), lines))
    return found


def rows(match: Document) -> Iterator[tuple[Value, ...]]:
    """Yield the rows of CSV on exact values; the simulated ones have rows of their own already."""
    exact = match[KEY]
    for e in exact["strategies"]:
        for key in _MEASURES:
            yield from _exact_rows(match, e, key, key, e["games"], strategy=e["strategy"])
        for key in _FIT_KEYS if e["fit"] else ():
            yield csv_row(match, f"fit_{key}", e["fit"][key], e["fit"]["scores"], strategy=e["strategy"])
    if exact["ties"]:
        yield from _exact_rows(match, exact["ties"], "rate", "tie_rate", exact["ties"]["games"])
    for c in exact["categories"]:
        for key in ("mean", "zero_rate"):
            place = {"strategy": c["strategy"], "category": c["category"]}
            yield from _exact_rows(match, c, key, key, c["count"], **place)


def _exact_rows(
    match: Document, source: Document, key: str, name: str, n: int, **place: Value
) -> Iterator[tuple[Value, ...]]:
    for end in ("exact", "z"):
        if f"{key}_{end}" in source:
            yield csv_row(match, f"{name}_{end}", source[f"{key}_{end}"], n, None, **place)


def _mean(key: str, sums: DealSums, exact: float) -> Document:
    return {
        key: rounded_value(sums.mean),
        f"{key}_exact": rounded_value(exact),
        f"{key}_z": _z(sums.mean, exact, sums.variance_of_mean, sums.deals),
    }


def _jokers(sums: DealSums, exact: float | None) -> Document:
    """Return the mean of jokers, so rare that there have to be some for a z-score; nothing without a joker."""
    if exact is None:
        return {}
    return _mean("jokers_mean", sums, exact) | (
        {} if sums.deals * exact >= LEAST_EVENTS else {"jokers_mean_z": None}
    )


def _rate(key: str, sums: DealSums, exact: float) -> Document:
    """Return a rate, tested by the spread of the exact one, so that its z and Wilson's interval agree.

    By the spread of what was played, too few of rare events would weigh more than too many, and none at all nothing.
    """
    tellable = sums.deals * min(exact, 1 - exact) >= LEAST_EVENTS
    trials = effective_deals(sums)
    variance = exact * (1 - exact) / trials if trials else None
    return {
        key: rounded_rate(sums.mean),
        f"{key}_exact": rounded_rate(exact),
        f"{key}_z": _z(sums.mean, exact, variance, sums.deals) if tellable else None,
    }


def _sd(tally: MatchTally, entry: str, law: StrategyValues) -> Document:
    """Return the standard deviation, tested by the mean square around one fixed score, whose error deals tell."""
    spread = tally.of(_SPREAD, entry)
    expected = law.second_moment(round(law.mean))
    return {
        "score_sd": rounded_value(standard_deviation(tally.histogram(entry))),
        "score_sd_exact": rounded_value(law.sd),
        "score_sd_z": _z(spread.mean, expected, spread.variance_of_mean, spread.deals),
    }


def _fit(tally: MatchTally, entry: str, law: StrategyValues) -> Document | None:
    fit: Fit | None = fit_of(tally.numbers_of(_APART, entry), law.low, law.law)
    if fit is None:
        return None
    return {
        "scores": fit.values,
        "bins": fit.bins,
        "chi_square": rounded_value(fit.statistic),
        "freedom": fit.freedom,
        "p_value": rounded_value(fit.p_value),
        "impossible": fit.impossible,
    }


def _categories(tally: MatchTally, entry: str, law: StrategyValues) -> Iterator[Document]:
    (strategy,) = entry_strategies(tally.match, entry)
    if any(strategy in entry_strategies(tally.match, other) for other in tally.entries if other != entry):
        # What it enters beside other partners is in the same sums.
        return
    # Entries of one deal and seat are the same in every seating, and count as one observation.
    repeats = Counter(seat for _, seat in tally.side_cells(entry)).values()
    weight = sum(k * k for k in repeats) / sum(repeats)
    names = {category.id: category.name for category in tally.match.categories}
    for values in law.categories:
        count, total, squares, zeros = tally.categories.get((strategy, values.id), (0, 0, 0, 0))
        if not count:
            continue
        apart = count / weight
        zero_variance = values.zero_rate * (1 - values.zero_rate) / apart
        paid, unpaid = apart * (1 - values.zero_rate), apart * values.zero_rate
        variance, varies = _category_spread(count - zeros, total, squares, values.zero_rate)
        yield {
            "strategy": entry,
            "category": values.id,
            "name": names.get(values.id, values.id),
            "count": count,
            "mean": rounded_value(total / count),
            "mean_exact": rounded_value(values.mean),
            "mean_z": _z(total / count, values.mean, variance / apart, paid if varies else min(paid, unpaid)),
            "zero_rate": rounded_rate(zeros / count),
            "zero_rate_exact": rounded_rate(values.zero_rate),
            "zero_rate_z": _z(zeros / count, values.zero_rate, zero_variance, min(paid, unpaid)),
        }


def _category_spread(paid: int, total: int, squares: int, zero_rate: float) -> tuple[float, bool]:
    """Return the variance of a category's points, given those of the entries that pay, and whether these vary.

    Where they don't, as those of a straight, zeros alone make its mean, and have to be as many to be told.
    """
    if not paid:
        return 0.0, False
    mean, spread = total / paid, paid * squares - total**2
    return (1 - zero_rate) * (spread / paid**2 + zero_rate * mean**2), spread > 0


def _z(simulated: float | None, exact: float, variance: float | None, events: float) -> float | None:
    """Return how many standard errors a figure lies above its exact value; None where too little is known."""
    if simulated is None or not variance or variance < 0 or events < LEAST_DEALS:
        return None
    return rounded_value((simulated - exact) / math.sqrt(variance))


def _cells(row: Document, key: str) -> tuple[str, ...]:
    text = percent_text if key.endswith("rate") else value_text
    return text(row[key]), *exact_cells(row, key)


def _in_words(heads: tuple[Heading, ...], count: int) -> tuple[Heading, ...]:
    return (*(Heading(head.text, "words") for head in heads[:count]), *heads[count:])
