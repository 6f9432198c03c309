"""`wherefrom doctor`: mistakes are found, hints are given, nothing crashes."""

import pytest

from wherefrom.course.doctor.checks import CHECKS


@pytest.mark.nightly
def test_a_sound_submission_is_ok(cli, solution, course_data):
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    said, isolated, *lines = result.out.splitlines()
    assert said.startswith("looks like XCS224N, August 2021 to early September 2023: xcs2021 (")
    assert isolated.startswith("not isolated (--trust)")
    found = {line[16:42].strip() for line in lines}
    assert found >= CHECKS.keys()
    assert [line for line in lines if not line.startswith("ok ")] == []
    rate = next(line for line in lines if "learning rate" in line)
    assert "pretrain 12%, finetune from scratch 8" in rate  # 7.18e-4 of 6e-3
    aligned = next(line for line in lines if line.startswith("ok              predictions"))
    assert "vanilla.pretrain.dev.predictions 60 of 200 right" in aligned


@pytest.mark.nightly
def test_mistakes_are_reported_with_hints(cli, making, solution, course_data):
    for mistake in ("wrong shift", "flag never set", "predictions shifted by a line"):
        making.spoil(solution, mistake)
    given = ["doctor", solution, "--data", course_data, "--year", "xcs2022"]
    found = cli(*given, "--json", "--trust").json
    assert found["folder"] == str(solution)
    assert (found["year"], found["year_said"].split(" XCS")[0]) == ("xcs2021", "taken as")
    looks = {c["check"]: c for c in found["checks"] if c["state"] == "look"}
    assert {name: c["mistake"] for name, c in looks.items()} == {
        "shift": "wrong shift",
        "variant built": "flag never set",
        "predictions aligned": "predictions shifted by a line",
    }
    assert all(c["found"] and c["hint"] for c in looks.values())


def test_a_broken_import_is_a_finding(cli, solution, course_data):
    (solution / "model.py").write_text("import nowhere_to_be_found\n")
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    _, _, first, *others = result.out.splitlines()
    assert first.startswith("look            import")
    assert "No module named 'nowhere_to_be_found' (model.py:1). Hint:" in first
    aligned = next(line for line in others if "predictions aligned" in line)
    assert aligned.startswith("ok ")  # needs no code


def test_numbers_have_bounds(cli, tmp_path):
    for option in ("--threads", "--memory-mb"):
        result = cli("doctor", tmp_path, option, "9" * 30)
        assert result.code == 2
        assert f"{option}: expected at most" in result.complaint
