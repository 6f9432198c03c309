"""What a check, a refutation and a demonstration are, with numbers made up for the purpose."""

import math

import pytest

from wherefrom.course.lab.demonstration import EXPLANATIONS, Check, Demonstration, Refutation

GOOD = Check("two and two", 4.0, 4.0, 0.0)
BAD = Check("two and three", 5.0, 6.0, 0.5)


@pytest.fixture(autouse=True)
def claimed(monkeypatch):
    monkeypatch.setitem(EXPLANATIONS["claims"], "sums", "sums add up")


def demonstration(*checks, refutations=()):
    return Demonstration("sums", checks, refutations, ())


@pytest.mark.parametrize(
    ("found", "apart", "holds"),
    [(1.0, False, True), (1.25, False, True), (1.26, False, False), (0.7, False, False),
     (1.0, True, False), (1.25, True, False), (1.26, True, True),
     (math.nan, False, False), (math.nan, True, False), (math.inf, True, False)],
)  # fmt: skip
def test_a_check_is_near_or_apart_and_never_holds_without_a_number(found, apart, holds):
    check = Check("x", found, 1.0, 0.25, apart)
    assert check.holds is holds
    assert check.as_json()["holds"] is holds


def test_a_broken_check_is_counted_and_named():
    result = demonstration(GOOD, BAD).result()
    assert (result["checks_held"], result["held"], result["n"]) == (0.5, 1, 2)
    assert result["failed"] == ["two and three: found 5, expected 6 within 0.5"]
    assert demonstration(GOOD).result()["failed"] == []


def test_a_statement_is_refuted_only_by_checks_that_all_hold():
    wrong = Refutation("sums do not", "they do", (GOOD,))
    unproved = Refutation("nor differences", "who knows", (GOOD, BAD))
    result = demonstration(GOOD, refutations=(wrong, unproved)).result()
    assert (result["statements"], result["refuted"], result["held"]) == (2, 1, 3)
    assert not Refutation("nothing shown", "", ()).holds


def test_numbers_that_are_not_finite_are_null_in_json():
    assert Check("x", math.inf, 1.0, 0.1).as_json()["found"] is None
