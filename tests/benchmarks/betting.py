"""Measures rounds of Cee-lo a second on one core, with a plain Python loop beside them; `make bench` runs it."""

from __future__ import annotations

import random
from collections.abc import Callable

LINEUPS = (
    ("ceelo-bank", ("flat", "flat")),
    ("ceelo-bank", ("martingale", "catch-up")),
    ("ceelo-bank", ("flat", "timid", "bold", "martingale")),
    ("ceelo-bank-rotate", ("flat", "flat")),
    ("ceelo-bank-fixed", ("flat", "flat")),
    ("ceelo-bank-timed", ("flat", "flat")),
    ("ceelo-pot", ("flat", "flat")),
    ("ceelo-pot", ("flat",) * 4),
    ("ceelo-pot-outright", ("flat", "flat")),
)
WANTED = 20
DEALS = 100_000


def throw_to_a_result(rng: random.Random) -> int:
    """Throws three dice until they come to something; the higher, the better."""
    while True:
        low, middle, high = sorted(rng.randint(1, 6) for _ in range(3))
        if low == high:
            return 10 + low
        if (low, middle, high) == (4, 5, 6):
            return 20
        if (low, middle, high) == (1, 2, 3):
            return 0
        if low == middle:
            return high
        if middle == high:
            return low


def play_plain_rounds(rng: random.Random, rounds: int) -> int:
    """Plays rounds of one bettor against the bank the way a first script would, and returns what the bank gains."""
    gained = 0
    for _ in range(rounds):
        bank = throw_to_a_result(rng)
        if bank >= 10:
            gained += 5
        elif bank == 0:
            gained -= 5
        else:
            own = throw_to_a_result(rng)
            gained += 5 * ((own < bank) - (own > bank))
    return gained


def measure_betting(
    line: Callable[..., None],
    seconds_of: Callable[[Callable[[], object]], float],
    task_of: Callable[[str, tuple[str, ...], int], Callable[[], object]],
) -> None:
    """Prints rounds a second of several lineups."""
    rng = random.Random(1)
    plain = 20_000 / seconds_of(lambda: play_plain_rounds(rng, 20_000))
    line("Cee-lo, plain Python loop", f"{plain:,.0f}", "rounds/s")
    for name, words in LINEUPS:
        task = task_of(name, words, DEALS)
        rounds = int(task().rounds.sum(dtype="int64"))  # type: ignore[attr-defined]
        speed = rounds / seconds_of(task)
        unit = f"rounds/s (wanted: {WANTED} million)" if len(words) == 2 else "rounds/s"
        line(f"{name}: {', '.join(words)}", f"{speed:,.0f}", unit)
        if words == ("flat", "flat") and name == "ceelo-bank":
            line("  as a multiple of the plain loop", f"{speed / plain:,.0f}", "times")
