"""What the process of a submission answers with, whatever the submission's code does."""

import json

import numpy as np
import pytest
import torch

from wherefrom.course.doctor.child import answer
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission, describe


@pytest.fixture
def place(tmp_path):
    for name in ("given", "out", "submission"):
        (tmp_path / name).mkdir()
    return tmp_path


def asked(place, probe, **given):
    answer(
        Submission(place / "submission"),
        {"p": probe},
        [{"name": "a", "kind": "p", "given": given}],
        place,
    )
    return json.loads((place / "out" / "a.json").read_text())


def test_arrays_become_files_and_the_rest_is_json(place):
    told = asked(
        place, lambda s, found, how: found.put(n=how.n, x=torch.arange(3), y=np.ones(2)), n=4
    )
    assert told == {"values": {"n": 4, "excuses": []}, "raised": {}}
    assert np.load(place / "out" / "a.x.npy").tolist() == [0, 1, 2]
    assert np.load(place / "out" / "a.y.npy").tolist() == [1, 1]


def test_what_was_put_before_an_exception_is_told(place):
    def probe(submission, found, how):
        found.put(first=1)
        raise SystemExit(3)

    told = asked(place, probe)
    assert told["values"]["first"] == 1
    assert told["raised"] == {"type": "SystemExit", "text": "3"}


def test_an_exception_has_a_type_a_text_and_the_submissions_line(place):
    (place / "submission" / "a.py").write_text("def f():\n    int('a\\nb')\n")
    code: dict = {}
    path = place / "submission" / "a.py"
    exec(compile(path.read_text(), str(path), "exec"), code)
    with pytest.raises(ValueError, match="invalid literal") as caught:
        code["f"]()
    told = describe(caught.value, place / "submission")
    assert told == {
        "type": "ValueError",
        "text": "invalid literal for int() with base 10: 'a\\nb' (a.py:2)",
    }
    assert describe(Finding("size", "small"), place)["mistake"] == "size"
