"""Jobs that are submitted to a cluster travel whole, are started once, and are looked after through Ray's job API."""

import json
import socket
from pathlib import Path
from types import SimpleNamespace

import pytest

from jobs import submission
from jobs.bundle import FOLDER, START, write_bundle
from jobs.errors import JobError, JobFailed, RunIncomplete
from jobs.job import load_job
from jobs.plan import plan_job
from tests.jobs.ray_runs import Head, finish, start, wait_for_parts

JOB = """
name = "evening"
seed = 5
chunk = 5_000
[[matches]]
ruleset = "./short.toml"
lineup = ["greedy", "../mine.py:Bold"]
games = 2_000
[[matches]]
ruleset = "cheerio-web-short"
lineup = ["greedy", "par"]
games = 600_000
"""


@pytest.fixture
def evening(tmp_path, write_strategy):
    """Write a job whose strategy lies above it, with a module beside, and whose ruleset lies beside it."""
    write_strategy(
        "from strategies import Strategy", "from strategies import Strategy\nfrom beside import best"
    )
    text = Path("mine.py").read_text().replace("max(sheet.open, key=lambda category: category.points(dice))",
                                               "best(sheet, dice)")  # fmt: skip
    Path("mine.py").write_text(text)
    Path("beside.py").write_text(
        "def best(sheet, dice):\n    return max(sheet.open, key=lambda category: category.points(dice))\n"
    )
    folder = tmp_path / "jobs of mine"
    folder.mkdir()
    (folder / "short.toml").write_text('extends = "cheerio-web-short"\nplayers = [2, 3]\n')
    (folder / "evening.toml").write_text(JOB)
    return folder / "evening.toml"


def test_a_bundle_is_the_same_job_without_the_files_that_it_was_made_of(evening, tmp_path, monkeypatch):
    plan = plan_job(load_job(evening))
    bundle = tmp_path / "bundle"
    bundle.mkdir()
    file = write_bundle(plan, bundle)
    assert {path.name for path in bundle.iterdir()} == {START, FOLDER}
    bundle = bundle.rename(tmp_path / "elsewhere")
    for path in (evening, evening.parent / "short.toml", Path("mine.py"), Path("beside.py")):
        path.unlink()
    again = plan_job(load_job(bundle / file))
    assert again.manifest["job"] == plan.manifest["job"]
    assert again.manifest["matches"] == plan.manifest["matches"]


def test_a_strategy_that_leads_nowhere_elsewhere_is_refused(evening, tmp_path):
    evening.write_text(JOB.replace("../mine.py", str(tmp_path / "mine.py")))
    (tmp_path / "bundle").mkdir()
    with pytest.raises(JobError, match="is no path that another machine has, too"):
        write_bundle(plan_job(load_job(evening)), tmp_path / "bundle")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("--address", "127.0.0.1:8265", "--root", "/r"), 2, "as http://host:8265"),
        (("--address", "http://ada:secret@head", "--root", "/r"), 2, "with a user or a password in it is refused"),
        (("--address", "http://127.0.0.1:1", "--root", "runs"), 2, "the cluster has another working folder"),
        (("--address", "http://127.0.0.1:1", "--root", "/r"), 1, "http://127.0.0.1:1 can't be reached"),
    ],
)  # fmt: skip
def test_what_can_not_be_submitted_is_told(dicecup, evening, words, code, told):
    answer = dicecup("submit", evening, *words)
    assert (answer.code, told in answer.err, "secret" in answer.err) == (code, True, False)


def test_where_the_job_api_is_not_installed_that_is_told(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(JobFailed, match=r"pip install 'dicecup\[service\]'"):
        submission.submitted("http://127.0.0.1:1")


class Client:
    """Stands for Ray's client: what it was given is what it knows."""

    def __init__(self, refusing=False, message=None):
        self.jobs, self.given, self._refusing, self._message = [], [], refusing, message

    def list_jobs(self):
        return self.jobs

    def submit_job(self, entrypoint, submission_id, metadata, runtime_env):
        status = SimpleNamespace(value="RUNNING")
        self.given.append(runtime_env)
        self.jobs.append(
            SimpleNamespace(
                submission_id=submission_id, metadata=metadata, status=status, message=self._message,
                start_time=1000 * len(self.jobs) + 1000, end_time=None,
            )
        )  # fmt: skip
        if self._refusing:
            raise RuntimeError("status code 500: already exists")

    def get_job_logs(self, submission_id):
        return f"10:00\tINFO\t{submission_id}"


@pytest.mark.parametrize("refusing", [False, True])
def test_a_run_is_submitted_once_at_a_time_and_credentials_stay(monkeypatch, dicecup, refusing):
    """Also where another is as quick, which Ray answers with a 500."""
    client = Client(refusing)
    monkeypatch.setattr("ray.job_submission.JobSubmissionClient", lambda address: client)
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://store:9000")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "ada")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hidden")
    wanted = {"dicecup": "0.1.0", "run": "s3://b/evening-ab", "name": "evening", "digest": "ab", "games": "9"}

    def submit():
        return submission.submit("http://head:8265", "folder", "exec", wanted, in_store=True)

    if refusing:
        with pytest.raises(RunIncomplete, match="is being played already: dicecup-evening-ab is running"):
            submit()
        return
    assert submit() == "dicecup-evening-ab"
    with pytest.raises(RunIncomplete, match="is being played already: dicecup-evening-ab is running"):
        submit()
    client.jobs[0].status.value = "FAILED"
    assert submit() == "dicecup-evening-ab-2"
    assert [job.submission for job in submission.submitted("http://head:8265")] == [
        "dicecup-evening-ab-2", "dicecup-evening-ab",
    ]  # fmt: skip
    assert submission.find("http://head:8265", "evening-ab").submission == "dicecup-evening-ab-2"
    table = dicecup("jobs", "--address", "http://head:8265").out
    for words in ("dicecup-evening-ab-2", "running", "failed", "s3://b/evening-ab"):
        assert words in table
    assert "hidden" not in str(client.given)
    assert "'ada'" not in str(client.given)
    assert client.given[0]["env_vars"]["AWS_ENDPOINT_URL"] == "http://store:9000"


MESSAGE = """Job entrypoint command failed with exit code 1, last available logs:
dicecup: asking mine.py:Bold
dicecup: strategy mine.py:Bold: choose raises RuntimeError: oh no
  the sheet shows open: Ones
Runtime env is torn down."""


def test_one_submission_is_shown_with_what_is_stored_its_error_and_how_to_go_on(
    monkeypatch, dicecup, evening, tmp_path
):
    """Also of a user without a name, as in a container."""

    def nobody():
        raise KeyError("getpwuid(): uid not found: 1000")

    client = Client(message=MESSAGE)
    monkeypatch.setattr("ray.job_submission.JobSubmissionClient", lambda address: client)
    monkeypatch.setattr("getpass.getuser", nobody)
    cluster = ("--address", "http://head:8265")
    told = dicecup("submit", evening, *cluster, "--root", tmp_path / "shared", "--games", 2_000)
    (job,) = client.jobs
    own, run = job.submission_id, job.metadata["run"]
    assert f"dicecup jobs show {own} --address http://head:8265" in told.out
    assert job.metadata["user"] == socket.gethostname()
    job.status.value = "FAILED"
    listed = dicecup("jobs", *cluster).out
    assert f"\n{own}: dicecup: strategy mine.py:Bold: choose raises RuntimeError: oh no\n" in listed
    # Below the table, which it would make as wide as it is long.
    assert "RuntimeError" not in listed.partition("\n└")[0]
    shown = dicecup("jobs", "show", own, *cluster).out
    assert "4,000 planned; what is stored, if anything, can't be seen from here" in shown
    assert "oh no\n  the sheet shows open: Ones\n" in shown
    assert "torn down" not in shown
    assert "with dicecup submit again" in shown
    for words in (
        f"jobs logs {own} --address http://head:8265",
        f"jobs show {run}",
        "submitted   1970-01-01T",
    ):
        assert words in shown
    dicecup("run", evening, "--root", tmp_path / "shared", "--games", 2_000, "--on", "here")
    (found,) = dicecup("jobs", "show", own, *cluster, "--format", "json").document["jobs"]
    assert [found[key] for key in ("state", "stored", "games")] == ["failed", "complete", 4_000]
    assert found["message"].count("\n") == 1
    whole = dicecup("jobs", "show", own, *cluster).out
    assert ("4,000 of 4,000: complete" in whole, "with dicecup submit again" in whole) == (True, False)
    assert dicecup("jobs", "logs", own, *cluster).out == f"10:00   INFO    {own}\n"
    assert "nothing is left to cancel" in dicecup("jobs", "cancel", own, *cluster).err


def asked(head, action, *words):
    """What a command of dicecup jobs says about the jobs of a head."""
    process = start("jobs", *action, *words, "--address", head.address, env=head.given)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    return out


@pytest.mark.slow
def test_a_submitted_job_is_played_stopped_and_played_to_its_end(dicecup, parts, evening, tmp_path):
    root = tmp_path / "shared"
    with Head() as head:
        words = ("submit", evening, "--address", head.address, "--root", root, "--format", "json")
        for token, told in (("0" * 64, "refuses the token"), ("", "asks for a token")):
            _, err = finish(start(*words, env=head.given | {"RAY_AUTH_TOKEN": token}), code=1)
            assert told in err
            assert "RAY_AUTH_TOKEN_PATH" in err
            assert head.token not in err
        told, _ = finish(start(*words, env=head.given))
        _, err = finish(start(*words, env=head.given), code=3)
        assert f"{told['run']} is being played already: {told['submission']} is " in err
        wait_for_parts(root, 2)
        assert f"{told['submission']} is stopped" in asked(head, ["cancel"], "evening")
        there = len(list(root.rglob("games/part-*.parquet")))
        assert 2 <= there < 122
        again, _ = finish(start(*words, env=head.given))
        assert (again["run"], again["submission"]) == (told["run"], f"{told['submission']}-2")
        here = dicecup("run", evening, "--on", "here", "--format", "json").document
        ended = asked(head, ["watch"], told["run"])
        assert here["rows"] in ended
        assert ended.endswith(f"{again['submission']} is succeeded\n")
        assert head.token not in ended
        listed = json.loads(asked(head, [], "--root", root, "--format", "json"))["jobs"]
        assert [job["state"] for job in listed] == ["succeeded", "stopped"]
        assert [job["stored"] for job in listed] == ["complete", "complete"]
    assert parts(Path(told["run"])) == parts(Path(here["run"]))
