"""What `pip install wherefrom` gives: the wheel without extras, in an environment of its own.

The environment is made by `scripts/setup.sh plain`, so everything here fails if a package that
users need at run time is declared for the tests only.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[1]


def run(*command: object, cwd: Path, codes: tuple[int, ...] = (0,)) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=clean, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode in codes, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    """The environment's bin/."""
    folder = tmp_path_factory.mktemp("plain") / "venv"
    environment = {**os.environ, "PYTHON": sys.executable}
    subprocess.run([ROOT / "scripts/setup.sh", "plain", folder], env=environment, check=True)
    return folder / "bin"


def test_every_file_of_the_package_is_in_it(plain):
    source = ROOT / "src/wherefrom"
    files = [p for p in source.rglob("*") if p.is_file() and p.suffix != ".pyc"]
    expected = {path.relative_to(source).as_posix() for path in files}
    assert {Path(name).suffix for name in expected} >= {".js", ".css", ".html", ".json", ".typed"}
    (place,) = (plain.parent / "lib").glob("python*/site-packages/wherefrom")
    found = {p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file()}
    assert {name for name in found if not name.endswith(".pyc")} == expected


def test_a_run_is_made_asked_and_exported(plain, tiny_settings, tmp_path):
    command = plain / "wherefrom"
    settings = [part for each in (*tiny_settings, "model.ngrams=0") for part in ("--set", each)]
    run(command, "run", "people", "--out", "people", *settings, cwd=tmp_path)
    assert b"<script" in (tmp_path / "people" / "report.html").read_bytes()
    assert "people" in run(command, "list", cwd=tmp_path)
    run(command, "ask", "people", "Where was Amos Karlsson born?", cwd=tmp_path)
    run(command, "export", "people", "--out", "exported", cwd=tmp_path)
    assert (tmp_path / "exported" / "model.safetensors").exists()
    # The example that comes with the package.
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert "  Havana (" in run(command, "ask", "Amos Karlsson", cwd=elsewhere)


def test_the_doctor_and_the_grader_look_at_the_starter(plain, tmp_path):
    """As a student finds it; with our own code on both sides, so that isolation is not needed."""
    from tests.course.files import NAMES, WIKI, hand_out

    folder = hand_out(tmp_path / "term")
    said = run(plain / "wherefrom", "doctor", folder, "--trust", cwd=tmp_path)
    assert "not written yet" in said
    data = {
        "wiki.txt": WIKI, "birth_places_train.tsv": NAMES, "birth_dev.tsv": NAMES,
        "birth_test_inputs.tsv": "Where was Cy Grey born?\n",
    }  # fmt: skip
    for name, text in data.items():
        (tmp_path / name).write_text(text)
    grader = [plain / "python", ROOT / "course/a5/grader.py", "--trust"]
    assert "--submission FOLDER" in run(*grader, "--help", cwd=tmp_path)
    said = run(*grader, "--submission", folder / "submission", "--data", tmp_path, cwd=tmp_path)
    assert " 0 of " in said.splitlines()[-1]
