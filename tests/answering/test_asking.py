"""A finished run is asked."""

import shutil

import pytest

from wherefrom.answering import asking
from wherefrom.answering.policy import read_doubt
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.experiments.execute import execute
from wherefrom.recipes.catalogue import adjust, get_recipe
from wherefrom.runs.run import open_run


def test_a_finished_run_is_asked(tiny_run):
    run = open_run(tiny_run)
    people = [q.text for q in run.dataset.select("held-out")]
    replies = asking.ask(run, people)
    assert [r.question for r in replies] == people
    doubt = read_doubt(run)
    for reply, prediction in zip(
        replies, run.predictions("with_pretraining", "birthplace"), strict=True
    ):
        assert reply.answer.text == prediction.answer.text
        assert (reply.confidence is None) == reply.stranger
        sure = reply.confidence or 0.0
        assert reply.known is (not reply.stranger and sure >= doubt.threshold.value)
    alone = asking.ask(run, people[:1])
    assert alone[0].confidence == pytest.approx(replies[0].confidence, abs=1e-4)
    assert asking.ask(run, []) == []


def test_a_run_without_calibration_says_how_to_get_one(tiny_run, tmp_path):
    copy = shutil.copytree(tiny_run, tmp_path / "copy")
    path = copy / "audit" / "confidence.json"
    path.write_text('{"calibration": {}, "threshold": {}}')
    with pytest.raises(Damaged, match=r"confidence\.json: calibration"):
        asking.ask(open_run(copy), ["Where was Ada Lund born?"])
    path.unlink()
    with pytest.raises(MissingInput, match="finish the run first"):
        asking.ask(open_run(copy), ["Where was Ada Lund born?"])


def test_a_run_that_answers_nothing_cannot_be_asked(tmp_path):
    small = ["data.sentences=100", "stages.train.steps=5", "threads=1"]
    execute(adjust(get_recipe("bigram-tiny"), settings=small), tmp_path / "b")
    with pytest.raises(BadData, match="expected a run that answers questions, found bigram-tiny"):
        asking.ask(open_run(tmp_path / "b"), ["Where was Ada Lund born?"])
