"""Checks of prediction files: one place a line, in the order of the questions.

A file that is shifted by a line can be recognised without the model: far more of its lines are
right when it is read with the shift. If shifting made no difference, each right line would belong
to either reading with the same probability; the tail of a binomial bounds the false alarms.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.findings import Finding, NoTelling

WIKI, DEV, TEST = "wiki.txt", "birth_dev.tsv", "birth_test_inputs.tsv"
QUESTIONS = {"dev": DEV, "test": TEST}
FALSE_ALARM = 5e-7  # for one direction of the shift; there are two
_LONGEST_FILE = 1 << 20
_QUESTION = re.compile(r"Where was (.*) born\?$")


@dataclass(frozen=True)
class Score:
    right: int
    total: int

    def __str__(self) -> str:
        return f"{self.right} of {self.total} right ({self.right / max(self.total, 1):.1%})"


@dataclass(frozen=True)
class Asked:
    """Questions in order, with the answers if they are known, else the text about each person."""

    questions: tuple[str, ...]
    answers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.questions)

    @cached_property
    def judge(self) -> Callable[[int, str], bool] | None:
        """Whether a prediction is right, or at least occurs in the text about that person."""
        if self.answers:
            return lambda i, place: place == self.answers[i]
        if any(self.texts):
            return lambda i, place: len(place) > 2 and place in self.texts[i]
        return None


def read_predictions(path: Path) -> list[str]:
    if not path.is_file():
        raise Finding("missing file", f"{path.name} is not there")
    if path.stat().st_size > _LONGEST_FILE:
        raise Finding("form", f"{path.name} is larger than {_LONGEST_FILE} bytes")
    return _lines(path)


def read_asked(data: Path | None, split: str, answers: Path | None = None) -> Asked:
    """The questions of dev or test, with their answers or with the text about the people."""
    if data is None:
        raise NoTelling(f"{QUESTIONS[split]} is not known; name its folder with --data")
    path = data / QUESTIONS[split]
    if not path.is_file():
        raise NoTelling(f"{path} is not there; name its folder with --data")
    try:
        return _read_asked(path, answers)
    except Finding as error:  # the data are wrong, not the submission
        raise NoTelling(str(error)) from error


def _read_asked(path: Path, answers: Path | None) -> Asked:
    rows = [line.split("\t") for line in _lines(path)]
    questions = tuple(row[0] for row in rows)
    if answers is not None:
        known = [line.split("\t")[-1] for line in _lines(answers)]
        if len(known) != len(questions):
            text = f"{answers}: {len(known)} answers for {len(questions)} questions"
            raise NoTelling(text)
        return Asked(questions, tuple(known))
    if all(len(row) > 1 for row in rows):
        return Asked(questions, tuple(row[1] for row in rows))
    return Asked(questions, texts=_texts(path.parent, questions))


def check_form(predictions: Sequence[str], asked: Asked, name: str) -> None:
    """There is a line for each question; at most half of them are empty, and not all are equal."""
    if len(predictions) != len(asked):
        text = f"{name} has {len(predictions)} lines for {len(asked)} questions"
        off = shift(predictions, asked)
        if off:
            raise Finding("predictions shifted by a line", f"{text}, and stands {_lines_off(off)}")
        raise Finding("lines", text)
    if len(set(predictions)) == 1 and len(predictions) > 1:
        raise Finding("constant", f"every line of {name} is {predictions[0][:40]!r}")
    empty = sum(not place.strip() for place in predictions)
    if 2 * empty > len(predictions):
        raise Finding("empty", f"{empty} of {len(predictions)} lines of {name} are empty")


def check_aligned(predictions: Sequence[str], asked: Asked, name: str) -> None:
    if off := shift(predictions, asked):
        text = f"{name} stands {_lines_off(off)}"
        raise Finding("predictions shifted by a line", f"{text}: read so, far more are right")


def shift(predictions: Sequence[str], asked: Asked) -> int:
    """1 if the predictions come a line too late, -1 if too early, 0 if neither is certain."""
    if asked.judge is None:
        return 0
    right = {off: _right(predictions, asked, off) for off in (0, 1, -1)}
    best = max((1, -1), key=lambda off: right[off])
    return best if _tail(right[best], right[0] + right[best]) < FALSE_ALARM else 0


def score(predictions: Sequence[str], asked: Asked) -> Score | None:
    """Exact matches; None where the answers are not known."""
    return Score(_right(predictions, asked, 0), len(asked)) if asked.answers else None


def _right(predictions: Sequence[str], asked: Asked, off: int) -> int:
    judge = asked.judge
    assert judge is not None
    places = range(max(0, -off), min(len(asked), len(predictions) - off))
    return sum(judge(i, predictions[i + off].strip()) for i in places)


def _tail(successes: int, n: int) -> float:
    """P(at least `successes` heads in n throws of a fair coin)."""
    return sum(comb(n, k) for k in range(successes, n + 1)) / 2**n


def _lines_off(off: int) -> str:
    return "one line too late" if off > 0 else "one line too early"


def _lines(path: Path) -> list[str]:
    try:
        lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    except WherefromError as error:
        raise Finding("form", f"{path.name} is no text: {error}") from error
    return lines if lines[-1] else lines[:-1]


def _texts(data: Path, questions: Sequence[str]) -> tuple[str, ...]:
    """For each question the lines of wiki.txt that begin with the person's name."""
    if not (data / WIKI).is_file():
        return ()
    lines = _lines(data / WIKI)
    asked = (_QUESTION.match(question) for question in questions)
    starts = [f"{match[1]}." if match else "\0" for match in asked]
    return tuple(" ".join(line for line in lines if line.startswith(start)) for start in starts)
