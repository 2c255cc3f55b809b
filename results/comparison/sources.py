"""The matches that a comparison takes, of one run or of several: one ruleset, one seed, and nothing twice.

A strategy is known by its label, its source and its parameters; where a label stands for two strategies, the run is
named with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from results.comparison.comparable import comparable_matches, grouped, listed, near_names
from results.errors import RunError
from results.joint import leading_deals
from results.manifest import RulesetLabel, side_name
from results.scan import Cells
from results.store import Match, Run


@dataclass(frozen=True)
class Source:
    """A match as a comparison takes it: its leading `deals` without a gap, and the `names` of its lineup.

    `spelled` gives the name of a side for its partners, in any order; it is the same for all sources.
    """

    run: Run
    match: Match
    deals: int
    names: tuple[str, ...]
    spelled: dict[tuple[str, ...], str] = field(repr=False)

    @cached_property
    def entries(self) -> list[list[str]]:
        """The entry of each seat, by seating."""
        sides = self.match.sides
        named = [[self._at(s, k) for k in range(self.match.seats)] for s in range(self.match.seatings)]
        return [
            [
                self.spelled[_partners(name for name, own in zip(row, sides, strict=True) if own == side)]
                for side in sides
            ]
            for row in named
        ]

    def cells(self, entry: str, whole: bool = False) -> Cells:
        """Return the (seating, seat) pairs of an entry's sides: of their first seats, or the whole of them."""
        return self._cells[whole].get(entry, [])

    @cached_property
    def _cells(self) -> dict[bool, dict[str, Cells]]:
        cells: dict[bool, dict[str, Cells]] = {False: {}, True: {}}
        for seating, row in enumerate(self.entries):
            for seat, entry in enumerate(row):
                cells[True].setdefault(entry, []).append((seating, seat))
                if seat in self.match.first_seats:
                    cells[False].setdefault(entry, []).append((seating, seat))
        return cells

    def _at(self, seating: int, seat: int) -> str:
        return self.names[(seat - seating) % self.match.seats]


@dataclass(frozen=True)
class Comparison:
    """What is compared: the sources, the entries in the order in which they come up, and what to remark.

    `partners` are the strategies of an entry, in alphabetical order.
    """

    ruleset: RulesetLabel
    seed: int
    runs: tuple[Run, ...]
    sources: tuple[Source, ...]
    entries: tuple[str, ...]
    partners: dict[str, tuple[str, ...]]
    remarks: tuple[str, ...]

    @property
    def is_solitaire(self) -> bool:
        """Whether there is nobody to win against."""
        return self.sources[0].match.is_solitaire


def choose_sources(
    runs: Sequence[Run], ruleset: str | None = None, strategies: Sequence[str] = (), seats: int | None = None
) -> Comparison:
    """Return what is compared of some runs; RunError says why they can't be, or what was asked is not there.

    `strategies` are entries or labels; without one all are taken.
    """
    remarks: list[str] = []
    sources = _once(_named(_played(comparable_matches(runs, ruleset, seats), remarks)), remarks)
    if len({source.match.seats for source in sources}) > 1:
        remarks.append("Games with different numbers of seats are taken together; --seats chooses.")
    remarks += [
        f"Match {source.match.number} of {source.run.path} was played until a question was answered; intervals here "
        "are for a number of deals that is fixed beforehand, so trust those of the run."
        for source in sources
        if "until" in source.match.parts
    ]
    if "ante" in sources[0].match.ruleset.rules:
        remarks.append("All play alike for the pot, so nobody can be better by the rules.")
    entries, partners = _entries(sources)
    chosen = _chosen(entries, partners, strategies)
    if len(chosen) < 2:
        raise RunError(
            f"There is one strategy only, {chosen[0]}, and nothing to compare it with; give a run that holds others, "
            "or another run with the same seed and ruleset."
        )
    label = sources[0].match.ruleset
    return Comparison(label, runs[0].seed, tuple(runs), sources, chosen, partners, tuple(remarks))


def _partners(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _played(places: Sequence[tuple[Run, Match]], remarks: list[str]) -> list[tuple[Run, Match, int]]:
    """Return the matches of which deals are there, with how many; what is short is remarked once a run."""
    # Counted once: a run that is being written grows, and all figures must be of the same moment.
    played = [(run, match, leading_deals(run, match)) for run, match in places]
    for path, own in grouped(played, lambda place: place[0].path).items():
        short = [(match.number, deals, match.deals) for _, match, deals in own if deals < match.deals]
        if short:
            told = listed(f"{number} ({deals:,} of {planned:,})" for number, deals, planned in short)
            remarks.append(
                f"{path} is incomplete; a match counts for its leading deals without a gap: match {told}. Resume the "
                "run for the rest."
            )
    there = [place for place in played if place[2]]
    if not there:
        raise RunError("There are no games of what was asked yet; resume the run to play them.")
    return there


def _named(places: Sequence[tuple[Run, Match, int]]) -> list[Source]:
    """Return the matches with names for strategies that tell apart what differs in source or parameters."""
    identities: dict[str, dict[str, str]] = {}
    for run, match, _ in places:
        for label in match.lineup:
            known = identities.setdefault(label, {})
            known.setdefault(_identity(match, label), run.path.name)
    for label, known in identities.items():
        # Folders of one name in two places, or in one run two sources for a label, need more to be told apart.
        same = len(set(known.values())) < len(known)
        for identity, folder in known.items():
            mark = f"{folder}, source {identity[:8]}" if same else folder
            known[identity] = f"{label} [{mark}]" if len(known) > 1 else label
    spelled: dict[tuple[str, ...], str] = {}
    sources = []
    for run, match, deals in places:
        names = tuple(identities[label][_identity(match, label)] for label in match.lineup)
        for side in sorted(set(match.sides)):
            for rotation in range(match.seats):
                own = [
                    names[(seat - rotation) % match.seats] for seat, s in enumerate(match.sides) if s == side
                ]
                spelled.setdefault(_partners(own), side_name(own, names))
        sources.append(Source(run, match, deals, names, spelled))
    return sources


def _identity(match: Match, label: str) -> str:
    strategy = match.strategies[label]
    return f"{strategy.source_digest} {sorted(strategy.parameters.items())}"


def rotated(names: Sequence[str], by: int) -> tuple[str, ...]:
    """Return a lineup that begins with another place."""
    return (*names[by:], *names[:by])


def table_key(names: Sequence[str], sides: Sequence[int]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Return what lineups share whose games are the same: every rotation of a lineup is played."""
    return min(rotated(names, by) for by in range(len(names))), tuple(sides)


def _once(sources: Sequence[Source], remarks: list[str]) -> tuple[Source, ...]:
    kept = []
    for own in grouped(sources, lambda source: table_key(source.names, source.match.sides)).values():
        longest = max(own, key=lambda source: (source.deals, source.match.luck))
        kept.append(longest)
        if len(own) > 1:
            places = listed(f"match {source.match.number} of {source.run.path}" for source in own)
            remarks.append(
                f"The same games of {','.join(longest.names)} are in {places}; they are counted once, with "
                f"{longest.deals:,} deals."
            )
    return tuple(kept)


def _entries(sources: Sequence[Source]) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    spelled = {entry: partners for partners, entry in sources[0].spelled.items()}
    entries = list(dict.fromkeys(entry for source in sources for row in source.entries for entry in row))
    return entries, {entry: spelled[entry] for entry in entries}


def _chosen(
    entries: Sequence[str], partners: dict[str, tuple[str, ...]], strategies: Sequence[str]
) -> tuple[str, ...]:
    taken = set()
    for name in strategies:
        found = {entry for entry in entries if _is_named(entry, partners[entry], name)}
        if not found:
            raise RunError(f"No strategy is named {name!r}; {near_names(name, entries)}")
        taken |= found
    return tuple(entry for entry in entries if not strategies or entry in taken)


def _is_named(entry: str, partners: tuple[str, ...], name: str) -> bool:
    """Tell whether a name is that of an entry: in full, by its label alone, or by its partners in any order."""
    return name in (entry, entry.split(" [")[0]) or partners == _partners(name.split("+"))
