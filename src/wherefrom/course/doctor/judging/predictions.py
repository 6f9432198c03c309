"""Checks of prediction files: one place a line, in the order of the questions.

A file that is shifted by a line can be recognised without the model: far more of its lines are
right when it is read with the shift. If shifting made no difference, each right line would belong
to either reading with the same probability; the tail of a binomial bounds the false alarms.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.findings import Finding, NoTelling

WIKI = "wiki.txt"
QUESTIONS = {"dev": "birth_dev.tsv", "test": "birth_test_inputs.tsv"}
FALSE_ALARM = 5e-7  # for one direction of the shift; there are two
_LONGEST_FILE = 1 << 20


@dataclass(frozen=True)
class Asked:
    """Questions in order, with the answers if they are known."""

    questions: tuple[str, ...]
    answers: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.questions)

    def right(self, predictions: Sequence[str], off: int = 0) -> int:
        """Exact matches, of predictions that come `off` lines too late."""
        places = range(max(0, -off), min(len(self.answers), len(predictions) - off))
        return sum(predictions[i + off].strip() == self.answers[i] for i in places)


def read_predictions(path: Path) -> list[str]:
    if not path.is_file():
        raise Finding("missing file", f"{path.name} is not there")
    if path.stat().st_size > _LONGEST_FILE:
        raise Finding("form", f"{path.name} is larger than {_LONGEST_FILE} bytes")
    return _lines(path)


def read_asked(data: Path | None, split: str, answers: Path | None = None) -> Asked:
    """The questions of dev or test; the answers stand beside them, or in a file of their own."""
    path = data and data / QUESTIONS[split]
    if path is None or not path.is_file():
        raise NoTelling(f"{path or QUESTIONS[split]} is not there; name its folder with --data")
    try:
        rows = [line.split("\t") for line in _lines(path)]
        known = [line.split("\t")[-1] for line in _lines(answers)] if answers else []
    except Finding as error:  # the data are wrong, not the submission
        raise NoTelling(str(error)) from error
    if answers and len(known) != len(rows):
        raise NoTelling(f"{answers}: {len(known)} answers for {len(rows)} questions")
    if not answers and all(len(row) > 1 for row in rows):
        known = [row[1] for row in rows]
    return Asked(tuple(row[0] for row in rows), tuple(known))


def check_form(predictions: Sequence[str], asked: Asked, name: str) -> None:
    """A line for each question, beside its question; few are empty, and not all are equal."""
    lines = f"{name} has {len(predictions)} lines for {len(asked)} questions"
    if off := shift(predictions, asked):
        where = "one line too late" if off > 0 else "one line too early"
        text = f"{lines} and stands {where}: read so, far more are right"
        raise Finding("predictions shifted by a line", text)
    if len(predictions) != len(asked):
        raise Finding("lines", lines)
    if len(set(predictions)) == 1 and len(predictions) > 1:
        raise Finding("constant", f"every line of {name} is {predictions[0][:40]!r}")
    empty = sum(not place.strip() for place in predictions)
    if 2 * empty > len(predictions):
        raise Finding("empty", f"{empty} of {len(predictions)} lines of {name} are empty")


def shift(predictions: Sequence[str], asked: Asked) -> int:
    """1 if the predictions come a line too late, -1 if too early, 0 if neither is certain."""
    right = {off: asked.right(predictions, off) for off in (0, 1, -1)}
    best = max((1, -1), key=lambda off: right[off])
    return best if _tail(right[best], right[0] + right[best]) < FALSE_ALARM else 0


def _tail(successes: int, n: int) -> float:
    """P(at least `successes` heads in n throws of a fair coin)."""
    return sum(comb(n, k) for k in range(successes, n + 1)) / 2**n


def _lines(path: Path) -> list[str]:
    try:
        lines = [line.removesuffix("\r") for line in read_text(path).split("\n")]
    except WherefromError as error:
        raise Finding("form", f"{path.name} is no text: {error}") from error
    return lines if lines[-1] else lines[:-1]
