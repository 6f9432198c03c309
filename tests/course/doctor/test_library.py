"""What is left of the library for a submission that is graded."""

import ast
from pathlib import Path

import pytest

from wherefrom.course.doctor.library import HOME, library

SOLVED = {
    "models/attention/synthesizer.py": "SynthesizerAttention",
    "models/attention/perceiver.py": "DownProjectBlock",
    "objectives/span_corruption.py": "Documents",
}


def methods(path: Path, name: str) -> dict[str, ast.FunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (found,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    return {node.name: node for node in found.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("file", SOLVED)
def test_solved_methods_only_raise(file):
    path = library() / "wherefrom" / file
    there, here = (methods(p, SOLVED[file]) for p in (HOME / file, path))
    assert here.keys() == there.keys() | {"forward"}
    for method in here.values():
        (only,) = method.body
        assert isinstance(only, ast.Raise)
        assert "only what the submission itself writes counts" in ast.unparse(only)
    assert list((path.parent / "__pycache__").glob(f"{path.stem}.*")) == []


def test_the_rest_is_as_it_was():
    path = library() / "wherefrom"
    for file in ("models/attention/causal.py", "models/gpt.py", "core/errors.py"):
        assert (path / file).read_bytes() == (HOME / file).read_bytes()
    assert not (path / "api.py").exists()
    assert not (path / "course" / "lab").exists()
