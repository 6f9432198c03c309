"""The notebook runs from its first cell to its last, in short form."""

import json
import os
import subprocess
import sys

from tests.course.files import A5, hand_out

NOTEBOOK = A5 / "play_char.ipynb"
CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def test_it_runs_in_what_students_are_handed(tmp_path):
    """It uses given parts alone: nothing that a student has yet to write."""
    folder = hand_out(tmp_path)
    (folder / "text.txt").write_text("ab ab ab ab ab ab ab ab\n" * 128, encoding="utf-8")
    program = "".join("".join(cell["source"]) + "\n" for cell in CODE)
    environment = os.environ | {"PLAY_TEXT": "text.txt", "PLAY_EPOCHS": "1"}
    given = [sys.executable, "-c", program]
    done = subprocess.run(given, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "128 documents, 2,944 characters, 5 symbols" in done.stdout
    assert done.stdout.count("temperature") == 3
