"""What a check, a refutation and a demonstration are, with numbers made up for the purpose."""

import math

import pytest

from wherefrom.course.lab.demonstration import EXPLANATIONS, Check, Demonstration


@pytest.mark.parametrize(
    ("found", "apart", "holds"),
    [(1.0, False, True), (1.25, False, True), (1.26, False, False), (0.7, False, False),
     (1.0, True, False), (1.25, True, False), (1.26, True, True),
     (math.nan, False, False), (math.nan, True, False), (math.inf, True, False)],
)  # fmt: skip
def test_a_check_is_near_or_apart_and_never_holds_without_a_number(found, apart, holds):
    check = Check("x", found, 1.0, 0.25, apart)
    assert check.holds is holds
    told = check.as_json()  # JSON has no word for what is not finite
    assert (told["holds"], told["found"] is None) == (holds, not math.isfinite(found))


def test_a_statement_is_refuted_only_by_checks_that_all_hold(monkeypatch):
    monkeypatch.setitem(EXPLANATIONS["why"], "sums do not", "they do")
    shown = Demonstration("sums")
    shown.check("two and two", 4.0, 4.0, 0.0)
    shown.wrong("sums do not")
    assert not shown.refutations[0].holds, "nothing is shown"
    shown.away("two and two", 4.0, 5.0, 0.5)
    assert shown.refutations[0].holds
    shown.check("two and three", 5.0, 6.0, 0.5)
    result = shown.result()
    assert (result["statements"], result["refuted"], result["held"]) == (1, 0, 2)
