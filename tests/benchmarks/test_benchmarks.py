"""Every benchmark runs, at a tiny size, and reports what it says it does. Nothing is timed here."""

import importlib
import json

import measure
import pytest
from program import launch

from wherefrom.core.errors import BadData

LIGHT = ("answering", "startup", "evidence", "exposures")
PROGRAMS = ("training", "answering", "startup", "evidence", "exposures", "processes")


@pytest.mark.parametrize(
    ("result", "code", "said"),
    [
        ({"figures": 1}, 0, ""),
        (3, 3, ""),
        (BadData("a.tsv:\nno rows"), 65, "a.tsv: no rows"),
        (FileNotFoundError(2, "No such file", "b.txt"), 66, "[Errno 2] No such file: 'b.txt'"),
    ],
)
def test_a_program_ends_with_a_code_and_at_most_one_line(result, code, said, capsys):
    def main():
        if isinstance(result, Exception):
            raise result
        return result

    with pytest.raises(SystemExit) as left:
        launch(main)
    assert (left.value.code, capsys.readouterr().err.partition(": ")[2].strip()) == (code, said)


def test_a_ratio_is_taken_within_each_turn():
    found = measure.ratio({"a": [2.0, 8.0, 3.0], "b": [1.0, 2.0, 1.0]}, "a", "b")
    assert (found.median, found.low, found.high, found.turns) == (3.0, 2.0, 4.0, 3)


class Calm:
    """A watch that saw what it is told."""

    def __init__(self, *reasons: str) -> None:
        self.seen = list(reasons)

    def reasons(self, speeds):
        return self.seen


def test_a_disturbed_measurement_gives_no_ratio_and_says_why(capsys):
    speeds = {"a": [2.0, 2.1], "b": [1.0, 1.1]}
    ratios = [measure.ratio(speeds, "a", "b")]
    calm = measure.report("work", "units/s", speeds, ratios, Calm())
    assert (calm["disturbed"], len(calm["ratios"])) == ([], 1)
    assert "a against b" in capsys.readouterr().out
    other = measure.report("work", "units/s", speeds, ratios, Calm("somebody else was here"))
    assert (other["disturbed"], other["ratios"]) == (["somebody else was here"], [])
    said = capsys.readouterr().out
    assert "a against b" not in said
    assert "disturbed: somebody else was here" in said
    assert "measure again on an idle machine" in said


@pytest.mark.parametrize(
    "name", [n if n in LIGHT else pytest.param(n, marks=pytest.mark.nightly) for n in PROGRAMS]
)
def test_it_runs(name, tmp_path, capsys):
    file = tmp_path / "figures.json"
    result = importlib.import_module(name).main(["--tiny", "--turns", "1", "--json", str(file)])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert result["machine"]["torch"]
    assert isinstance(result["disturbed"], list)
    for ratio in result.get("ratios", ()):
        assert ratio["low"] <= ratio["median"] <= ratio["high"]
    assert capsys.readouterr().out
