import pyarrow as pa
import pytest

from results.schema import CATEGORIES, GAMES, Column, games_schema, markdown_columns, write_options

GAMES_ORDER = (
    "deal game seating seat side strategy position score place won credit tied tiebreak_rounds start_rounds "
    "throws upper bonus lead_changes decided_turn worst_deficit decisions"
)


def test_columns_stand_in_their_order() -> None:
    assert [column.name for column in GAMES] == GAMES_ORDER.split()
    assert [column.name for column in CATEGORIES] == (
        ["block", "seat", "strategy", "category", "count", "sum", "sum_of_squares", "zeros"]
    )


@pytest.mark.parametrize("columns", [GAMES, CATEGORIES])
def test_the_reference_names_type_unit_and_meaning_of_every_column(columns: tuple[Column, ...]) -> None:
    lines = markdown_columns(columns).splitlines()
    assert len(lines) == 2 + len(columns)
    for column, line in zip(columns, lines[2:], strict=True):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert cells[0] == column.name
        assert all(cells)
        assert len(cells) == 4


def test_every_column_has_one_encoding_and_a_variants_columns_have_too() -> None:
    steals = Column("steals", pa.uint8(), "steals", "steals of the seat")
    mood = Column("mood", pa.bool_(), "yes/no", "a flag")
    label = Column("label", pa.dictionary(pa.int8(), pa.string()), "name", "a name")
    schema = games_schema((steals, mood, label))
    options = write_options(schema)
    assert schema.names[-3:] == ["steals", "mood", "label"]
    assert sorted(options["use_dictionary"] + list(options["column_encoding"])) == sorted(schema.names)
    assert options["column_encoding"]["steals"] == "BYTE_STREAM_SPLIT"
    assert options["column_encoding"]["mood"] == "PLAIN"
    assert "label" in options["use_dictionary"]
