"""Every way in which a user can be wrong: one line, and the exit code of its kind."""

import fcntl

import pytest

from wherefrom.core.artifact import lock_folder
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "peple"], "no such recipe; did you mean 'people'?"),
        (["run", "--out", ""], "--out: expected a value, found ''"),
        (["run", "--seeds", "0,0"], "seeds: expected each seed once, found 0 twice"),
        (["run", "--set", "stages.pretrain.stpes=3"], "did you mean 'steps'?"),
        (["run", "--set", "model.n_head=7"], "model.n_embd: expected a multiple of n_head=7"),
        (["run", "--set", "data=people"], "data: expected a table, found 'people'"),
        (["run", "--device", "tpu"], "device: expected one of"),
        (["run", "--threads", "-1"], "--threads: expected at least 0, found '-1'; see"),
        (["run", "--seed", "-1"], "seed: expected"),
        (["run", "--seed", "x"], "--seed: expected a whole number, found 'x'; see 'wherefrom"),
        (["run", "--together", "0"], "--together: expected at least 1, found '0'"),
        (["ask", "r", "q", "--risk", "2"], "--risk: expected at most 0.999, found '2'"),
        (["ask", "r", "q", "--risk", "x"], "--risk: expected a number, found 'x'; see 'wherefrom"),
        (["doctor", "submission", ".", "--seconds", "-inf"], "--seconds: expected at least 1"),
        (["run", "--seed", "1", "--seeds", "0-4"], "--seed and --seeds"),
        (["run", "--set", "data.asked=999999"], "asked: expected a whole number from 1 to 20,000"),
        (["run", "--set", "data.asked=20000"], "at most 20,000 people, found 20344"),
        (["run", "--seed", "9" * 5000], "'--seed'"),
        (["run", "people", "--minutes", "5"], "--minutes: expected the recipe 'facts', which is"),
        (["rnu"], "Did you mean 'run'?"),
        (["audit"], "'RUN'"),
        (["run", "people", "extra"], "extra"),
    ],
)
def test_usage(cli, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = cli(*arguments)
    assert result.code == 2
    assert message in result.complaint
    assert result.out == ""
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_something_else_is_not_written_into(cli, tiny, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    result = cli("run", *tiny, "--out", tmp_path)
    assert result.code == 73
    assert f"{tmp_path}: expected a new folder, an empty one or a run, found" in result.complaint
    result = cli("run", *tiny, "--out", tmp_path / "loop")
    assert result.code == 73
    assert sorted(p.name for p in tmp_path.iterdir()) == ["loop", "thesis.txt"]


def test_a_folder_of_another_run(cli, tiny, tiny_run):
    """Where it runs makes no other run of it."""
    result = cli("run", "bigram-tiny", "--out", tiny_run)
    assert result.code == 78
    assert 'name: the folder\'s run has "people", asked for "bigram-tiny"' in result.complaint
    result = cli("run", *tiny, "--set", "model.n_head=4", "--out", tiny_run)
    assert result.code == 78
    assert "model.n_head: the folder's run has 2, asked for 4" in result.complaint
    assert "--out" in result.complaint
    assert cli("run", *tiny, "--threads", 2, "--no-report", "--out", tiny_run).code == 0


@pytest.mark.parametrize(
    ("setting", "text"),
    [
        ("model.n_embd=65536", "model: expected at most the 1 GB of memory that are there, found"),
        ("stages.pretrain.batch=1000000", "stages.pretrain.batch: expected at most the 1 GB of"),
    ],
)
def test_a_model_that_cannot_fit_is_refused_before_it_is_built(
    cli, tiny, tmp_path, monkeypatch, setting, text
):
    monkeypatch.setattr("wherefrom.runs.workshop.find_memory", lambda: 10**9)
    result = cli("run", *tiny, "--set", setting, "--out", tmp_path / "run")
    assert result.code == 71
    assert text in result.complaint
    assert not (tmp_path / "run").exists()


def test_memory_that_fails_while_it_trains(cli, tiny, tmp_path, monkeypatch):
    def fail(*_args):
        raise MemoryError

    monkeypatch.setattr("wherefrom.training.torch_learner.TorchLearner.advance", fail)
    result = cli("run", *tiny, "--out", tmp_path / "run")
    assert result.code == 71
    assert "stages.pretrain, with batch=8: expected enough memory, found too" in result.complaint


def test_a_folder_that_may_not_be_looked_into_cannot_be_written(cli, tiny, tmp_path, monkeypatch):
    """As for a user without the right; the super-user, who runs some tests, has it always."""

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.mkdir", refuse)
    for name in ("stat", "lstat", "open"):
        monkeypatch.setattr(f"os.{name}", refuse)
    result = cli("run", *tiny, "--out", tmp_path / "run")
    assert result.code == 73
    assert "Permission denied" in result.complaint


def test_a_second_writer_is_turned_away(cli, tiny, own_run):
    RunFolder(own_run).write_status({"state": "unfinished", "seconds": 1.0})
    with lock_folder(own_run):
        result = cli("run", *tiny, "--out", own_run)
    assert result.code == 75
    assert "expected to be its only writer" in result.complaint
    assert cli("run", *tiny, "--no-report", "--out", own_run).code == 0
    with (own_run / ".lock").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the lock was freed


@pytest.mark.nightly
def test_a_full_disk_loses_nothing(interrupted, tiny, tiny_run, tmp_path):
    given = ("run", *tiny, "--no-report", "--out", tmp_path / "run")
    result = interrupted(*given, "--json", file_limit=50_000)
    assert result.code == 73
    assert "File too large" in result.complaint
    assert result.out == ""
    assert interrupted(*given).code == 0
    assert open_run(tmp_path / "run").results == open_run(tiny_run).results


def test_a_model_that_diverges(cli, tiny, tmp_path):
    rate = "stages.pretrain.optimiser.rate=1e30"
    result = cli("run", *tiny, "--set", rate, "--out", tmp_path / "r")
    assert result.code == 79
    assert "step" in result.complaint
