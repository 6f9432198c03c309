"""What a submission may import while it is examined, and what the library's solutions then do."""

import subprocess
import sys

import pytest

from wherefrom.course.doctor import guard


@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("wherefrom.models.attention.synthesizer", True),
        ("wherefrom.course.doctor.models", True),
        ("wherefrom.course.doctor.years", False),
        ("wherefrom.course.doctor.years.find_year", False),
        ("wherefrom.models.gpt", False),
        ("grading.points", True),
        ("gradings", False),
        ("torch", False),
    ],
)
def test_what_is_closed(name, closed):
    assert guard.is_closed(name) is closed


PROGRAM = """
import sys
from pathlib import Path
from types import SimpleNamespace
from wherefrom.course.doctor import guard
guard.close(Path(sys.argv[1]))
import wherefrom.models.attention.synthesizer as theirs  # not from that folder
sys.path.insert(0, sys.argv[1])
import handed_in
print(handed_in.told)
try:
    theirs.SynthesizerAttention(SimpleNamespace(n_embd=8, n_head=2, block_size=4))
except Exception as error:
    print(type(error).__name__, error)
"""
HANDED_IN = """
import importlib, math, torch
told = []
for way in (lambda: __import__("wherefrom.course.doctor.models"),
            lambda: importlib.import_module("wherefrom.models.attention.rope"),
            lambda: importlib.import_module("wherefrom.models.attention.causal")):
    try:
        way()
        told.append("given")
    except ImportError as error:
        told.append(str(error).split(" ")[0])
"""


def test_only_the_submission_is_refused(tmp_path):
    (tmp_path / "handed_in.py").write_text(HANDED_IN)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "['wherefrom.course.doctor.models', 'wherefrom.models.attention.rope', 'given']",
        "Finding it calls the library's SynthesizerAttention.__init__: only what the submission "
        "itself writes counts",
    ]
