"""The commands that list what there is: dicecup rulesets and dicecup strategies."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

from results.commands import FORMATS
from results.printing import print_json, print_lines

if TYPE_CHECKING:
    from results.tables import Table
    from sim.ruleset import Ruleset
    from strategies.lineup import Player


def format_option(command: Any) -> Any:
    """Adds --format."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="table",
        show_default=True,
        help="How the answer is written.",
    )(command)


@click.command(epilog="Example: dicecup rulesets cheerio-bonus")
@click.argument("name", required=False, metavar="[NAME|FILE]")
@format_option
def rulesets(name: str | None, form: str) -> None:
    """List the rulesets, or show the rules of one: a shipped NAME, or a TOML FILE.

    With --format json one ruleset is given whole, as its file could be.
    """
    from sim.ruleset import load_ruleset, shipped_rulesets

    if name is not None:
        _show_ruleset(load_ruleset(name), form)
        return
    found = [load_ruleset(shipped) for shipped in shipped_rulesets()]
    if form == "json":
        print_json([ruleset_entry(ruleset) for ruleset in found])
        return
    rows = [
        (r.name, r.title, r.game, ",".join(map(str, r.players)), _category_count(r), r.digest) for r in found
    ]
    _print(form, [("Rulesets", ("name", "title", "game", "players", "categories", "digest"), rows)])


def ruleset_entry(ruleset: Ruleset) -> dict[str, Any]:
    """Returns a ruleset as the list of rulesets has it in JSON, with what a variant adds."""
    from jobs.games import rules_text_of

    told = rules_text_of(ruleset.game)
    return {
        "name": ruleset.name,
        "title": ruleset.title,
        "game": ruleset.game,
        "categories": told.categories(ruleset),
        "players": list(ruleset.players),
        "digest": ruleset.digest,
        **told.parts(ruleset),
    }


def _category_count(ruleset: Ruleset) -> str:
    from jobs.games import rules_text_of
    from results.tables import ABSENT

    return str(len(rules_text_of(ruleset.game).categories(ruleset)) or ABSENT)


def _show_ruleset(ruleset: Ruleset, form: str) -> None:
    from jobs.games import rules_text_of

    if form == "json":
        rules = ruleset.model_dump(mode="json", exclude_none=True)
        print_json({"digest": ruleset.digest, **rules})
        return
    told = rules_text_of(ruleset.game)
    title = f"{ruleset.title} ({ruleset.name}, {ruleset.digest})"
    _print(form, [told.rules_table(ruleset)], title, told.rules_lines(ruleset))


class StrategyContents(click.Group):
    """A group whose first word may also be a strategy, to be shown."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Takes a word that is no command for the name of a strategy, unless it is nearer to that of a command."""
        if args and args[0] not in self.commands:
            self._refuse_misspelt(ctx, args[0])
            args = ["show", *args]
        return super().resolve_command(ctx, args)

    def _refuse_misspelt(self, ctx: click.Context, word: str) -> None:
        from strategies.registry import STRATEGIES

        near = difflib.get_close_matches(word, ["check", *STRATEGIES], n=1)
        if word.isidentifier() and word not in STRATEGIES and near == ["check"]:
            raise click.UsageError(f"no command and no strategy is named {word!r}; did you mean check?", ctx)


@click.group(
    cls=StrategyContents,
    invoke_without_command=True,
    subcommand_metavar="[NAME|FILE.py:CLASS|check ...]",
    epilog="Examples: dicecup strategies greedy; dicecup strategies check mine.py:Bold",
)
@format_option
@click.pass_context
def strategies(ctx: click.Context, form: str) -> None:
    """List the strategies, show one in full, or check one of your own.

    A file of your own is named with its class, as mine.py:Bold.
    """
    ctx.obj = form
    if ctx.invoked_subcommand is not None:
        return
    from strategies.lineup import get_player
    from strategies.registry import STRATEGIES

    players = [get_player(name) for name in STRATEGIES]
    if form == "json":
        print_json([strategy_entry(player) for player in players])
        return
    rows = [(p.label, p.game, ", ".join(p.sees), _parameters(p), p.rule) for p in players]
    _print(form, [("Strategies", ("name", "game", "sees", "parameters", "rule"), rows)])


@strategies.command(hidden=True)
@click.argument("name", metavar="NAME|FILE.py:CLASS")
@format_option
@click.pass_context
def show(ctx: click.Context, name: str, form: str) -> None:
    """Show one strategy in full."""
    from jobs.games import rules_text_of

    player = _named_player(name)
    form = form if form != "table" else str(ctx.obj)
    if form == "json":
        entry = strategy_entry(player) | {"source_digest": player.source.digest}
        print_json(entry)
        return
    views = rules_text_of(player.game).VIEWS
    seen = [(view, views.get(view, "one fair draw for each decision")) for view in player.sees]
    if not seen:
        seen = [("nothing", "its decisions are always the same")]
    tables = [("Sees", ("view", "what it shows"), seen)]
    if player.parameters:
        given = [(key, str(value)) for key, value in player.parameters.items()]
        tables.append(("Parameters", ("name", "value"), given))
    _print(form, tables, player.label, [player.rule])


@strategies.command(epilog="Example: dicecup strategies check mine.py:Bold --ruleset cheerio-bonus")
@click.argument("name", metavar="NAME|FILE.py:CLASS")
@click.option("--ruleset", help="Ruleset to check it under.  [default: the plainest of its game]")
@format_option
@click.pass_context
def check(ctx: click.Context, name: str, ruleset: str | None, form: str) -> None:
    """Check that a strategy may play: its rule, legal decisions, and always the same ones.

    It is asked about a sample of situations. The exit code is 1 where there are problems.
    """
    import time

    from jobs.errors import JobError, JobFailed
    from jobs.games import other_game_fault, rules_text_of
    from jobs.progress import note
    from sim.ruleset import load_ruleset
    from strategies.games import asking_of

    player = _named_player(name)
    ruleset = ruleset or rules_text_of(player.game).USUAL
    rules = load_ruleset(ruleset)
    if fault := other_game_fault([player], rules):
        raise JobError(fault)
    found = asking_of(rules).check(player, rules, time.perf_counter)
    form = form if form != "table" else str(ctx.obj)
    facts: dict[str, Any] = {
        "strategy": found.name,
        "ruleset": ruleset,
        "rule": found.rule,
        "sees": list(found.sees),
        "contexts": found.contexts,
        "asked": found.asked,
        "asked_whole_before_play": found.whole,
        **{question: getattr(found, question) for question in rules_text_of(rules.game).QUESTIONS},
        "table_bytes": found.table_bytes if found.whole else None,
        "seconds_per_decision": found.seconds_per_decision,
        "seconds_to_fill": found.seconds_to_fill if found.whole else None,
        "problems": list(found.problems),
    }
    if form == "json":
        print_json(facts)
    else:
        # The problems themselves are told below, in lines of their own: a cell has no room for them.
        shown = facts | {"problems": len(found.problems) or "none"} if form == "table" else facts
        rows = [(_fact_name(key), _fact(value)) for key, value in shown.items()]
        _print(form, [("Check", ("what", "found"), rows)])
    for line in rules_text_of(rules.game).untried_lines(rules, player):
        note(line)
    if found.problems:
        count = "1 problem" if len(found.problems) == 1 else f"{len(found.problems)} problems"
        raise JobFailed(
            f"{found.name} can't play {ruleset}: {count}\n" + "\n".join(f"  {p}" for p in found.problems)
        )


def strategy_entry(player: Player) -> dict[str, Any]:
    """Returns a strategy as the list of strategies has it in JSON."""
    return {
        "name": player.label,
        "game": player.game,
        "sees": list(player.sees),
        "parameters": player.parameters,
        "rule": player.rule,
    }


def _named_player(words: str) -> Player:
    """Builds a strategy that the command line names; a name that stands for nothing is a mistake of usage."""
    from jobs.errors import JobError
    from strategies.lineup import get_player
    from strategies.strategy import StrategyError

    try:
        return get_player(words)
    except StrategyError as error:
        raise JobError(str(error)) from error


def _parameters(player: Player) -> str:
    return ", ".join(f"{name}={value}" for name, value in player.parameters.items())


def _fact_name(key: str) -> str:
    return "situations" if key == "contexts" else key.replace("_", " ")


def _fact(value: Any) -> str:
    from results.tables import ABSENT

    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(value) or "none"
    return (
        f"{value:.3g}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
    )


def _print(
    form: str,
    tables: Sequence[tuple[str, tuple[str, ...], Iterable[tuple[str, ...]]]],
    title: str = "",
    lines: Sequence[str] = (),
) -> None:
    """Prints tables of words in a format; CSV holds the last table alone, and nothing where a figure is absent."""
    import sys

    from results.tables import ABSENT, csv_text, markdown_table, markdown_text, print_tables

    drawn = [_table(*table) for table in tables]
    if form == "csv":
        rows = [["" if cell == ABSENT else cell for cell in row] for row in drawn[-1].rows]
        print_lines(csv_text([heading.text for heading in drawn[-1].headings], rows))
    elif form == "markdown":
        head = [f"# {markdown_text(title)}"] if title else []
        body = [markdown_table(table, 2).rstrip("\n") for table in drawn]
        print_lines("\n\n".join([*head, *map(markdown_text, lines), *body]))
    else:
        print_tables(drawn, sys.stdout, title, lines)


def _table(title: str, headings: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Table:
    from results.tables import Heading, Table

    return Table(title, tuple(Heading(heading, "words") for heading in headings), tuple(rows))
