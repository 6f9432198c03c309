"""Evaluating a run: every predictor on every task, and nothing decoded twice."""

import json
from collections import Counter
from pathlib import Path

import pytest

from wherefrom.experiments.one_run import run_evaluation as evaluating
from wherefrom.experiments.one_run.run_evaluation import evaluate
from wherefrom.generation.answerer import ModelAnswerer
from wherefrom.runs.opened_run import Run, open_run


@pytest.fixture
def run(own_run: Path) -> Run:
    return open_run(own_run)


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each question is decoded."""
    counts: Counter[str] = Counter()
    search = ModelAnswerer.answer

    def answer(self: ModelAnswerer, questions):
        counts.update(questions)
        return search(self, questions)

    monkeypatch.setattr(ModelAnswerer, "answer", answer)
    return counts


def test_no_model_decodes_a_question_twice(run, decoded):
    """The task asks two models about held-out people; the policy asks the primary one no more."""
    evaluate(run)
    asked = [q.text for q in run.dataset.select("held-out")]
    assert {decoded[text] for text in asked} == {2}
    others = run.dataset.select("calibration", ("stated", "omitted", "none"))
    assert {decoded[q.text] for q in others} == {1}


def test_answers_of_another_search_are_decoded_again(run, decoded):
    """What a greedy task decoded is not what `ask` would say."""
    text = (run.path / "run.json").read_text()
    recipe = json.loads(text)
    recipe["recipe"]["tasks"]["birthplace"]["beams"] = 1
    run.folder.write_json("run.json", recipe)
    greedy = open_run(run.path)
    evaluate(greedy)
    assert {decoded[q.text] for q in run.dataset.select("held-out")} == {3}


def test_the_homeworks_loss_is_that_of_the_last_hundred_updates(run, monkeypatch):
    """A loss is the mean of ten updates."""
    monkeypatch.setattr(evaluating, "read_losses", lambda run, name: list(range(30)))
    found = evaluating._training_loss(run, "with_pretraining")
    assert found == {"last_100_updates": 24.5}


# --- several relations -------------------------------------------------------------------------

PLACE, HAND = "Where was X born?", "Which hand does X write with?"


def test_the_policy_says_of_each_relation_why_it_answers_nothing(relations_run: Path):
    run = open_run(relations_run)
    calibration = len(run.dataset.select("calibration")) // 2
    share = run.results["answered_share"]
    assert share["answered_share"] == 0
    assert "precision" not in run.results
    for relation in (PLACE, HAND):
        part = share["by_relation"][relation]
        assert f"no threshold reaches 90 % on the {calibration} calibration" in part["why_not"]
