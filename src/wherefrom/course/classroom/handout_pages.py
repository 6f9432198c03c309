"""The pages and small files of a term, from the templates in `course`."""

import json
from functools import cache
from typing import Any

from wherefrom.course.classroom import assignment_commands as commands
from wherefrom.course.classroom.assignments import COURSE, Assignment
from wherefrom.course.lab.demonstration import Demonstration

SEED = 0
EPOCHS = 200  # of pretraining on a small GPU: the learning rate has come down by then


def for_students(assignment: Assignment, wheel: str) -> dict[str, str]:
    """The hand-out, the form for written answers, the environment, and for a GPU a notebook."""
    names = ("handout.html", "submission.tex", "environment.yml")
    found = {name: _render(assignment, name, wheel=wheel) for name in names}
    if assignment.rules is not None:  # the homework trains on a laptop
        notebook = json.loads(_render(assignment, "train.ipynb", wheel=wheel))
        found["train.ipynb"] = json.dumps(notebook, indent=1, ensure_ascii=False)
    return found


def for_gradescope(assignment: Assignment, wheel: str) -> dict[str, str]:
    return {name: _render(assignment, name, wheel=wheel) for name in ("setup.sh", "run_autograder")}


def rubric(assignment: Assignment) -> str:
    """Every written part with its points, model answers, and what students get wrong."""
    return _render(assignment, "rubric.html", answer=lambda name: _answer(assignment, name))


def _answer(assignment: Assignment, name: str) -> dict[str, Any]:
    """A question's model answer: our own words, or what the attention lab computes."""
    question = assignment.written["questions"][name]
    shown = [_demonstrate(each) for each in question.get("lab", ())]
    wrong = [*question.get("wrong", {}).items(),
             *((r.statement, r.why) for each in shown for r in each.refutations)]  # fmt: skip
    return {
        "text": [*filter(None, [question.get("answer")]), *(each.claim for each in shown)],
        "computed": [check.in_words() for each in shown for check in each.checks],
        "wrong": wrong,
    }


@cache
def _demonstrate(name: str) -> Demonstration:
    from wherefrom.course.lab.running import demonstrate

    return demonstrate(name, SEED)


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
