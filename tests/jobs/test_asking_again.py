"""A strategy that is asked as play goes and answers in two ways stops the job, and what is stored stays."""

from pathlib import Path

FLAKY = '''
import random
from pathlib import Path

from strategies import Strategy


class Flaky(Strategy):
    """Stops at once, and fills by chance as soon as a chunk is stored."""

    sees = ("open", "difference")

    def keep(self, dice, sheet, rolls_left):
        return dice

    def choose(self, dice, sheet):
        chance = dice == (1, 2, 3, 4, 5) and any(Path("runs").rglob("part-00000.parquet"))
        return random.choice(sheet.open) if chance else sheet.open[0]
'''


def test_a_strategy_that_begins_to_answer_in_two_ways_ends_the_run_with_its_parts_kept(dicecup, parts):
    Path("flaky.py").write_text(FLAKY)
    asked = ("-r", "cheerio-web-short", "-l", "greedy,flaky.py:Flaky", "-n", 12, "--seed", 1, "--chunk", 2)
    answer = dicecup("run", *asked, "--on", "here")
    assert answer.code == 1
    assert (
        "dicecup: strategy flaky.py:Flaky: answers the same question in different ways; its dec" in answer.err
    )
    assert "\n  the sheet shows open: " in answer.err
    assert "Traceback" not in answer.err
    (run,) = Path("runs").iterdir()
    before = parts(run)
    assert [Path(place).name for place in before] == ["part-00000.parquet"] * 2
    # The run goes on where it stood, and comes to the same end.
    assert dicecup("resume", run, "--on", "here").code == 1
    assert parts(run) == before
