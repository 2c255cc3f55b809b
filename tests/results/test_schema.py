import pytest

from results.schema import (
    CATEGORIES,
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


def test_columns_stand_in_their_order() -> None:
    assert [column.name for column in GAMES] == GAMES_ORDER.split()
    assert [column.name for column in CATEGORIES] == (
        ["block", "seat", "strategy", "category", "count", "sum", "sum_of_squares", "zeros"]
    )


@pytest.mark.parametrize("columns", [GAMES, CATEGORIES, VARIANT_COLUMNS])
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
    names = [column.name for column in games_columns(parts.split())]
    assert names == GAMES_ORDER.split() + added.split()


def test_what_brings_a_column_is_told_with_it() -> None:
    words = {"team": "teams", "steal": "steals", "clock": "a clock", "joker": "a joker"}
    for column in VARIANT_COLUMNS:
        told = column.meaning.partition("there with ")[2]
        assert told.replace(" or ", ", ").split(", ") == [words[part] for part in column.parts]


def test_every_column_has_one_encoding() -> None:
    schema = arrow_schema((*GAMES, *VARIANT_COLUMNS))
    options = write_options(schema)
    assert sorted(options["use_dictionary"] + list(options["column_encoding"])) == sorted(schema.names)
    assert options["column_encoding"]["margin_without"] == "BYTE_STREAM_SPLIT"
    assert options["column_encoding"]["won"] == "PLAIN"
    assert "strategy" in options["use_dictionary"]
