"""The homework's grader: the solution is worth everything, the starter nothing, and each mistake
costs its own part alone.

Most submissions are looked at in this process, which saves importing torch once for each.
"""

import csv
import json
import shutil
import tomllib
from pathlib import Path

import numpy as np
import pytest

from tests.course.files import HW2, grading, hand_out, load, load_program
from tests.support import real_data
from wherefrom.course.doctor import isolation
from wherefrom.course.doctor.isolation import Limits

loading, texts = load(HW2, "probing.loading", "probing.texts")
program = load_program(HW2, "grader")
SAVED, TESTS = program.SAVED, program.TESTS
PLAIN = Path(__file__).parent / "mistakes" / "hw2_plain"
SIZE = len(texts.parameters(0))
OF_CODE = tuple(name for name in TESTS if name != SAVED)


def look(folder: Path, *tests: str, data: Path | None = None) -> dict:
    """The results of tests, by default of all that run a submission's code."""
    return program.grade(folder, tests or OF_CODE, data, Limits(), isolation.NONE).results


grader = grading(HW2)


@pytest.fixture
def plain(tmp_path) -> Path:
    """A student's own solution, in the hand-out's form."""
    return Path(shutil.copytree(PLAIN, tmp_path / "plain"))


@pytest.fixture
def starter(tmp_path) -> Path:
    return hand_out(tmp_path / "starter", "hw2")


@pytest.fixture
def language_data(tmp_path) -> Path:
    """A folder of made-up data in which frequent words are frequent."""
    home = tmp_path / "language-data"
    texts.write_text(home, 4)
    words = [f"w{number:04d}\tNN" for number in range(20)]
    (home / "language" / "ptb-dev.txt").write_text("\n".join(words * 3) + "\n")
    return home


def frequent(home: Path) -> np.ndarray:
    """Parameters that know which words are frequent there, and nothing else."""
    params = np.zeros(SIZE)
    listed = (home / "language" / "vocab.ptb.txt").read_text().split("\n")
    for place, line in enumerate(listed):
        if line.split("\t")[0] in {f"w{number:04d}" for number in range(20)}:
            params[-texts.WORDS + place] = 8.0
    return params


def test_the_solution_gets_everything_and_the_starter_nothing(grader, starter, language_data):
    solution = json.loads(grader("--json").out)
    assert solution["points"] == solution["possible"] == 50  # nothing was trained, no data named
    done = grader("--submission", starter, "--data", language_data, "--json")
    graded = json.loads(done.out)
    assert (graded["points"], graded["possible"]) == (0, 55)
    lost = {test["mistake"] for test in graded["tests"] if test["possible"]}
    assert lost == {"unwritten", "missing"}
    assert all(t["state"] == "ok" for t in graded["tests"] if t["id"].endswith("-0-basic"))


def test_saved_parameters_are_scored_on_the_dev_text(grader, plain, language_data, tmp_path):
    def graded(*options):
        done = grader("1d-4-saved", "--submission", plain, *options, "--json")
        return json.loads(done.out)["tests"][0]

    assert graded()["state"] == "unknown"
    assert graded("--data", language_data)["mistake"] == "missing"
    np.save(plain / "saved_params_40000.npy", np.random.default_rng(0).normal(size=SIZE))
    assert graded("--data", language_data)["mistake"] == "score"
    np.save(plain / "saved_params_40000.npy", frequent(language_data))
    assert graded("--data", language_data)["state"] == "ok"
    np.save(plain / "saved_params_40000.npy", np.zeros(7))
    assert graded("--data", language_data)["mistake"] == "form"
    (plain / "saved_params_40000.npy").write_bytes(b"no array")
    assert graded("--data", language_data)["mistake"] == "form"


def test_a_students_own_solution_gets_everything(plain):
    results = look(plain)
    assert {name: r.text for name, r in results.items() if r.state != "ok"} == {}


MISTAKES = tomllib.loads((PLAIN.parent / "hw2.toml").read_text(encoding="utf-8"))


# One mistake of each file on every run, the others at night.
FEW = {told["file"]: name for name, told in MISTAKES.items()}.values()


@pytest.mark.parametrize(
    "name", [n if n in FEW else pytest.param(n, marks=pytest.mark.nightly) for n in MISTAKES]
)
def test_a_mistake_costs_its_own_part(name, plain):
    told = MISTAKES[name]
    path = plain / told["file"]
    text = path.read_text()
    assert told["right"] in text
    path.write_text(text.replace(told["right"], told["wrong"]))
    part = told["test"].partition("-")[0]
    results = look(plain, *(test for test in OF_CODE if test.startswith(part)))
    lost = {test: r.mistake for test, r in results.items() if r.state != "ok"}
    assert lost == {told["test"]: told["mistake"]}


def test_logarithms_of_probabilities_are_logits_too(plain):
    path = plain / "q3_char_rnn_generation.py"
    path.write_text(path.read_text().replace("return output,", "return output.log_softmax(1),"))
    assert look(plain, "3b-1-step")["3b-1-step"].state == "ok"


def test_notebooks_are_read_without_running_their_cells(plain):
    cells = {
        "q3_char_rnn_generation": [
            "!pip install x",
            "import requests\nurl = 'u'\nd = requests.get(url)",
            "raise SystemExit",
        ],
        "q4_DAN": ["%matplotlib inline", "from transformers import Trainer\nt = Trainer()"],
    }
    for name, before in cells.items():
        sources = [*before, (plain / f"{name}.py").read_text(), "while True:\n    pass"]
        written = [{"cell_type": "code", "source": s.splitlines(keepends=True)} for s in sources]
        (plain / f"Copy_of_{name}.ipynb").write_text(json.dumps({"cells": written}))
        (plain / f"{name}.py").unlink()
    results = look(plain)
    assert {name: r.text for name, r in results.items() if r.state != "ok"} == {}
    (plain / "Copy_of_q4_DAN.ipynb").write_text("{}")
    results = look(plain)
    assert results["4a-1-mean"].mistake == "import"
    assert results["3b-1-step"].state == "ok"


@pytest.mark.nightly
@pytest.mark.usefixtures("python_anew")  # a fork has imported all of the library
def test_the_librarys_own_solution_is_closed(plain):
    code = "import pkgutil\nsigmoid = pkgutil.resolve_name('wherefrom' + '.models.bigram:sigmoid')"
    (plain / "sigmoid.py").write_text(f"{code}\nsigmoid_grad = sigmoid\n")
    (found,) = look(plain, "1c-1-sigmoid").values()
    assert (found.state, found.mistake) == ("look", "import")
    assert "wherefrom" in found.text


def test_right_functions_that_are_lent_are_no_solution(plain):
    """Where sigmoid is wrong, the passes are called with a right one: it is all that they find."""
    (plain / "sigmoid.py").write_text("def sigmoid(x):\n    return x\n\n\nsigmoid_grad = sigmoid\n")
    passes = ("1c-8-forward", "1c-9-cost", "1c-10-gradient")
    assert {r.state for r in look(plain, *passes).values()} == {"ok"}
    with (plain / "q1c_neural.py").open("a") as file:
        file.write(TAKEN)
    results = look(plain, *passes)
    assert {r.state for r in results.values()} == {"look"}


TAKEN = """
def taken(name):
    import runpy
    return runpy.run_path("../given/right.py")[name]

forward = lambda *given: taken("forward")(*given)
forward_backward_prop = lambda *given: taken("forward_backward_prop")(*given)
"""


def test_a_part_that_a_hand_out_does_not_ask_for_is_not_judged(plain):
    (plain / "q4_DAN.py").unlink()
    assert look(plain, "4a-1-mean")["4a-1-mean"].mistake == "missing"
    (plain / "q4_transformer.ipynb").write_text("{}")
    assert look(plain, "4a-1-mean")["4a-1-mean"].state == "unknown"


def test_notebooks_beside_the_modules_are_gathered_as_programs(plain, tmp_path):
    cell = {"cell_type": "code", "source": "x = 1", "outputs": ["x" * 2_000_000]}
    long = {"cell_type": "code", "source": "x = 1\n" * 200_000}
    cells = [long, cell, {"cell_type": "text"}]
    (tmp_path / "q4_DAN.ipynb").write_text(json.dumps({"cells": cells}))
    (tmp_path / "q2_char_rnn_generation.ipynb").write_text("no notebook")
    loading.gather(tmp_path, tmp_path / "into")
    assert (tmp_path / "into" / "sigmoid.py").read_bytes() == (plain / "sigmoid.py").read_bytes()
    assert (tmp_path / "into" / "q2_char_rnn_generation.ipynb.py").read_text() == ""
    assert (tmp_path / "into" / "q4_DAN.ipynb.py").read_text() == "x = 1"


def test_a_file_that_is_gone_or_broken_costs_what_needs_it(plain):
    (plain / "softmax.py").unlink()
    (plain / "sgd.py").write_text("this is not python\n")
    results = look(plain)
    assert results["1c-3-softmax"].mistake == "missing"
    assert results["1c-6-descent"].mistake == "import"
    assert results["1c-1-sigmoid"].state == "ok"


def test_a_class_is_graded_in_one_table(grader, plain, tmp_path):
    (tmp_path / "class" / "empty").mkdir(parents=True)
    shutil.copytree(plain, tmp_path / "class" / "anna")
    done = grader("1c-1-sigmoid", "--batch", tmp_path / "class")
    anna, empty = csv.DictReader(done.out.splitlines())
    assert (anna["submission"], anna["points"], anna["possible"]) == ("anna", "1", "1")
    assert "expected the course's files (sigmoid.py" in empty["why"]


def test_data_that_are_not_there_are_one_line(grader, tmp_path):
    done = grader("--data", tmp_path / "none")
    assert (done.code, done.err.count("\n")) == (66, 1)
    assert "expected a folder with language/" in done.err
    lines = grader("--list", "4b").out.splitlines()
    assert [line.split()[:2] for line in lines] == [["4b-1-dropout", "5"]]


def test_the_real_dev_text_tells_trained_parameters_from_untrained_ones(plain):
    np.save(plain / "saved_params_40000.npy", np.random.default_rng(0).normal(size=SIZE))
    found = look(plain, SAVED, data=real_data.find("language").parent)[SAVED]
    assert (found.mistake, "94,432 dev bigrams" in found.text) == ("score", True)
