"""Run folders that somebody else made: an answer or a clear error, and nothing is made or unpacked that need not."""

import base64
import copy
import json
import random
import re
import zlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from results.errors import DamagedPart, RunError
from results.manifest import MOST_PART_ROWS
from results.pages.page import Listing, Page, Section
from results.pages.parts import write_parts
from results.parts import encode_part, read_footer
from results.scan import category_sums, game_arrays
from results.store import Run, verify_part
from results.summary import summarise_run

HUGE = 10**18
#: Where something stands in a manifest, what it is made, and a word of the error.
WRONG = [
    (("matches", 0, "chunk_deals"), 1, "chunks is 2, 6 expected"),
    (("matches", 0, "deals"), HUGE, "less than or equal"),
    (("matches", 0, "seats"), 10**6, "seats is 1000000, 2 expected"),
    (("matches", 0, "lineup"), ["greedy"] * 10**5, "at most 6 items"),
    (("matches", 0, "lineup"), ["x" * 10**6, "par"], "at most 400 characters"),
    (("matches", 0, "turns"), 10**9, "less than or equal"),
    (("matches", 0, "sides"), [0, 10**30], "sides are"),
    (("matches", 0, "sides"), [0, -1], "sides are"),
    (("matches", 0, "categories"), [{"id": str(k), "name": "x"} for k in range(10**4)], "at most 100 items"),
    (("matches", 0, "exact"), {"edge": "1" * 5000}, "a fraction such as"),
    (("matches", 0, "best_mean"), 1e300, "less than or equal"),
    (("matches", 0, "ruleset", "rules"), {"chips": "many"}, "rule chips is none of cheerio"),
    (("matches", 0, "games_asked"), HUGE, "games_asked is"),
    (("job", "seed"), 2**64, "less than"),
    (("job", "chunk"), "one", "valid integer"),
]


def written(folder, manifest):
    folder.mkdir()
    (folder / "manifest.json").write_text(manifest if isinstance(manifest, str) else json.dumps(manifest))
    return folder


@pytest.mark.parametrize(("place", "value", "told"), WRONG, ids=lambda given: str(given)[:40])
def test_what_is_wrong_with_a_manifest_is_told_in_few_words(tmp_path, manifest, place, value, told):
    found = manifest
    for key in place[:-1]:
        found = found[key]
    found[place[-1]] = value
    with pytest.raises(RunError, match=told) as refused:
        Run.open(written(tmp_path / "run", manifest))
    assert len(str(refused.value)) < 2000


def test_a_match_of_giant_parts_or_of_too_many_is_refused(tmp_path, manifest):
    match = manifest["matches"][0]
    deals = MOST_PART_ROWS // 4 + 1
    giant = copy.deepcopy(manifest)
    giant["matches"][0] |= {"deals": deals, "games": 2 * deals, "chunk_deals": deals, "chunks": 1}
    with pytest.raises(RunError, match="can be read at once"):
        Run.open(written(tmp_path / "giant", giant))
    match |= {"deals": 10**9, "games": 2 * 10**9, "chunk_deals": 1, "chunks": 10**9}
    with pytest.raises(RunError, match=r"chunks: Input should be less than"):
        Run.open(written(tmp_path / "many", manifest))


@pytest.mark.parametrize(
    "text", ["[" * 10**5, '{"schema_version": ' + "9" * 5000 + "}", '{"a": NaN}', "\x00"]
)
def test_what_is_no_json_for_us_is_told(tmp_path, text):
    with pytest.raises(RunError):
        Run.open(written(tmp_path / "run", text))


def replaced(table, column, values):
    place = table.column_names.index(column)
    return table.set_column(place, column, values)


class Marked(pa.ExtensionType):  # type: ignore[misc]
    """A type that would mark that it was made again of its bytes."""

    made = 0

    def __init__(self):
        super().__init__(pa.uint8(), "dicecup.marked")

    def __arrow_ext_serialize__(self):
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        cls.made += 1
        return cls()


def test_a_part_of_other_types_is_damaged_before_a_row_is_read(play, chunk_tables):
    run = play(["greedy", "par"], chunks=[0])
    match = run.matches[0]
    games, categories = chunk_tables(match, 0)
    rows = games.num_rows
    path = run.games_part(match, 0)
    whole = path.read_bytes()
    odd = {
        "text": pa.array(["x"] * rows),
        "wide": pa.array([1 << 40] * rows, pa.int64()),
        "names": pa.array(["x"] * rows).dictionary_encode(),
    }
    for values in odd.values():
        path.write_bytes(encode_part(run.identity, match, 0, replaced(games, "place", values), f"{0:016x}"))
        with pytest.raises(DamagedPart, match="its columns is"):
            game_arrays(run, match, 0, ["place"])
        with pytest.raises(DamagedPart, match="its columns is"):
            summarise_run(run, run.matches)
    # Types of others' making are noted beside a schema; they are read as what they are stored as.
    marked = pa.ExtensionArray.from_storage(Marked(), pa.array([1] * rows, pa.uint8()))
    path.write_bytes(encode_part(run.identity, match, 0, replaced(games, "place", marked), f"{0:016x}"))
    assert b"dicecup.marked" in base64.b64decode(
        pq.read_metadata(path).metadata[b"ARROW:schema"], validate=True
    )
    assert (game_arrays(run, match, 0, ["place"])["place"] == 1).all()
    assert Marked.made == 0
    path.write_bytes(whole)
    path = run.categories_part(match, 0)
    wide = categories.append_column("more", pa.array([1] * categories.num_rows))
    path.write_bytes(encode_part(run.identity, match, 0, wide, f"{0:016x}"))
    with pytest.raises(DamagedPart, match="its columns is"):
        category_sums(run, match, 0)


def test_figures_that_no_game_has_are_damage(play, chunk_tables):
    run = play(["greedy", "par"], chunks=[0])
    match = run.matches[0]
    games, _ = chunk_tables(match, 0)
    for name, value in (("position", 2), ("credit", 61)):
        values = pa.array([0] * (games.num_rows - 1) + [value], pa.uint8())
        run.games_part(match, 0).write_bytes(
            encode_part(run.identity, match, 0, replaced(games, name, values), f"{0:016x}")
        )
        with pytest.raises(DamagedPart, match=f"its {name} goes up to {value}"):
            game_arrays(run, match, 0, [name])


def test_a_part_that_unpacks_to_far_more_than_it_is_is_damaged(play, chunk_tables):
    run = play(["greedy", "par"], chunks=[0])
    match = run.matches[0]
    games, categories = chunk_tables(match, 0)
    names = pa.array(["x" * (1 << 22), *["par"] * (games.num_rows - 1)]).dictionary_encode()
    long = replaced(games, "strategy", names.cast(pa.dictionary(pa.int8(), pa.string())))
    bomb = encode_part(run.identity, match, 0, long, f"{0:016x}")
    assert len(bomb) < 1 << 15
    path = run.games_part(match, 0)
    whole = path.read_bytes()
    path.write_bytes(bomb)
    with pytest.raises(DamagedPart, match="size when unpacked"):
        game_arrays(run, match, 0, ["strategy"])
    path.write_bytes(whole)
    many = pa.concat_tables([categories] * 50)
    run.categories_part(match, 0).write_bytes(encode_part(run.identity, match, 0, many, f"{0:016x}"))
    with pytest.raises(DamagedPart, match="rows of at most"):
        category_sums(run, match, 0)


def test_a_part_of_a_page_stays_in_its_folder(tmp_path):
    for name in ("../x.toml", "/tmp/x.toml", "a/b.toml", "..", ".x.toml", "con\x00.toml", "x\n.toml"):
        page = Page("t", "s", (), (Section("a", "A", listings=(Listing("l", "text", name),)),))
        with pytest.raises(RunError, match="no name of a file"):
            write_parts(page, tmp_path / "parts")
        assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_footer_that_only_its_checksum_says_is_whole_is_damage(play):
    """As one makes it who knows how the checksum is taken; the reader of Parquet says all kinds of things of it."""
    run = play(["greedy", "par"], chunks=[0])
    (match,) = run.matches
    path = run.games_part(match, 0)
    whole = path.read_bytes()
    start = read_footer(path).length
    rng, told = random.Random(5), 0
    for _ in range(150):
        tail = bytearray(whole[start:])
        for _ in range(rng.choice((1, 1, 3))):
            tail[rng.randrange(len(tail) - 8)] = rng.randrange(256)
        seal = re.search(rb"dicecup\.footer_checksum\x18\x08(.{8})", tail, re.DOTALL)
        if seal is None:
            continue
        tail[seal.start(1) : seal.end(1)] = b"-" * 8
        tail[seal.start(1) : seal.end(1)] = f"{zlib.crc32(tail):08x}".encode()
        path.write_bytes(whole[:start] + tail)
        try:
            verify_part(run, match, 0)
        except DamagedPart:
            told += 1
    assert told > 100
