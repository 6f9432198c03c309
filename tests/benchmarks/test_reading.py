"""What the reader's measure leaves out and what it calls stated, on a text known by hand."""

import pytest
from reading import Wordings, find_clean

from wherefrom.core.contracts import Dataset, Document, Question, Span
from wherefrom.reading.sources import DatasetPassages

NAMES = ("Ann", "Bo", "Cy", "Di")


def about(subject, text):
    return Document(f"{subject} {text}", Span(0, len(subject)))


@pytest.mark.parametrize(
    ("text", "answer", "clean"),
    [
        ("was born in Oslo.", "Oslo", True),
        ("met William M. Hall.", "William", False),
        ("met William M. Hall, William said.", "William", True),
        ("works at Carnegie-Mellon.", "Carnegie", False),
        ("lived there 1953-1954.", "1953", True),
        ("lived in the Old City of Bern.", "Old City", False),
        ("met Max. The City of Bern is old.", "Max", True),
        ("came. It rained.", "came. It", False),
        ("生於台南市", "台南", True),
    ],
)
def test_an_answer_must_have_its_end_in_the_text(text, answer, clean):
    others = [about(f"Bo {i}", "came from the City of Rome.") for i in range(20)]
    source = DatasetPassages(Dataset((about("Ann", text), *others), (), ()))
    asked = [
        Question("Where?", d.name, "place", "City of Rome", "held-out", "stated") for d in others
    ]
    question = Question("Where?", "Ann", "place", answer, "held-out", "stated")
    assert (question in find_clean([question, *asked], source)) is clean


def test_a_note_is_stated_behind_the_words_of_asked_answers():
    texts = tuple(
        about(name, "was born in Oslo, met Eva in Rome and was told of it.") for name in NAMES
    )
    asked = [Question("Where?", name, "place", "Oslo", "asked", "stated") for name in NAMES]
    wordings = Wordings(DatasetPassages(Dataset(texts, (), ())), asked)
    found = {
        text: wordings.states("place", text, Span(12, 16))
        for text in ("He born  in Bonn", "He met Eva: Bonn")
    }
    assert found == {"He born  in Bonn": True, "He met Eva: Bonn": False}
    assert not wordings.states("school", "He born  in Bonn", Span(12, 16))
