"""`wherefrom doctor`: mistakes are found, hints are given, nothing crashes."""

import pytest

from wherefrom.course.doctor.checks import KINDS


@pytest.mark.nightly
def test_a_sound_submission_is_ok(cli, solution, course_data):
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    said, isolated, *lines = result.out.splitlines()
    assert said.startswith("looks like XCS224N, August 2021 to early September 2023: xcs2021 (")
    assert isolated.startswith("not isolated (--trust)")
    assert {line[16:41].strip() for line in lines} == KINDS.keys() - {"part g", "written"}
    assert [line for line in lines if not line.startswith("ok ")] == []
    dev = next(line for line in lines if "dev with pretraining" in line)
    assert "60 of 200 right" in dev


@pytest.mark.nightly
def test_mistakes_are_reported_with_hints(cli, making, solution, course_data):
    making.change(solution, "dataset.py", "numbers[:-1], numbers[1:]", "numbers[:-1], numbers[:-1]")
    making.change(solution, "helper.py", "mconf.synthesizer = True", "pass")
    making.shift_lines(solution)
    given = ["doctor", solution, "--data", course_data, "--year", "xcs2022"]
    found = cli(*given, "--json", "--trust").json
    assert found["folder"] == str(solution)
    assert (found["year"], found["year_said"].split(" XCS")[0]) == ("xcs2021", "taken as")
    looks = {c["check"]: c for c in found["checks"] if c["state"] == "look"}
    assert {name: c["mistake"] for name, c in looks.items()} == {
        "x and y": "wrong shift",
        "finetuning of part g": "flag never set",
        "dev with pretraining": "predictions shifted by a line",
    }
    assert all(c["found"] and c["hint"] for c in looks.values())


def test_a_broken_import_is_a_finding(cli, solution, course_data):
    (solution / "model.py").write_text("import nowhere_to_be_found\n")
    for path in solution.glob("*.predictions"):
        path.unlink()
    result = cli("doctor", solution, "--data", course_data, "--trust")
    assert (result.code, result.err) == (0, "")
    _, _, first, *others = result.out.splitlines()
    assert first.startswith("look            import")
    assert "No module named 'nowhere_to_be_found' (model.py:1). Hint:" in first
    spans = next(line for line in others if "truncation" in line)
    assert spans.startswith("ok ")  # needs no model


def test_numbers_have_bounds(cli, tmp_path):
    for option in ("--threads", "--memory-mb"):
        result = cli("doctor", tmp_path, option, "9" * 30)
        assert result.code == 2
        assert f"{option}: expected at most" in result.complaint
