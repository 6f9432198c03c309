"""The tests of the homework's code, and their points: 20, 15, 6 and 14.

A basic test shows that the others can run, and is worth nothing; students have it. How the others
are judged is in `judging`. sigmoid, softmax, gradient check and descent come from the course's
first homework: some hand-outs give them, ours lets them be written. Written answers are not judged.
"""

import json
from pathlib import Path

from wherefrom.course.doctor.checks import Kind, Look
from wherefrom.course.doctor.marks import Test

SAVED = "1d-4-saved"
AVERAGED = "4"  # some hand-outs ask for no averaging network


def _comes(claim: str) -> tuple[str, Look]:
    return claim, lambda claims: claims[claim].check() and None


LOOKS = {
    "1c-0-basic": _comes("files"),
    "1d-0-basic": _comes("lm"),
    "3b-0-basic": _comes("built"),
}
_TABLE = json.loads(Path(__file__).with_name("points.json").read_text("utf-8"))["hw2"]
if SAVED in _TABLE:  # a student's table has the basic tests alone
    from judging import LOOKS as HIDDEN

    LOOKS |= HIDDEN


def _kind(test: str, what: str) -> Kind:
    claim, look = LOOKS[test]
    return Kind(what, (claim,), (look,))


TESTS = {
    test: Test(what, points, Kind(what) if test == SAVED else _kind(test, what))
    for test, (points, what) in _TABLE.items()
}
