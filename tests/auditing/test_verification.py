"""Cross-references: files that are each as they were sealed, and yet do not belong together."""

import json
import shutil
from pathlib import Path

import pytest

import wherefrom
from wherefrom.auditing.folder_check import verify
from wherefrom.auditing.inspector import OpenedRun
from wherefrom.auditing.verification import verify_run
from wherefrom.core.errors import MissingInput, UsageError
from wherefrom.course.lab import running as demonstrations
from wherefrom.runs.folder import RunFolder


def faults(path: Path) -> dict[str, str]:
    return {fault.file: fault.line for fault in verify_run(path).faults}


def change(run: Path, name: str, act) -> None:
    """Change a file on purpose, through the seal: only what it says can then be wrong."""
    folder = RunFolder(run)
    data = folder.read_json(name)
    act(data)
    folder.write_json(name, data, of_model=name == "status.json")


def test_a_finished_run_is_sound_and_all_of_it_is_compared(tiny_run):
    found = verify_run(tiny_run)
    assert found.faults == ()
    assert found.sealed
    seal = RunFolder(tiny_run).seal()
    assert seal is not None
    # Each model has a file of weights beside its manifest; a checkpoint has three files.
    checkpoints = len(list(tiny_run.glob("stages/*/checkpoints/step-*")))
    itself = sum((tiny_run / name).exists() for name in ("index.sqlite", "audit/evidence.json"))
    assert found.files == len(seal.files) + 2 + 3 * checkpoints + itself


def test_runs_of_other_kinds_are_sound(
    relations_run, sentiment_run, facts_folder, tmp_path, monkeypatch
):
    few = ["stages.train.steps=5", "data.sentences=50"]
    words = wherefrom.run("bigram-tiny", out=tmp_path / "b", settings=few).run
    one = {"copying": demonstrations.DEMONSTRATIONS["copying"]}
    monkeypatch.setattr(demonstrations, "DEMONSTRATIONS", one)
    lab = wherefrom.run("attention-lab", out=tmp_path / "lab").run
    for path in (relations_run, sentiment_run, facts_folder / "run", words, lab):
        assert verify_run(Path(path)).faults == (), path


def test_a_score_that_does_not_follow_from_its_predictions(own_run):
    def act(status):
        status["results"]["majority"]["interval"][1] -= 1e-6

    change(own_run, "status.json", act)
    assert "results.majority: expected what predictions/" in faults(own_run)["status.json"]


def test_predictions_of_other_data(own_run):
    folder, name = RunFolder(own_run), "predictions/majority.birthplace.jsonl"
    rows = folder.read_jsonl(name)
    folder.write_jsonl(name, [rows[0] | {"question": "Where was Nobody born?"}, *rows[1:]])
    assert "expected questions and answers of the run's data" in faults(own_run)[name]


def test_a_prediction_that_lies(own_run):
    folder, name = RunFolder(own_run), "predictions/majority.birthplace.jsonl"
    rows = folder.read_jsonl(name)
    folder.write_jsonl(name, [rows[0] | {"correct": not rows[0]["correct"]}, *rows[1:]])
    assert "'correct'" in faults(own_run)[name]


def test_a_threshold_that_does_not_follow_from_its_answers(own_run):
    change(own_run, "audit/confidence.json", lambda p: p["threshold"].update(value=0.0))
    found = faults(own_run)
    # An answer about a name that the gate knows has a score above 0.
    opened = OpenedRun(wherefrom.open_run(own_run))
    assert opened.policy is not None
    assert opened.judged_calibration is not None
    known = opened.policy.knows_name(opened.judged_calibration.features)
    share = f"expected {known.mean()}, which the answers give, found 0.0"
    assert f"threshold.answered_share: {share}" in found["audit/confidence.json"]
    assert "results.answered_share" in found["status.json"]


def test_a_number_of_calibration_questions_that_is_not_theirs(own_run):
    change(own_run, "audit/confidence.json", lambda p: p["threshold"].update(n=99))
    assert "threshold.n: expected 14" in faults(own_run)["audit/confidence.json"]


@pytest.mark.parametrize(
    ("name", "act", "line"),
    [
        ("corpus/corpus.json", lambda c: c.update(questions=1), "expected counts and hash of"),
        ("splits.json", lambda s: s.pop("asked"), "expected the people of"),
        ("vocab.json", lambda v: v.append("ø"), "expected the vocabulary of models/"),
        ("run.json", lambda r: r["recipe"].update(name="facts"), None),
    ],
)
def test_files_that_were_mixed_up(own_run, name, act, line):
    change(own_run, name, act)
    found = faults(own_run)
    if line:
        assert line in found[name]
    else:
        assert "expected a model of 'facts'" in found["models/with_pretraining"]


def test_documents_of_another_corpus(own_run):
    RunFolder(own_run).write_text("corpus/documents.txt", "Nobody was born in Oslo.\n")
    assert "expected the documents of" in faults(own_run)["corpus/documents.txt"]


def test_a_file_that_was_put_there(own_run):
    (own_run / "audit" / "source.json").write_text("{}")
    assert "expected only files that seal.json lists" in faults(own_run)["audit/source.json"]
    (own_run / "notes.txt").write_text("the user's own")
    assert set(faults(own_run)) == {"audit/source.json"}


def test_rows_of_an_unfinished_run_are_compared_with_its_checkpoint(own_run):
    """As a kill leaves it: the stage's rows are not sealed yet."""
    folder, name = RunFolder(own_run), "stages/pretrain/metrics.jsonl"
    folder.begin_logs("pretrain")
    folder.write_status({"state": "unfinished", "seconds": 1.0})
    assert faults(own_run) == {}
    path = own_run / name
    path.write_text(path.read_text() + '{"step": 60')  # a torn row after the checkpoint
    assert faults(own_run) == {}
    path.write_text(path.read_text().replace('"step": 20', '"step": 21'))
    assert "expected the rows that were written before the checkpoint" in faults(own_run)[name]


def test_a_seal_that_is_lost_or_damaged(own_run):
    seal = own_run / "seal.json"
    whole = seal.read_text()
    seal.write_text(whole.replace('"bytes"', '"Bytes"', 1))
    assert set(faults(own_run)) == {"seal.json"}
    seal.unlink()
    assert "expected the folder's seal, found none" in faults(own_run)["seal.json"]


def test_a_folder_without_a_seal_is_checked_for_what_its_files_say(own_run, unseal):
    unseal(own_run)
    assert (verify_run(own_run).sealed, faults(own_run)) == (False, {})
    for name, text in (
        ("vocab.json", "{}"), ("stages/pretrain/metrics.jsonl", "5\n"), ("splits.json", "["),
        ("corpus/corpus.json", "null"), ("predictions/majority.birthplace.jsonl", "5\n"),
        ("status.json", '{"state": "finished", "seconds": 1, "results": null}'),
    ):  # fmt: skip
        whole = (own_run / name).read_text()
        (own_run / name).write_text(text)
        assert str(own_run / name) in faults(own_run)[name]
        (own_run / name).write_text(whole)


def test_retrained_models_are_runs_of_their_own(own_run, tiny_run):
    inner = own_run / "audit" / "retrained" / "without-0-first"
    shutil.copytree(tiny_run, inner)
    first, second = verify(own_run)
    assert (first.run, second.run) == (str(own_run), str(inner))
    assert first.sound
    assert second.sound
    (inner / "vocab.json").write_text("{}")
    assert [found.sound for found in verify([own_run])] == [True, False]


def test_what_is_no_run(tmp_path):
    with pytest.raises(MissingInput, match="expected a run folder, or one with runs in it"):
        verify(tmp_path)
    with pytest.raises(UsageError, match="runs"):
        verify(5)  # pyright: ignore[reportArgumentType]


def test_it_is_part_of_the_api(tiny_run):
    (found,) = wherefrom.verify(tiny_run)
    assert isinstance(found, wherefrom.Verification)
    assert json.loads(json.dumps(wherefrom.to_json(found)))["faults"] == []
