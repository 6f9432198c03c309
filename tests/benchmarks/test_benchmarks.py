"""Every benchmark runs, at a tiny size, and reports what it says it does. Nothing is timed here."""

import importlib
import json

import measure
import pytest
from program import launch

from wherefrom.core.errors import BadData

LIGHT = ("answering", "startup", "exposures")
PROGRAMS = ("training", "answering", "startup", "exposures", "processes")


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


def test_turns_alternate_and_the_first_does_not_count():
    calls = []

    def contestant(name, work):
        return lambda turn: calls.append((name, turn)) or work

    speeds = measure.take_turns({"a": contestant("a", 2.0), "b": contestant("b", 1.0)}, 2)
    assert calls == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert {name: len(values) for name, values in speeds.items()} == {"a": 2, "b": 2}


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


def test_turns_may_differ_by_half():
    speeds = {"even": [1.0, 1.4, 1.2], "odd": [9.89, 0.19, 1.0], "none": []}
    (line,) = measure.judge_spread(speeds)
    assert line == "the turns of 'odd' differ by a factor of 52.1"


def test_a_watch_tells_its_own_work_from_that_of_others(monkeypatch):
    """Clock, own seconds, everybody's seconds: at its start, and when it is asked."""
    times = [(0.0, 1.0, 50.0), (10.0, 11.0, 64.0)]
    for cores, found in ((2, ["other work used 0.4 of 2 cores meanwhile"]), (64, [])):
        seen = list(times)
        monkeypatch.setattr(measure, "_now", lambda seen=seen: seen.pop(0))
        watch = measure.Watch()
        watch.cores = cores
        assert watch.reasons() == found


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
