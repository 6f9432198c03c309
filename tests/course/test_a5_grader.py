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

from tests.course.files import A5, grading, hand_out, load_program
from tests.support import submissions as making
from wherefrom.course.doctor.years import YEARS

grade = load_program(A5, "grader")
# By part, from each year's public points.json; CS224N's hand-outs have 35 points.
POINTS = {
    "xcs2021": {"1c": 4, "1d": 6, "1e": 20, "1f": 20, "1g": 14},
    "xcs2023": {"1c": 4, "1d": 6, "1e": 20, "1f": 20, "1g": 14},
    "xcs2024": {"1c": 20, "1d": 4, "1e": 6, "1f": 20, "1g": 14},
    "xcs2025": {"1c": 20, "1d": 4, "1e": 6, "1f": 20, "1h": 10},
    "cs224n2021": {"2c": 0, "2d": 5, "2e": 10, "2f": 10, "2g": 10},
    "cs224n2023": {"2c": 0, "2d": 5, "2e": 10, "2f": 10, "2g": 10},
    "cs224n2024": {"3c": 0, "3d": 5, "3e": 10, "3f": 10, "3g": 10},
}


grader = grading(A5)


@pytest.fixture
def data(course_data) -> Path:
    return course_data


def look(folder: Path, data: Path | None, *tests: str, answers: Path | None = None):
    """The results of tests, by the grader itself: one result, or a dict of them."""
    results = grade.grade(folder, tests, data, answers).results
    return results[tests[0]] if len(tests) == 1 else results


def read(folder: Path, data: Path, model: str, split: str = "dev", answers: Path | None = None):
    """A file of predictions, judged in this process."""
    (found,) = making.judge_files(folder, data, (model, split), answers=answers).values()
    return found


@pytest.mark.parametrize("year", YEARS)
def test_the_points_are_the_years_own(year):
    found: dict[str, float] = {}
    for name, test in grade.tests_of(year).items():
        if not test.by_hand:
            part = name.split("-")[0]
            found[part] = found.get(part, 0) + test.points
    assert found == POINTS[year]


def test_the_tests_are_listed(grader):
    lines = grader("--list", "1e").out.splitlines()
    assert lines[0].split() == "1e-0-basic 5 every length of text occurs".split()
    assert len(lines) == 4
    assert "a written answer" in grader("--list", "3a-0-basic", "--year", "xcs2023").out


@pytest.mark.nightly
def test_the_reference_gets_everything(grader, solution, data):
    done = grader("--submission", solution, "--data", data, "--json")
    assert (done.code, done.err) == (0, "")
    graded = json.loads(done.out)
    assert {t["id"]: t["why"] for t in graded["tests"] if t["state"] != "ok"} == {}
    assert graded["points"] == graded["possible"] == 64


def test_a_starter_has_the_visible_tests_alone(grounds):
    starter = hand_out(grounds / "starter")
    own = [sys.executable, starter / "grader.py", "--json", "--trust"]
    done = subprocess.run(list(map(str, own)), check=True, capture_output=True, cwd=grounds)
    graded = json.loads(done.stdout)
    assert [t["id"] for t in graded["tests"] if not t["id"].endswith("-basic")] == []
    assert (graded["points"], graded["possible"]) == (0, 33)


def test_predictions_are_judged_by_intervals(solution, data, grounds):
    lines = (solution / "vanilla.pretrain.dev.predictions").read_text().splitlines()
    rows = (data / "birth_dev.tsv").read_text().splitlines()
    world, states = Path(shutil.copytree(data, grounds / "judged")), {}
    for right in (9, 12, 20):  # of 200; the bar is 10 %, and 6 % may still be an unlucky 10 %
        places = [*lines[:right], *(f"nowhere {i}" for i in range(len(lines) - right))]
        told = [f"{r.split(chr(9))[0]}\t{p}\n" for r, p in zip(rows, places, strict=True)]
        (world / "birth_dev.tsv").write_text("".join(told))
        states[right] = read(solution, world, "vanilla.pretrain")
    assert [found.state for found in states.values()] == ["look", "ok", "ok"]
    assert states[9].mistake == "score"
    assert "9 of 200 right (4.5%), 95 % interval 2.4 to 8.3 %" in states[9].text


def test_files_that_no_model_wrote_get_nothing(solution, data):
    dev = solution / "vanilla.nopretrain.dev.predictions"
    pretrained = (solution / "vanilla.pretrain.dev.predictions").read_text()

    def mistake(text: str) -> str:
        dev.write_text(text)
        return read(solution, data, "vanilla.nopretrain").mistake

    assert mistake(pretrained) == "copy"
    assert mistake(pretrained.replace("R", "Q", 1)) == "other answers"


def test_test_predictions_are_held_against_the_answers_where_they_are_known(solution, data):
    path = solution / "vanilla.pretrain.test.predictions"
    lines = path.read_text().splitlines()
    assert "the answers are not known" in read(solution, data, "vanilla.pretrain", "test").text
    known = read(solution, data, "vanilla.pretrain", "test", data / "answers.tsv")
    questions = making.PEOPLE["test"]
    assert f"{0.3 * questions:.0f} of {questions} right" in known.text
    path.write_text("\n".join([*lines[1:], lines[0]]) + "\n")
    assert read(solution, data, "vanilla.pretrain", "test").mistake == "other answers"
    found = read(solution, data, "vanilla.pretrain", "test", data / "answers.tsv")
    assert found.mistake == "predictions shifted by a line"
    assert "one line too early" in found.text


def test_a_model_that_was_never_pretrained_cannot_know_much(solution, data):
    """The pretrained model under the name of the one that was not."""
    for split in ("dev", "test"):
        pair = (f"vanilla.{kind}.{split}.predictions" for kind in ("pretrain", "nopretrain"))
        (solution / next(pair)).rename(solution / next(pair))
    (solution / "vanilla.finetune.params").rename(solution / "vanilla.model.params")
    assert read(solution, data, "vanilla.nopretrain").mistake == "mislabelled"


def test_an_import_error_is_said_once(grader, grounds):
    """The file that cannot be imported costs what needs it; the sheet gives the reason once."""
    folder = making.copy(grounds / "someone")
    (folder / "helper.py").write_text("import nowhere_to_be_found\n")
    out = grader("--submission", folder, "1c-1-basic", "1f-0-basic", "1g-0-basic", "1e").out
    out = " ".join(out.split())
    assert out.count("No module named 'nowhere_to_be_found' (helper.py:1)") == 1
    assert out.count("the same as for 1c-1-basic") == 2
    assert out.count("5 of 5 ok") == 4, "the data sets need no helper.py"


SPOILT = {
    "crash": "\nimport os\nos.abort()\n",
    "hungry": "\nCharCorruptionDataset.__getitem__ = lambda self, i: bytearray(1 << 34)\n",
}


@pytest.mark.parametrize("spoilt", [(), pytest.param((*SPOILT,), marks=pytest.mark.nightly)])
def test_a_batch_survives_every_submission(grader, grounds, spoilt):
    folder = grounds / "class"
    for name, text in ((name, SPOILT[name]) for name in spoilt):
        path = making.copy(folder / name) / "dataset.py"
        path.write_text(path.read_text() + text)
    making.copy(folder / "=good" / "src" / "submission")
    making.copy(folder / "lacking").joinpath("helper.py").unlink()
    (making.copy(folder / "syntax") / "model.py").write_text("def f(:\n")
    (folder / "empty").mkdir()
    (folder / "broken.zip").write_bytes(b"PK\x03\x04 and no more")
    (folder / "link").symlink_to(folder / "empty")
    making.side_by_side(folder / "side by side" / "a5" / "src")
    out = grounds / "grades.csv"
    done = grader("--batch", folder, "--csv", out, "1e-2-basic")
    assert (done.code, done.err) == (0, "")
    rows = {row["submission"]: row for row in csv.DictReader(out.open())}
    assert len(rows) == 7 + len(spoilt)
    points = {n: (row["year"], row["points"]) for n, row in rows.items() if row["points"] != "0"}
    assert points == dict.fromkeys(("'=good", "side by side"), ("xcs2021", "5"))
    if spoilt:
        assert "cannot be imported: it was killed (SIGABRT)" in rows["crash"]["why"]
        assert "memory" in rows["hungry"]["why"]
    assert "helper.py: expected one of the course's files" in rows["lacking"]["why"]
    assert "model.py:1: expected Python, found a syntax error" in rows["syntax"]["why"]
    assert "found none of them" in rows["empty"]["why"]
    assert rows["empty"]["possible"] == "5", "of what was asked for"
    assert "expected a zip archive, found one that breaks" in rows["broken.zip"]["why"]
    assert "found a link to one" in rows["link"]["why"]


@pytest.mark.parametrize(
    ("spoilt", "code", "message"),
    [
        ("id", 2, "test '1z': there is none; --list names them all"),
        ("data", 66, "nowhere: expected the course's data, found nothing"),
        ("no data", 66, "birth_dev.tsv: expected the course's data, found none; name their folder"),
    ],
)
def test_bad_input_is_one_line(grader, grounds, spoilt, code, message):
    folder = grounds / "someone"
    arguments = [{"id": "1z", "no data": "1f"}.get(spoilt, "1e"), "--submission", str(folder)]
    making.copy(folder)
    arguments += ["--data", str(grounds / "nowhere")] if spoilt == "data" else []
    done = grader(*arguments)
    assert (done.code, done.out) == (code, "")
    (line,) = done.err.splitlines()
    assert line.startswith("wherefrom: ")
    assert message in line
