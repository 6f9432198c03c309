"""Evaluating a run: every predictor on every task, and nothing decoded twice."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from wherefrom.experiments.evaluate import evaluate
from wherefrom.experiments.studies import STUDIES
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.families import FAMILIES
from wherefrom.runs.run import Run, open_run


@pytest.fixture
def run(tiny_run: Path, tmp_path: Path) -> Run:
    return open_run(shutil.copytree(tiny_run, tmp_path / "run"))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each question is decoded."""
    counts: Counter[str] = Counter()
    search = ModelAnswerer._answer

    def answer(self: ModelAnswerer, questions, beams):
        counts.update(questions)
        return search(self, questions, beams)

    monkeypatch.setattr(ModelAnswerer, "_answer", answer)
    return counts


def test_the_stored_results_are_found_again(run):
    assert evaluate(run) == run.results


def test_no_model_decodes_a_question_twice(run, decoded):
    """The task asks two models about held-out people; the policy asks the primary one no more."""
    evaluate(run)
    asked = [q.text for q in run.dataset.select("held-out")]
    assert {decoded[text] for text in asked} == {2}
    others = run.dataset.select("calibration", ("stated", "omitted", "none"))
    assert {decoded[q.text] for q in others} == {1}


def test_answers_of_another_search_are_decoded_again(run, decoded):
    """What a greedy task decoded is not what `ask` would say."""
    text = run.folder.run_file.read_text()
    recipe = json.loads(text)
    recipe["recipe"]["tasks"]["birthplace"]["beams"] = 1
    run.folder.run_file.write_text(json.dumps(recipe))
    greedy = open_run(run.path)
    evaluate(greedy)
    assert {decoded[q.text] for q in run.dataset.select("held-out")} == {3}


def test_every_study_is_of_a_kind_of_model():
    assert STUDIES.keys() <= FAMILIES.keys()
