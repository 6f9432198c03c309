"""The autograder: the reference is worth everything, the starter nothing, mistakes are named.

Most submissions are looked at in this process, which saves importing torch once for each.
"""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.course.files import A5, grading, load
from tests.support import real_data
from tests.support import submissions as making
from wherefrom.course.doctor.checks import CHECKS, HINTS
from wherefrom.course.doctor.child import attempt
from wherefrom.course.doctor.marks import choose
from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import DEFAULT_YEAR

(points,) = load(A5, "grading.points")
LOOKS, TESTS = points.LOOKS, points.TESTS
POINTS = {"1c": 4, "1d": 6, "1e": 20, "1f": 20, "1g": 14}


grader = grading(A5)


@pytest.fixture
def data(course_data) -> Path:
    return course_data


def look(
    folder: Path,
    data: Path | None,
    *tests: str,
    answers: Path | None = None,
    year: str = DEFAULT_YEAR,
):
    """The results of tests, in this process: one result, or a dict of them."""
    submission = Submission(folder, data, answers, year=year)
    results = {test: attempt(LOOKS[test], submission) for test in tests or LOOKS}
    return results[tests[0]] if len(tests) == 1 else results


def test_the_points_are_the_assignments():
    for part, points in POINTS.items():
        tests = choose(TESTS, [part])
        assert sum(TESTS[test].points for test in tests) == points
        assert tests[0] == f"{part}-0-basic"
        assert TESTS[tests[0]].points == 0
        assert all(test.endswith("-hidden") for test in tests[1:])
    assert sum(test.points for test in TESTS.values()) == sum(POINTS.values())


def test_the_tests_are_listed(grader):
    lines = grader("--list", "1e").out.splitlines()
    assert lines[0].split() == "1e-0-basic 0 examples have the right form and size".split()
    assert len(lines) == 6


def test_the_reference_gets_everything(grader, solution, data):
    done = grader("--submission", solution, "--data", data, "--json")
    assert (done.code, done.err) == (0, "")
    graded = json.loads(done.out)
    assert [t["id"] for t in graded["tests"] if t["state"] != "ok"] == []
    assert graded["points"] == graded["possible"] == 64


def test_a_solution_without_the_library_gets_everything(grounds, data):
    """What depends on the files that were given is in test_a5_honesty.py."""
    plain = shutil.copytree(making.HERE / "plain", grounds / "plain")
    tests = [t for t in LOOKS if t not in ("1c-2-hidden", "1c-3-hidden", "1g-2-hidden")]
    results = look(making.predict_all(Path(plain), data), data, *tests)
    assert {t: r.text for t, r in results.items() if r.state != "ok"} == {}


def test_the_starter_gets_nothing(grounds, data):
    load(A5, "make_starter")[0].make(grounds / "starter")
    results = look(grounds / "starter" / "submission", data)
    assert [test for test, result in results.items() if result.state == "ok"] == []
    assert results["1e-1-hidden"].mistake == "unwritten"
    assert results["1g-1-hidden"].mistake == "unwritten"
    own = [sys.executable, grounds / "starter" / "grader.py", "--json", "--trust"]
    own += ["1e-0-basic", "1e-2-hidden"]
    done = subprocess.run(list(map(str, own)), check=True, capture_output=True, cwd=grounds)
    graded = json.loads(done.stdout)
    assert graded["submission"] == str(grounds / "starter" / "submission")
    assert (graded["points"], graded["possible"]) == (0, 4)


@pytest.mark.parametrize("mistake", making.MISTAKES)
def test_a_mistake_is_caught_and_named(solution, data, mistake):
    """By the grader, and by the doctor, who has a hint."""
    making.spoil(solution, mistake)
    how = making.MISTAKES[mistake]
    found = look(solution, data, how["test"])
    told = attempt(CHECKS[how["check"]], Submission(solution, data))
    assert (found.state, found.mistake) == (told.state, told.mistake) == ("look", mistake)
    assert found.text
    assert HINTS[mistake]


def test_a_mistake_costs_its_own_test_alone(solution, data):
    making.spoil(solution, "no third mask")
    results = look(solution, data, *choose(TESTS, ["1e", "1g"]))
    lost = [test for test, result in results.items() if result.state != "ok"]
    assert lost == ["1e-1-hidden"]


def test_predictions_are_judged_by_intervals(solution, data, grounds):
    lines = (solution / "vanilla.pretrain.dev.predictions").read_text().splitlines()
    rows = (data / "birth_dev.tsv").read_text().splitlines()
    world, states = Path(shutil.copytree(data, grounds / "judged")), {}
    for right in (9, 12, 20):  # of 200; the bar is 10 %, and 6 % may still be an unlucky 10 %
        places = [*lines[:right], *(f"nowhere {i}" for i in range(len(lines) - right))]
        told = [f"{r.split(chr(9))[0]}\t{p}\n" for r, p in zip(rows, places, strict=True)]
        (world / "birth_dev.tsv").write_text("".join(told))
        states[right] = look(solution, world, "1f-3-hidden")
    assert [found.state for found in states.values()] == ["look", "ok", "ok"]
    assert states[9].mistake == "score"
    assert "9 of 200 right (4.5%), 95 % interval 2.4 to 8.3 %" in states[9].text


def test_files_that_no_model_wrote_get_nothing(solution, data):
    dev = solution / "vanilla.nopretrain.dev.predictions"
    pretrained = (solution / "vanilla.pretrain.dev.predictions").read_text()

    def mistake(text: str) -> str:
        dev.write_text(text)
        return look(solution, data, "1d-1-hidden").mistake

    assert mistake(pretrained) == "copy"
    assert mistake(pretrained.replace("R", "Q", 1)) == "other answers"
    assert mistake("London\n" * 200) == "constant"
    assert mistake("London\n" * 199) == "lines"
    assert mistake(f"heading\n{pretrained}") == "predictions shifted by a line"
    assert look(solution, None, "1d-1-hidden").state == "unknown"


def test_test_predictions_are_held_against_the_text_or_the_answers(solution, data):
    path = solution / "vanilla.pretrain.test.predictions"
    lines = path.read_text().splitlines()
    assert "the answers are not known" in look(solution, data, "1f-4-hidden").text
    known = look(solution, data, "1f-4-hidden", answers=data / "answers.tsv")
    questions = making.PEOPLE["test"]
    assert f"{0.3 * questions:.0f} of {questions} right" in known.text
    path.write_text("\n".join([*lines[1:], lines[0]]) + "\n")
    found = look(solution, data, "1f-4-hidden")
    assert found.mistake == "predictions shifted by a line"
    assert "one line too early" in found.text


def test_a_model_that_was_never_pretrained_cannot_know_much(solution, data):
    """The pretrained model under the name of the one that was not."""
    for split in ("dev", "test"):
        pair = (f"vanilla.{kind}.{split}.predictions" for kind in ("pretrain", "nopretrain"))
        (solution / next(pair)).rename(solution / next(pair))
    (solution / "vanilla.finetune.params").rename(solution / "vanilla.model.params")
    assert look(solution, data, "1d-1-hidden").mistake == "mislabelled"


def test_the_courses_own_questions(solution):
    """The lines of a good model, of which nothing but the parameters is missing."""
    real = real_data.find("birthplaces")
    rows = [r.split("\t") for r in (real / "birth_dev.tsv").read_text().split("\n")[:-1]]
    lines = [place if i % 3 == 0 else f"Nowhere {i}" for i, (_, place) in enumerate(rows)]
    path = solution / "vanilla.pretrain.dev.predictions"
    path.write_text("".join(f"{line}\n" for line in lines))
    (solution / "vanilla.finetune.params").unlink()
    assert look(solution, real, "1f-3-hidden").mistake == "no parameters"
    making.spoil(solution, "predictions shifted by a line")
    found = look(solution, real, "1f-3-hidden")
    assert found.mistake == "predictions shifted by a line"


SPOILT = {
    "crash": "\nimport os\nos.abort()\n",
    "hungry": "\nCharCorruptionDataset.__getitem__ = lambda self, i: bytearray(1 << 34)\n",
}
HANGS = "\nimport time\nCharCorruptionDataset.__getitem__ = lambda self, i: time.sleep(600)\n"


def test_a_batch_survives_every_submission(grader, grounds):
    folder = grounds / "class"
    for name, text in SPOILT.items():
        path = making.copy(folder / name) / "dataset.py"
        path.write_text(path.read_text() + text)
    making.copy(folder / "=good" / "src" / "submission")
    making.copy(folder / "lacking").joinpath("helper.py").unlink()
    (making.copy(folder / "syntax") / "model.py").write_text("def f(:\n")
    (folder / "empty").mkdir()
    out = grounds / "grades.csv"
    done = grader("--batch", folder, "--csv", out, "1e-2-hidden")
    assert (done.code, done.err) == (0, "")
    rows = {row["submission"]: row for row in csv.DictReader(out.open())}
    assert len(rows) == 6
    points = {name: row["points"] for name, row in rows.items() if row["points"] != "0"}
    assert points == {"'=good": "4"}
    assert "cannot be imported: it was killed (SIGABRT)" in rows["crash"]["why"]
    assert "memory" in rows["hungry"]["why"]
    assert "helper.py: expected one of the course's files" in rows["lacking"]["why"]
    assert "model.py:1: expected Python, found a syntax error" in rows["syntax"]["why"]
    assert "found none of them" in rows["empty"]["why"]


def test_a_submission_that_hangs_is_given_up_and_the_next_one_graded(grader, grounds):
    """Apart from good ones, which a busy machine may not grade within a second."""
    folder, out = grounds / "class", grounds / "grades.csv"
    path = making.copy(folder / "hang") / "dataset.py"
    path.write_text(path.read_text() + HANGS)
    (making.copy(folder / "syntax") / "model.py").write_text("def f(:\n")
    done = grader("--batch", folder, "--csv", out, "--seconds", 1, "1e-2-hidden")
    assert (done.code, done.err) == (0, "")
    rows = {row["submission"]: row for row in csv.DictReader(out.open())}
    assert [row["points"] for row in rows.values()] == ["0", "0"]
    # Which limit it meets first, of waiting or of computing, is up to the machine.
    given_up = ("no answer within 1 s", "it used up its processor time and was given up")
    assert any(why in rows["hang"]["why"] for why in given_up)
    assert "found a syntax error" in rows["syntax"]["why"]


def test_one_test_alone_as_a_table(grader, solution):
    done = grader("--submission", solution, "1e-0-basic")
    assert done.code == 0
    year, isolated, ours, first, total = done.out.splitlines()
    assert "not isolated" in isolated
    assert "own solution" in ours
    assert "xcs2021" in year
    assert first.split() == "1e-0-basic examples have the right form and size 0 of 0 ok".split()
    assert total.split() == ["0", "of", "0"]


@pytest.mark.parametrize(
    ("spoilt", "code", "message"),
    [
        ("folder", 66, "someone: expected a folder with a submission, found none"),
        ("syntax", 65, "helper.py:1: expected Python, found a syntax error"),
        ("id", 2, "test '1z': there is none; --list names them all"),
        ("data", 66, "nowhere: expected the course's data, found nothing"),
        ("no data", 66, "birth_dev.tsv: expected the course's data, found none; name their folder"),
    ],
)
def test_bad_input_is_one_line(grader, grounds, spoilt, code, message):
    folder = grounds / "someone"
    arguments = [{"id": "1z", "no data": "1f"}.get(spoilt, "1e"), "--submission", str(folder)]
    if spoilt != "folder":
        making.copy(folder)
    if spoilt == "syntax":
        (folder / "helper.py").write_text("def f(:\n")
    arguments += ["--data", str(grounds / "nowhere")] if spoilt == "data" else []
    done = grader(*arguments)
    assert (done.code, done.out) == (code, "")
    (line,) = done.err.splitlines()
    assert line.startswith("wherefrom: ")
    assert message in line
