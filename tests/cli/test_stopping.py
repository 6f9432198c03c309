"""A run that is stopped anywhere, by anything, ends as if it had not been."""

import json
import random
import re
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wherefrom.core.files import file_hash
from wherefrom.runs.verification import verify_run

KILLS = 20


@pytest.fixture(scope="module")
def steps(tiny_settings) -> list[str]:
    """Long enough to be hit, with a checkpoint after every chunk of steps."""
    longer = [
        "stages.pretrain.steps=60", "stages.questions_only.steps=40",
        "stages.pretrain.checkpoint_seconds=0", "stages.questions_only.checkpoint_seconds=0",
    ]  # fmt: skip
    settings = (part for s in (*tiny_settings, *longer) for part in ("--set", s))
    return ["run", "people", *settings, "--no-report", "--json"]


@pytest.fixture(scope="module")
def whole(interrupted, steps, tmp_path_factory) -> Path:
    """The run that nothing interrupted."""
    path = tmp_path_factory.mktemp("whole") / "run"
    assert interrupted(*steps, "--out", path).code == 0
    return path


def fingerprint(run: Path) -> dict[str, object]:
    """All that must not depend on interruptions: weights, losses, answers, results."""
    weights = {p.parent.name: file_hash(p) for p in run.glob("models/*/weights.safetensors")}
    answers = {p.name: file_hash(p) for p in run.glob("predictions/*")}
    losses = {
        p.parent.name: [(r["step"], r["loss"]) for r in map(json.loads, p.open())]
        for p in run.glob("stages/*/metrics.jsonl")
    }
    assert len(weights) == 2
    results = json.loads((run / "status.json").read_text())["results"]
    return {"weights": weights, "answers": answers, "losses": losses, "results": results}


@pytest.mark.parametrize(
    ("number", "stage"),
    [
        (signal.SIGINT, "pretrain"),
        pytest.param(signal.SIGTERM, "questions_only", marks=pytest.mark.nightly),
    ],
)
def test_a_signal_saves_and_the_same_command_continues(
    interrupted, steps, whole, tmp_path, number, stage
):
    run = tmp_path / "run"
    stopped = interrupted(*steps, "--out", run, signal=number, stage=stage, saves=1)
    assert stopped.code == 128 + number
    assert stopped.out == ""
    step = re.fullmatch(
        rf"wherefrom: {stage}: stopped at step (\d+) of \d+, which is saved; the same command "
        "continues from there",
        stopped.complaint,
    )
    assert step
    resumed = interrupted(*steps, "--out", run)
    assert resumed.code == 0
    assert f"{stage}: continuing from step {step[1]} (checksum verified)" in resumed.err
    assert ("pretrain: trained already" in resumed.err) == (stage == "questions_only")
    assert resumed.json["results"] == fingerprint(whole)["results"]
    assert fingerprint(run) == fingerprint(whole)


@pytest.mark.nightly
def test_twenty_kills_anywhere_lose_nothing(interrupted, steps, whole, tmp_path):
    """A run that ends before the last kill is compared, and the next kills hit another."""
    expected, places, finished = fingerprint(whole), moments(), 0
    kills = torn = 0
    while kills < KILLS or not finished:
        run = tmp_path / f"run-{finished}"
        order = {"signal": signal.SIGKILL, **next(places)} if kills < KILLS else {}
        result = interrupted(*steps, "--out", run, **order)
        assert result.code in (0, -signal.SIGKILL)
        assert "skipped" not in result.err  # a torn checkpoint is never published
        if result.code == 0:
            assert fingerprint(run) == expected
            assert not leftovers(run)
            finished += 1
        else:
            torn += bool(leftovers(run))
            kills += 1
    assert torn  # some were killed while they wrote


# A whole run takes some 200,000 lines of the package, and some 3,000 of those that write files.
WRITING = [
    "core/artifact.py", "core/files.py", "core/row_log.py",
    "runs/store.py", "training/checkpoints.py",
]  # fmt: skip


def moments() -> Iterator[dict[str, Any]]:
    """Where to kill: at a line that writes files, then at one anywhere, and so on."""
    chance = random.Random(20)
    while True:
        yield {"line": chance.randint(1, 2_000), "files": WRITING}
        yield {"line": chance.randint(1, 100_000), "files": [""]}


@pytest.mark.nightly
@pytest.mark.parametrize(("command", "last"), [("evaluate", 1_070), ("audit", 740)])
def test_twenty_kills_of_a_command_leave_a_sound_run(interrupted, whole, tmp_path, command, last):
    """Each kill hits a line that writes files; the same command then ends as if nothing was."""
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    assert interrupted(command, run).code == 0
    expected, chance, kills, torn = listed_files(run), random.Random(40), 0, 0
    while kills < KILLS:
        order = {"signal": signal.SIGKILL, "line": chance.randint(last - 500, last)}
        result = interrupted(command, run, **order, files=COMMITTING)
        assert result.code in (0, -signal.SIGKILL)
        kills += result.code != 0
        torn += bool(leftovers(run))
        assert verify_run(run).faults == ()
    assert torn  # some were killed while they wrote
    assert interrupted(command, run).code == 0
    assert not leftovers(run)
    assert listed_files(run) == expected


# Of these, an evaluation of the small run takes some 1,070 lines and an audit 740, of which the
# last 150 commit what was written and move it to its place.
COMMITTING = ["core/artifact.py", "runs/store.py"]


def leftovers(run: Path) -> list[Path]:
    """What a killed process leaves: files of checkpoints, and those of a change."""
    return [*run.rglob(".tmp-*"), *run.rglob(".next-*")]


def listed_files(run: Path) -> dict[str, str]:
    """The hashes of all files but the one that has the time in it."""
    files = json.loads((run / "manifest.json").read_text())["files"]
    return {name: entry["sha256"] for name, entry in files.items() if "timing" not in name}
