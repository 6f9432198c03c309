"""Notes: what they rest on, what they say of texts that state nothing, and what users are told."""

from dataclasses import replace

import pytest

from tests.support.made_up import ask
from tests.support.stated_world import CITIES, NAMES
from wherefrom.core.contracts import Dataset, Document, Span
from wherefrom.reading import notes as module
from wherefrom.reading.notes import take_notes


def write(name: str, *sentences: str) -> Document:
    return Document(" ".join(s.format(n=name) for s in sentences), Span(0, len(name)))


def of_two_sentences() -> tuple[Dataset, dict[str, str]]:
    """Sixty asked people and thirty others, of whom every third has no birthplace in the text.

    With the birthplaces of the others that have one.
    """
    documents, asked, stated = [], [], {}
    for number, name in enumerate(NAMES[:90]):
        city, other = CITIES[number % 10], CITIES[(number + 3) % 10]
        born = (f"{{n}} was born in {city}.", f"{{n}} comes from {city}.")[number % 2]
        silent = number >= 60 and number % 3 == 0
        later = (f"Later {{n}} taught in {other}.", f"{{n}} died in {other}.")[number // 2 % 2]
        first = "{n} was a poet." if silent else born
        documents.append(write(name, first, later))
        if number < 60:
            asked.append(ask(name, city))
        elif not silent:
            stated[name] = city
    return Dataset(tuple(documents), questions=tuple(asked)), stated


@pytest.fixture(scope="module")
def two_sentences() -> tuple[Dataset, dict[str, str]]:
    return of_two_sentences()


def test_what_is_stated_is_noted_and_silence_is_not(two_sentences):
    """Every asked text states a birthplace; still, none is noted where the text has none."""
    dataset, stated = two_sentences
    notes = {note.subject: note for note in take_notes(dataset)}
    assert {name: notes[name].value for name in stated} == stated
    assert all(notes[name].score >= 0.9 for name in stated)
    silent = [name for name in NAMES[60:90] if name not in stated]
    assert len(silent) == 10
    assert not [name for name in silent if name in notes]
    assert len(notes) == 80
    for note in notes.values():
        document = dataset.documents[note.document]
        assert note.span.of(document.text) == note.value
        assert document.name == note.subject
        assert 0.5 <= note.score <= 1


def test_the_answer_that_was_asked_is_not_given_back(two_sentences):
    """Three people are asked about with the wrong city of their text: the text is noted."""
    dataset, _ = two_sentences
    asked = list(dataset.questions)
    right = {}
    for number in (7, 20, 41):
        right[asked[number].subject] = asked[number].answer
        asked[number] = replace(asked[number], answer=CITIES[(number + 3) % 10])
    notes = {note.subject: note.value for note in take_notes(replace(dataset, questions=asked))}
    assert {name: notes[name] for name in right} == right


def test_several_processes_find_the_same(two_sentences, monkeypatch):
    dataset, _ = two_sentences
    notes = take_notes(dataset)
    monkeypatch.setattr(module, "_BATCH", 20)
    monkeypatch.setattr(module, "_MANY", 2)
    assert take_notes(dataset) == notes


# --- what users are told -------------------------------------------------------------------------


def remarks(dataset: Dataset) -> list[str]:
    found: list[str] = []
    take_notes(dataset, remark=found.append)
    return found


def test_few_answers_and_a_reader_that_finds_nothing(two_sentences):
    dataset, _ = two_sentences
    few, nothing = remarks(replace(dataset, questions=dataset.questions[:9]))
    assert few.startswith("notes: expected at least 10 asked answers about 'birthplace', found 9;")
    assert nothing.startswith("notes: the reader found no statement;")
    absent = [ask(f"Nobody {i}", "Oslo") for i in range(20)]
    about, nothing = remarks(replace(dataset, questions=absent))
    assert about.startswith("notes: none about 'birthplace': evidence: expected at least 3 asked")
    assert nothing.startswith("notes: the reader found no statement;")


def test_documents_that_contradict_each_other_are_counted(two_sentences):
    dataset, _ = two_sentences
    other = write("Mo Moss", "{n} comes from Cork.", "{n} died in Rome.")
    first = write("Mo Moss", "{n} was born in Lima.", "Later {n} taught in Bonn.")
    documents = tuple(d for d in dataset.documents if d.name != "Mo Moss")
    disputed = replace(dataset, documents=(*documents, first, other))
    disputed = replace(disputed, questions=[q for q in dataset.asked if q.subject != "Mo Moss"])
    (line,) = remarks(disputed)
    assert "contradict each other about 'birthplace' for 1 of 90 subjects" in line
    notes = [note for note in take_notes(disputed) if note.subject == "Mo Moss"]
    assert len(notes) == 1
    assert notes[0].value in ("Lima", "Cork")


def test_two_answers_to_one_name_are_counted(two_sentences):
    dataset, _ = two_sentences
    again = replace(dataset, questions=(*dataset.questions, ask(NAMES[0], "Bath")))
    (line,) = remarks(again)
    assert line.startswith("notes: 1 of 60 asked names have two answers about 'birthplace';")
