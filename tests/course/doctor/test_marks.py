import csv
import io

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.marks import Grade, Test, choose, overview, table, write_csv

TESTS = {
    "1a-0-basic": Test("it runs", 0, lambda _: None),
    "1a-1-right": Test("it is right", 3, lambda _: None),
    "1b-1-there": Test("the file is there", 2, lambda _: None),
}


@pytest.fixture
def grade() -> Grade:
    results = {
        "1a-0-basic": Result("ok"),
        "1a-1-right": Result("look", "it gives\n2", "value"),
        "1b-1-there": Result("unknown", "nobody knows"),
    }
    return Grade("=anna", TESTS, results, excused=frozenset({"1b-1-there"}))


def test_points_are_given_for_what_is_right_and_not_asked_for_what_is_excused(grade):
    assert (grade.total, grade.possible) == (0, 3)
    right = Grade("x", TESTS, dict.fromkeys(TESTS, Result("ok")))
    assert (right.total, right.possible) == (5, 5)
    assert [test["points"] for test in right.as_json()["tests"]] == [0, 3, 2]


def test_a_table_says_why(grade):
    lines = table(grade)
    assert lines[1].split()[-4:] == ["0", "of", "3", "no"]
    assert lines[2].strip() == "value: it gives\\n2"
    assert lines[3].endswith("not judged")
    assert lines[-1].strip() == "0 of  3"
    assert overview(TESTS, ["1b-1-there"]) == ["1b-1-there    2  the file is there"]


def test_a_row_is_safe_in_a_spreadsheet(grade):
    file = io.StringIO()
    write_csv([grade.row(list(TESTS))], file)
    (row,) = csv.DictReader(io.StringIO(file.getvalue()))
    assert row["submission"] == "'=anna"
    assert row["why"].startswith("1a-1-right value: it gives")


def test_tests_are_chosen_by_name_or_part():
    assert choose(TESTS, ["1a"]) == ("1a-0-basic", "1a-1-right")
    assert choose(TESTS, []) == tuple(TESTS)
    with pytest.raises(UsageError, match=r"test '9z': there is none; .*--list"):
        choose(TESTS, ["9z"])
