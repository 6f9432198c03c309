"""What is handed out: complete, in the year's layout, without solutions and hidden tests."""

import ast
import email
import html
import io
import json
import re
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.course.files import A5, HW2
from wherefrom import api
from wherefrom.core.errors import CannotWrite, MissingInput, UsageError
from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.classroom import handout_files as packing
from wherefrom.course.classroom import submission_archives as archives
from wherefrom.course.classroom.assignments import find_assignment
from wherefrom.course.doctor import starter as marks
from wherefrom.course.doctor.years import YEARS

ROOT = A5.parents[1]
DATA = {"wiki.txt": b"Ann. Born in Oslo.\n", "birth_dev.tsv": b"Where?\tOslo\n"}
ALL = [*YEARS, "hw2"]


def regions(source: str) -> set[str]:
    """The lines of a file's solutions that are long enough to be told by."""
    parts = [part.split(marks.END)[0] for part in source.split(marks.START)[1:]]
    return {line.strip() for part in parts for line in part.splitlines() if len(line.strip()) > 30}


SOLVED = {
    name: set().union(*(regions(path.read_text("utf-8")) for path in home.glob(pattern)))
    for name, home, pattern in (("a5", A5, "submission/*.py"), ("hw2", HW2, "*.py"))
}


@pytest.mark.parametrize("year", ALL)
def test_students_get_everything_but_solutions_and_hidden_tests(year):
    assignment = find_assignment(year)
    files = packing.hand_out(assignment, DATA)
    place = assignment.place
    assert {"handout.html", "submission.tex", "environment.yml",
            f"{place}data/wiki.txt"} <= set(files)  # fmt: skip
    if assignment.rules:
        points = json.loads(files[f"{place}points.json"])
        assert all(test.endswith("-basic") for rows in points.values() for test in rows)
        assert f"{place}grader.py" in files
    solved = SOLVED[assignment.folder]
    assert len(solved) > 20
    for path, data in files.items():
        if not path.endswith(".whl"):
            lines = {line.strip() for line in data.decode().splitlines()}
            assert not lines & solved, path
            assert "SOLUTION_ONLY" not in data.decode(), path
        if path.endswith(".py"):
            compile(data, path, "exec")
    kept = packing.lay_out(assignment, solved=True)
    assert set(kept) == set(packing.lay_out(assignment))
    found = {line.strip() for data in kept.values() for line in data.decode().splitlines()}
    assert solved <= found


def test_cs224n_has_its_files_side_by_side():
    files = packing.lay_out(find_assignment("cs224n2025"))
    code = {path.removeprefix("src/") for path in files if path.startswith("src/")}
    assert code == {f"{n}.py" for n in "attention dataset models run trainer utils".split()}
    program = files["src/run.py"].decode()
    assert "def finetune(" in program
    assert "from models import GPT" in program
    assert "from ." not in "".join(data.decode() for data in files.values())
    assert "from submission" not in files["play_char.ipynb"].decode()


@pytest.mark.parametrize("year", ALL)
def test_the_hand_out_gives_the_years_points_and_commands(year):
    assignment = find_assignment(year)
    page = packing.hand_out(assignment, DATA)["handout.html"].decode()
    shown = re.findall(r"<h3>(\d\w)\. .*?(?:([\d.]+) points?</span>)?</h3>", page)
    worth = {name: float(points or 0) for name, points in shown}
    parts = {test.split("-")[0] for test in assignment.tests}
    assert (parts or {"1c", "1d", "3b", "4a", "4b"}) <= set(worth)
    assert sum(worth.values()) == sum(row[0] for row in assignment.tests.values())
    if rules := assignment.rules:
        typed = commands.of_variant(rules.variant, rules.package).values()
        assert [line for line in typed if line not in html.unescape(page)] == []


@pytest.mark.parametrize("year", ALL)
def test_programs_that_the_hand_out_names_are_there_with_their_options(year):
    assignment = find_assignment(year)
    files = packing.hand_out(assignment, DATA)
    page = html.unescape(files["handout.html"].decode())
    named = re.findall(r"(?:^|<pre><code>)python (\S+\.py)(.*)", page, re.MULTILINE)
    assert len(named) > 4
    for program, rest in named:
        text = files[f"{assignment.place}{program}"].decode()
        for option in re.findall(r"--[\w-]+", rest.partition("#")[0]):
            known = option in (
                "--trust",
                "--reading_params_path",
                "--writing_params_path",
                "--finetune_corpus_path",
                "--eval_corpus_path",
                "--outputs_path",
            )
            named = (f'"{option}"', f'"{option[2:]}"')
            assert known or any(name in text for name in named), (program, option)


def test_a_rubric_has_answers_that_the_hand_out_has_not():
    assignment = find_assignment("cs224n2024")
    page = packing.hand_out(assignment, DATA)["handout.html"].decode()
    told = html.unescape(packing._rubric(assignment))
    answers = [q["answer"] for q in assignment.written["questions"].values() if "answer" in q]
    asked = [answer for answer in answers if answer.rstrip(".") in told]
    assert len(asked) == 10  # the others are of other years, or computed in the lab
    assert not [answer for answer in asked if answer[:30] in html.unescape(page)]
    assert "q = (mu_a + mu_b)/2, the average of the two keys" in told, "a wrong answer"
    assert "1e. What several heads are for" in told


def test_the_autograder_has_scripts_that_run_hidden_tests_and_data():
    packed = archives.archive(packing.autograder(find_assignment("xcs2025"), DATA))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
        program = archive.read("run_autograder").decode()
    assert {"setup.sh", "run_autograder", "grader.py", "points.json", "submission/model.py",
            "data/wiki.txt"} <= set(names)  # fmt: skip
    assert names["run_autograder"] & names["setup.sh"] & 0o111 == 0o111
    assert "--year xcs2025" in program
    assert "{{" not in program


def test_a_wheel_lists_what_it_holds():
    name, data = archives.make_wheel()
    assert re.fullmatch(r"wherefrom-[\d.]+-py3-none-any\.whl", name)
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        (record,) = [n for n in wheel.namelist() if n.endswith("RECORD")]
        listed = {line.split(",")[0] for line in wheel.read(record).decode().splitlines()}
        assert listed == set(wheel.namelist())
        assert "wherefrom/course/doctor/hints.json" in listed


def test_the_wheel_requires_what_the_clone_does_whatever_is_installed(tmp_path, monkeypatch):
    """An egg-info that lies about says nothing of requirements."""
    (tmp_path / "wherefrom.egg-info").mkdir()
    (tmp_path / "wherefrom.egg-info" / "PKG-INFO").write_text("Name: wherefrom\nVersion: 0\n")
    monkeypatch.syspath_prepend(tmp_path)
    _, data = archives.make_wheel.__wrapped__()
    with zipfile.ZipFile(io.BytesIO(data)) as wheel:
        (path,) = [n for n in wheel.namelist() if n.endswith("METADATA")]
        about = email.message_from_bytes(wheel.read(path))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (about["Name"], about["Version"]) == ("wherefrom", project["version"])
    assert about.get_all("Requires-Dist") == project["dependencies"]


def modules(source: str) -> set[str]:
    """What a program imports, by the first word of each name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {each.name.split(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


@pytest.mark.parametrize("year", ALL)
def test_the_environment_has_what_the_starter_imports(year):
    files = packing.hand_out(find_assignment(year), DATA)
    sources = [data.decode() for path, data in files.items() if path.endswith(".py")]
    for path in (path for path in files if path.endswith(".ipynb")):
        cells = [c["source"] for c in json.loads(files[path])["cells"] if c["cell_type"] == "code"]
        lines = "".join("".join([*cell, "\n"]) for cell in cells).splitlines()
        sources.append("\n".join(line for line in lines if not line.startswith(("%", "!"))))
    own = {part.removesuffix(".py") for path in files for part in Path(path).parts}
    imported = set().union(*map(modules, sources)) - own - set(sys.stdlib_module_names)
    listed = re.findall(r"^ +- (?:\./)?([a-z]+)(?:-[\d.]+-py3-none-any\.whl)?$",
                        files["environment.yml"].decode(), re.MULTILINE)  # fmt: skip
    assert imported <= {*listed}
    assert {*listed} <= imported | {"pip"}
    assert b"- --extra-index-url https://download.pytorch.org/whl/cpu\n" in files["environment.yml"]


def test_somebodys_work_is_not_written_over(tmp_path):
    files = {"a.py": b"given\n", "run.sh": b"#!\n"}
    packing.write(tmp_path, files)
    packing.write(tmp_path, files)  # nothing has changed
    assert (tmp_path / "run.sh").stat().st_mode & 0o111
    (tmp_path / "a.py").write_text("my work\n")
    with pytest.raises(CannotWrite, match=r"a\.py: expected nothing there, found a file that"):
        packing.write(tmp_path, files)
    assert (tmp_path / "a.py").read_text() == "my work\n"
    packing.write(tmp_path, files, force=True)
    assert (tmp_path / "a.py").read_text() == "given\n"


def test_what_is_asked_for_wrongly_is_one_line(tmp_path):
    with pytest.raises(UsageError, match=r"--year: no year 'xcs1999'"):
        api.new_course("xcs1999", tmp_path, data=tmp_path)
    with pytest.raises(UsageError, match=r"--gradescope: expected an assignment with a grader"):
        api.new_course("hw2", tmp_path, data=tmp_path, gradescope=True)
    with pytest.raises(MissingInput, match=r"wiki\.txt: expected the course's data, found no"):
        api.new_course("xcs2021", tmp_path, data=tmp_path)
