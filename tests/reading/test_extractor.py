"""The extractor: which phrase of a line is the answer, and which answers agree with it."""

from dataclasses import replace

import pytest

from tests.support.made_up import ask
from wherefrom.core.contracts import Dataset, Document, Span
from wherefrom.core.errors import BadData
from wherefrom.reading.extractor import RelationExtractor, Statement
from wherefrom.reading.index import Index
from wherefrom.reading.sources import DatasetPassages


@pytest.fixture(scope="module")
def extractor(checker) -> RelationExtractor:
    return checker.extractors["birthplace"]


# --- what a line states ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("Eva Roy was born in Lyon, France, and lives in Oslo.", "Lyon"),
        ("Eva Roy (born 1931, Oslo; died 1999, Lyon) was a poet.", "Oslo"),
        ("Born in Timbuktu, Eva Roy studied in Rome.", "Timbuktu"),
        ("After years in Bath, Eva Roy wrote of Cork, the place of birth.", "Cork"),
    ],
)
def test_the_context_says_which_place_it_is(extractor, text, stated):
    (found,) = extractor.extract(text, "Eva Roy", 7)
    assert found.text == found.span.of(text) == stated
    assert (found.value, found.document) == (stated.lower(), 7)
    assert extractor.threshold <= found.score <= 1


def test_a_value_ends_with_a_full_stop_only_if_answers_do(extractor):
    """The stop of an abbreviation is part of its token; no asked answer has one."""
    text = "Eva Roy was born in Port St. and lives in Bath."
    (found,) = extractor.extract(text, "Eva Roy", 0)
    assert found.text == found.span.of(text) == "Port St"
    stopped = replace(extractor, profile=replace(extractor.profile, stops=True))
    assert [s.text for s in stopped.extract(text, "Eva Roy", 0)] == ["Port St."]


# --- which answers agree -----------------------------------------------------------------------


def chain(*names: str, position: int = 0) -> Statement:
    value = names[position]
    return Statement(value, value, 0, Span(0, len(value)), names, position, 0.9)


@pytest.mark.parametrize(
    ("answer", "statement", "agrees"),
    [
        ("Lima", chain("lima"), True),
        ("LIMA ", chain("lima"), True),
        ("Lim", chain("lima"), False),
        ("", chain("lima"), False),
        ("Peru", chain("lima", "peru"), True),
        ("Lima, Peru", chain("lima", "peru"), True),
        ("Lima,Peru", chain("lima", "peru"), True),
        ("Peru, Lima", chain("lima", "peru"), False),
        ("Lima", chain("lima", "peru", position=1), True),
        ("Lima, Peru, Asia", chain("lima", "peru"), False),
    ],
)
def test_the_stated_place_and_those_around_it_or_within_it_agree(
    extractor, answer, statement, agrees
):
    assert extractor.agrees(answer, statement) is agrees


def test_a_list_of_cities_is_not_a_chain_of_places(extractor):
    """Nothing lies in Rome, in this text: "Lima, Rome" does not say that Lima does."""
    statement = chain("lima", "rome")
    assert not replace(extractor, innermost=frozenset(["rome"])).agrees("Rome", statement)
    assert replace(extractor, innermost=frozenset()).agrees("Rome", statement)


def test_a_linking_word_makes_another_name(extractor):
    profile = replace(extractor.profile, known={"san jose": 1}, linking_words=frozenset(["de"]))
    knows = replace(extractor, profile=profile)
    assert knows.agrees("San Jose", chain("san jose city"))
    assert not knows.agrees("San Jose", chain("san jose de ocoa"))


def test_a_longer_name_agrees_if_somebody_has_it_for_an_answer(extractor):
    york = chain("new york city")
    assert not extractor.agrees("New", york)
    assert not extractor.agrees("New York", york)
    profile = replace(extractor.profile, known={**extractor.profile.known, "new york": 1})
    assert replace(extractor, profile=profile).agrees("New York", york)


# --- fitting -----------------------------------------------------------------------------------


def index(tmp_path, *texts: str) -> Index:
    """Lines that begin with the first and last name of their subject."""
    ends = [len(" ".join(text.split()[:2])) for text in texts]
    documents = [Document(t, Span(0, end)) for t, end in zip(texts, ends, strict=True)]
    return Index.build(tmp_path / "index", documents, "0" * 64)


def test_common_phrases_that_are_nobodys_answer_are_distractors(tmp_path):
    names = [f"A{i} Lund" for i in range(5)]
    text = index(tmp_path, *(f"{n} of the Board was born in Oslo." for n in names))
    fitted = RelationExtractor.fit(text, [ask(n, "Oslo") for n in names]).whole
    assert fitted.distractors == {"board"}


def test_names_that_hold_others_are_told_from_innermost_ones(tmp_path):
    cities = "Oslo Bergen Hamar Oslo".split()
    names = [f"A{i} Lund" for i in range(4)]
    lines = [f"{n} was born in {c}, Norway." for n, c in zip(names, cities, strict=True)]
    fitted = RelationExtractor.fit(
        index(tmp_path, *lines), [ask(n, c) for n, c in zip(names, cities, strict=True)]
    )
    assert fitted.whole.innermost == {"oslo", "bergen", "hamar"}


def test_too_few_answers_in_the_text_cannot_be_learnt_from(tmp_path):
    names = ["Ada Lund", "Bo Falk", "Cy Roth"]
    text = index(tmp_path, *(f"{n} was born in Oslo." for n in names[:2]), "Cy Roth was a poet.")
    expected = r"at least 3 asked questions like 'Where was Ada Lund born\?' .* found 2$"
    with pytest.raises(BadData, match=expected):
        RelationExtractor.fit(text, [*(ask(n, "Oslo") for n in names), ask("Di Holm", None)])


def test_a_text_in_capitals_has_names_without_capitals_to_tell_them():
    places = ("OSLO", "ROME", "BONN", "PORT OF SPAIN", "LIMA", "BATH", "CORK", "KYIV")
    names = [f"{a} {b}" for a in ("ANN", "BO", "CY", "DI") for b in ("EK", "FALK", "GRAY")]
    lines = [
        Document(f"{name} WAS BORN IN {place} AND LIVED IN PARIS FOR YEARS.", Span(0, len(name)))
        for name, place in zip(names, (*places, *places), strict=False)
    ]
    asked = [ask(name, place) for name, place in zip(names, (*places, *places), strict=False)]
    found = RelationExtractor.fit(DatasetPassages(Dataset(tuple(lines), (), ())), asked).whole
    (stated, *_) = found.extract(
        "EVA ROY WAS BORN IN QUITO AND LIVED IN PARIS LATER.", "EVA ROY", 0
    )
    assert stated.text == "QUITO"
