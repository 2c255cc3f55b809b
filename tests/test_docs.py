"""README, reference pages and code agree."""

import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Literal, get_args, get_origin

import pytest

from jobs.job import load_job
from jobs.orders import GridOrder, JobOrder, MatchOrder
from jobs.question import read_question
from sim.category import Category, Pattern, Pay
from sim.ceelo.ruleset import CeeloRuleset, Limits, load_ceelo
from sim.cheerio_ruleset import Bonus, CheerioRuleset, load_cheerio
from sim.variant import Clock, Joker, Times
from strategies.lineup import get_player
from strategies.rows import RowMaker, make_rows

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def build() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_build", ROOT / "docs" / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_pages_are_built_from_the_code() -> None:
    pages = ("columns", "commands", "strategies", "balance")
    # In a process of its own: click remembers the help of a command that another test has asked for elsewhere.
    script = (
        "import json, runpy; build = runpy.run_path('docs/build.py'); "
        f"print(json.dumps([build[page + '_page']() for page in {pages}]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    for page, built in zip(pages, json.loads(done.stdout), strict=True):
        assert (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") == built, "run make docs"


@pytest.mark.slow
def test_the_readme_shows_what_its_commands_print(build: ModuleType) -> None:
    assert build.readme_with_output(README) == README, "run make docs"


def anchors(page: Path) -> list[str]:
    """What links may name of a page: its headings in small letters, words joined by hyphens."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings]


def test_the_readme_names_only_what_exists() -> None:
    made = set(re.findall(r"^# (\S+\.(?:py|toml))$", README, re.MULTILINE))
    paths = re.findall(r"`((?:sim|strategies|jobs|results|tests|docs)/[\w/.]*)`", README)
    links = [link.partition("#") for link in re.findall(r"\]\((docs/[^)]+)\)", README)]
    paths += [path for path, _, _ in links]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [link for link in links if link[2] and link[2] not in anchors(ROOT / link[0])] == []
    assert made == {"mine.py", "tall.toml", "pairs.toml"}


def test_the_readme_s_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"make ([a-z]+)", README)) <= targets


def test_python_and_packages_are_declared_once() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lowest = project["requires-python"].removeprefix(">=")
    assert f"Python {lowest} or newer" in README


def test_the_page_on_rulesets_names_every_field_and_kind() -> None:
    page = (ROOT / "docs" / "rulesets.md").read_text(encoding="utf-8")
    for model in (CheerioRuleset, Category, Pattern, Pay, Bonus, Clock, Times, Joker, CeeloRuleset, Limits):
        for name, field in model.model_fields.items():
            assert re.search(rf"`([a-z]+\.)?{name}\b|\b{name} = ", page), f"{model.__name__}.{name}"
            allowed = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
            assert [word for word in allowed if f'`"{word}"`' not in page] == []


def test_the_page_on_jobs_names_every_key_and_its_example_loads(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "jobs.md").read_text(encoding="utf-8")
    for model in (JobOrder, MatchOrder, GridOrder):
        assert [name for name in model.model_fields if f"`{name}`" not in page and name != "matches"] == [
            "grids"
        ] * (model is JobOrder)
    file = tmp_path / "evening.toml"
    file.write_text(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0], encoding="utf-8")
    job = load_job(file)
    assert [len(match.until) for match in job.matches] == [1, *([0, 1, 0, 0, 0, 0] * 2)]
    for text in re.findall(r"^\| `(par - [^`]*)`", page, re.MULTILINE):
        assert read_question(text).pairs == (("par", "greedy"),)


def test_the_examples_of_rulesets_load(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "rulesets.md").read_text(encoding="utf-8")
    teams, stakes = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    file = tmp_path / "example.toml"
    file.write_text(teams, encoding="utf-8")
    ruleset = load_cheerio(str(file))
    assert (ruleset.team, ruleset.steal, ruleset.bonus.points) == (2, "overwrite", 35)
    file.write_text(stakes, encoding="utf-8")
    ceelo = load_ceelo(str(file))
    assert (ceelo.bank, ceelo.minutes, ceelo.stake.minimum, ceelo.stake.maximum) == ("rotate", 20, 5, 50)


@pytest.mark.parametrize(("number", "name"), [(0, "Cautious:least=5"), (1, "Doubler")])
def test_the_examples_of_strategies_play(tmp_path: Path, number: int, name: str) -> None:
    page = (ROOT / "docs" / "strategies.in.md").read_text(encoding="utf-8")
    file = tmp_path / "example.py"
    file.write_text(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[number], encoding="utf-8")
    player, ruleset = get_player(f"{file}:{name}"), load_cheerio("cheerio")
    maker = RowMaker(player, ruleset)
    assert maker.whole
    assert make_rows(player, ruleset, maker.whole_contexts()[-2:]).rows.any()
