"""Checks of a NameDataset: the model reads the question and learns only the answer."""

import inspect
from pathlib import Path

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.spans import MASK, PAD, CharacterExamples, Examples, characters, draw
from wherefrom.course.doctor.submission import Submission

ROWS = (
    ("Where was Ada P. Lund born?", "Oslo"),
    ("Where was Bo Falk born?", "Rome"),
    ("Where was Cleo Vane-Ash born?", "New York City"),
)
TABLE = "".join(f"{question}\t{answer}\n" for question, answer in ROWS)
TEXT = "\n".join(
    f"{question[10:-6]}. Born in {answer}, where she was. Kept: {question}"
    for question, answer in ROWS
)


def corpus_file(submission: Submission) -> Path:
    """The questions in a file, which `finetune` takes; it has the name of the course's own."""
    path = submission.scratch / "birth_places_train.tsv"
    path.write_text(TABLE, encoding="utf-8")
    return path.resolve()


def name_dataset(submission: Submission, pretraining: CharacterExamples) -> Examples:
    """The submission's NameDataset; the hand-outs give it its two arguments in either order."""
    make = submission.NameDataset
    names = list(inspect.signature(make).parameters)
    pretraining_first = names[0].startswith("pretrain") if names else not submission.year.package
    return make(pretraining, TABLE) if pretraining_first else make(TABLE, pretraining)


def check_items(data: Examples | None, pretraining: CharacterExamples, block: int) -> None:
    """Compare x and y of every example, character by character; both have `block` - 1.

    No year's hand-out has names of another length, whatever length its corrupted texts have.
    """
    if data is None or len(data) != len(ROWS):
        found = "nothing" if data is None else f"{len(data)} examples"
        raise Finding("names", f"expected {len(ROWS)} examples of names, found {found}")
    for index, (question, answer) in enumerate(ROWS):
        x, y = (characters(ids, pretraining) for ids in draw(data, index))
        whole = f"{question}{MASK}{answer}{MASK}".ljust(block, PAD)
        if x != whole[:-1]:
            raise Finding("names", f"x of example {index} is {x[:50]!r}, not question and answer")
        start = len(question) - 1
        if y == (PAD * start + whole[start + 1 :]):
            continue
        if y == whole[1:]:
            text = "y holds the question: the loss should begin with the mask after it"
            raise Finding("question not masked in the loss", text)
        learned = len(y) - len(y.lstrip(PAD))
        if y.strip(PAD) == f"{MASK}{answer}{MASK}":
            where = f"at {learned}, expected {start}"
            raise Finding("wrong shift", f"y of example {index} begins {where}")
        text = f"y of example {index} learns {y.strip(PAD)[:50]!r}"
        if question[1:] in y or question in y:
            raise Finding("question not masked in the loss", text)
        raise Finding("names", text)
