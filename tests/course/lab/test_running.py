"""`attention-lab` as a recipe: its folder, and what the commands make of such a run."""

import json

import pytest

from tests.course.files import calling
from wherefrom import api
from wherefrom.cli.main import main
from wherefrom.course.lab.demonstration import EXPLANATIONS, Demonstration
from wherefrom.course.lab.running import DEMONSTRATIONS


def sums(shown: Demonstration, found: float) -> None:
    shown.check("1 + 1", found, 2.0, 0.0)
    shown.wrong("1 + 1 = 3")
    shown.away("not 3", found, 3.0, 0.5)
    shown.plot("Sums").curve([0, 1], [0, 2], "sums", "blue")


@pytest.fixture
def lab(monkeypatch):
    """The catalogue with one quick demonstration instead of all; call it to break that one."""

    def put(found: float) -> None:
        monkeypatch.setitem(DEMONSTRATIONS, "sums", lambda shown, seed: sums(shown, found))

    for name in list(DEMONSTRATIONS):
        monkeypatch.delitem(DEMONSTRATIONS, name)
    monkeypatch.setitem(EXPLANATIONS["claims"], "sums", "sums add up")
    monkeypatch.setitem(EXPLANATIONS["why"], "1 + 1 = 3", "count")
    put(2.0)
    return put


call = calling(lambda: main)


@pytest.mark.nightly
def test_the_command_runs_all_of_them(call, tmp_path):
    code, out, err = call("run", "attention-lab", "--out", tmp_path / "r", "--json")
    assert (code, err) == (0, "")
    results = json.loads(out)["results"]
    assert list(results) == list(DEMONSTRATIONS)
    assert all(row["checks_held"] == 1.0 for row in results.values())
    figures = {file.name for file in (tmp_path / "r" / "demonstrations").iterdir()}
    assert figures == {f"{name}.svg" for name in DEMONSTRATIONS}
    told = json.loads((tmp_path / "r" / "demonstrations.json").read_text())
    assert [each["name"] for each in told] == list(DEMONSTRATIONS)
    assert sum(len(each["wrong_statements"]) for each in told) == 26


@pytest.mark.usefixtures("lab")
def test_a_finished_folder_is_shown_and_left_alone(call, tmp_path):
    folder = tmp_path / "r"
    code, out, err = call("run", "attention-lab", "--out", folder)
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        "        checks that held  wrong statements refuted",
        "claims",
        "  sums            2 of 2                    1 of 1",
    ]
    assert f"{folder / 'demonstrations.json'}: the claims" in out
    before = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    code, again, err = call("run", "attention-lab", "--out", folder)
    assert (code, again, err) == (0, out, f"{folder} is finished; these are its results\n")
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == before
    code, _, err = call("run", "attention-lab", "--out", folder, "--seed", 3)
    assert (code, "seed: the folder's run has 0, asked for 3" in err) == (78, True)


def test_a_broken_check_is_a_result_and_an_exit_code(lab, call, tmp_path):
    lab(3.0)
    for _ in range(2):  # computed, then read from the folder
        code, out, err = call("run", "attention-lab", "--out", tmp_path / "r")
        assert code == 65
        assert "sums            0 of 2                    0 of 1" in out
        line = err.splitlines()[-1]
        assert "expected all 2 checks to hold, found 2 that do not" in line
        assert "sums: 1 + 1: found 3, expected 2 within 0" in line
    assert api.run("attention-lab", out=tmp_path / "r").results["sums"]["checks_held"] == 0.0


@pytest.mark.usefixtures("lab")
def test_several_seeds(call, tmp_path):
    code, out, _ = call("run", "attention-lab", "--seeds", "0-1", "--out", tmp_path, "--json")
    assert code == 0
    assert json.loads(out)["results"]["sums"]["values"] == [1.0, 1.0]


@pytest.mark.usefixtures("lab")
def test_commands_that_need_a_model_say_so_in_one_line(call, tmp_path):
    folder = tmp_path / "r"
    api.run("attention-lab", out=folder)
    for command in (["ask", folder, "Why?"], ["compare", folder, folder], ["evaluate", folder]):
        code, out, err = call(*command)
        assert (code, out, err.count("\n")) == (65, "", 1)
        assert "expected a run with models, found the demonstrations of 'attention-lab'" in err
