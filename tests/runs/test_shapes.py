"""The JSON of a run folder: anything else than what it must be is damage, with its path."""

from pathlib import Path

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.runs.shapes import check_corpus, check_metrics, check_status, check_symbols

PATH = Path("run/x.json")
SCORE = {"accuracy": 0.5, "interval": [0.1, 0.9], "n": 8, "correct": 4}
GOOD = {"state": "finished", "seconds": 1.5, "results": {"majority": SCORE}}


def test_what_is_written_passes():
    assert check_symbols(["a", "b"], PATH) == ["a", "b"]
    assert check_corpus({"documents": 3, "sha256": "ab"}, PATH)
    assert check_status(GOOD, PATH) == GOOD
    assert check_status({"state": "unfinished", "seconds": 0.0}, PATH)
    relations = SCORE | {"by_relation": {"born": SCORE}}
    assert check_status(GOOD | {"results": {"m": relations, "d": {"held": 3, "n": 3}}}, PATH)
    row = {"step": 20, "loss": 1.5, "targets": 3, "seconds": 0.1, "tens": [1.0, None]}
    assert check_metrics([row], PATH) == [row]
    assert check_metrics([], PATH) == []


@pytest.mark.parametrize("found", [{}, [], 5, None, "abc", ["a", 1], ["a", "a"], [["a"]]])
def test_other_vocabularies(found):
    with pytest.raises(Damaged, match=r"x\.json: expected "):
        check_symbols(found, PATH)


@pytest.mark.parametrize(
    "found", [5, None, [], {"documents": -1}, {"documents": True}, {"sha256": 3}, {"n": 1.5}]
)
def test_other_counts(found):
    with pytest.raises(Damaged, match=r"x\.json: "):
        check_corpus(found, PATH)


@pytest.mark.parametrize(
    "change",
    [
        {"state": "done"}, {"state": None}, {"state": ["finished"]}, {"seconds": None},
        {"seconds": "1"}, {"seconds": -1}, {"seconds": True}, {"results": None}, {"results": []},
        {"results": {"a": None}}, {"results": {"a": 0.5}},
        {"advice": 5}, {"results": {"a": SCORE | {"n": "8"}}},
        {"results": {"a": SCORE | {"n": -1}}}, {"results": {"a": SCORE | {"n": 1.5}}},
        {"results": {"a": SCORE | {"interval": None}}},
        {"results": {"a": SCORE | {"interval": [0.1]}}},
        {"results": {"a": SCORE | {"interval": ["a", "b"]}}},
        {"results": {"a": SCORE | {"accuracy": None}}},
        {"results": {"a": SCORE | {"by_relation": []}}},
        {"results": {"a": SCORE | {"by_relation": {"b": {"n": None}}}}},
    ],
)  # fmt: skip
def test_other_statuses(change):
    with pytest.raises(Damaged, match=r"x\.json"):
        check_status(GOOD | change, PATH)


@pytest.mark.parametrize("found", [5, None, [], "finished", {}, {"state": "finished"}])
def test_what_is_no_status(found):
    with pytest.raises(Damaged, match=r"x\.json: expected .*state"):
        check_status(found, PATH)


@pytest.mark.parametrize(
    "row",
    [5, None, [], {}, {"step": -1}, {"step": "1"}, {"step": 1, "seconds": None},
     {"step": 1, "loss": "x"}, {"step": 1, "tens": 5}, {"step": 1, "tens": ["x"]}],
)  # fmt: skip
def test_other_metrics(row):
    with pytest.raises(Damaged, match=r"x\.json:2: "):
        check_metrics([{"step": 1}, row], PATH)
