"""Runs as readers of texts."""

import pytest

from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.runs.opened_run import Run
from wherefrom.runs.readers import open_reader


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
