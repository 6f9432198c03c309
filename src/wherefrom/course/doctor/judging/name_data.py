"""Judges the examples of names: the model reads the question and learns only the answer."""

from random import Random

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import Claim
from wherefrom.course.doctor.judging.spans import MASK, PAD, characters, examples, symbols_of

BLOCK = 128
DOCUMENTS = 2937  # in the course's data, which the schedules are made for
_PLACES = ("Oslo", "Rome", "New York City", "Lima", "Kyoto", "Saint Helier")


def rows(draw: int) -> list[tuple[str, str]]:
    """Three questions and answers, others for every draw."""
    dice = Random(draw)
    people = ["".join(dice.sample("abcdefghijklmnop", 5)).title() for _ in range(3)]
    forms = (f"{people[0]} P. Lund", f"Bo {people[1]}", f"{people[2]} Vane-Ash")
    places = dice.sample(_PLACES, 3)
    return [(f"Where was {name} born?", place) for name, place in zip(forms, places, strict=True)]


def table(draw: int) -> str:
    return "".join(f"{question}\t{answer}\n" for question, answer in rows(draw))


def text(draw: int) -> str:
    """As many documents as the course has: a line about each person, then short ones."""
    told = [f"{q[10:-6]}. Born in {place}, where she was. Kept: {q}" for q, place in rows(draw)]
    return "\n".join([*told, *["Ada."] * (DOCUMENTS - len(told))])


def check_items(claim: Claim, draw: int) -> None:
    """Compare x and y of every example, character by character; both have `BLOCK` - 1.

    No year's hand-out has names of another length, whatever length its corrupted texts have.
    """
    asked, symbols = rows(draw), symbols_of(claim, [PAD, MASK, *sorted(set(text(draw)))])
    count = claim.value("length", int)
    found = [tuple(characters(ids, symbols) for ids in pair) for pair in examples(claim)]
    starts = tuple(line[:4] for line in text(draw).split("\n"))
    if count == DOCUMENTS or (count != len(asked) and found[0][0].startswith(starts)):
        said = "the trainer of finetuning reads the pretraining text, not the questions"
        raise Finding("finetuning on wiki.txt", f"{said}: an example is {found[0][0][:30]!r}")
    if count != len(asked) or len(found) != len(asked):
        raise Finding("names", f"expected {len(asked)} examples of names, found {count}")
    moved = all(MASK in x and x[1:] == y[:-1] for x, y in found)
    pairs = zip((question for question, _ in asked), (x for x, _ in found), strict=True)
    if moved and any(q not in x and q.startswith(x.partition(MASK)[0]) for q, x in pairs):
        said = "the questions are corrupted as the pretraining text is"
        raise Finding("names corrupted", f"{said}: an example is {found[0][0][:40]!r}")
    for index, ((question, answer), (x, y)) in enumerate(zip(asked, found, strict=True)):
        whole = f"{question}{MASK}{answer}{MASK}".ljust(BLOCK, PAD)
        if x != whole[:-1]:
            raise Finding("names", f"x of example {index} is {x[:50]!r}, not question and answer")
        start = len(question) - 1
        if y == (PAD * start + whole[start + 1 :]):
            continue
        if y == whole[1:]:
            said = "y holds the question: the loss should begin with the mask after it"
            raise Finding("question not masked in the loss", said)
        if y.strip(PAD) == f"{MASK}{answer}{MASK}":
            where = f"at {len(y) - len(y.lstrip(PAD))}, expected {start}"
            raise Finding("wrong shift", f"y of example {index} begins {where}")
        said = f"y of example {index} learns {y.strip(PAD)[:50]!r}"
        asks = question[1:] in y or question in y
        raise Finding("question not masked in the loss" if asks else "names", said)
