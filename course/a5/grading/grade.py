"""One submission's grade, and a folder full of them."""

import io
import os
import secrets
import time
from collections.abc import Iterable, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

from places import SUBMISSION, other_data

from grading.points import Kind, tests_of
from wherefrom.core.errors import MissingInput
from wherefrom.course.classroom.batch import Grader, Known
from wherefrom.course.doctor.child_requests import Asking, ask
from wherefrom.course.doctor.findings import Result, attempt
from wherefrom.course.doctor.guess import decide_year
from wherefrom.course.doctor.intake import taken
from wherefrom.course.doctor.isolation import Limits, describe, new_place
from wherefrom.course.doctor.judging import spans
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.layouts import check_files, is_package, locate
from wherefrom.course.doctor.marks import Grade, Test, choose
from wherefrom.course.doctor.recognition import OURS, is_solution, own_functions
from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import DEFAULT_YEAR, VARIABLE, YEARS, find_year

_BLOCK = spans.BLOCKS[0]


@dataclass(frozen=True)
class Order:
    """What to grade with: test ids, where the data is, the test answers if known, limits, year.

    Without a year, each submission's is guessed from its files.
    """

    tests: tuple[str, ...] = ()
    data: Path | None = None
    answers: Path | None = None
    limits: Limits = field(default_factory=Limits)
    isolation: str = ""
    year: str | None = None
    again: int = 40  # questions of each file of predictions to answer again
    draw: int | None = None  # of all that is drawn: None draws anew for each submission


def chosen(year: str, wanted: Sequence[str]) -> dict[str, Test]:
    """The tests of a year that were named; without names, all that need no person.

    An id that only another year has names no test here.
    """
    known = tests_of(year)
    own, anywhere = _ids(known), {name for each in YEARS for name in _ids(tests_of(each))}
    here = [name for name in wanted if name in own or name not in anywhere]
    names = choose(known, here or wanted)
    return {n: known[n] for n in names if wanted or not known[n].look.by_hand}


def _ids(tests: Iterable[str]) -> set[str]:
    """Ids, and the parts that they begin with."""
    return {part for name in tests for part in (name, name.split("-")[0])}


def grade(folder: Path, order: Order, name: str = "") -> Grade:
    started = time.monotonic()
    with taken(folder) as copy:
        place = locate(copy.folder)
        guess = decide_year(order.year, place)
        check_files(place)
        tests = chosen(guess.year, order.tests)
        results, drawn = look_at(place, order, guess.year, tests)
        ours = own_functions(sorted(SUBMISSION.glob("*.py")), place)
    said = [describe(order.isolation)] if order.isolation else []
    said += [other] if order.data and (other := other_data(order.data)) else []
    said += [f"left out: {', '.join(copy.left)}"] if copy.left else []
    said += [f"{OURS}: {', '.join(ours)}"] if ours else []
    said += [drawn] if drawn and not ours else []
    return Grade(
        name or str(folder), tests, results, said=tuple(said), ours=bool(ours or drawn),
        year=guess.year, year_said=str(guess), seconds=time.monotonic() - started,
    )  # fmt: skip


def look_at(
    place: Path, order: Order, year: str, tests: dict[str, Test]
) -> tuple[dict[str, Result], str]:
    """Ask the code, read the files, and judge what is claimed; and whether it draws as we do."""
    draw = secrets.randbelow(10**9) if order.draw is None else order.draw
    named, kinds = find_year(year), {name: test.look for name, test in tests.items()}
    reading = {name: kind for name, kind in kinds.items() if kind.reads}
    if reading and order.data is None:
        raise MissingInput(
            "birth_dev.tsv: expected the course's data, found none; name their folder with --data "
            "or register it with 'wherefrom data add birthplaces FOLDER' (other parts need none)"
        )
    with new_place() as held:
        asking = Asking(place, held / "code", year, order.limits, isolation=order.isolation)
        wanted = {r.name: r for kind in kinds.values() for r in kind.asks(named, draw)}
        told = ask(asking, list(wanted.values())) if wanted else {}
        claims = Claims(named, draw, is_package(place), told)
        results = {n: attempt(k.look, claims) for n, k in kinds.items() if not k.reads}
        if reading:
            results |= _read_files(place, order, reading, claims, asking)
        drawn = draws_as_ours(claims, year)
    return {name: results[name] for name in tests}, drawn


def draws_as_ours(claims: Claims, year: str) -> str:
    """What the sheet says if a copy that hides its source draws what our own solution draws."""
    if claims[f"spans{_BLOCK}"].ended or not is_solution(SUBMISSION.glob("*.py")):
        return ""
    text = "\n".join(spans.documents(claims.draw))
    with redirect_stdout(io.StringIO()), patch.dict(os.environ, {VARIABLE: year}):
        data = Submission(SUBMISSION, year).CharCorruptionDataset(text, _BLOCK)
        same = spans.draws_as(claims, data, _BLOCK)
    return "from the same seed it hides the spans that the library's solution hides" if same else ""


def _read_files(
    place: Path, order: Order, reading: dict[str, Kind], claims: Claims, asking: Asking
) -> dict[str, Result]:
    """Judge the predictions."""
    from grading import scores  # hidden: a student's starter has no such tests

    look = scores.Answers(place, order.data, order.answers, claims, order.again)
    files = [r for kind in reading.values() for r in scores.parameter_requests(look, *kind.reads)]
    quiet = replace(asking, keep=asking.keep.with_name("files"), code=False)
    claims.add(ask(quiet, list({request.name: request for request in files}.values())))
    return {name: attempt(kind.look, look) for name, kind in reading.items()}


def refuse(order: Order, name: str, why: str) -> Grade:
    """No points, and the reason."""
    tests = chosen(order.year or DEFAULT_YEAR, order.tests)
    return Grade(name, tests, dict.fromkeys(tests, Result("look", why, "refused")), why)


def grader(order: Order) -> Grader:
    years = [order.year] if order.year else list(YEARS)
    rows = [(n, test) for year in years for n, test in tests_of(year).items()]
    wanted = {n for n, test in rows if not test.look.by_hand and _is_chosen(n, order.tests)}
    refused = partial(refuse, order)
    return Grader(lambda path: grade(path, order, path.name), refused, sorted(wanted), known)


def _is_chosen(name: str, tests: Sequence[str]) -> bool:
    return not tests or name in tests or name.split("-")[0] in tests


def known() -> Known:
    """Every year's tests, and our files."""
    here = sorted(SUBMISSION.parent.rglob("*.py"))
    tests = sorted({name for year in YEARS for name in tests_of(year)})
    return Known(tests, [p for p in here if p.parent == SUBMISSION],
                 [p for p in here if p.parent != SUBMISSION])  # fmt: skip
