"""The doctor's list of checks: what it says of sound files and of others, each with a hint."""

import re
from pathlib import Path

import torch

from wherefrom.course.doctor import checks
from wherefrom.course.doctor.checks import CHECKS, HINTS, OF_FILES, ORDER, Files
from wherefrom.course.doctor.findings import attempt
from wherefrom.course.doctor.judging import computation, given_trainer
from wherefrom.course.doctor.years import DEFAULT_YEAR, find_year

YEAR = find_year(DEFAULT_YEAR)


def test_a_solution_without_the_library_is_sound(claimed):
    claims = claimed(checks.requests(YEAR, 7))
    looks = {name: check for name, check in CHECKS.items() if name != "import"}
    results = {name: attempt(check, claims) for name, check in looks.items()}
    assert {name: r.text for name, r in results.items() if r.state != "ok"} == {}
    assert sorted(ORDER) == sorted({**CHECKS, **OF_FILES})


def look(making, solution, check, data=None):
    claims = making.claims_of(solution, checks.parameter_requests(solution))
    return attempt(OF_FILES[check], Files(solution, data, claims))


def test_parameter_files_are_compared_with_their_names(making, solution):
    for path in solution.glob("*.params"):
        path.unlink()
    assert look(making, solution, "parameter files").state == "unknown"
    path = solution / "synthesizer.pretrain.params"
    for names, holds in (
        (["blocks.0.attn.key.weight"], "a rope model"),
        (["_orig_mod.pos_emb", "_orig_mod.blocks.0.attn.key.weight"], "a vanilla model"),
        (["blocks.0.ln1.weight"], "no such attention"),
        (["down_block.attn.key.weight"], "a perceiver model"),
    ):
        torch.save({name: torch.zeros(1) for name in names}, path)
        found = look(making, solution, "parameter files")
        assert found.text == f"{path.name} holds {holds}, not a synthesizer model"
        assert found.mistake == "flag never set"
    torch.save({"module._orig_mod.blocks.0.attn.w2": torch.zeros(1)}, path)
    assert look(making, solution, "parameter files").state == "ok"
    path.write_bytes(b"\x80\x02cos\nsystem\n.")  # a pickle that would run a command
    found = look(making, solution, "parameter files")
    assert found.mistake == "parameters file"
    assert "cannot be loaded with weights_only=True" in found.text


def test_every_prediction_file_is_judged(making, solution, course_data):
    """A constant file does not hide another one that is shifted."""
    making.spoil(solution, "predictions shifted by a line")
    lines = (solution / "vanilla.pretrain.dev.predictions").read_text().splitlines()
    (solution / "rope.pretrain.dev.predictions").write_text("London\n" * len(lines))
    found = look(making, solution, "predictions aligned", course_data)
    assert "rope.pretrain.dev.predictions" in found.text
    assert "vanilla.pretrain.dev.predictions" in found.text


def test_files_of_predictions_of_a_students_own_are_left_alone(making, solution, course_data):
    (solution / "london.dev.predictions").write_text("London\n" * 200)
    found = look(making, solution, "predictions aligned", course_data)
    assert found.state == "ok"
    assert "london" not in found.text


def test_a_link_is_no_file_of_the_submission(making, solution, course_data):
    path = solution / "vanilla.pretrain.dev.predictions"
    secret = solution.parent / "secret"
    path.rename(secret)
    path.symlink_to(secret)
    assert path.name not in look(making, solution, "predictions aligned", course_data).text


def test_every_mistake_that_a_check_names_has_a_hint():
    """Whatever differs from a formula, too; "missing file" is the grader's alone."""
    source = Path(checks.__file__).parent
    named = {
        mistake
        for path in source.rglob("*.py")
        for mistake in re.findall(
            r'(?:Finding\(\s*|otherwise(?:: str)? ?= ?)"([^"]+)"', path.read_text(encoding="utf-8")
        )
    }
    tables = (computation.VANILLA, computation.SYNTHESIZER, computation.ROTARY)
    tables += (computation.PERCEIVER, computation.LEFT_OUT, given_trainer.WRONG)
    named |= {mistake for table in tables for _, mistake, _ in table}
    assert {"formula", "one rotation", "latents not normalised", "unmasked future"} <= named
    assert named - set(HINTS) <= {"missing file"}
