"""Models trained without people's text, on a tiny recipe: measured, and audited elsewhere."""

import json
import shutil

import influence
import pytest

from wherefrom.auditing import confidence_sections
from wherefrom.auditing.auditor import audit_run
from wherefrom.runs.opened_run import open_run


@pytest.mark.nightly
def test_pairs_are_measured_once_and_audited_elsewhere(tiny_settings, tmp_path, monkeypatch):
    settings = [part for s in tiny_settings for part in ("--set", s)]
    command = ["people", *settings, "--pairs", "1", "--processes", "2", "--out", str(tmp_path)]
    assert influence.main(command) == 0
    path = tmp_path / "people-0" / "audit" / "influence.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["model"] for row in rows] == ["without-0-first", "without-0-second"]
    assert not any(a and b for a, b in zip(*(row["has_text"] for row in rows), strict=True))
    before = path.read_bytes()
    assert influence.main(command) == 0
    assert path.read_bytes() == before

    shutil.rmtree(tmp_path / "people-0" / "audit" / "retrained")  # another machine need not have it
    monkeypatch.setattr(confidence_sections, "TIER", 4, raising=False)
    found = audit_run(open_run(tmp_path / "people-0")).source
    assert found.models == 2
