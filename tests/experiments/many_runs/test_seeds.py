import shutil

import numpy as np
import pytest

from wherefrom.core.errors import UsageError
from wherefrom.experiments.many_runs.seeds import aggregate, parse_seeds, read_shared
from wherefrom.runs.folder import RunFolder


def test_seeds_are_ranges_and_lists():
    assert parse_seeds("3") == [3]
    assert parse_seeds("1-2, 4-5,9") == [1, 2, 4, 5, 9]
    for text in ("", "4-0", "a", "1-", "-1", "1,,2", "0-99999999999", "0-5000"):
        with pytest.raises(UsageError, match="--seeds"):
            parse_seeds(text)


def test_mean_interval_and_worst_of_accuracies_and_perplexities():
    """By hand: mean 0.8, deviation 0.1, Student's t with 2 degrees of freedom 4.30265."""
    runs = [{"model": {"accuracy": value, "n": 80}} for value in (0.7, 0.8, 0.9)]
    (found,) = aggregate(runs).values()
    assert found["accuracy"] == pytest.approx(0.8)
    half = 4.30265 * 0.1 / 3**0.5
    assert found["interval"] == pytest.approx([0.8 - half, 1.0])  # 0.8 + half is over 1
    assert 0.8 + half > 1
    assert (found["worst"], found["n"], found["values"]) == (0.7, 3, [0.7, 0.8, 0.9])
    (low,) = aggregate([{"model": {"accuracy": value}} for value in (0.0, 0.1)]).values()
    assert low["interval"][0] == 0
    # The worst perplexity is the highest, and its interval is not cut.
    runs = [{"gru": {"perplexity": value, "n": 9, "characters": 10}} for value in (20.0, 22.0)]
    (found,) = aggregate(runs).values()
    assert (found["worst"], found["characters"]) == (22.0, 10)  # its unit is kept
    assert found["interval"][1] > 22.0


def test_relations_are_averaged_each_by_itself():
    """By hand: the hand is 0.8 and 0.9, the place is only in one run."""

    def run(hand: float, **more: dict[str, float]) -> dict[str, dict[str, object]]:
        parts = {"hand": {"accuracy": hand, "n": 5}, **more}
        return {"model": {"accuracy": hand, "n": 9, "by_relation": parts}}

    (found,) = aggregate([run(0.8), run(0.9, place={"accuracy": 0.5, "n": 4})]).values()
    parts = found["by_relation"]
    assert parts["hand"]["accuracy"] == pytest.approx(0.85)
    assert (parts["hand"]["worst"], parts["hand"]["n"]) == (0.8, 2)
    assert (parts["place"]["accuracy"], parts["place"]["n"]) == (0.5, 1)
    assert (parts["place"]["interval"], aggregate([{}, run(0.5)])["model"]["n"]) == (None, 1)


def test_why_nothing_is_answered_is_said_for_the_seeds_of_which_it_is_so():
    share = {"answered_share": 0.0, "n": 9}
    runs = [{"answered_share": share | {"why_not": "too few"}}, {"answered_share": share}]
    (found,) = aggregate(runs).values()
    assert found["why_not"] == "with 1 of 2 seeds, as too few"
    (found,) = aggregate(runs[:1]).values()
    assert found["why_not"] == "too few"


def test_the_same_questions_count_beside_the_seeds():
    """Two seeds of one accuracy: Student's interval has no width, the questions' has one."""
    right = np.array([[True] * 8 + [False] * 2, [False] * 2 + [True] * 8])
    runs = [{"model": {"accuracy": 0.8, "n": 10}, "majority": {"accuracy": 0.1, "n": 10}}] * 2
    alone = aggregate(runs)
    assert alone["model"]["interval"] == pytest.approx([0.8, 0.8])
    found = aggregate(runs, {"model": right, "another": right})
    low, high = found["model"]["interval"]
    assert low < 0.75 < 0.85 < high
    assert found["model"]["questions"] == 10
    assert found["majority"] == alone["majority"]
    assert "another" not in found


def test_shared_questions_are_read_from_run_folders(tiny_run, tmp_path):
    """A run shares all questions with itself, and none in another order."""
    found = read_shared([tiny_run, tiny_run])
    assert "with_pretraining" in found
    assert found["with_pretraining"].shape[0] == 2
    rows = (tiny_run / "predictions" / "with_pretraining.birthplace.jsonl").read_text().splitlines()
    assert found["with_pretraining"].shape[1] == len(rows)
    copy = shutil.copytree(tiny_run, tmp_path / "copy")
    asked = RunFolder(copy).read_predictions("with_pretraining", "birthplace")
    RunFolder(copy).write_predictions(
        "with_pretraining", "birthplace", asked.rows(np.arange(len(asked))[::-1])
    )
    assert "with_pretraining" not in read_shared([tiny_run, copy])
    assert read_shared([tiny_run]) == {}
