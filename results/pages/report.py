"""From a run to the page that reports it: contents, conclusion, each match, method, and how to play it again."""

import shlex
from collections.abc import Sequence

from results.exact import MatchValues, load_exact
from results.figures import Document
from results.pages.page import Headline, Listing, Page, Section
from results.pages.report_method import method_section, run_facts
from results.pages.report_overview import conclusions, headline, pair_sections, ranking_headlines
from results.pages.report_sections import match_sections
from results.store import Match, Run
from results.summary import summarise_run
from results.summary_tables import match_lines, match_title
from results.tables import value_text

#: With more matches, the page has fewer charts of each, then none, and then nothing of each but its conclusion.
MOST_DRAWN, MOST_OUTLINED, MOST_TOLD = 6, 24, 150
_OUTLINE = ("winning", "scores")
#: With more matches the conclusion is who leads, where that can be said, and not each match's.
_MOST_HEADLINES = 6
#: Rulesets that a title names.
_MOST_NAMED = 3


def report_page(
    run: Run, matches: Sequence[Match], level: float = 0.95, listings: Sequence[Listing] = ()
) -> Page:
    """Return the page of matches of a run, at a level of confidence; RunError if nothing is played yet.

    Its figures are those of the summary. `listings` say how to play the run again.
    """
    document = summarise_run(run, matches, level)
    exact, _ = load_exact(run)
    told = document["matches"]
    several = len(told) > 1
    names = [f"match-{match['match']}" if several and len(told) <= MOST_TOLD else "" for match in told]
    sections = (
        _of_many(told, names, exact) if several else (*match_sections(told[0], exact.get(told[0]["match"])),)
    )
    return Page(
        title=_title(run, told),
        subtitle=f"{value_text(sum(match['games'] for match in told))} games. Run {run.name}, seed {run.seed}.",
        lead=tuple(_lead(told, names)),
        sections=(*sections, method_section(document, matches), _again(listings)),
        facts=run_facts(run, document, matches),
        notices=tuple(_notices(document, run)),
    )


def _lead(matches: Sequence[Document], names: Sequence[str]) -> list[Headline]:
    if len(matches) == 1:
        return [headline(matches[0])]
    leading = ranking_headlines(matches)
    if leading and len(matches) > _MOST_HEADLINES:
        return leading
    return [headline(match, name) for match, name in zip(matches, names, strict=True)][:MOST_TOLD]


def _of_many(
    matches: Sequence[Document], names: Sequence[str], exact: dict[int, MatchValues]
) -> tuple[Section, ...]:
    """Return what several matches show together, and then each of them, folded, as far as so many can be told."""
    count = len(matches)
    if count > MOST_TOLD:
        line = f"Of {count:,} matches each has its conclusion; dicecup report RUN --match N tells all of one."
        return (
            *pair_sections(matches),
            Section("matches", "Each match", (line,), tables=(conclusions(matches),)),
        )
    charts, lines = None, []
    if count > MOST_DRAWN:
        charts = _OUTLINE if count <= MOST_OUTLINED else ()
        kept = "its first charts" if charts else "no charts"
        lines = [
            f"Of {count} matches each has {kept} and all tables; dicecup report RUN --match N draws all of one."
        ]
    each = tuple(
        Section(
            name,
            match_title(match),
            tuple(match_lines(match)),
            sections=match_sections(match, exact.get(match["match"]), f"{name}-", charts)
            if match["deals"]
            else (),
            folded=True,
        )
        for match, name in zip(matches, names, strict=True)
    )
    return (*pair_sections(matches), Section("matches", "Each match", tuple(lines), sections=each))


def _title(run: Run, matches: Sequence[Document]) -> str:
    """Return what a page is about: the one match, or the job with its rulesets."""
    if len(matches) == 1:
        return match_title(matches[0]).partition(": ")[2]
    rulesets = list(dict.fromkeys(match["title"] for match in matches))
    where = ", ".join(rulesets[:_MOST_NAMED]) + (" and more" if len(rulesets) > _MOST_NAMED else "")
    return f"{run.name}: {len(matches):,} matches of {where}"


def _notices(document: Document, run: Run) -> list[str]:
    notices = []
    matches = document["matches"]
    if not document["complete"]:
        played, planned = (sum(match[key] for match in matches) for key in ("games", "games_planned"))
        notices.append(
            f"Incomplete: {played:,} of {planned:,} games are played. dicecup resume {shlex.quote(str(run.path))} "
            "plays the rest."
        )
    return [*notices, *document.get("remarks", ())]


def _again(listings: Sequence[Listing]) -> Section:
    lines = ("The same job gives the same rows, whatever the number of workers.",)
    return Section("again", "Play it again", lines, listings=tuple(listings))
