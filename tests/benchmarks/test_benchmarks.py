"""Every benchmark runs, at a tiny size, and reports what it says it does. Nothing is timed here."""

import importlib
import json
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def program(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield importlib.import_module
    for name in ("measure", "training", "answering", "startup", "exposures"):
        sys.modules.pop(name, None)


def test_turns_alternate_and_the_first_does_not_count(program):
    measure, calls = program("measure"), []

    def contestant(name, work):
        return lambda turn: calls.append((name, turn)) or work

    speeds = measure.take_turns({"a": contestant("a", 2.0), "b": contestant("b", 1.0)}, 2)
    assert calls == [("a", 0), ("b", 0), ("a", 1), ("b", 1), ("a", 2), ("b", 2)]
    assert {name: len(values) for name, values in speeds.items()} == {"a": 2, "b": 2}


def test_a_ratio_is_taken_within_each_turn(program):
    found = program("measure").ratio({"a": [2.0, 8.0, 3.0], "b": [1.0, 2.0, 1.0]}, "a", "b")
    assert (found.median, found.low, found.high, found.turns) == (3.0, 2.0, 4.0, 3)


def test_lines_have_the_lengths_they_say(program):
    lengths = [len(line) for line in program("training").make_lines(500)]
    assert min(lengths) >= 40
    assert max(lengths) <= 240
    assert 130 < sum(lengths) / len(lengths) < 150


@pytest.mark.parametrize("name", ["training", "answering", "startup", "exposures"])
def test_it_runs(program, name, tmp_path, capsys):
    file = tmp_path / "figures.json"
    result = program(name).main(["--tiny", "--turns", "1", "--json", str(file)])
    assert json.loads(file.read_text()) == json.loads(json.dumps(result))
    assert result["machine"]["torch"]
    for ratio in result.get("ratios", ()):
        assert ratio["low"] <= ratio["median"] <= ratio["high"]
    assert capsys.readouterr().out
