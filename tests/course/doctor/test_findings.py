"""What a judgement comes to."""

from wherefrom.course.doctor.findings import Finding, NoTelling, Result, attempt


def raising(error):
    def check(claims):
        raise error

    return check


def test_a_judgement_is_a_result():
    assert attempt(lambda _: "12 right", None) == Result("ok", "12 right")
    assert attempt(lambda _: None, None) == Result("ok")
    assert attempt(raising(Finding("size", "small")), None) == Result("look", "small", "size")
    assert attempt(raising(NoTelling("no file")), None) == Result("unknown", "no file")
