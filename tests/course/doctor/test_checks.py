"""What is looked at in a submission: every kind has its words, every mistake its hint."""

import re
from pathlib import Path

from wherefrom.course.doctor import checks
from wherefrom.course.doctor.checks import HINTS
from wherefrom.course.doctor.judging import computation, given_trainer


def test_every_mistake_that_a_check_names_has_a_hint():
    """Whatever differs from a formula, too."""
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
    assert named - set(HINTS) == set()
