"""The attacks on run folders: every one of them, and that they would find a weaker design."""

import re
import shutil
from pathlib import Path
from typing import Any

import attack
import pytest

import wherefrom
from wherefrom.core.files import write_bytes
from wherefrom.core.manifests import MANIFEST
from wherefrom.runs.store import RunFiles


@pytest.mark.nightly
def test_every_file_operation_of_a_save_may_fail_or_be_the_last(tiny_run, tmp_path):
    cases = attack.attack_saves(tiny_run, tmp_path)
    assert len(cases) == 5
    assert sum(cases.values()) >= 300


@pytest.mark.nightly
def test_what_an_audit_writes_is_written_together(tiny_run, tmp_path):
    """The files of a real audit: they reach the folder in one change, and it may fail anywhere."""
    run = Path(shutil.copytree(tiny_run, tmp_path / "run"))
    generation = RunFiles(run).manifest.generation
    written = attack.written_by(lambda: wherefrom.audit(run))
    assert RunFiles(run).manifest.generation == generation + 1
    assert {"audit/audit.json", "audit/answers.jsonl", "audit/decoys.jsonl"} <= written.keys()
    written = dict(list(written.items())[:6])  # enough: the others take the same way
    stale = dict.fromkeys(written, b"{}\n")
    assert attack.attack_change(tmp_path / "audit", {"run.json": b"{}"} | stale, written) >= 100


def test_a_flipped_bit_is_noticed(tiny_run):
    tried, missed = attack.attack_bits(tiny_run, 30, seed=3)
    assert (sum(tried.values()), missed) == (30, [])


# --- weaker designs are found out --------------------------------------------------------------


def place_first(self: RunFiles, change: Any) -> None:
    """Files, then the manifest: a kill between them leaves a folder that looks damaged."""
    for name in change.files:
        (change.place / name).replace(self.path / name)
    write_bytes(self.path / MANIFEST, change.applied().spell())
    change.committed = True


def test_a_change_that_is_not_whole_is_found_out(tmp_path, monkeypatch):
    sound = RunFiles._commit
    old, new = {"a": b"1", "b": b"1"}, {"a": b"2", "b": b"2"}
    assert attack.attack_change(tmp_path / "sound", old, new) > 40
    monkeypatch.setattr(
        RunFiles,
        "_commit",
        lambda self, change: (place_first if change.before.generation else sound)(self, change),
    )
    with pytest.raises(Exception, match=r"neither before|expected SHA-256|found none"):
        attack.attack_change(tmp_path / "weaker", old, new)


# --- the page ------------------------------------------------------------------------------------


def test_the_page_has_the_counts_and_names_tests_that_exist():
    page = attack.PAGE.read_text("utf-8")
    operations = re.search(r"\*\*file operations that go wrong\*\* \| \*\*(\d+)\*\*", page)
    flipped = re.search(r"\*\*flipped bits\*\* \| \*\*(\d+)\*\* \| \*\*0 not noticed", page)
    assert operations
    assert flipped
    assert int(operations[1]) >= 300
    assert int(flipped[1]) >= 500
    root = attack.PAGE.parents[1]
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) >= 15
    for file, test in named:
        source = (root / file).read_text("utf-8")
        assert not test or f"def {test}(" in source, f"{file}::{test}"
