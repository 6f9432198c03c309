"""Runs as readers of texts."""

import pytest

from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.evaluation.text.readings import CharacterReader
from wherefrom.runs.opened_run import Run
from wherefrom.runs.readers import find_training, open_reader, open_speller


def test_a_character_model_reads_and_spells(tiny_run):
    run, reader = open_reader(tiny_run)
    assert isinstance(reader, CharacterReader)
    assert isinstance(open_speller(tiny_run, "without_pretraining"), CharacterReader)
    training = find_training(run, reader)
    assert training is not None
    assert run.dataset.documents[0].text in training.text
    assert "b" in training.seen
    assert "€" not in training.seen


def test_a_baseline_that_answers_questions_reads_nothing(tiny_run):
    with pytest.raises(UsageError, match="no model 'majority'; known: with_pretraining, without"):
        open_reader(tiny_run, "majority")


def test_a_model_that_gives_no_probabilities_is_refused(tiny_run, monkeypatch):
    monkeypatch.setattr(Run, "predictor", lambda self, name: object())
    with pytest.raises(BadData, match="run of a language model, found one of 'people'"):
        open_reader(tiny_run)


def test_a_run_that_is_not_finished_is_refused(tiny_run, monkeypatch):
    monkeypatch.setattr(Run, "finished", False)
    with pytest.raises(MissingInput, match="this run is not finished"):
        open_reader(tiny_run)
