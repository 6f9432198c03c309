"""One submission's grade, and a folder full of them."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from places import SUBMISSION, other_data

from grading import again
from grading.again import new_draw
from grading.points import CODE, FILES, PREDICTIONS, TESTS
from grading.scores import DIFFERENT, UNFIT, Ties, parameters_of
from wherefrom.course.doctor import marks
from wherefrom.course.doctor import order as sandbox
from wherefrom.course.doctor.findings import Result
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import describe
from wherefrom.course.doctor.layouts import check_files, locate
from wherefrom.course.doctor.order import Limits
from wherefrom.course.doctor.predictions import WIKI, read_asked, read_predictions
from wherefrom.course.doctor.recognition import OURS, own_functions
from wherefrom.course.doctor.sandbox import examine
from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import find_year
from wherefrom.show.terminal.tables import printable

HOME = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Grade(marks.Grade):
    """A grade by one hand-out; what could not be judged counts among the possible points."""

    seconds: float = 0.0
    year: str = ""
    year_said: str = ""  # why it was taken for that year's hand-out
    ours: bool = False  # the library's own solution, or a copy of it

    @property
    def possible(self) -> int:
        return sum(TESTS[test].points for test in self.results)

    def as_json(self) -> dict[str, Any]:
        told = super().as_json()
        tests, refused = told.pop("tests"), told.pop("refused")
        told |= {"year": self.year, "year_said": self.year_said, "library_solution": self.ours}
        return told | {"refused": refused, "seconds": round(self.seconds, 1), "tests": tests}

    def row(self, names: Sequence[str]) -> dict[str, Any]:
        cells = super().row(names)
        why = "; ".join(filter(None, (OURS if self.ours else "", cells.pop("why"))))
        first = {"submission": cells.pop("submission"), "year": self.year}
        return first | cells | {"seconds": f"{self.seconds:.1f}", "why": why}

    def table(self) -> list[str]:
        """The year, then a line a test and why points are missing."""
        said = [printable(self.year_said)] if self.year_said else []
        return [*said, *marks.table(self)]


@dataclass(frozen=True)
class Order:
    """What to grade with: test ids, where the data is, the test answers if known, limits, year.

    Without a year, each submission's is guessed from its files.
    """

    tests: tuple[str, ...] = tuple(TESTS)
    data: Path | None = None
    answers: Path | None = None
    limits: Limits = field(default_factory=Limits)
    isolation: str = ""
    year: str | None = None
    again: int = again.QUESTIONS  # questions of each file of predictions to answer again
    draw: int | None = None  # which ones: None draws anew for each submission


def grade(folder: Path, order: Order, name: str = "") -> Grade:
    started = time.monotonic()
    with taken(folder) as copy:
        place = locate(copy.folder)
        guess = decide_year(order.year, place)
        check_files(place)
        results = look_at(place, order, guess.year)
        ours = own_functions(sorted(SUBMISSION.glob("*.py")), place)
    said = [describe(order.isolation)] if order.isolation else []
    said += [other] if order.data and (other := other_data(order.data)) else []
    said += [f"left out: {', '.join(copy.left)}"] if copy.left else []
    said += [f"{OURS}: {', '.join(ours)}"] if ours else []
    return Grade(
        name or str(folder), TESTS, results, said=tuple(said), year=guess.year, ours=bool(ours),
        year_said=str(guess), seconds=time.monotonic() - started,
    )  # fmt: skip


def look_at(place: Path, order: Order, year: str) -> dict[str, Result]:
    """Code and files apart; what both have to say of a test is one result."""
    data = order.data
    ties = Ties(order.again, new_draw() if order.draw is None else order.draw)
    of_code = tuple(n for n in order.tests if n in CODE)
    common = sandbox.Order(
        "grading.points:CODE", of_code, place, limits=order.limits, paths=(HOME,), year=year,
        isolation=order.isolation,
    )  # fmt: skip
    reading = replace(
        common, checks="grading.points:FILES", data=data, answers=order.answers, code=False
    )

    def read_files(names: Sequence[str], ties: Ties) -> dict[str, Result]:
        return examine(replace(reading, names=tuple(names), note=ties.note()))

    code = examine(common)
    files = read_files([n for n in order.tests if n in FILES], ties)
    if unexplained := [n for n, result in files.items() if result.mistake in (UNFIT, DIFFERENT)]:
        own = own_answers(unexplained, place, data, ties, common)
        tied = {name_of(n, year): own[n].text for n in own if own[n].state == "ok"}
        explained = [n for n in own if own[n].state == "ok"]
        files |= read_files(explained, replace(ties, tied=tied)) if explained else {}
        for name in set(own) - set(explained):
            text = f"{files[name].text}; the submission's own model: {own[name].text}"
            files[name] = replace(files[name], text=text)
    return {name: both(code.get(name), files.get(name)) for name in order.tests}


def own_answers(
    names: Sequence[str], place: Path, data: Path | None, ties: Ties, common: sandbox.Order
) -> dict[str, Result]:
    """Ask the submission's own model, in the sandbox; it gets questions, never answers."""
    handed_in, drawn, wanted = Submission(place, data, year=common.year), {}, set[Path]()
    for name in names:
        model, split = name_of(name, common.year).rsplit(".", 1)
        lines = read_predictions(handed_in.find(f"{model}.{split}.predictions"))
        questions = read_asked(data, split).questions
        chosen = again.choose(len(lines), ties.questions, ties.draw)
        pick = [[column[i] for i in chosen] for column in (questions, lines)]
        drawn[f"{model}.{split}"] = pick
        wanted.add(handed_in.find(parameters_of(model)))
    note = json.dumps({"draw": ties.draw, "drawn": drawn})
    given = (data / WIKI,) if data else ()
    extra = {"note": note, "whole": tuple(sorted(wanted)), "given": given}
    return examine(replace(common, checks="grading.points:OWN", names=tuple(names), **extra))


def name_of(test: str, year: str) -> str:
    """The start of the name of a test's predictions, with the split."""
    model, split = PREDICTIONS[test]
    return f"{model or f'{find_year(year).variant}.pretrain'}.{split}"


def both(code: Result | None, files: Result | None) -> Result:
    """The first that is not well; if both are, what both say."""
    found = [result for result in (code, files) if result is not None]
    wrong = [result for result in found if result.state != "ok"]
    return wrong[0] if wrong else Result("ok", "; ".join(r.text for r in found if r.text))


def grade_all(folder: Path, order: Order) -> Iterator[marks.Grade]:
    """Every folder in a folder, by name."""

    def refuse(name: str, why: str) -> Grade:
        results = dict.fromkeys(order.tests, Result("look", why, "refused"))
        return Grade(name, TESTS, results, why)

    return marks.grade_each(folder, lambda path: grade(path, order, path.name), refuse)
