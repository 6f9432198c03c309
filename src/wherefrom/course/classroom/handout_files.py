"""What a term needs, made from an assignment's sources: for students, and for the teacher.

Everything is first made in memory, as contents by path, and then written at once. Pages and small
files come of the templates in `course`.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wherefrom.core.errors import CannotWrite, UsageError
from wherefrom.core.files import cannot_write, write_bytes
from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.classroom.assignments import (
    BASIC,
    COURSE,
    POINTS,
    Assignment,
    find_assignment,
)
from wherefrom.course.classroom.submission_archives import archive, is_program, make_wheel
from wherefrom.course.doctor.starter import blank
from wherefrom.course.doctor.years import DEFAULT_YEAR

Files = dict[str, bytes]
STUDENT, TEACHER = "student", "teacher"
# As the letters are called in the sources, by a kind of test that the part has in every year.
_LETTERS = {"c": "finetuning", "e": "truncation", "f": "pretraining", "g": "dev of part g"}
SEED = 0  # of the demonstrations in the rubric
EPOCHS = 200  # of pretraining on a small GPU: the learning rate has come down by then
_PART = re.compile(r"\[part ([c-g])(?:: (\w+))?\]")


def new_course(
    year: str,
    out: str | Path,
    *,
    data: str | Path | None = None,
    solution: bool = False,
    rubric: bool = False,
    gradescope: bool = False,
    force: bool = False,
) -> dict[str, str]:
    """Make an assignment for a term; what there is now, by path.

    `out`/student has what students get, `out`/teacher the `solution`, the `rubric` of the written
    parts and the autograder for `gradescope`, each if it is asked for. `year` names the hand-out;
    `data` is the folder of the course's data, by default the registered one. Files that differ from
    what would be written are refused, unless `force` is set.
    """
    out = Path(out)
    assignment = find_assignment(year)
    if gradescope and assignment.rules is None:
        raise UsageError(f"--gradescope: expected an assignment with a grader, found {year}")
    given = _read(
        assignment.find_data(Path(data) if data else None), (*assignment.data, *assignment.more)
    )
    files = _below(STUDENT, hand_out(assignment, given))
    told = {STUDENT: "for students: begin with handout.html"}
    if solution:
        files |= _below(f"{TEACHER}/solution", hand_out(assignment, given, solved=True))
        told[f"{TEACHER}/solution"] = "the same with the solutions"
    if rubric:
        files[f"{TEACHER}/rubric.html"] = _rubric(assignment).encode()
        told[f"{TEACHER}/rubric.html"] = "written parts: points, model answers, wrong answers"
    if gradescope:
        files[f"{TEACHER}/autograder.zip"] = archive(autograder(assignment, given))
        told[f"{TEACHER}/autograder.zip"] = "upload it to Gradescope as the autograder"
    write(out, files, force)
    return {str(out / path): text for path, text in told.items()}


def hand_out(assignment: Assignment, data: Files, solved: bool = False) -> Files:
    """The students' folder, with the solutions or without."""
    name, wheel = make_wheel()
    texts = _for_students(assignment, name)
    files = lay_out(assignment, solved) | _below(f"{assignment.place}data", data)
    return files | {path: text.encode() for path, text in texts.items()} | {name: wheel}


def lay_out(assignment: Assignment, solved: bool = False) -> Files:
    """Code and tools as the year has them; without the solutions, unless they are wanted."""
    rules = assignment.rules
    code: Files = {}
    for path, data in _read(assignment.home, assignment.solved).items():
        text = data.decode() if solved else blank(data.decode())
        code[path] = _yearly(assignment, text).encode()
    tools = {path: _yearly(assignment, data.decode()).encode()
             for path, data in _read(assignment.home, assignment.tools).items()}  # fmt: skip
    if rules is not None:
        tools[POINTS] = _visible(tools[POINTS])
    if rules is None or rules.package:
        return {f"{assignment.place}{path}": text for path, text in (code | tools).items()}
    program = (assignment.home / "templates" / "run.py.txt").read_bytes()
    return _side_by_side(code | {"run.py": program}, tools, rules.model_file)


def autograder(assignment: Assignment, data: Files) -> Files:
    """What Gradescope's autograder needs: the grader's sources with all tests, and data."""
    sources = (*assignment.solved, *assignment.tools)
    name, wheel = make_wheel()
    texts = {each: _render(assignment, each, wheel=name) for each in ("setup.sh", "run_autograder")}
    files = _read(assignment.home, sources) | _below("data", data)
    return files | {path: text.encode() for path, text in texts.items()} | {name: wheel}


def _visible(points: bytes) -> bytes:
    """The table of tests without those that students do not get."""
    table = json.loads(points).items()
    shown = {year: {t: row for t, row in rows.items() if t.endswith(BASIC)} for year, rows in table}
    return json.dumps(shown, indent=1).encode()


def _yearly(assignment: Assignment, text: str) -> str:
    """A file as the year's hand-out has it: its own letters of parts, and the year's name."""
    rules = assignment.rules
    if rules is None:
        return text
    letters = {old: assignment.letters[kind][1:] for old, kind in _LETTERS.items()}

    def part(match: re.Match[str]) -> str:
        other = match[2] not in (None, rules.variant)
        letter = letters.get(match[1], match[1])
        return "[another year's part g]" if other else f"[part {letter}]"

    text = text.replace(f'YEAR = "{DEFAULT_YEAR}"', f'YEAR = "{assignment.year}"')
    return _PART.sub(part, text)


def _side_by_side(code: Files, tools: Files, model: str) -> Files:
    """CS224N's form: no package, but files in `src`; the code of helper.py is in run.py."""
    files = {Path(path).name: data for path, data in code.items()}
    functions = files.pop("helper.py").partition(b"\n\n\n")[2]
    files["run.py"] = files["run.py"].replace(b"# HELPER\n", b"\n" + functions)
    files[model] = files.pop("model.py")
    del files["__init__.py"]
    importing = f"from {Path(model).stem} import".encode()
    bare = {path: re.sub(rb"from (submission)?\.(?=\w)", b"from ", data)
            for path, data in (_below("src", files) | tools).items()}  # fmt: skip
    return {path: data.replace(b"from . import", b"import").replace(b"from model import", importing)
            for path, data in bare.items()}  # fmt: skip


def _read(home: Path, patterns: Iterable[str]) -> Files:
    found = (path for pattern in patterns for path in sorted(home.glob(pattern)))
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in found}


def _below(folder: str, files: Files) -> Files:
    return {f"{folder}/{path}": data for path, data in files.items()}


def write(out: Path, files: Files, force: bool = False) -> None:
    """Write all files; those of somebody's work are left alone, unless forced."""
    for path, data in files.items():
        there = out / path
        if not force and there.exists() and (not there.is_file() or there.read_bytes() != data):
            raise CannotWrite(
                f"{there}: expected nothing there, found a file that differs, perhaps somebody's "
                "work; name another folder with --out, or write over it with --force"
            )
    with cannot_write(out):
        for path, data in files.items():
            write_bytes(out / path, data)
            if is_program(path):
                (out / path).chmod(0o755)


# -- pages -----------------------------------------------------------------------------------------


def _for_students(assignment: Assignment, wheel: str) -> dict[str, str]:
    """The hand-out, the form for written answers, the environment, and for a GPU a notebook."""
    names = ("handout.html", "submission.tex", "environment.yml")
    found = {name: _render(assignment, name, wheel=wheel) for name in names}
    if assignment.rules is not None:  # the homework trains on a laptop
        notebook = json.loads(_render(assignment, "train.ipynb", wheel=wheel))
        found["train.ipynb"] = json.dumps(notebook, indent=1, ensure_ascii=False)
    return found


def _rubric(assignment: Assignment) -> str:
    """Every written part with its points, model answers, and what students get wrong."""
    return _render(assignment, "rubric.html", answer=lambda name: _answer(assignment, name))


def _answer(assignment: Assignment, name: str) -> dict[str, Any]:
    """A question's model answer: our own words, or what the attention lab computes."""
    from wherefrom.course.lab.running import demonstrate

    question = assignment.written["questions"][name]
    shown = [demonstrate(each, SEED) for each in question.get("lab", ())]
    wrong = [*question.get("wrong", {}).items(),
             *((r.statement, r.why) for each in shown for r in each.refutations)]  # fmt: skip
    return {
        "text": [*filter(None, [question.get("answer")]), *(each.claim for each in shown)],
        "computed": [check.in_words() for each in shown for check in each.checks],
        "wrong": wrong,
    }


def _render(assignment: Assignment, name: str, **more: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    places = [assignment.home / "templates", COURSE / "templates"]
    environment = Environment(
        loader=FileSystemLoader(places),
        undefined=StrictUndefined,
        autoescape=name.endswith(".html"),
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rules = assignment.rules
    typed = commands.of_variant(rules.variant, rules.package) if rules else {}
    written = assignment.written
    return environment.select_template([name, f"{name}.txt"]).render(
        assignment=assignment, rules=rules, sections=assignment.sections(),
        titles=written["sections"], topics=written["topics"], questions=written["questions"],
        letter=assignment.letters, commands=typed, epochs=EPOCHS, **more,
    )  # fmt: skip
