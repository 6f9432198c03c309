"""`wherefrom doctor`: what is sound is ok, and what is broken is a finding."""

import pytest

from wherefrom.course.doctor.checks import KINDS


@pytest.mark.nightly
def test_a_sound_submission_is_ok(cli, solution, course_data):
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    said, isolated, *lines = result.out.splitlines()
    assert said.startswith("taken as XCS224N, August 2021 to early September 2023 (xcs2021); ")
    assert isolated.startswith("not isolated (--trust)")
    assert {line[16:41].strip() for line in lines} == KINDS.keys() - {"part g", "written"}
    assert [line for line in lines if not line.startswith("ok ")] == []
    dev = next(line for line in lines if "dev with pretraining" in line)
    assert "60 of 200 right" in dev


def test_a_broken_import_is_a_finding(cli, solution, course_data):
    (solution / "model.py").write_text("import nowhere_to_be_found\n")
    for path in solution.glob("*.predictions"):
        path.unlink()
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    _, _, first, *others = result.out.splitlines()
    assert first.startswith("look            import")
    assert "No module named 'nowhere_to_be_found' (model.py:1). Hint:" in first
    assert any(
        line.startswith("ok ") and "truncation" in line for line in others
    )  # without a model
