"""Several processes on one run: it ends as if there had been one, or says why not, in one line."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pytest

from tests.support.rank_processes import Ended, start
from wherefrom import api
from wherefrom.cli.main import main
from wherefrom.core.errors import UsageError
from wherefrom.core.files import file_hash, read_arrays
from wherefrom.experiments.launcher import run_on_ranks
from wherefrom.experiments.recipes.recipe_catalogue import get_recipe
from wherefrom.experiments.resources import count_apart, count_ranks

# Runs a command; something may happen in a rank before a step (rank_processes.happen).
# Two processes of one machine need two cores, and this machine may have one.
PROGRAM = """
import os, sys
os.sched_getaffinity = lambda _: {0, 1}
from tests.support.rank_processes import happen
from wherefrom.cli.main import main
happen(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
sys.exit(main(sys.argv[4:]))
"""
NOTHING = ("nothing", -1, 0)
STAGES = ("pretrain", "questions_only")
LAST = "models/with_pretraining/weights.safetensors"


@pytest.fixture(scope="module", autouse=True)
def _two_cores() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
        yield


@pytest.fixture(scope="module")
def settings(tiny_settings: list[str]) -> list[str]:
    """AdamW in one stage and Muon in the other, rows in buckets, dropout, frequent checkpoints."""
    return [
        *tiny_settings, "stages.pretrain.steps=24", "stages.questions_only.steps=4",
        "abstain=false", "model.resid_pdrop=0.2", "stages.pretrain.buckets=3",
        "stages.questions_only.optimiser.kind=muon", "stages.questions_only.packed=true",
        *(f"stages.{name}.checkpoint_seconds=0" for name in STAGES),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def command(settings: list[str]) -> list[str]:
    return ["run", "people", *(part for s in settings for part in ("--set", s)), "--no-report"]


@pytest.fixture(scope="module")
def alone(settings: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("alone") / "run"
    api.run("people", out=path, settings=settings)
    return path


@pytest.fixture(scope="module")
def pair(command: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """The same run by two processes, of which this one is the first."""
    path, out, err = tmp_path_factory.mktemp("pair") / "run", io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([*command, "--processes", "2", "--json", "--out", str(path)])
    return path, Ended(code, out.getvalue(), err.getvalue())


def run_program(*arguments: object, **environment: str) -> Ended:
    command = [sys.executable, *map(str, arguments)]
    given = os.environ | environment
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    return Ended(found.returncode, found.stdout, found.stderr)


def rows(run: Path, stage: str) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "stages" / stage / "metrics.jsonl").open()]


def assert_alike(one: Path, other: Path) -> None:
    """The same losses, weights and answers, but for the order of sums."""
    for stage in STAGES:
        for a, b in zip(rows(one, stage), rows(other, stage), strict=True):
            assert (a["step"], a["targets"]) == (b["step"], b["targets"]), "the same rows"
            np.testing.assert_allclose(a["tens"], b["tens"], rtol=1e-4)
    first, second = read_arrays(one / LAST), read_arrays(other / LAST)
    for name, weights in first.items():
        np.testing.assert_allclose(weights, second[name], atol=5e-4, err_msg=name)
    for path in sorted(one.glob("predictions/*.jsonl")):
        theirs = (other / "predictions" / path.name).open()
        for a, b in zip(path.open(), theirs, strict=True):
            said, told = json.loads(a), json.loads(b)
            assert said["question"] == told["question"]
            # A tie may fall the other way, and then the probabilities are nearly the same.
            assert said["probability"] == pytest.approx(told["probability"], rel=1e-2)


@pytest.mark.nightly
def test_two_processes_train_the_model_of_one(alone: Path, pair: tuple[Path, Ended]):
    path, ended = pair
    assert ended.code == 0, ended.err
    assert_alike(alone, path)
    assert json.loads((path / "run.json").read_text())["processes"] == 2
    assert "processes" not in json.loads((alone / "run.json").read_text())
    assert json.loads(ended.out)["recipe"] == "people"
    lines = [line for line in ended.err.splitlines() if "steps" in line]  # only the first speaks
    assert lines == ["pretrain: 24 steps", "questions_only: 4 steps"]


@pytest.mark.nightly
def test_torchrun_restarts_a_killed_worker(
    command: list[str], pair: tuple[Path, Ended], tmp_path: Path
):
    """Bit for bit the run that nothing happened to."""
    run, whole = tmp_path / "run", pair[0]
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "1"]
    program = ["--no-python", sys.executable, "-c", PROGRAM, "die", 1, 22]
    ended = run_program(*torchrun, *program, *command, "--json", "--out", run, TMPDIR=str(tmp_path))
    assert ended.code == 0, ended.err
    assert "pretrain: continuing from step 20 (checksum verified)" in ended.err
    assert file_hash(run / LAST) == file_hash(whole / LAST)
    for stage in STAGES:
        losses = [[row["tens"] for row in rows(path, stage)] for path in (run, whole)]
        assert losses[0] == losses[1]
    assert json.loads(ended.out)["results"] == json.loads(pair[1].out)["results"]


def test_a_signal_to_any_process_stops_all_after_the_same_step(
    command: list[str], settings: list[str], alone: Path, tmp_path: Path
):
    """And one process goes on with the run that two began."""
    run = tmp_path / "run"
    program = ["-c", PROGRAM, "stop", 1, 21, *command, "--out", run]
    first, second = start(program, program)
    assert (first.code, second.code) == (143, 143), first.err
    assert first.complaints == [
        "wherefrom: pretrain: stopped at step 22 of 24, which is saved; the same command continues "
        "from there"
    ]
    assert (second.out, second.err) == ("", "")
    assert list((run / "stages/pretrain/checkpoints").glob("step-00000022"))
    api.run("people", out=run, settings=settings)
    assert_alike(alone, run)


def test_a_lost_process_ends_the_others_with_one_line(command: list[str], tmp_path: Path):
    program = ["-c", PROGRAM, "lose", 0, 2, *command, "--processes", "2", "--out", tmp_path / "r"]
    ended = run_program(*program)
    assert ended.code == 69
    assert ended.complaints == [
        "wherefrom: process 1 was killed (signal 9); what was trained is saved up to the last "
        "checkpoint, and the same command continues there"
    ]


def test_processes_that_disagree_are_refused_before_the_first_step(
    command: list[str], tmp_path: Path
):
    asked = ["-c", PROGRAM, *NOTHING, *command, "--out", tmp_path / "run", "--seed"]
    first, second = start([*asked, 3], [*asked, 4])
    assert (first.code, second.code) == (78, 78)
    assert len(first.complaints) == 1
    assert "recipe.seed: it has 4, asked for 3; start all processes with the same" in first.err
    assert (second.out, second.err) == ("", "")
    assert not (tmp_path / "run").exists()


@pytest.mark.nightly
@pytest.mark.usefixtures("python_anew")
@pytest.mark.parametrize(("local", "said"), [(0, 1), (1, 0)])
def test_a_first_process_that_cannot_be_reached_is_said_once_on_each_machine(local, said):
    """Nobody listens at port 1 of this machine."""
    place = {"RANK": "5", "WORLD_SIZE": "6", "LOCAL_RANK": str(local), "LOCAL_WORLD_SIZE": "1"}
    place |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1", "TORCHELASTIC_RUN_ID": "7"}
    ended = run_program("-m", "wherefrom", "run", "people", "--wait", "0.1", **place)
    assert (ended.code, ended.out) == (69, "")
    expected = (
        "wherefrom: 127.0.0.1:1: expected the first process within 0.1 s, found none; see that all "
        "machines name the same address and can reach it (--wait sets the seconds)"
    )
    assert ended.err.splitlines() == [expected] * said


@pytest.mark.parametrize(
    ("recipe", "processes", "expected"),
    [
        ("people", 0, "expected at least 1, found 0"),
        ("people", 3, "at most 2, one for each core of this machine, found 3"),
        ("bigram-tiny", 2, "found 'bigram', which one process trains in numpy"),
        ("attention-lab", 2, "'attention-lab', whose demonstrations one process computes"),
    ],
)
def test_numbers_and_recipes_that_cannot_be(recipe: str, processes: int, expected: str):
    with pytest.raises(UsageError, match=expected):
        run_on_ranks(str, Path("none"), get_recipe(recipe), processes)


def test_more_processes_than_rows_are_refused(tiny_settings: list[str], monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    recipe = api.build_recipe("people", settings=tiny_settings)
    expected = "at most 8, one for each row of a step of stage 'pretrain', found 9"
    with pytest.raises(UsageError, match=expected):
        run_on_ranks(str, Path("none"), recipe, 9)
    assert count_ranks(recipe, None, 8, 300.0, trains=True) == (8, 8)


def test_two_processes_score_a_run_as_one(alone: Path, tmp_path: Path):
    copy = Path(shutil.copytree(alone, tmp_path / "run"))
    found = api.evaluate(copy, processes=2)
    assert found.changed == ()


def test_options_that_cannot_be_together(tmp_path: Path):
    with pytest.raises(UsageError, match="--wait: expected seconds above 0"):
        api.run("people", out=tmp_path, processes=2, wait=0)
    with pytest.raises(UsageError, match="--together: expected no --processes beside it"):
        api.run_seeds("people", "0-1", out=tmp_path, processes=2, together=2)
    assert not list(tmp_path.iterdir())


def test_torchrun_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch):
    place = {"RANK": "0", "WORLD_SIZE": "3", "LOCAL_RANK": "0", "LOCAL_WORLD_SIZE": "3"}
    place |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1", "TORCHELASTIC_RUN_ID": "7"}
    for name, value in place.items():
        monkeypatch.setenv(name, value)
    expected = "expected none, since torchrun has started 3, found 2; leave it out"
    with pytest.raises(UsageError, match=expected):
        api.run("people", processes=2)
    with pytest.raises(UsageError, match="torchrun: expected a command that trains one model"):
        count_apart(None)
