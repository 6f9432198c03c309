"""What the process of a submission answers with, whatever the submission's code does."""

import numpy as np
import pytest
import torch

from wherefrom.course.doctor.child import answer
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import read_claim
from wherefrom.course.doctor.submission import Submission, describe


@pytest.fixture
def asked(tmp_path):
    """`asked(probe, ...)`: the claim that comes of a probe."""
    for name in ("given", "out", "submission"):
        (tmp_path / name).mkdir()

    def ask(probe, **given):
        request = {"name": "a", "kind": "p", "given": given}
        answer(Submission(tmp_path / "submission"), {"p": probe}, [request], tmp_path)
        return read_claim(tmp_path / "out", "a")

    return ask


def test_what_is_put_is_read(asked):
    def probe(submission, found, how):
        found.put(n=how.n, x=torch.arange(3), y=np.ones(2), odd=np.array(["text"]))
        found.put_state("weights", {"w": torch.zeros(1, requires_grad=True)})

    claim = asked(probe, n=4)
    assert claim.value("n", int) == 4
    assert claim.array("x").tolist() == [0, 1, 2]
    assert claim.array("y").tolist() == [1, 1]
    assert claim.parameters()["w"].tolist() == [0]
    assert claim.check() is claim
    for missing in (lambda: claim.value("n", str), lambda: claim.array("odd")):
        with pytest.raises(Finding) as caught:
            missing()
        assert caught.value.mistake == "form"


def test_what_was_put_before_an_exception_is_told(asked):
    def probe(submission, found, how):
        found.put(first=1)
        raise SystemExit(3)

    told = asked(probe)
    assert told.values["first"] == 1
    assert told.raised == {"type": "SystemExit", "text": "3"}


def test_an_exception_has_a_type_a_text_and_the_submissions_line(tmp_path):
    path, code = tmp_path / "a.py", {}
    exec(compile("def f():\n    int('a\\nb')\n", str(path), "exec"), code)
    with pytest.raises(ValueError, match="invalid literal") as caught:
        code["f"]()
    told = describe(caught.value, tmp_path)
    assert told == {
        "type": "ValueError",
        "text": "invalid literal for int() with base 10: 'a\\nb' (a.py:2)",
    }
    assert describe(Finding("size", "small"), tmp_path)["mistake"] == "size"
