"""The notebook runs from its first cell to its last, in short form; its outputs are saved."""

import json
import os
import subprocess
import sys

from tests.course.files import A5, hand_out

NOTEBOOK = A5 / "play_char.ipynb"
CELLS = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]


def said(cell) -> str:
    return "".join(line for output in cell["outputs"] for line in output.get("text", []))


def test_it_runs_in_what_students_are_handed(tmp_path):
    """It uses given parts alone: nothing that a student has yet to write."""
    folder = hand_out(tmp_path)
    (folder / "text.txt").write_text("ab ab ab ab ab ab ab ab\n" * 128, encoding="utf-8")
    program = "".join("".join(cell["source"]) + "\n" for cell in CODE)
    environment = os.environ | {"PLAY_TEXT": "text.txt", "PLAY_EPOCHS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "128 documents, 2,944 characters, 5 symbols" in done.stdout
    assert done.stdout.count("temperature") == 3


def test_what_it_gave_is_saved_with_it():
    assert [cell["execution_count"] for cell in CODE] == list(range(1, len(CODE) + 1))
    assert not [o for cell in CODE for o in cell["outputs"] if o["output_type"] == "error"]
    shown = "".join(map(said, CODE))
    assert "2,336 documents, 90,704 characters" in shown
    assert "876 steps, 73 an epoch" in shown
    falling = [float(line.split(": ")[1]) for line in shown.splitlines() if line[:6] == "epoch "]
    assert len(falling) == 12
    assert falling == sorted(falling, reverse=True)
    assert shown.count("temperature ") == 3
