"""The doctor's list of checks: every usual mistake is found in the right place, with a hint."""

import re
from pathlib import Path

import pytest
import torch

from wherefrom.course.doctor import (
    checks,
    given,
    given_trainer,
    models,
    perceiver,
    rotary,
)
from wherefrom.course.doctor.checks import CHECKS, HINTS
from wherefrom.course.doctor.child import attempt
from wherefrom.course.doctor.submission import Submission


def test_a_solution_without_the_library_is_sound(plain):
    submission = plain()
    results = {name: attempt(check, submission) for name, check in CHECKS.items()}
    assert {name: r.text for name, r in results.items() if r.state == "look"} == {}
    unknown = {name for name, r in results.items() if r.state == "unknown"}
    assert unknown == {"parameter files", "predictions aligned"}, "it has written none"


@pytest.mark.parametrize("old", ["final_tokens=200 *", "lr_decay=True"])
def test_a_rate_that_ends_elsewhere(solution, old):
    new = {"final_tokens=200 *": "final_tokens=2 *", "lr_decay=True": "lr_decay=False"}[old]
    text = (solution / "helper.py").read_text()
    assert old in text
    (solution / "helper.py").write_text(text.replace(old, new))
    found = attempt(CHECKS["learning rate at the end"], Submission(solution))
    assert found.mistake == "rate at the end"


def test_a_perceiver_that_was_used_is_checked(solution):
    for path in solution.glob("perceiver.*"):
        path.unlink()
    helper = solution / "helper.py"
    right = helper.read_text()
    helper.write_text(right.replace("mconf.perceiver = True", "pass"))
    variant, files = CHECKS["variant built"], CHECKS["parameter files"]
    assert attempt(variant, Submission(solution)).state == "ok", "nobody has used it"
    path = solution / "perceiver.pretrain.params"
    torch.save({"pos_emb": torch.zeros(1), "blocks.0.attn.key.weight": torch.zeros(1)}, path)
    found = attempt(files, Submission(solution))
    assert found.mistake == "flag never set"
    assert "perceiver.pretrain.params holds a vanilla model, not a perceiver" in found.text
    found = attempt(variant, Submission(solution))
    assert found.mistake == "flag never set"
    assert "'perceiver' model has no down_block and no up_block" in found.text
    helper.write_text(right)
    torch.save({"_orig_mod.down_block.attn.key.weight": torch.zeros(1)}, path)
    assert attempt(variant, Submission(solution)).state == "ok"
    assert attempt(files, Submission(solution)).state == "ok"


def test_every_prediction_file_is_judged(making, solution, course_data):
    """A constant file does not hide another one that is shifted."""
    making.spoil(solution, "predictions shifted by a line")
    lines = (solution / "vanilla.pretrain.dev.predictions").read_text().splitlines()
    (solution / "rope.pretrain.dev.predictions").write_text("London\n" * len(lines))
    found = attempt(CHECKS["predictions aligned"], Submission(solution, course_data))
    assert "rope.pretrain.dev.predictions" in found.text
    assert "vanilla.pretrain.dev.predictions" in found.text


def test_every_mistake_that_a_check_names_has_a_hint():
    """Whatever differs from a formula, too; "missing file" is the grader's alone."""
    source = Path(checks.__file__).parent
    named = {
        mistake
        for path in source.glob("*.py")
        for mistake in re.findall(
            r'(?:Finding\(\s*|otherwise(?:: str)? ?= ?)"([^"]+)"', path.read_text(encoding="utf-8")
        )
    }
    tables = (models.MISTAKES, rotary.MISTAKES, perceiver.MISTAKES, given.LEFT_OUT)
    named |= {mistake for table in (*tables, given_trainer.WRONG) for _, mistake, _ in table}
    assert {"formula", "one rotation", "latents not normalised", "unmasked future"} <= named
    assert named - set(HINTS) <= {"missing file"}


def test_files_of_predictions_of_a_students_own_are_left_alone(solution, course_data):
    (solution / "london.dev.predictions").write_text("London\n" * 200)
    found = attempt(CHECKS["predictions aligned"], Submission(solution, course_data))
    assert found.state == "ok"
    assert "london" not in found.text
