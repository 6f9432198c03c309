"""The same command makes again what is missing or damaged."""

import json
from pathlib import Path

import pytest

from wherefrom import api
from wherefrom.core.errors import Damaged
from wherefrom.experiments.one_run.execute import Execution
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run
from wherefrom.runs.verification import verify_run


def hashes(run: Path) -> dict[str, str]:
    """Of all files but those with the time in them."""
    manifest = RunFolder(run).manifest
    timed = ("status.json", "report.html")
    kept = {n: e for n, e in manifest.files.items() if n not in timed and "stages/" not in n}
    return {name: entry.sha256 for name, entry in kept.items()}


def spoil(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(data)


def losses(run: Path, stage: str) -> list[float]:
    return [row["loss"] for row in RunFolder(run).read_metrics(stage)]


@pytest.mark.parametrize(
    ("names", "trained"),
    [
        (["predictions/majority.birthplace.jsonl", "audit/confidence.json"], []),
        (["status.json", "corpus/corpus.json", "corpus/dataset.json.gz", "vocab.json"], []),
        (["models/with_pretraining/weights.safetensors"], ["pretrain"]),
        (["stages/questions_only/metrics.jsonl", "splits.json"], ["questions_only"]),
    ],
)
def test_what_is_damaged_or_lost_comes_back(own_run, tiny_settings, monkeypatch, names, trained):
    before, found = hashes(own_run), list[str]()
    curves = [losses(own_run, stage) for stage in ("pretrain", "questions_only")]
    results = open_run(own_run).results
    spoil(own_run / names[0])
    for name in names[1:]:
        (own_run / name).unlink()
    assert {fault.file for fault in verify_run(own_run).faults} == set(names)
    train = Execution.train
    monkeypatch.setattr(
        Execution,
        "train",
        lambda self, stage, stop: (found.append(stage.name), train(self, stage, stop)),
    )
    outcome = api.run("people", out=own_run, settings=tiny_settings)
    assert found == trained
    assert verify_run(own_run).faults == ()
    assert hashes(own_run) == before
    assert [losses(own_run, stage) for stage in ("pretrain", "questions_only")] == curves
    assert outcome.results == results


def test_evaluating_makes_again_what_it_makes(own_run):
    before = hashes(own_run)
    for name in ("predictions/majority.birthplace.jsonl", "status.json", "corpus/documents.txt"):
        (own_run / name).unlink()
    api.evaluate(own_run)
    assert verify_run(own_run).faults == ()
    assert hashes(own_run) == before
    assert json.loads((own_run / "status.json").read_text())["seconds"] > 0


def test_what_cannot_be_made_again_is_left_as_it_is(own_run, tiny_settings):
    for name in ("run.json", "manifest.json"):
        whole = (own_run / name).read_bytes()
        spoil(own_run / name)
        with pytest.raises(Damaged, match=name):
            api.run("people", out=own_run, settings=tiny_settings)
        (own_run / name).write_bytes(whole)
    assert verify_run(own_run).faults == ()
