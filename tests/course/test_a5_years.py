"""The assignment in each year's form: starter, reference and grader.

Most submissions are looked at in this process, which saves importing torch once for each.
"""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.course.files import A5, grading, hand_out
from tests.support import submissions
from wherefrom.course.classroom.assignments import find_assignment
from wherefrom.course.classroom.handout_files import lay_out, write
from wherefrom.course.doctor.checks import KINDS
from wherefrom.course.doctor.years import DEFAULT_YEAR, VARIABLE, YEARS

CODE = [name for name, kind in KINDS.items() if kind.asks and not kind.reads]
# What a hand-out says otherwise than another: the text's form, the settings, the variant.
YEARLY = ["truncation", "layout", "x and y", "pretraining", "part g", "finetuning of part g"]
FEW = ["cs224n2024"]


grader = grading(A5)


def look(folder: Path, year: str, *tests: str):
    """What the grader says of a submission's code, by kinds of tests, in this process."""
    # The year of the submission's own is in the environment.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(submissions, "YEAR", os.environ.get(VARIABLE, year))
        return submissions.judge(folder, *(tests or CODE), year=year)


@pytest.mark.parametrize(
    ("year", "tests"),
    [*((year, YEARLY) for year in FEW),
     *(pytest.param(year, CODE, marks=pytest.mark.nightly) for year in YEARS)],
)  # fmt: skip
def test_the_reference_gets_everything_in_every_year(solution, monkeypatch, year, tests):
    monkeypatch.setenv(VARIABLE, year)
    results = look(solution, year, *tests)
    assert submissions.lost(results) == {}
    notes = [r.text for r in results.values() if "hand-out" in r.text]
    assert notes == [], "it has the form that the year's hand-out names first"


@pytest.mark.parametrize("year", YEARS)
def test_a_years_starter_has_its_letters_and_gets_nothing(grounds, monkeypatch, year):
    monkeypatch.setenv(VARIABLE, year)
    monkeypatch.setattr(sys, "path", list(sys.path))
    rules = YEARS[year]
    folder = hand_out(grounds / "starter", year) / ("submission" if rules.package else "src")
    for own in (folder / "utils.py", folder.parent / "places.py"):
        assert f'YEAR = "{year}"' in own.read_text(encoding="utf-8")
    results = look(folder, year)
    assert [n for n, r in results.items() if r.state == "ok"] == ["given functions"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.py")}
    setting_up = texts["helper.py" if rules.package else "run.py"]
    part = {"synthesizer": "synthesizer attention", "perceiver": "as a perceiver",
            "rope": "rotary positions"}  # fmt: skip
    own = "[part h]" if year == "xcs2025" else "[part g]"
    for variant, words in part.items():
        mark = own if variant == rules.variant else "[another year's part g]"
        line = next(x for x in setting_up.splitlines() if words in x and "###" in x)
        assert mark in line
    assert "[part g: " not in "".join(texts.values())
    spans = "c" if year in ("xcs2024", "xcs2025") else "e"  # as the years' points.json have it
    assert f"[part {spans}]. The item of a document" in texts["dataset.py"]


@pytest.mark.nightly
def test_what_one_year_asks_another_may_not(solution, monkeypatch):
    """The reference in the form of one year, graded as another."""
    monkeypatch.setenv(VARIABLE, "xcs2021")
    wrong = look(solution, "xcs2025", "truncation", "layout", "x and y", "pretraining")
    assert submissions.lost(wrong) == {"truncation": "truncation range"}
    assert "num_workers=4, not 0: no matter" in wrong["pretraining"].text
    third = look(solution, "cs224n2021", "layout")["layout"]
    assert (third.state, third.text.split(",")[0]) == ("ok", "a mask follows the span")
    cosine = look(solution, "cs224n2024", "pretraining")["pretraining"]
    assert "final_tokens is 75187200, expected 244358400" in cosine.text


@pytest.mark.parametrize(
    ("year", "file", "old", "new", "test", "mistake"),
    [
        ("xcs2025", "helper.py", "mconf.rope = True", "pass", "part g", "flag never set"),
        ("xcs2024", "helper.py", "mconf.bottleneck_dim = bottleneck_dim",
         "mconf.bottleneck_dim = 16", "part g", "parameters"),
    ],
)  # fmt: skip
def test_mistakes_in_part_g(solution, monkeypatch, year, file, old, new, test, mistake):
    monkeypatch.setenv(VARIABLE, year)
    submissions.change(solution, file, old, new)
    assert look(solution, year, test)[test].mistake == mistake


def test_a_perceivers_predictions_are_graded_in_its_years(solution, course_data):
    for year in ("xcs2023", "xcs2024", "cs224n2023"):
        (solution / "perceiver.pretrain.dev.predictions").write_text("Ost\n" * 200)
        (found,) = submissions.judge_files(solution, course_data, ("", "dev"), year=year).values()
        assert (found.state, found.mistake) == ("look", "constant")


@pytest.mark.nightly
def test_code_side_by_side_earns_what_a_package_does(making, grounds, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    kinds = [name for name in CODE if name != "part g"]
    apart = look(making.side_by_side(grounds / "a5" / "src"), "cs224n2021", *kinds)
    assert submissions.lost(apart) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("year", [name for name, rules in YEARS.items() if not rules.package])
def test_the_solution_side_by_side_gets_everything(grounds, monkeypatch, year):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setenv(VARIABLE, year)
    write(grounds / "a5", lay_out(find_assignment(year), solved=True))
    results = look(grounds / "a5" / "src", year)
    assert submissions.lost(results) == {}


def test_the_year_is_said_and_may_be_named(grader, making, grounds, monkeypatch):
    folder = making.copy(grounds / "ada")
    monkeypatch.setenv(VARIABLE, "xcs2025")  # of the shell that grades: no matter
    given = ["--submission", folder, "1e-0-basic"]
    first = grader(*given).out.splitlines()[0]
    title = YEARS[DEFAULT_YEAR].title
    assert first == f"taken as {title} ({DEFAULT_YEAR}); --year NAME chooses another"
    given = ["--submission", folder, "2e-0-basic"]
    graded = json.loads(grader(*given, "--json", "--year", "cs224n2022").out)
    assert (graded["year"], graded["points"]) == ("cs224n2021", 2.5)
    assert grader(*given, "--year", "cs224n2042").code == 2
