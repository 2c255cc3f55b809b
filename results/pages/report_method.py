"""What a page says of how its figures come about: the method, the words, and where all is from."""

from collections.abc import Sequence

from results.figures import Document
from results.manifest import Match
from results.pages.page import Section
from results.schema import Column, games_columns
from results.store import Run
from results.tables import level_text

_TERMS = {
    "deal": "One number that fixes every die that each seat will ever be offered. Two strategies in the same seat of "
    "the same deal are offered the same dice, as in duplicate bridge.",
    "seating": "A rotation of the lineup over the seats. Each deal is played once in every distinct seating, so that "
    "the luck of the seats cancels out.",
    "game": "One deal played in one seating.",
    "credit": "What a side wins of a game: 1 for a win; a shared top is split among those who share it.",
    "win, shared": "A win is the sole first place, after any roll-off. Shared: the top place is shared and nobody wins "
    "alone.",
    "fair share": "What every side would have if all were equal: 1 divided by the number of sides.",
    "interval": "Where the true figure lies, at the level of confidence that is given. The unit is the deal, as the "
    "games of a deal share their dice.",
}
#: What strategies see, where the name alone doesn't say it.
_SEEN = {
    "open": "the open categories",
    "upper": "the upper subtotal",
    "pace": "whether the upper section is ahead of three of each face",
    "turns_left": "the turns left",
    "standing": "whether it is behind or ahead of the best rival",
    "difference": "the points ahead of the best rival",
    "rival_open": "the best rival's open categories",
    "rival_upper": "the best rival's upper subtotal",
    "joker": "whether further five alike are paid",
    "coin": "a coin",
    "chips": "its chips",
    "bank": "the bank's chips",
    "rounds_left": "the rounds left",
    "order": "its place in the order",
    "rank": "its rank by chips",
    "lead": "the chips ahead of the best other player",
    "last_stake": "its last stake",
    "streak": "its bets won or lost in a row",
}
_INTERVALS = (
    "Rates have intervals in Wilson's form (Wilson 1927, Journal of the American Statistical Association 22), with the "
    "effective number of deals: p(1-p) over the variance of the deals' means. Means have Student's intervals over the "
    "deals; differences are taken deal by deal."
)
_QUANTILES = (
    "Quantiles are read from the exact histogram of all scores; their intervals are order statistics. Intervals of "
    "ratios rest on the deals too."
)
_DIGITS = (
    "Figures are rounded once: rates to six decimals, others to four. Table, JSON, CSV, Markdown and this page show "
    "the same digits."
)
_LUCK = (
    "Luck of the dice is what they bring beyond what was to be expected, decision by decision; its mean is zero. "
    "Figures with luck taken off have the same mean and a narrower interval: the method of control variates, its "
    "coefficient fitted on the other half of the deals."
)
_EXACT = (
    "Exact values are computed from the rules and the strategies, without playing. z is the distance of a simulated "
    "figure from its exact value in standard errors; scores are held against their exact law by Pearson's chi-square, "
    "one score for each deal and seat."
)


def method_section(document: Document, matches: Sequence[Match]) -> Section:
    """Return how figures come about, what words mean, and who plays."""
    lines = [f"All intervals are at {level_text(document['level'])}.", _INTERVALS, _QUANTILES, _DIGITS]
    if any(match.luck for match in matches):
        lines.append(_LUCK)
    if any("exact" in match for match in document["matches"]):
        lines.append(_EXACT)
    return Section(
        "method",
        "Method and definitions",
        tuple(lines),
        terms=tuple(_TERMS.items()),
        sections=(
            Section("strategies", "The strategies", terms=_rules_of(matches)),
            Section(
                "columns",
                "What is stored of each game",
                (
                    "Every game of the run has one row for each seat in its Parquet files, with these columns.",
                ),
                terms=_columns_of(matches),
                folded=True,
            ),
        ),
    )


def run_facts(run: Run, document: Document, matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    """Return where the figures of a run are from."""
    rulesets = dict.fromkeys(f"{m.ruleset.name} {m.ruleset.digest}" for m in matches)
    sources = dict.fromkeys(
        f"{name} {label.source_digest}"
        for m in matches
        for name, label in m.strategies.items()
        if label.source_digest
    )
    versions = ", ".join(f"{name} {version}" for name, version in run.manifest["versions"].items())
    games = sum(match["games"] for match in document["matches"])
    deals = sum(match["deals"] for match in document["matches"])
    return (
        ("run", run.path.resolve().name),
        ("job", f"{run.name}, digest {run.digest}"),
        ("seed", str(run.seed)),
        ("played", f"{games:,} games, {deals:,} deals"),
        ("rulesets, by digest", ", ".join(rulesets)),
        ("strategies, by digest of their source", ", ".join(sources)),
        ("versions", versions),
        (
            "form of the files",
            f"schema {run.manifest['schema_version']}, engine {run.manifest['engine_version']}",
        ),
    )


def _rules_of(matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    rules: dict[str, str] = {}
    for match in matches:
        for name in match.lineup:
            label = match.strategies[name]
            seen = ", ".join(_SEEN.get(view, view.replace("_", " ")) for view in label.sees)
            sees = f" It looks at: {seen}." if seen else ""
            rules.setdefault(name, f"{' '.join(label.rule.split())}{sees}")
    return tuple(rules.items())


def _columns_of(matches: Sequence[Match]) -> tuple[tuple[str, str], ...]:
    columns: dict[str, Column] = {}
    for match in matches:
        for column in games_columns(match.ruleset.game, match.parts):
            columns.setdefault(column.name, column)
    return tuple((c.name, f"{c.meaning} ({c.unit})") for c in columns.values())
