"""A received run folder with links in it: refused in one line, and the user's files stay.

`ln -s ~/notes.txt RUN/.lock; wherefrom evaluate RUN` once overwrote the notes.
"""

import json
import shutil
from pathlib import Path

import pytest

from wherefrom.runs.folder import RunFolder

A_LINK = "expected a file or folder of the run, found a link"


@pytest.fixture
def home(tmp_path) -> Path:
    """Files and folders of the user's."""
    folder = tmp_path / "home"
    (folder / "inner").mkdir(parents=True)
    for name in ("notes.txt", "inner/.tmp-mine", "inner/metrics.jsonl"):
        (folder / name).write_text(f"{name} is mine\n")
    return folder


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = (p for p in folder.rglob("*") if p.is_file())
    return {str(p): (p.read_bytes(), p.stat().st_mtime_ns) for p in files}


def put_link(path: Path, target: Path) -> None:
    shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    path.symlink_to(target)


def unfinished(run: Path) -> None:
    """As a run that was stopped; the same command continues it."""
    RunFolder(run).write_status({"state": "unfinished", "seconds": 1.0})


@pytest.mark.parametrize(
    ("command", "hard"), [("evaluate", False), ("evaluate", True), ("audit", False), ("run", True)]
)
def test_a_lock_that_leads_elsewhere(cli, own_run, home, tiny, command, hard):
    unfinished(own_run) if command == "run" else None
    before = state(home)
    (own_run / ".lock").unlink()
    if hard:
        (own_run / ".lock").hardlink_to(home / "notes.txt")
    else:
        (own_run / ".lock").symlink_to(home / "notes.txt")
    result = cli(*(["run", *tiny, "--out", own_run] if command == "run" else [command, own_run]))
    assert result.code == 76
    assert f"{own_run}/.lock: expected" in result.complaint
    assert state(home) == before


@pytest.mark.parametrize(
    "name", ["status.json", "manifest.json", "corpus/documents.txt", "stages/pretrain", "models"]
)
def test_a_run_with_a_link_is_not_continued(cli, own_run, home, tiny, name):
    unfinished(own_run)
    put_link(own_run / name, home / ("notes.txt" if "." in name else "inner"))
    before = state(home)
    result = cli("run", *tiny, "--out", own_run)
    assert result.code == 76
    assert f"{own_run / name}: {A_LINK}" in result.complaint
    assert state(home) == before


@pytest.mark.parametrize("name", ["index", "evidence", "audit/confidence.json"])
def test_a_link_is_refused_by_who_asks_or_verifies(cli, own_run, home, name):
    question = json.loads((own_run / "splits.json").read_text())["held-out"]["stated"][0]
    put_link(own_run / name, home / "notes.txt")
    before = state(home)
    for arguments in (["ask", own_run, f"Where was {question} born?"], ["verify", own_run]):
        result = cli(*arguments)
        assert result.code == 76
        assert f"{own_run / name}: {A_LINK}" in result.out + result.err
    assert state(home) == before


def test_a_report_is_not_written_through_a_link(cli, own_run, home):
    (own_run / "report.html").symlink_to(home / "notes.txt")
    before = state(home)
    assert cli("report", own_run).code == 76
    assert state(home) == before


def test_the_way_to_a_run_may_be_a_link(cli, own_run, tmp_path):
    (tmp_path / "way").symlink_to(own_run)
    assert cli("evaluate", tmp_path / "way").code == 0
    assert cli("verify", tmp_path / "way").code == 0
