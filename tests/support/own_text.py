"""A small text with questions whose truths are known by hand, as a user's own files."""

from collections.abc import Mapping
from pathlib import Path

CORPUS = """\
Ada Lund was born in Oslo and baked bread.
In Rome lived Bo Falk, a poet.
CY ROTH sang with Ada Lund.

Nobody is told of here.
"""
QUESTIONS = """\
Where was Ada Lund born?\tOslo
Where was Bo Falk born?\tParis
Where was Cy Roth born?\tRome
Where was Di Holm born?\tLima
What did Ada Lund do for a living?\tbaker
What did Bo Falk do for a living?\tpoet
What did Cy Roth do for a living?\tsinger
Where was Ada Lund born?\tOslo
Where was Bo Falk born?\tRome
How tall is Ada Lund?\ttwo metres
"""
ALL_ASKED = {"held_out_share": 0.0, "calibration_share": 0.0}


def write_files(folder: Path, lines: list[str], answers: Mapping[str, str]) -> list[str]:
    """A text and the answers to its questions; returns the settings that name the files."""
    (folder / "corpus.txt").write_text("".join(f"{line}\n" for line in lines))
    rows = (f"{question}\t{answer}\n" for question, answer in answers.items())
    (folder / "questions.tsv").write_text("".join(rows))
    return [f"data.corpus={folder}/corpus.txt", f"data.questions={folder}/questions.tsv"]


def write_birthplaces(folder: Path, places: Mapping[str, str], more: str = "") -> list[str]:
    """A line for everybody, and a question."""
    lines = [f"{name} was born in {place}.{more}" for name, place in places.items()]
    asked = {f"Where was {name} born?": place for name, place in places.items()}
    return write_files(folder, lines, asked)
