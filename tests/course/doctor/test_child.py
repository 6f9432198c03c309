"""What a check ends with, whatever the submission's code does in it."""

import pytest

from wherefrom.course.doctor.child import attempt
from wherefrom.course.doctor.findings import Finding, NoTelling, Result
from wherefrom.course.doctor.submission import Submission


def raising(error: BaseException):
    def check(submission: Submission) -> None:
        raise error

    return check


@pytest.mark.parametrize(
    ("error", "result"),
    [
        (Finding("size", "too small"), Result("look", "too small", "size")),
        (NoTelling("no file"), Result("unknown", "no file")),
        (MemoryError(), Result("look", "it needed too much memory", "memory")),
        (NotImplementedError(), Result("look", "not written yet", "unwritten")),
        (SystemExit(3), Result("look", "it stopped with SystemExit: 3", "crash")),
        (
            ValueError("two\nlines"),
            Result("look", "it stopped with ValueError: two lines", "crash"),
        ),
    ],
)
def test_an_exception_is_a_result(tmp_path, error, result):
    assert attempt(raising(error), Submission(tmp_path)) == result


def test_what_a_sound_check_says_is_kept(tmp_path):
    assert attempt(lambda _: "12 right", Submission(tmp_path)) == Result("ok", "12 right")
    assert attempt(lambda _: None, Submission(tmp_path)) == Result("ok")


def test_ctrl_c_is_not_the_submissions(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        attempt(raising(KeyboardInterrupt()), Submission(tmp_path))
