"""What is looked at in a submission: every kind has its words, every mistake its hint."""

import ast
from pathlib import Path

from wherefrom.course.doctor import checks
from wherefrom.course.doctor.checks import HINTS
from wherefrom.course.doctor.judging import computation


def test_every_mistake_that_a_check_names_has_a_hint():
    named: set[str] = set()
    for path in Path(checks.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Finding", "expect"):
                said = node.args[1 if node.func.id == "expect" else 0]  # pyright: ignore
                either = [said.body, said.orelse] if isinstance(said, ast.IfExp) else [said]
                named |= {str(n.value) for n in either if isinstance(n, ast.Constant)}
    named |= {"formula", "attention", "model", "trainer"}  # what no mistake explains
    named |= {mistake for table in computation.MISTAKES.values() for _, mistake, _ in table}
    assert {"one rotation", "latents not normalised", "unmasked future"} <= named
    assert named - set(HINTS) == set()
