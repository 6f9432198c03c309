"""The tests of the homework's code, and their points: 20, 15, 6 and 14.

A basic test shows that the others can run, and is worth nothing; students have it. What the others
look at is in `functions` and `torch_models`. sigmoid, softmax, gradient check and descent come from
the course's first homework: some hand-outs give them, ours lets them be written. Written answers
are not judged.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from marking.asked import Asked
from wherefrom.course.doctor.checks import Kind, Look
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.marks import Test

SAVED = "1d-4-saved"
AVERAGED = "4"  # some hand-outs ask for no averaging network


FILES = ("sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural")


def _comes_back(claim: str, key: str) -> Look:
    return lambda claims: claims[claim].value(key, list) and None


def _imports(claim: str, *modules: str) -> Asked:
    return Asked(claim, _comes_back(claim, "modules"), "imports", {"modules": modules})


LOOKS: dict[str, tuple[Asked, ...]] = {
    "1c-0-basic": (_imports("files", *FILES),),
    "1d-0-basic": (_imports("lm", "q1d_neural_lm"),),
    "3b-0-basic": (Asked("built", _comes_back("built", "layers"), "characters", {"steps": ()}),),
    SAVED: (),
}
_TABLE = json.loads(Path(__file__).with_name("points.json").read_text("utf-8"))["hw2"]
if SAVED in _TABLE:  # a student's table has the basic tests alone
    from marking import functions, torch_models

    LOOKS |= functions.LOOKS | torch_models.LOOKS
MENDED = {test for test, looks in LOOKS.items() if any(k.mended for k in looks)}
TESTS = {
    name: Test(what, points, Kind(what, (), LOOKS[name])) for name, (points, what) in _TABLE.items()
}


def asked(tests: Iterable[str], draw: int, mended: bool = False) -> list[Request]:
    """What tests ask of the code; again with other files' functions right, if it is `mended`."""
    found = [look.request(draw, mended) for test in tests for look in LOOKS[test]]
    return list({request.name: request for request in found}.values())
