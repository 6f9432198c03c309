"""results.json by Gradescope's published specification, for any submission."""

import json

import pytest

from wherefrom.core.errors import MissingInput
from wherefrom.course.classroom.gradescope import answer_gradescope, results
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.marks import Grade, Test

TESTS = {"1e-0-basic": Test("spans", points=5), "1f-1-hidden": Test("dev", points=8)}
# The fields of the specification, by their place.
FIELDS = {"score", "execution_time", "output", "output_format", "test_output_format",
          "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests",
          "leaderboard"}  # fmt: skip
OF_A_TEST = {"score", "max_score", "status", "name", "name_format", "number", "output",
             "output_format", "tags", "visibility", "extra_data"}  # fmt: skip


def graded(first: Result, second: Result, refused: str = "") -> Grade:
    return Grade("ada", TESTS, dict(zip(TESTS, (first, second), strict=True)), refused)


def test_a_grade_has_the_fields_of_the_specification():
    right = Result("ok", "126 of 500 right (25.2%), 95 % interval 21 to 29 %")
    found = results(graded(Result("look", "no third\x1b mask", "layout"), right))
    assert set(found) <= FIELDS
    assert found["score"] == 8
    spans, dev = found["tests"]
    assert set(spans) | set(dev) <= OF_A_TEST
    assert (spans["score"], spans["max_score"], spans["status"]) == (0, 5, "failed")
    assert (spans["visibility"], dev["visibility"]) == ("visible", "after_published")
    assert spans["output"] == "layout: no third\\x1b mask"
    assert found["leaderboard"] == [{"name": "dev, %", "value": 25.2}]
    json.dumps(found, allow_nan=False)


def test_only_what_earned_points_is_on_the_leaderboard():
    wrong = Result("look", "400 of 500 right (80.0%)", "mislabelled")
    assert results(graded(Result("unknown", "no data"), wrong))["leaderboard"] == []


def test_a_refused_submission_has_its_reason_everywhere(tmp_path):
    (tmp_path / "submission").mkdir()
    refused = Result("look", "model.py:3: a syntax error", "refused")
    why = "model.py:3: a syntax error"
    answer_gradescope(tmp_path, lambda folder: graded(refused, refused, why))
    found = json.loads((tmp_path / "results" / "results.json").read_text())
    assert (found["score"], found["output"]) == (0, why)
    assert all(why in test["output"] for test in found["tests"])


def test_an_archive_that_was_not_unpacked_is_the_submission(tmp_path):
    with pytest.raises(MissingInput, match="expected Gradescope's folder"):
        answer_gradescope(tmp_path, lambda folder: graded(Result("ok"), Result("ok")))
    (tmp_path / "submission").mkdir()
    archive = tmp_path / "submission" / "a.zip"
    archive.write_bytes(b"")
    seen = []

    def grade(path):
        seen.append(path)
        return graded(Result("ok"), Result("ok"))

    answer_gradescope(tmp_path, grade)
    assert seen == [archive]
