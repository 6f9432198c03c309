"""Kept answers: the same as new ones, and nothing is decoded twice."""

import numpy as np
import pytest

from wherefrom.answering.closed_book import open_closed_book
from wherefrom.answering.features import FEATURES
from wherefrom.answering.kept_answers import FILE, RememberingModel, read_kept, write_kept
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import open_run


def test_what_is_written_is_what_is_read(tiny_run, tmp_path):
    run = open_run(tiny_run)
    model = RememberingModel(open_closed_book(run), {})
    model.answer([model.parse(q.text) for q in run.dataset.select("held-out")[:5]])
    write_kept(RunFolder(tmp_path), model.kept)
    found = read_kept(RunFolder(tmp_path))
    assert found.answers == model.kept.answers
    assert [q.text for q in found.known] == [q.text for q in model.kept.known]
    assert np.array_equal(found.features.matrix(FEATURES), model.kept.features.matrix(FEATURES))
    # The evaluation keeps every question that was not trained on.
    kept = read_kept(run.folder)
    wanted = {q.text for q in run.dataset.questions if q.split != "asked"}
    assert {question.text for question in kept.known} == wanted


@pytest.mark.parametrize("content", ["", "{}\n", '{"question": "q", "answer": 3}\n', "no json\n"])
def test_a_file_of_another_version_or_a_damaged_one_is_not_used(tmp_path, content):
    (tmp_path / "audit").mkdir()
    (tmp_path / FILE).write_text(content)
    assert read_kept(RunFolder(tmp_path)) is None
    assert read_kept(RunFolder(tmp_path / "nowhere")) is None
