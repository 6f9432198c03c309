"""What a relation is learnt from: lines with the answer, without it, and with it cut out."""

import pytest

from tests.support.made_up import ask
from wherefrom.core.contracts import Dataset, Document, Question, Span
from wherefrom.reading import fitting_examples as module
from wherefrom.reading.fitting_examples import Asked, Lesson, make_examples
from wherefrom.reading.log_linear import FOLDS
from wherefrom.reading.sources import DatasetPassages

NAMES = [f"{first} Lund" for first in "Ada Bo Cy Di Ed Fay Gus Hal Ivo Jo".split()]


def lesson(texts: dict[str, str], asked: list[Question]) -> Lesson:
    documents = tuple(Document(text, Span(0, len(name))) for name, text in texts.items())
    return Lesson.of(DatasetPassages(Dataset(documents)), Asked(asked))


def test_stating_sentences_are_cut_out():
    texts = {n: f"{n} was a poet. {n} was born in Oslo. {n} died in Rome." for n in NAMES}
    found = lesson(texts, [ask(name, "Oslo") for name in NAMES])
    assert {each.line.text for each in found.lines} == set(texts.values())
    assert {each.line.text for each in found.silent} == {
        f"{n} was a poet. {n} died in Rome." for n in NAMES
    }
    learnt = found.learnt()
    assert [each.is_cut for each in learnt] == [False] * 10 + [True] * 10
    examples = make_examples(learnt, found.distractors()[1])
    assert [any(e.is_answer) for e in examples] == [True] * 10 + [False] * 10


def test_a_text_of_one_sentence_has_nothing_left():
    texts = {name: f"{name} was born in Oslo." for name in NAMES}
    assert lesson(texts, [ask(name, "Oslo") for name in NAMES]).silent == ()


def test_every_accepted_answer_is_cut_out():
    texts = {n: f"{n} was born in Oslo. In Kristiania {n} died. {n} saw Rome." for n in NAMES}
    found = lesson(texts, [ask(name, "Oslo", accepted=("Kristiania",)) for name in NAMES])
    assert {each.line.text for each in found.silent} == {f"{name} saw Rome." for name in NAMES}


def test_nobodys_own_answer_is_known_when_their_line_is_read():
    """Each has a city of their own: for their own line it is as new as any other."""
    cities = "Oslo Rome Lima Bonn Nice Cork Bath Pisa Graz Lyon".split()
    texts = {n: f"{n} was born in {c}." for n, c in zip(NAMES, cities, strict=True)}
    found = lesson(texts, [ask(n, c) for n, c in zip(NAMES, cities, strict=True)])
    for each in found.lines:
        assert not each.answers & found.profiles[each.fold].known.keys()
        assert found.profile.known.keys() >= each.answers
    assert {each.fold for each in found.lines} == set(range(FOLDS))


def test_some_candidates_stand_for_many():
    """Of 200 others 60 are kept, and each counts for 200 / 60 of them."""
    many = ", ".join(f"X{i}" for i in range(200))
    texts = {n: f"{n} saw {many}. {n} was born in Oslo." for n in NAMES}
    found = lesson(texts, [ask(name, "Oslo") for name in NAMES])
    example = make_examples(found.learnt(), found.distractors()[1])[0]
    assert sum(example.is_answer) == 1
    assert len(example.features) == module._MOST_OTHERS + 1
    weights = [2.718281828**offset for offset in example.offsets]
    assert (
        round(sum(w for w, one in zip(weights, example.is_answer, strict=True) if not one)) == 200
    )


def test_some_silent_lines_stand_for_many():
    documents = [Document(f"{NAMES[0]} saw Rome in 19{i:02}.", Span(0, 8)) for i in range(50)]
    documents += [Document(f"{n} was born in Oslo.", Span(0, len(n))) for n in NAMES]
    source = DatasetPassages(Dataset(tuple(documents)))
    found = Lesson.of(source, Asked([ask(name, "Oslo") for name in NAMES]))
    weights = [each.weight for each in found.lines if not each.states]
    assert len(weights) == module._MOST_SILENT
    assert round(sum(weights)) == 50


@pytest.mark.parametrize("rest", [" Hill", "-Hill"])
@pytest.mark.parametrize(("faults", "missed"), [(1, 0), (3, 3)])
def test_a_few_answers_that_are_cut_off_are_left_out(faults: int, missed: int, rest: str):
    """New Cork, where the text has New Cork Hill: a fault, unless several answers are like that."""
    answers = ["New Cork", "New Bonn", "New Rome"][:faults] + ["Oslo"] * (10 - faults)
    towns = [answer + rest if answer != "Oslo" else answer for answer in answers]
    texts = {n: f"{n} was born in {town}." for n, town in zip(NAMES, towns, strict=True)}
    found = lesson(texts, [ask(n, a) for n, a in zip(NAMES, answers, strict=True)])
    examples = make_examples(found.learnt(), found.distractors()[1])
    assert len(examples) == 10 - faults + missed
    assert [e.weight for e in examples].count(0) == missed
