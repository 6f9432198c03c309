"""Corrections by people hold at every run; statistics are those of the results."""

import argparse
import csv
import os
import signal

import pytest

from wherefrom.core.errors import BadData, MissingInput
from wherefrom.course.classroom import batch
from wherefrom.course.classroom.batch import Grader, write_class
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.intake import Taken
from wherefrom.course.doctor.isolation import new_place
from wherefrom.course.doctor.marks import Grade, Test

TESTS = {"1a-0-basic": Test("it runs", points=2), "1b-0-hidden": Test("it is right", points=3)}
HEAD = "submission,test,points,kind,reason\n"


def grade(name: str, *states: str) -> Grade:
    results = [Result(s, "text", "" if s == "ok" else "value") for s in states]
    return Grade(name, TESTS, dict(zip(TESTS, results, strict=True)))


def test_a_file_for_corrections_is_made_once_and_then_only_read(tmp_path):
    path = tmp_path / "corrections.csv"
    assert batch.read_corrections(path, TESTS) == []
    assert path.read_text() == HEAD
    path.write_text(f"{HEAD}ada,1b-0-hidden,1.5,override,half of it\n")
    (found,) = batch.read_corrections(path, TESTS)
    assert (found["points"], found["reason"]) == (1.5, "half of it")
    assert path.read_text().startswith(HEAD)


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ("ada,9z,1,override,", r"csv:2: test: expected one that --list names, found '9z'"),
        ("ada,1a-0-basic,two,override,", r"csv:2: points: expected a number, found 'two'"),
        ("ada,1a-0-basic,nan,override,", r"csv:2: points: expected a number, found 'nan'"),
        ("ada,1a-0-basic", r"csv:2: kind: expected override or regrade, found ''"),
        ("ada,1a-0-basic,2,gift,", r"csv:2: kind: expected override or regrade, found 'gift'"),
    ],
)
def test_a_bad_row_is_one_line(tmp_path, row, says):
    path = tmp_path / "c.csv"
    path.write_text(f"{HEAD}{row}\n")
    with pytest.raises(BadData, match=says):
        batch.read_corrections(path, TESTS)
    path.write_text("who,what\n")
    with pytest.raises(BadData, match="expected the columns submission,test"):
        batch.read_corrections(path, TESTS)


def test_the_last_correction_of_a_test_counts_and_says_why(tmp_path):
    path = tmp_path / "c.csv"
    path.write_text(f"{HEAD}ada,1b-0-hidden,3,override,a typo\nada,1b-0-hidden,2,regrade,not all\n")
    given = batch.read_corrections(path, TESTS)
    row = grade("ada", "ok", "look").row(list(TESTS))
    new = batch.correct(row, given)
    assert (row["points"], new["points"], new["1b-0-hidden"]) == (2, 4, 2)
    assert new["why"].startswith("1b-0-hidden 2 by regrade: not all; 1b-0-hidden value: text")
    other = grade("cy", "ok", "ok").row(list(TESTS))
    assert batch.correct(other, given) == other


def test_a_correction_of_nobody_is_told_after_the_table_is_written(tmp_path, capsys):
    (tmp_path / "class" / "ada").mkdir(parents=True)
    (tmp_path / "grades.corrections.csv").write_text(f"{HEAD}bo,1a-0-basic,0,override,\n")
    ids = list(TESTS)
    grader = Grader(lambda path: grade(path.name, "ok", "look"), TESTS, ids, tmp_path, [])
    with pytest.raises(MissingInput, match="found 'bo', which is not in the batch"):
        write_class(tmp_path / "class", tmp_path / "grades.csv", grader)
    assert "1 corrections by people" in capsys.readouterr().out
    assert [row["points"] for row in csv.DictReader((tmp_path / "grades.csv").open())] == ["2"]


def test_statistics_of_each_test(tmp_path):
    rows = batch.statistics([grade("a", "ok", "look"), grade("b", "ok", "unknown")])
    first, second = rows
    assert (first["passed"], first["mean points"], first["mistakes"]) == (2, 2, "")
    assert (second["passed"], second["not judged"], second["mistakes"]) == (0, 1, "value (2)")
    batch.write_table(tmp_path / "t.csv", rows)
    (again, _) = csv.DictReader((tmp_path / "t.csv").read_text().splitlines())
    assert again["test"] == "1a-0-basic"
    batch.write_table(tmp_path / "none.csv", [])
    assert (tmp_path / "none.csv").read_text() == ""


def test_one_that_cannot_be_compared_costs_no_other(tmp_path, monkeypatch):
    for name in ("ada", "bo"):
        (tmp_path / name).mkdir()

    def broken(folder):
        raise MemoryError if folder.name == "ada" else KeyError

    monkeypatch.setattr(batch, "own_fingerprints", broken)
    grader = Grader(lambda path: grade(path.name), TESTS, [], tmp_path / "none", [])
    assert batch.compare(tmp_path, ["ada", "bo", "no.zip"], grader) == []


def test_what_was_left_out_is_named_up_to_ten(tmp_path):
    copy = Taken(tmp_path, tmp_path, [f"{i} (a link)" for i in range(99)])
    (said,) = batch.remarks("", copy, [])
    assert said.startswith("left out: 0 (a link), 1 (a link), ")
    assert said.endswith(", 9 (a link), and 89 more")
    copy.left = copy.left[:10]
    assert batch.remarks("", copy, []) == [said.removesuffix(", and 89 more")]


def test_a_grader_that_is_told_to_end_removes_its_folders(tmp_path):
    before, places = signal.getsignal(signal.SIGTERM), []

    def waiting(path):
        with new_place() as place:
            places.append(place)
            os.kill(os.getpid(), signal.SIGTERM)
        return grade(path.name)

    given = argparse.Namespace(gradescope=None, batch=None, submission=tmp_path)
    try:
        with pytest.raises(SystemExit) as ended:
            batch.print_grades(given, Grader(waiting, TESTS, [], tmp_path, []))
    finally:
        signal.signal(signal.SIGTERM, before)
    assert ended.value.code == 128 + signal.SIGTERM
    assert [place.exists() for place in places] == [False]
