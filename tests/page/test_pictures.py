"""Pictures of how a run learnt, from figures made by hand."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from wherefrom.page.learning import draw_answering
from wherefrom.page.pictures import _merge_small
from wherefrom.runs.layout import GLANCES
from wherefrom.runs.run import open_run


def test_questions_that_were_asked_while_it_trained_are_drawn(tiny_run: Path, tmp_path: Path):
    run = open_run(shutil.copytree(tiny_run, tmp_path / "run"))
    assert draw_answering(run) is None
    (stage,) = run.recipe.chain()
    rows = [
        {"step": step, "asked": 60, "trained": trained, "calibration": calibration}
        for step, trained, calibration in ((10, 0.0, 0.0), (20, 0.45, 0.15), (30, 1.0, 0.7))
    ]
    run.folder.write_jsonl(f"stages/{stage.name}/{GLANCES}", rows)
    found = draw_answering(run)
    assert found is not None
    assert found.sentence == (
        "Of 60 calibration questions, it answers 0\u00a0% after 10 steps and 70\u00a0% after 30; "
        "of as many questions that it is trained on, 100\u00a0%."
    )
    last = f"{1000 * 30 / stage.steps:.2f}".rstrip("0").rstrip(".")
    assert f"{last},300" in str(found.chart)  # 70 % is 300 of 1000 from the top


@pytest.mark.parametrize(
    ("shown", "edges"),
    [
        ([0] * 5 + [1] * 5 + [2, 3, 2, 3, 2], [0, 1, 2]),  # the bins double
        ([0] + [20] * 4 + [40] * 9 + [70] * 9, [0, 32, 64]),  # one fact alone says nothing
        ([20] * 6 + [40] * 6 + [70], [16, 32]),  # nor does the last one
        ([3], [2]),
        ([0, 0], [0]),
    ],
)
def test_facts_are_put_together_until_there_are_a_few(shown: list[int], edges: list[int]):
    assert _merge_small(np.array(shown)) == edges
