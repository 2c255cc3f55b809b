"""What a match shows, in one sentence."""

from results.statistics import Interval, difference_interval, mean_interval, proportion_interval
from results.tables import level_text, percent_text, rounded_rate, rounded_value, value_text
from results.tally import MatchTally
from results.words import WORDS


def conclusion_of(tally: MatchTally, level: float) -> str:
    """Return what a match shows: who wins by how much, or what one strategy alone comes to."""
    match = tally.match
    deals = tally.of("score", tally.entries[0]).deals
    if not deals:
        return "Nothing is played yet."
    over = f"over {deals * match.seatings:,} games ({deals:,} deals)"
    if len(tally.entries) > 1:
        return f"{_all_alike() if tally.is_level else _best(tally, level)}, {over}."
    return f"{_seats(tally, level) if match.chips else _scores(tally, level)}, {over}."


def _all_alike() -> str:
    return "All play alike for the pot, so every strategy's share is the same by the rules"


def _scores(tally: MatchTally, level: float) -> str:
    scores = tally.of("score", tally.entries[0])
    everywhere = "" if tally.match.is_solitaire else " in every seat"
    mean = value_text(rounded_value(scores.mean))
    within = _within(mean_interval(scores, level), level)
    return f"{tally.entries[0]}{everywhere} scores {mean} on average{within}"


def _seats(tally: MatchTally, level: float) -> str:
    """Return which seat is farthest from its fair share, as all chips of a game are those of one strategy."""
    seats = tally.match.seats
    credit_of = [tally.of("seat credit", seat) for seat in range(seats)]
    seat = max(
        range(seats), key=lambda k: abs(credit_of[k].total * seats - credit_of[k].deals * credit_of[k].weight)
    )
    # One seat of several is picked for what it shows, so all must hold at this level together (Bonferroni); of two,
    # the one has what the other lacks.
    picked = seats > 2
    bounds = proportion_interval(credit_of[seat], 1 - (1 - level) / seats if picked else level)
    together = " for all seats together" if picked and bounds else ""
    shown = bounds is not None and not bounds[0] <= 1 / seats <= bounds[1]
    share, fair = (percent_text(rounded_rate(rate)) for rate in (credit_of[seat].mean, 1 / seats))
    within = _within(_in_percent(bounds), level)
    head = f"{tally.entries[0]} sits in every seat; {'' if shown else 'no seat is shown to be better: '}"
    return f"{head}seat {seat} has {share} % of the credit{within}{together} where {fair} % would be fair"


def _best(tally: MatchTally, level: float) -> str:
    match = tally.match
    ranked = sorted(tally.entries, key=lambda entry: -(tally.of("credit", entry).mean or 0.0))
    first, second = ranked[:2]
    one, two = (percent_text(rounded_rate(tally.of("credit", entry).mean)) for entry in (first, second))
    difference = tally.credit_difference(first, second)
    interval = difference_interval(difference, level)
    lead = percent_text(rounded_rate(difference.mean))
    beaten = f"{second}, the next best" if len(ranked) > 2 else second
    shown = interval is not None and interval[0] > 0
    behind = f"{first} and {second} are level" if one == two else f"{first} is before {beaten}"
    head = f"{first} beats {beaten}" if shown else f"No winner is shown: {behind}"
    # Rates are those of one side: an entry of several sides holds a multiple of its rate.
    rival = WORDS[match.ruleset.game].rival
    each = f" for each {rival}" if len(tally.entries) < match.side_count else ""
    shares = f"with {one} % of the credit against {two} %{each}"
    return f"{head}, {shares}: {lead} percentage points more{_within(_in_percent(interval), level)}"


def _in_percent(interval: Interval | None) -> Interval | None:
    return None if interval is None else (interval[0] * 100, interval[1] * 100)


def _within(interval: Interval | None, level: float) -> str:
    if interval is None:
        return " (one deal gives no interval)"
    low, high = (value_text(rounded_value(bound)) for bound in interval)
    return f" [{low}, {high}] at {level_text(level)}"
