"""Pictures of how a run learnt, from figures made by hand."""

import re
import shutil
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.support.made_up import make_reply
from wherefrom.auditing.audit_findings import AuditedAnswer
from wherefrom.core.replies import RankedAnswer
from wherefrom.runs.layout import GLANCES
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page.learning import draw_answering, draw_learning
from wherefrom.show.page.pictures import draw_accuracy, draw_reliability, draw_risk
from wherefrom.show.page.summary_sentences import summarise


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
    assert found.sentence == (
        "Of 60 calibration questions, it answers 0\u00a0% after 10 steps and 70\u00a0% after 30; "
        "of as many questions that it is trained on, 100\u00a0%."
    )
    last = f"{1000 * 30 / stage.steps:.2f}".rstrip("0").rstrip(".")
    assert f"{last},300" in str(found.chart)  # 70 % is 300 of 1000 from the top


def test_a_run_with_notes_shows_two_scores_and_says_what_notes_do(relations_run: Path):
    run = open_run(relations_run)
    found = draw_accuracy(run)
    chart = str(found.chart)
    names = ("closed-book, taught from notes", "open-book reader")
    drawn = [name for name, _ in groupby(re.findall("|".join(names), chart))]
    assert any(tuple(drawn[i : i + 2]) == names for i in range(len(drawn)))
    assert "learns the reader's mistakes" in found.sentence
    said = "".join(sentence.striptags() for sentence in summarise(run))
    assert "the open-book reader, 38" in said


def test_steps_are_counted_from_the_first_stage_on():
    stages = [SimpleNamespace(name="one", steps=10), SimpleNamespace(name="two", steps=30)]
    row = {"step": 10, "asked": 4, "trained": 0.5, "calibration": 0.5}
    folder = SimpleNamespace(read_glances=lambda _: [row])
    run: Any = SimpleNamespace(recipe=SimpleNamespace(chain=lambda: stages), folder=folder)
    found = draw_answering(run)
    assert "after 10 steps and 50\u00a0% after 20;" in found.sentence


def test_losses_stand_on_a_scale_that_begins_at_zero(tiny_run: Path):
    run = open_run(tiny_run)
    found = draw_learning(run)
    (stage,) = run.recipe.chain()
    losses = [row["loss"] for row in run.folder.read_metrics(stage.name)]
    assert f"the loss fell from {losses[0]:.2f} to {losses[-1]:.2f} nats" in found.sentence
    points = re.findall(r'points="([^"]*)"', str(found.chart))[0].split()
    heights = [1000 - float(point.split(",")[1]) for point in points]
    shares = [height / heights[0] for height in heights]
    assert shares == pytest.approx([loss / losses[0] for loss in losses], abs=0.01)


def make_answers(confidence: list[float], right: list[bool]) -> Any:
    rows = []
    for sure, ok in zip(confidence, right, strict=True):
        reply = make_reply(confidence=sure, candidates=(RankedAnswer("Oslo", sure),))
        rows.append(AuditedAnswer(reply, "", ok, "held-out", "stated", {}, None))
    return SimpleNamespace(held_out=rows)


@pytest.mark.parametrize(
    ("sure", "right", "n", "words"),
    [
        (0.95, 6, 7, "85.7 % right (49 to 97): too few answers to tell whether this is as much as"),
        (0.95, 60, 70, "85.7 % right (76 to 92): less than it expects."),
        (0.7, 60, 70, "85.7 % right (76 to 92): more than it expects."),
        (0.86, 6000, 7000, "85.7 % right (85 to 87): as much as it expects, as far as these"),
    ],
)
def test_confidence_is_judged_only_where_there_are_enough_answers(sure, right, n, words):
    found = draw_reliability(make_answers([sure] * n, [i < right for i in range(n)]))
    assert words in found.sentence.replace("\u00a0", " ")


def test_what_declining_does_is_said_for_good_bad_and_no_mistakes():
    sure = [0.9, 0.8, 0.7, 0.6]

    def tell(right: list[bool]) -> str:
        found = draw_risk(make_answers(sure, right))
        return found.sentence.replace("\u00a0", " ")

    assert tell([True, True, False, False]).startswith(
        "If it may decline where it is least sure, it is wrong less often: in 0 % of its "
        "answers when it answers half of the 4 questions, in 50 % when it answers all."
    )
    assert tell([False, True, True, True]).startswith(
        "Declining where it is least sure does not help here: it is wrong in 50 % of its"
    )
    assert tell([True] * 4) == "No answer is wrong, so declining cannot help here."
