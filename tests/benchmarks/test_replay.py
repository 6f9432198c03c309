"""Raw answers, the policy that is fitted on them, and the figures that start from them."""

import baselines
import numpy as np
import pytest
import replay

from wherefrom.answering.policy import find_policy
from wherefrom.runs.opened_run import open_run


def test_the_policy_of_raw_answers_is_the_runs_own(tiny_run, tmp_path):
    """Numbers are kept with seven digits."""
    file = tmp_path / "raw.jsonl.gz"
    replay.main([str(tiny_run), "--file", str(file), "--tier", "5", "--samples", "3"])
    found = replay.replay(file)[tiny_run.name]
    own, again = find_policy(open_run(tiny_run)), found.fit()
    assert again.threshold.why_not == own.threshold.why_not
    assert again.calibration.weights == pytest.approx(own.calibration.weights, abs=1e-3)
    assert again.calibration.guess == own.calibration.guess
    assert again.names.passing == pytest.approx(own.names.passing, abs=0.02)
    assert len(found.tier("invented")) == 5
    held = found.judge()
    assert len(held) == len(found.questions("held-out"))
    assert all(len(row["samples"]) == 3 for row in found.parts["answer"])


def test_the_scores_of_the_field_by_hand():
    row = {"answer": "Oslo", "features": {"log_probability": -1.0}}
    found = baselines.score_answers(
        [row | {"samples": ["oslo", "Oslo ", "Rome", "Rome"]}, row | {"samples": ["Oslo"] * 4}]
    )
    assert found["sequence probability"].tolist() == [-1, -1]
    assert found["length-normalised"].tolist() == [-0.2, -0.2], "with the mask that closes it"
    assert found["entropy of samples"] == pytest.approx([-np.log(2), 0])
    assert found["self-consistency"].tolist() == [0.5, 1]
