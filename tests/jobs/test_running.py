"""The commands run and resume, played in this process: what they make, and what they survive."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from results.lock import lock_run
from results.store import Run, verify_part


def run_of(document):
    return Path(document["run"])


def flip_a_bit_of_the_rows(path):
    """Changes one bit in the last page of a column: the file stays a Parquet file that can be read."""
    column = pq.read_metadata(path).row_group(0).column(7)
    content = bytearray(path.read_bytes())
    content[column.data_page_offset + column.total_compressed_size - 2] ^= 1
    path.write_bytes(content)


def test_a_run_is_complete_and_its_facts_are_told(play):
    told = play()
    assert told["games"] == told["played"] == 20_000
    assert told["complete"] is True
    assert len(told["rows"]) == 16
    run = Run.open(run_of(told))
    assert run.path.parent == Path("runs")
    assert run.path.name == f"cheerio-web-short-{run.digest}"
    assert run.state == "complete"
    assert verify_part(run, run.matches[0], 0).rows == 40_000
    assert not (run.path / "lock").exists()


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_any_number_of_workers_makes_the_same_bytes(play, parts, workers):
    told = play("--chunk", 1000, "--workers", workers, "--root", f"w{workers}")
    alone = play("--chunk", 1000, "--workers", 1, "--root", "alone")
    assert len(parts(run_of(told))) == 20
    assert parts(run_of(told)) == parts(run_of(alone))
    assert (run_of(told) / "manifest.json").read_bytes() == (run_of(alone) / "manifest.json").read_bytes()


def test_any_size_of_chunks_makes_the_same_rows(play):
    told = [play("--chunk", chunk, games="145k") for chunk in (1000, 70_001)]
    assert told[0]["rows"] == told[1]["rows"]
    assert told[0]["run"] != told[1]["run"]
    assert play("--seed", 6, games="145k")["rows"] != told[0]["rows"]


def test_a_complete_run_is_not_played_again_unless_forced(play, parts, dicecup):
    told = play("--chunk", 5000)
    before = parts(run_of(told))
    again = play("--chunk", 5000)
    assert (again["played"], again["rows"]) == (0, told["rows"])
    answer = dicecup("resume", told["run"], "--format", "json")
    assert (answer.code, answer.document["played"]) == (0, 0)
    assert "nothing is played" in answer.err
    forced = play("--chunk", 5000, "--force")
    assert forced["played"] == 20_000
    assert parts(run_of(told)) == before


def test_what_is_missing_or_damaged_is_played_again(play, parts, dicecup):
    told = play("--chunk", 1000)
    folder = run_of(told) / "matches/00"
    whole = parts(run_of(told))
    (folder / "games/part-00003.parquet").unlink()
    cut = folder / "games/part-00005.parquet"
    cut.write_bytes(cut.read_bytes()[:-1000])
    other = folder / "categories/part-00007.parquet"
    other.write_bytes((folder / "categories/part-00008.parquet").read_bytes())
    for kind, chunk in (("games", 1), ("categories", 2)):
        flip_a_bit_of_the_rows(folder / f"{kind}/part-{chunk:05d}.parquet")
    answer = dicecup("resume", told["run"], "--format", "json", "--on", "here")
    assert answer.code == 0
    assert answer.document["played"] == 10_000
    assert answer.document["rows"] == told["rows"]
    assert "match 0, chunk 5 is damaged: games/part-00005.parquet: " in answer.err
    assert "is damaged: categories/part-00007.parquet: " in answer.err
    assert "games/part-00001.parquet: its rows have the checksum" in answer.err
    assert "categories/part-00002.parquet: its rows have the checksum" in answer.err
    assert {
        place: content for place, content in parts(run_of(told)).items() if "damaged" not in place
    } == whole
    assert len(list(folder.rglob("*.damaged"))) == 8


@pytest.mark.parametrize("kind", ["games", "categories"])
@pytest.mark.parametrize("command", ["run", "resume"])
def test_rows_damaged_in_a_complete_run_are_played_again(play, parts, dicecup, command, kind):
    told = play("--chunk", 1000)
    whole = parts(run_of(told))
    flip_a_bit_of_the_rows(run_of(told) / f"matches/00/{kind}/part-00004.parquet")
    assert parts(run_of(told)) != whole
    if command == "run":
        assert play("--chunk", 1000)["played"] == 2000
    else:
        assert dicecup("resume", told["run"], "--format", "json").document["played"] == 2000
    assert {
        place: content for place, content in parts(run_of(told)).items() if "damaged" not in place
    } == whole


@pytest.mark.parametrize(("key", "value", "remedy"), [
    ("engine_version", 99, "Use the version of dicecup that began it"),
    ("matches.0.strategies.par.source_digest", "0" * 16, "Bring back the strategies"),
    ("matches.0.ruleset.digest", "0" * 12, "Bring back what differs"),
])  # fmt: skip
def test_a_run_that_was_made_otherwise_is_refused(play, dicecup, key, value, remedy):
    told = play()
    path = run_of(told) / "manifest.json"
    manifest = json.loads(path.read_text())
    place = manifest
    *way, last = [int(step) if step.isdigit() else step for step in key.split(".")]
    for step in way:
        place = place[step]
    place[last] = value
    path.write_text(json.dumps(manifest))
    refused = play(code=2)
    # Of a strategy whose source has changed the name says it all.
    said = "otherwise: par has changed since" if last == "source_digest" else f"differs in: {key}"
    assert f"{said}. {remedy}" in refused.err
    assert dicecup("resume", told["run"]).code == 2
    assert play("--force")["played"] == 20_000


def test_versions_are_noted_and_no_reason_to_refuse(play):
    path = run_of(play()) / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["versions"]["numpy"] = "1.0"
    path.write_text(json.dumps(manifest))
    assert play()["played"] == 0


def test_a_run_that_is_being_written_says_by_whom(play):
    run = run_of(play("--chunk", 1000))
    (run / "matches/00/games/part-00000.parquet").unlink()
    with lock_run(run):
        refused = play("--chunk", 1000, code=3)
    assert f", process {os.getpid()}, started " in refused.err
    assert play("--chunk", 1000)["played"] == 2000


@pytest.mark.parametrize("fault", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("workers", [1, 2])
def test_storage_that_gives_way_loses_nothing(play, parts, monkeypatch, fault, workers):
    from results.store import commit_part as real

    whole = parts(run_of(play("--chunk", 1000, "--root", "whole")))
    calls: list[int] = []

    def commit(run, match, chunk, *rest):
        calls.append(chunk)
        if len(calls) > 4:
            raise OSError(fault, os.strerror(fault), "part-x.parquet")
        real(run, match, chunk, *rest)

    with monkeypatch.context() as patched:
        patched.setattr("jobs.execute.commit_part", commit)
        broken = play("--chunk", 1000, "--workers", workers, code=3)
    lines = [line for line in broken.err.splitlines() if line.startswith("dicecup: ")]
    assert len(lines) == 1
    assert f"part-x.parquet: {os.strerror(fault)}" in lines[0]
    assert "4 of 10 chunks are stored and whole; for the rest: dicecup resume runs/" in lines[0]
    assert "same command" not in lines[0]
    assert play("--chunk", 1000)["played"] == 12_000
    assert parts(next(Path("runs").iterdir())) == whole


def test_a_file_where_the_root_should_be(play):
    Path("runs").write_text("")
    refused = play(code=3)
    assert "remove the file that stands in the place of a folder" in refused.err


@pytest.mark.slow
def test_a_limit_on_file_size_is_told_and_outlived(play, parts):
    """A real fault of the file system: no file may grow beyond 60 kB (RLIMIT_FSIZE)."""
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000)); "
        "from jobs.cli import main; main(sys.argv[1:])"
    )
    words = "run --ruleset cheerio-web-short --lineup greedy,par --seed 5 --games 20k --chunk 9000 --on here"
    done = subprocess.run(
        [sys.executable, "-c", program, *words.split()], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "File too large" in done.stderr
    assert "Traceback" not in done.stderr
    told = play("--chunk", 9000)
    assert parts(run_of(told)) == parts(run_of(play("--chunk", 9000, "--root", "other")))
    assert not list(run_of(told).rglob(".*.tmp"))


def start(*words):
    command = [sys.executable, "-m", "jobs.cli", "run", "--ruleset", "cheerio-web-short", "--lineup", "greedy,par",
               "--seed", "5", "--no-summary", *words]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_parts(count, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if len(list(Path("runs").rglob("games/part-*.parquet"))) >= count:
            return
        time.sleep(0.01)
    raise AssertionError("no parts came")


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        pytest.param(signal.SIGKILL, -9, marks=pytest.mark.slow),
    ],
)
def test_a_run_that_is_stopped_is_resumed_to_the_same_bytes(dicecup, parts, number, code):
    process = start("--games", "200k", "--chunk", "2000", "--on", "here")
    wait_for_parts(3)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code, err
    run = next(Path("runs").iterdir())
    there = len(list(run.rglob("games/part-*.parquet")))
    assert 3 <= there < 50
    if number != signal.SIGKILL:
        assert "stopping: " in err
        assert f"{there} of 50 chunks are stored and whole; for the rest: dicecup resume {run}" in err
    done = dicecup("run", "--ruleset", "cheerio-web-short", "--lineup", "greedy,par", "--seed", 5, "--games", "200k",
                   "--chunk", 2000, "--on", "here", "--format", "json", "--root", "undisturbed")  # fmt: skip
    assert done.code == 0
    resumed = dicecup("resume", run, "--on", "here", "--format", "json")
    assert resumed.code == 0, resumed.err
    assert resumed.document["played"] == 200_000 - there * 4000
    assert resumed.document["rows"] == done.document["rows"]
    assert parts(run) == parts(Path(done.document["run"]))


def test_a_users_ten_lines_play_through_the_real_command(dicecup, write_strategy):
    words = write_strategy()
    answer = dicecup("run", "-r", "cheerio-web-short", "-l", f"{words},greedy", "-n", 2001, "--seed", 1)
    assert answer.code == 0, answer.err
    assert "2,001 games rounded up to 2,002, 1,001 deals in 2 seatings" in answer.err
    assert "mine.py:Bold" in answer.out
    assert "Winning" in answer.out
    run = next(Path("runs").iterdir())
    entry = json.loads((run / "manifest.json").read_text())["matches"][0]["strategies"][words]
    assert entry["file"] == "../../mine.py"
    assert entry["rule"].startswith("Keeps what shows most often")


def test_a_changed_strategy_is_refused_and_brought_back(dicecup, write_strategy):
    words = write_strategy()
    asked = ("run", "-r", "cheerio-web-short", "-l", words, "-n", 3000, "--seed", 1, "--chunk", 1000)
    assert dicecup(*asked).code == 0
    run = next(Path("runs").iterdir())
    (run / "matches/00/games/part-00001.parquet").unlink()
    write_strategy("key=dice.count", "key=lambda die: (dice.count(die), die)")
    for command in (asked, ("resume", run)):
        refused = dicecup(*command)
        assert refused.code == 2
        assert "was made otherwise: mine.py:Bold has changed since. Bring back the strategies" in refused.err
    Path("mine.py").unlink()
    gone = dicecup("resume", run)
    assert gone.code == 2
    assert "mine.py:Bold, which is not there any more" in gone.err
    write_strategy()
    assert dicecup("resume", run).code == 0


@pytest.mark.parametrize(("old", "new", "told"), [
    ("face = max(dice, key=dice.count)", "face = dice[9]", "keep((1, 1, 1, 1, 1), sheet, rolls_left=2) raises Index"),
    ("[die for die in dice if die == face]", "[6, 6]", "returns [6, 6]; allowed: any of these five dice"),
    ("max(sheet.open,", "max(sheet.categories,", "is filled; allowed: "),
    ("face = max(dice, key=dice.count)", "face = sheet.upper", "add 'upper' to sees"),
])  # fmt: skip
def test_a_strategy_that_fails_stops_the_job_before_any_game(dicecup, write_strategy, old, new, told):
    words = write_strategy(old, new)
    answer = dicecup("run", "-r", "cheerio-web-short", "-l", f"{words},par", "-n", 1000)
    assert answer.code == 1
    assert "dicecup: strategy mine.py:Bold: " in answer.err
    assert told in answer.err
    assert "Traceback" not in answer.err
    assert not Path("runs").exists()


def test_a_strategy_that_is_asked_as_play_goes_names_its_fault(dicecup, write_strategy):
    words = write_strategy(
        'sees = ("open",)\n    def keep(self, dice, sheet, rolls_left):',
        'sees = ("open", "upper")\n    def keep(self, dice, sheet, rolls_left):\n        assert sheet.upper < 9',
    )
    answer = dicecup("run", "-r", "cheerio-web-short", "-l", f"{words},par", "-n", 1000)
    assert answer.code == 1
    assert "keep((1, 1, 1, 1, 1), sheet, rolls_left=2) raises AssertionError" in answer.err
    assert "upper: " in answer.err


@pytest.mark.slow
def test_a_strategy_that_loops_for_ever_is_stopped(dicecup, write_strategy):
    words = write_strategy("face = max", "while len(sheet.open) == 4: pass\n        face = max")
    answer = dicecup("run", "-r", "cheerio-web-short", "-l", f"{words},par", "-n", 1000)
    assert answer.code == 1
    assert "takes longer than 5 s; it may loop for ever" in answer.err


def test_several_matches_end_in_a_line_each(dicecup):
    answer = dicecup("run", "-r", "cheerio-web", "-r", "cheerio-web-short", "-l", "greedy,par", "-l", "greedy",
                     "-n", 1000, "--seed", 3)  # fmt: skip
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert sum(line.startswith(("cheerio-web greedy", "cheerio-web-short greedy")) for line in lines) == 4


def test_a_dry_run_shows_and_plays_nothing(dicecup):
    asked = ("run", "-r", "cheerio", "-l", "greedy,par", "-n", "1M", "--seed", 3, "--dry-run")
    told = dicecup(*asked, "--format", "json").document
    assert told["games"] == 1_000_000
    assert told["matches"][0]["chunk_deals"] == 25_000
    assert told["chunks"] == 20
    assert 0.3 < told["estimated_core_seconds"] < 30
    assert "about" in dicecup(*asked).out
    assert not Path("runs").exists()


def test_games_with_steals_take_longer_as_each_side_s_are_played_once_more(dicecup):
    def estimated(ruleset, lineup):
        told = dicecup(
            "run", "-r", ruleset, "-l", lineup, "-n", "1M", "--seed", 3, "--dry-run", "--format", "json"
        )
        return told.document["estimated_core_seconds"]

    plain, two, three = (
        estimated(*asked)
        for asked in (
            ("cheerio", "greedy,par"),
            ("cheerio-cutthroat", "greedy,par"),
            ("cheerio-cutthroat", "greedy,par,nets"),
        )
    )
    assert 3 * plain < two < three < 3 * two


def test_games_on_the_command_line_count_for_every_match_of_a_job_file(dicecup):
    text = 'seed = 1\n[[matches]]\nruleset = "cheerio"\nlineup = ["par"]\ngames = 5000\n'
    Path("mine.toml").write_text(text)
    told = [
        dicecup("run", "mine.toml", *more, "--dry-run", "--format", "json").document
        for more in ((), ("-n", 70))
    ]
    assert [document["games"] for document in told] == [5000, 70]


@pytest.mark.parametrize("name", [None, "team", "overwrite", "speed"])
def test_sizes_are_estimated_within_a_factor_of_two(dicecup, variant, name):
    ruleset, lineup = variant(name) if name else ("cheerio", "greedy,par")
    games = "20k" if name else "100k"
    asked = ("run", "-r", ruleset, "-l", lineup, "-n", games, "--seed", 3, "--format", "json")
    estimated = dicecup(*asked, "--dry-run").document["estimated_bytes"]
    stored = sum(
        path.stat().st_size
        for path in Path(dicecup(*asked, "--on", "here").document["run"]).rglob("*.parquet")
    )
    assert stored / 2 < estimated < stored * 2


def test_a_run_is_not_replaced_where_other_things_would_be_lost(play, parts):
    told = play("--chunk", 5000)
    run = run_of(told)
    before = parts(run)
    for place in ("notes.txt", "matches/00/mine.csv"):
        (run / place).write_text("mine")
        refused = play("--chunk", 5000, "--force", code=2)
        assert f"holds other things beside its run ({place})" in refused.err
        assert parts(run) == before
        assert play("--chunk", 5000)["played"] == 0
        (run / place).unlink()
    with lock_run(run):
        assert play("--chunk", 5000, "--force", code=3).code == 3
        assert parts(run) == before
    assert play("--chunk", 5000, "--force")["played"] == 20_000


def test_a_run_is_replaced_under_one_lock(play, monkeypatch):
    from jobs import running

    held = []
    for name in ("clear_run", "create_run", "_play"):
        real = getattr(running, name)

        def watched(*given, name=name, real=real):
            held.append((name, [path.name for path in Path("runs").glob("*/lock-*")]))
            return real(*given)

        monkeypatch.setattr(running, name, watched)
    play("--force")
    assert [name for name, _ in held] == ["clear_run", "create_run", "_play"]
    assert len(held[0][1]) == 1
    assert all(locks == held[0][1] for _, locks in held)


@pytest.mark.parametrize(
    ("number", "drawn"), [(signal.SIGINT, False), pytest.param(signal.SIGTERM, True, marks=pytest.mark.slow)]
)
def test_a_command_that_is_stopped_while_tables_fill_leaves_nothing(write_strategy, tmp_path, number, drawn):
    """Bold is asked for all its decisions by two processes, each slowly; a file tells that one has begun."""
    own = write_strategy(
        "        face =", "        open('begun', 'w').close(); import time; time.sleep(0.01)\n        face ="
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    seed = [] if drawn else ["--seed", "5"]
    words = ["--ruleset", "cheerio-bonus", "--lineup", f"{own},par", *seed, "--on", "here", "--workers", "2"]
    program = (
        "import sys; from jobs import filling; filling.FEW_DECISIONS = 0; "
        "from jobs.cli import main; main(sys.argv[1:])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "run", *words], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "TMPDIR": str(temporary), "DICECUP_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    end = time.monotonic() + 60
    while not Path("begun").exists() and time.monotonic() < end and process.poll() is None:
        time.sleep(0.02)
    assert list(temporary.glob("dicecup-*"))
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (130, ""), err
    again = f" with --seed {err.partition('seed ')[2].split()[0]}" if drawn else ""
    assert (
        err.splitlines()[-1]
        == f"dicecup: interrupted: no game was played; give the same command again{again}"
    )
    assert "leaked" not in err
    assert not list(temporary.iterdir())
    assert not Path("runs").exists()


@pytest.mark.parametrize("name", ["team", "overwrite", "team-take", "speed", "joker"])
def test_a_variant_makes_the_same_rows_however_it_is_played(dicecup, variant, parts, name):
    ruleset, lineup = variant(name)
    asked = ("run", "-r", ruleset, "-l", lineup, "-n", 600, "--seed", 5, "--on", "here", "--format", "json")
    told = dicecup(*asked, "--chunk", 60, "--workers", 3).document
    whole = parts(run_of(told))
    assert dicecup(*asked, "--chunk", 47, "--workers", 1, "--root", "other").document["rows"] == told["rows"]
    (run_of(told) / "matches/00/games/part-00001.parquet").unlink()
    assert dicecup("resume", told["run"], "--on", "here", "--format", "json").document["rows"] == told["rows"]
    assert parts(run_of(told)) == whole
    for game in (0, 331, 599):
        answer = dicecup("replay", told["run"], "--game", game)
        assert (answer.code, answer.err) == (0, "as stored\n")
    summary = dicecup("summary", told["run"])
    assert summary.code == 0
    added = {"overwrite": "What stealing is worth", "speed": "Empty categories", "joker": "Jokers"}
    assert added.get(name, "Winning") in summary.out
    assert f"short-{name})" in summary.out.splitlines()[0]


THIEF = """
    def steal(self, offer, sheet):
        assert threading.current_thread() is threading.main_thread()
        return offer.swing > sheet.turns_left
    def forfeit(self, sheet):
        assert threading.current_thread() is threading.main_thread()
        return sheet.open[-1]
    def choose"""


def test_a_strategy_is_asked_for_its_steals_by_the_main_thread(dicecup, variant, write_strategy):
    ruleset, _ = variant("overwrite")
    own = write_strategy("\n    def choose", THIEF)
    Path("mine.py").write_text("import threading\n" + Path("mine.py").read_text())
    asked = (
        "run",
        "-r",
        ruleset,
        "-n",
        400,
        "--chunk",
        100,
        "--workers",
        2,
        "--seed",
        5,
        "--on",
        "here",
        "--format",
        "json",
    )
    told = dicecup(*asked, "-l", f"{own},par")
    assert told.code == 0, told.err
    run = told.document["run"]
    document = dicecup("summary", run, "--format", "json").document
    thief = document["matches"][0]["steals"]["strategies"][0]
    assert thief["strategy"] == own
    assert 0 < thief["steals"] < thief["games"]
    assert all(dicecup("replay", run, "--game", game).code == 0 for game in range(0, 400, 80))
    # Told not to, it is not asked; its rows need no thread of their own then but for what it forfeits.
    never = dicecup(*asked, "-l", f"{own}:steal=never,par").document["run"]
    document = dicecup("summary", never, "--format", "json").document
    assert document["matches"][0]["steals"]["strategies"][0]["steals"] == 0


def test_a_steal_that_fails_names_the_offer(dicecup, variant, write_strategy):
    ruleset, _ = variant("take")
    own = write_strategy(
        "    def choose", "    def steal(self, offer, sheet):\n        return 1 // 0\n    def choose"
    )
    answer = dicecup("run", "-r", ruleset, "-l", f"{own},par", "-n", 100, "--seed", 5)
    assert answer.code == 1
    assert "mine.py:Bold: steal(" in answer.err
    assert "ZeroDivisionError" in answer.err
    assert "Traceback" not in answer.err


def test_a_run_that_lost_its_manifest_gets_it_again_and_keeps_its_parts(play, parts, dicecup):
    told = play("--chunk", 5000)
    run = run_of(told)
    manifest, before = (run / "manifest.json").read_bytes(), parts(run)
    for content in (None, b"{", b"[]"):
        (run / "manifest.json").unlink()
        if content is not None:
            (run / "manifest.json").write_bytes(content)
        answer = dicecup("resume", run)
        assert (answer.code, "give its job to dicecup run again" in answer.err.lower()) == (2, True)
        (run / "manifest.json").unlink(missing_ok=True)
        again = play("--chunk", 5000)
        assert (again["played"], again["rows"]) == (0, told["rows"])
        assert (run / "manifest.json").read_bytes() == manifest
    (run / "manifest.json").unlink()
    assert play("--chunk", 5000, "--force")["played"] == 20_000
    assert parts(run) == before


def test_a_run_whose_folder_goes_away_meanwhile_says_so(play, monkeypatch):
    from jobs import execute

    real = execute.play_part

    def removed(run, *rest):
        shutil.rmtree(run.path, ignore_errors=True)
        real(run, *rest)

    with monkeypatch.context() as patched:
        patched.setattr(execute, "play_part", removed)
        answer = play("--workers", 1, "--chunk", 5000, code=3)
    assert "the run was removed while it was played. " in answer.err
    assert "Give its job to dicecup run again" in answer.err
    assert play("--workers", 1, "--chunk", 5000)["played"] < 20_000
