"""Several processes on one run: it ends as if there had been one, or says why not, in one line."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.support import companions
from tests.support.companions import Ended, start
from wherefrom import api
from wherefrom.core.arrays import load_arrays
from wherefrom.core.errors import UsageError
from wherefrom.core.files import file_hash
from wherefrom.experiments.company import company
from wherefrom.recipes.catalogue import get_recipe
from wherefrom.runs.threads import count_cores

pytestmark = pytest.mark.skipif(count_cores() < 2, reason="each process needs a core")

PROGRAM = companions.__file__
STAGES = ("pretrain", "questions_only")
LAST = "models/with_pretraining/weights.safetensors"


@pytest.fixture(scope="module")
def settings(tiny_settings: list[str]) -> list[str]:
    """AdamW in one stage and Muon in the other, rows in buckets, dropout, frequent checkpoints."""
    return [
        *tiny_settings, "model.resid_pdrop=0.2", "stages.pretrain.buckets=3",
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
    """The same run by two processes."""
    path = tmp_path_factory.mktemp("pair") / "run"
    (ended,) = run_program("-m", "wherefrom", *command, "--processes", "2", "--json", "--out", path)
    return path, ended


def run_program(*arguments: object) -> list[Ended]:
    found = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False
    )
    return [Ended(found.returncode, found.stdout, found.stderr)]


def rows(run: Path, stage: str) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / "stages" / stage / "metrics.jsonl").open()]


def assert_alike(one: Path, other: Path) -> None:
    """The same losses, weights and answers, but for the order of sums."""
    for stage in STAGES:
        for a, b in zip(rows(one, stage), rows(other, stage), strict=True):
            assert (a["step"], a["targets"]) == (b["step"], b["targets"]), "the same rows"
            np.testing.assert_allclose(a["tens"], b["tens"], rtol=1e-5)
    first, second = load_arrays(one / LAST), load_arrays(other / LAST)
    for name, weights in first.items():
        np.testing.assert_allclose(weights, second[name], atol=2e-4, err_msg=name)
    for path in sorted(one.glob("predictions/*.jsonl")):
        theirs = (other / "predictions" / path.name).open()
        for a, b in zip(path.open(), theirs, strict=True):
            said, told = json.loads(a), json.loads(b)
            assert (said["question"], said["answer"]) == (told["question"], told["answer"])
            assert said["probability"] == pytest.approx(told["probability"], rel=1e-2)


def test_two_processes_train_the_model_of_one(alone: Path, pair: tuple[Path, Ended]):
    path, ended = pair
    assert ended.code == 0, ended.err
    assert_alike(alone, path)
    assert json.loads((path / "run.json").read_text())["processes"] == 2
    assert "processes" not in json.loads((alone / "run.json").read_text())


def test_only_the_first_speaks(pair: tuple[Path, Ended]):
    _, ended = pair
    assert json.loads(ended.out)["recipe"] == "people"
    lines = [line for line in ended.err.splitlines() if "steps" in line]
    assert lines == ["pretrain: 40 steps", "questions_only: 20 steps"]


def test_torchrun_restarts_a_killed_worker(
    command: list[str], pair: tuple[Path, Ended], tmp_path: Path
):
    """Bit for bit the run that nothing happened to."""
    run, whole = tmp_path / "run", pair[0]
    torchrun = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "1"]
    program = [PROGRAM, "die", 1, 25, "--", *command, "--json", "--out", run]
    (ended,) = run_program(*torchrun, *program)
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
    program = [PROGRAM, "stop", 1, 29, "--", *command, "--out", run]
    first, second = start(program, program)
    assert (first.code, second.code) == (143, 143), first.err
    assert first.complaints == [
        "wherefrom: pretrain: stopped at step 30 of 40, which is saved; the same command continues "
        "from there"
    ]
    assert (second.out, second.err) == ("", "")
    assert [path.name for path in (run / "stages/pretrain/checkpoints").iterdir()][-1:]
    api.run("people", out=run, settings=settings)
    assert_alike(alone, run)


def test_a_lost_process_ends_the_others_with_one_line(command: list[str], tmp_path: Path):
    program = [PROGRAM, "lose", 0, 25, "--", *command, "--processes", "2", "--out", tmp_path / "r"]
    (ended,) = run_program(*program)
    assert ended.code == 69
    assert ended.complaints == [
        "wherefrom: process 1 was killed (signal 9); what was trained is saved up to the last "
        "checkpoint, and the same command continues there"
    ]
    assert list((tmp_path / "r/stages/pretrain/checkpoints").glob("step-00000020"))


def test_processes_that_disagree_are_refused_before_the_first_step(
    command: list[str], tmp_path: Path
):
    def asked(*options: str) -> Sequence[str]:
        return ["-m", "wherefrom", *command, "--out", str(tmp_path / "run"), *options]

    first, second = start(asked("--seed", "3"), asked("--seed", "4"))
    assert (first.code, second.code) == (78, 78)
    assert len(first.complaints) == 1
    assert "recipe.seed: it has 4, asked for 3; start all processes with the same" in first.err
    assert (second.out, second.err) == ("", "")
    assert not (tmp_path / "run").exists()


def test_seeds_are_trained_by_the_next_free_process(
    command: list[str], settings: list[str], alone: Path, tmp_path: Path
):
    program = ["-m", "wherefrom", *command, "--seeds", "0,1", "--json", "--out", tmp_path / "many"]
    first, second = start(program, program)
    assert (first.code, second.code) == (0, 0), first.err
    assert "seed 1: training (2 at once)" in first.err
    assert (second.out, second.err) == ("", "")
    assert file_hash(tmp_path / "many/seed-0" / LAST) == file_hash(alone / LAST)
    api.run("people", out=tmp_path / "one", settings=settings, seed=1)
    assert file_hash(tmp_path / "many/seed-1" / LAST) == file_hash(tmp_path / "one" / LAST)
    assert [Path(run).name for run in json.loads(first.out)["runs"]] == ["seed-0", "seed-1"]


@pytest.mark.parametrize(
    ("recipe", "processes", "expected"),
    [
        ("people", 0, "expected at least 1, found 0"),
        ("people", 10_000, "at most .*, one for each core of this machine, found 10000"),
        ("bigram-tiny", 2, "found 'bigram', which one process trains in numpy"),
        ("attention-lab", 2, "'attention-lab', whose demonstrations one process computes"),
    ],
)
def test_numbers_and_recipes_that_cannot_be(recipe: str, processes: int, expected: str):
    changed = get_recipe(recipe)
    if recipe == "people":
        stages = {"settings": ["stages.pretrain.batch=20000", "stages.questions_only.batch=20000"]}
        changed = api.build_recipe(recipe, **stages)  # pyright: ignore
    with pytest.raises(UsageError, match=expected), company(changed, processes):
        pass


def test_more_processes_than_rows_are_refused(tiny_settings: list[str], monkeypatch):
    monkeypatch.setattr("wherefrom.runs.threads.count_cores", lambda: 16)
    recipe = api.build_recipe("people", settings=tiny_settings)
    expected = "at most 8, one for each row of a step of stage 'pretrain', found 9"
    with pytest.raises(UsageError, match=expected), company(recipe, 9):
        pass


def test_seeds_are_not_trained_by_more_processes_than_cores(tmp_path: Path):
    many = count_cores() + 1
    expected = f"--processes: expected at most {many - 1}, one for each core .* found {many}"
    with pytest.raises(UsageError, match=expected):
        api.run_seeds("bigram-tiny", "0-9", out=tmp_path, processes=many)
    assert not list(tmp_path.iterdir())


def test_two_processes_score_a_run_as_one(alone: Path, tmp_path: Path):
    copy = Path(shutil.copytree(alone, tmp_path / "run"))
    found = api.evaluate(copy, processes=2)
    assert found.changed == ()
    with pytest.raises(UsageError, match="--processes: expected at least 1, found 0"):
        api.evaluate(copy, processes=0)


def test_models_are_trained_together_or_by_processes(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("wherefrom.runs.threads.count_cores", lambda: 2)
    with pytest.raises(UsageError, match="--together: expected no --processes beside it"):
        api.run_seeds("people", "0-1", out=tmp_path, processes=2, together=2)
    with pytest.raises(UsageError, match="--together: expected several models"):
        api.run("people", out=tmp_path, together=2)
    with pytest.raises(UsageError, match="together: expected 1 to"):
        api.run("people", out=tmp_path, together=0)
    assert not list(tmp_path.iterdir())


def test_a_wait_must_be_a_time():
    with pytest.raises(UsageError, match="--wait: expected seconds above 0"):
        api.run("people", processes=2, wait=0)


def test_torchrun_says_how_many_there_are(monkeypatch: pytest.MonkeyPatch):
    place = {"RANK": "0", "WORLD_SIZE": "3", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    monkeypatch.setattr(os, "environ", os.environ | place)
    expected = "expected none, since torchrun has started 3, found 2; leave it out"
    with pytest.raises(UsageError, match=expected):
        api.run("people", processes=2)


def test_one_process_is_no_company(monkeypatch: pytest.MonkeyPatch):
    for processes in (None, 1):
        with company(get_recipe("people"), processes) as crew:
            assert crew is None
