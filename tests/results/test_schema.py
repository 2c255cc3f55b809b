from itertools import chain

import pytest

from results import ceelo_columns
from results.schema import (
    CATEGORIES,
    GAME_TABLES,
    GAMES,
    VARIANT_COLUMNS,
    Column,
    arrow_schema,
    games_columns,
    markdown_columns,
    write_options,
)

GAMES_ORDER = (
    "deal game seating seat side strategy position score place won credit tied tiebreak_rounds start_rounds "
    "throws upper bonus lead_changes decided_turn worst_deficit decisions"
)

CEELO_ORDER = (
    "deal game seating seat side strategy score place won credit tied throws results lead_changes decided_turn "
    "worst_deficit rounds survived staked bets bets_won"
)
BANK_ORDER = "pushes decisions covered bank_net bank_rounds instant_wins instant_losses bank_passes"
POT_ORDER = "tied_2 tied_3 tied_4 tied_5 tied_6 decided_1 decided_2 decided_3 decided_4"


def test_columns_stand_in_their_order() -> None:
    assert [column.name for column in GAMES] == GAMES_ORDER.split()
    assert [column.name for column in ceelo_columns.GAMES] == CEELO_ORDER.split()
    assert [column.name for column in CATEGORIES] == (
        ["block", "seat", "strategy", "category", "count", "sum", "sum_of_squares", "zeros"]
    )


@pytest.mark.parametrize("columns", list(chain(*GAME_TABLES.values())))
def test_the_reference_names_type_unit_and_meaning_of_every_column(columns: tuple[Column, ...]) -> None:
    lines = markdown_columns(columns).splitlines()
    assert len(lines) == 2 + len(columns)
    for column, line in zip(columns, lines[2:], strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[0] == column.name
        assert all(cells)
        assert len(cells) == 4


@pytest.mark.parametrize(
    ("parts", "added"),
    [
        ("", ""),
        ("throws tiebreak", ""),
        ("team", "turns"),
        ("joker", "jokers"),
        ("steal", "turns steals robbed margin_without credit_without"),
        ("clock", "turns milliseconds empty"),
        ("team clock joker", "turns jokers milliseconds empty"),
    ],
)
def test_a_variant_adds_its_columns_behind_the_others(parts: str, added: str) -> None:
    names = [column.name for column in games_columns("cheerio", parts.split())]
    assert names == GAMES_ORDER.split() + added.split()


@pytest.mark.parametrize(
    ("parts", "added"), [("chips bank stake minutes", BANK_ORDER), ("chips ante", POT_ORDER)]
)
def test_a_bank_and_a_pot_have_columns_of_their_own(parts: str, added: str) -> None:
    names = [column.name for column in games_columns("ceelo", parts.split())]
    assert names == CEELO_ORDER.split() + added.split()


def test_what_brings_a_column_is_told_with_it() -> None:
    words = {"team": "teams", "steal": "steals", "clock": "a clock", "joker": "a joker", "stake": "a bank",
             "ante": "a pot", "luck": "--luck"}  # fmt: skip
    for column in (*VARIANT_COLUMNS, *ceelo_columns.VARIANT_COLUMNS):
        told = column.meaning.partition("there with ")[2]
        assert told.replace(" or ", ", ").split(", ") == [words[part] for part in column.parts]


def test_columns_of_one_name_have_one_type_and_one_encoding_in_all_games() -> None:
    kinds: dict[str, tuple[str, str]] = {}
    for column in chain(*chain(*GAME_TABLES.values())):
        assert kinds.setdefault(column.name, (str(column.type), column.encoding)) == (
            str(column.type), column.encoding,
        ), column.name  # fmt: skip


def test_the_second_table_has_the_same_columns_in_all_games() -> None:
    first, *others = ([(c.name, c.type) for c in sums] for _, _, sums in GAME_TABLES.values())
    assert all(other == first for other in others)


def test_every_column_has_one_encoding() -> None:
    schema = arrow_schema((*GAMES, *VARIANT_COLUMNS))
    options = write_options(schema)
    assert sorted(options["use_dictionary"] + list(options["column_encoding"])) == sorted(schema.names)
    assert options["column_encoding"]["margin_without"] == "BYTE_STREAM_SPLIT"
    assert options["column_encoding"]["won"] == "PLAIN"
    assert "strategy" in options["use_dictionary"]
