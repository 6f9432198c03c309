"""Evidence on small corpora whose labels are known by hand, on `people`, and on the course's."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from wherefrom.core.contracts import Dataset, Document, Question, Span
from wherefrom.core.errors import BadData
from wherefrom.data import birthplaces, people
from wherefrom.data.people import PeopleConfig
from wherefrom.evidence.index import Index
from wherefrom.evidence.verdict import (
    CONTRADICTED,
    LABELS,
    NO_TEXT,
    SILENT,
    SUPPORTED,
    Reader,
    report,
)

COURSE = Path(__file__).parents[2].parent / "shared/data/birthplaces"

FIRST = "Ada Bo Cy Di Ed Fay Gus Hal Ivo Jo Kit Lea Mo Ned Ora Pia".split()
LAST = "Lund Falk Roth Holm Moss Poe".split()
NAMES = [f"{first} {last}" for last in LAST for first in FIRST]
CITIES = "Oslo Rome Lima Bonn Nice Cork Bath Pisa Graz Lyon".split()
LANDS = dict(zip(CITIES, "Norway Italy Peru Germany France Ireland England Italy Austria France"
                 .split(), strict=True))  # fmt: skip
FORMS = (
    "{n} was born in {c}, {l}, and lives in {o}.",
    "{n} (born 1950, {c}; died 1990, {o}) was a poet.",
    "Born in {c}, {n} studied in {o}.",
    "After years in {o}, {n} wrote of {c}, the place of birth.",
)
SILENT_FORMS = ("{n} lives in {o}.", "{n} (died 1990, {o}) was a poet.", "{n} studied in {o}.")


def tell(form: str, name: str, number: int) -> tuple[Document, str, str]:
    """A line, where it says someone was born, and another place that it names."""
    city, other = CITIES[number % 10], CITIES[(3 * number + 1) % 10]
    other = other if other != city else CITIES[(3 * number + 2) % 10]
    text = form.format(n=name, c=city, l=LANDS[city], o=other)
    start = text.index(name)
    return Document(text, Span(start, start + len(name))), city, other


def ask(name: str, answer: str, split: str = "asked", relation: str = "birthplace") -> Question:
    return Question(f"Where was {name} born?", name, relation, answer, split)


def world() -> tuple[list[Document], list[Question], dict[str, tuple[str, str]]]:
    """Eighty asked people, of whom ten are told of without a birthplace; others by hand."""
    documents, asked, rest = [], [], {}
    for number, name in enumerate(NAMES):
        quiet = number % 8 == 7
        forms = SILENT_FORMS if quiet else FORMS
        document, city, other = tell(forms[number // 2 % len(forms)], name, number)
        documents.append(document)
        if number < 80:
            asked.append(ask(name, "Bergen" if quiet else city))
        else:
            rest[name] = ("" if quiet else city, other)
    return documents, asked, rest


EXTRA = [
    Document("Zoë Ray was born in Oslo, Norway, and lives in Rome.", Span(0, 7)),
    Document("Sam Day was born in Lima, Peru, and lives in Bonn.", Span(0, 7)),
    Document("Born in Cork, Sam Day studied in Bath.", Span(14, 21)),
    Document("Erna Rome was born in Graz, Austria, and lives in Pisa.", Span(0, 9)),
    Document("Tim Fox was born in New York City, Norway, and lives in Rome.", Span(0, 7)),
    Document('Al "OR" (X* was born in Pisa, Italy, and lives in Oslo.', Span(0, 11)),
    Document("J. P. Dow was born in Atlantis, Peru, and lives in Lyon.", Span(0, 9)),
    Document("the text does not name a single thing that could be one", None),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    documents, asked, _ = world()
    path = tmp_path_factory.mktemp("evidence") / "index.sqlite"
    index = Index.build(path, [*documents, *EXTRA], "0" * 64)
    yield Reader.learn(index, asked)
    index.close()


def label(reader: Reader, subject: str, answer: str) -> str:
    return reader.judge(subject, answer, "birthplace").label


# --- labels ----------------------------------------------------------------------------------


def test_every_label_of_people_who_were_not_asked_about(reader):
    _, _, rest = world()
    for name, (city, other) in rest.items():
        third = next(c for c in CITIES if c not in (city, other) and LANDS[c] != LANDS.get(city))
        if city:
            assert label(reader, name, city) == SUPPORTED
            assert label(reader, name, other) == label(reader, name, third) == CONTRADICTED
        else:
            assert label(reader, name, other) == label(reader, name, third) == SILENT
    assert label(reader, "Nobody Atall", "Oslo") == NO_TEXT
    assert label(reader, "", "Oslo") == NO_TEXT


def test_evidence_says_what_and_where(reader):
    found = reader.judge("Zoe\u0308 Ray", "Rome", "birthplace")
    text = reader.index.document(found.document).text
    assert (found.label, found.stated, found.span.of(text)) == (CONTRADICTED, "Oslo", "Oslo")
    assert 0.5 < found.score <= 1
    assert json.loads(json.dumps(found.as_json()))["span"] == {"start": 20, "end": 24}
    silent = reader.judge(NAMES[87], "Oslo", "birthplace")
    assert (silent.stated, silent.document, silent.span) == (None, None, None)
    assert 0 <= silent.score < 0.5


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("Oslo", SUPPORTED),
        ("OSLO", SUPPORTED),
        ("Norway", SUPPORTED),
        ("Oslo, Norway", SUPPORTED),
        ("Oslo, Peru", CONTRADICTED),
        ("Osl", CONTRADICTED),
        ("Rome", CONTRADICTED),
        ("Norway, Oslo", CONTRADICTED),
        ("", CONTRADICTED),
        ('"*"; DROP', CONTRADICTED),
    ],
)
def test_a_place_that_holds_the_stated_one_or_lies_in_it_is_supported(reader, answer, wanted):
    assert label(reader, "Zoë Ray", answer) == wanted


def test_two_people_of_one_name_support_two_answers(reader):
    assert {s.value for s in reader.stated("Sam Day", "birthplace")} == {"lima", "cork"}
    assert label(reader, "Sam Day", "Lima") == label(reader, "Sam Day", "Cork") == SUPPORTED
    assert label(reader, "Sam Day", "Bath") == CONTRADICTED


def test_names_may_be_places_and_have_marks(reader):
    assert label(reader, "Erna Rome", "Graz") == SUPPORTED
    assert label(reader, "Erna Rome", "Rome") == CONTRADICTED
    assert label(reader, 'Al "OR" (X*', "Pisa") == SUPPORTED
    assert label(reader, "J. P. Dow", "Atlantis") == SUPPORTED, "nobody else was born there"
    assert label(reader, "J. P. Dow", "Lyon") == CONTRADICTED


def test_a_part_of_a_name_is_not_the_place(reader):
    assert reader.stated("Tim Fox", "birthplace")[0].text == "New York City"
    for answer in ("York", "New", "New York City Hall"):
        assert label(reader, "Tim Fox", answer) == CONTRADICTED


# --- learning --------------------------------------------------------------------------------


def test_it_is_the_same_reader_again_and_comes_back_from_json(reader):
    _, asked, rest = world()
    assert Reader.learn(reader.index, asked).as_json() == reader.as_json()
    again = Reader.from_json(json.loads(json.dumps(reader.as_json())), reader.index)
    for name, (city, other) in rest.items():
        for answer in (city, other):
            found = reader.judge(name, answer, "birthplace")
            assert again.judge(name, answer, "birthplace") == found


@pytest.mark.parametrize("data", [None, [], {"x": None}, {"x": {}}, {"x": {"shape": 1}}])
def test_json_of_another_form_is_refused(reader, data):
    with pytest.raises(BadData, match="evidence: expected what a reader wrote"):
        Reader.from_json(data, reader.index)


def test_only_what_was_learnt_can_be_asked_for(reader):
    with pytest.raises(
        BadData, match="expected a relation that was learnt, found 'birthplaec'; did"
    ):
        reader.judge("Ada Lund", "Oslo", "birthplaec")


def test_too_few_answers_in_the_text_teach_nothing(reader):
    with pytest.raises(BadData, match="expected asked questions, found none"):
        Reader.learn(reader.index, [])
    strangers = [ask(f"Nobody {i}", "Oslo") for i in range(9)]
    with pytest.raises(BadData, match="with their answer in the text, found 0"):
        Reader.learn(reader.index, strangers)
    _, asked, _ = world()
    other = [ask(f"Nobody {i}", "Oslo", relation="deathplace") for i in range(9)]
    assert Reader.learn(reader.index, [*asked, *other]).relations.keys() == {"birthplace"}


@pytest.mark.parametrize("relation", ["year", "employer", "trade"])
def test_no_relation_is_built_in(tmp_path, relation):
    """Numbers, names of firms, words without capitals: what answers look like is learnt, too."""
    config = PeopleConfig(asked=60, calibration=20, held_out=1, omitted=4, untold=4)
    dataset = people.load(config, seed=3)
    index = Index.build(tmp_path / "index.sqlite", dataset.documents, "0" * 64)
    key = {name: key for key, name in people.parts.RELATIONS.items()}[relation]
    persons = people.populate(config, 3)
    asked = [ask(p.name, p.values[key], relation=relation) for p in persons if p.split == "asked"]
    learnt = Reader.learn(index, asked)
    right = []
    for person, other in pairwise(persons[60:]):
        own, another = person.values[key], other.values[key]
        none = person.support == "none"
        found = learnt.judge(person.name, own, relation).label
        right.append(found == (NO_TEXT if none else SUPPORTED))
        if own != another:
            found = learnt.judge(person.name, another, relation).label
            right.append(found == (NO_TEXT if none else CONTRADICTED))
    assert sum(right) >= 0.98 * len(right)


# --- how well it reads -------------------------------------------------------------------------


def accuracies(dataset: Dataset, path: Path, split: str):
    index = Index.build(path, dataset.documents, "0" * 64)
    found = Reader.learn(index, dataset.asked)
    return report(found, [q for q in dataset.questions if q.split == split])


def test_on_people_all_four_labels_are_right(tmp_path):
    dataset = people.load(PeopleConfig(), seed=1)
    scores = accuracies(dataset, tmp_path / "index.sqlite", "calibration")
    counts = {name: score.n for name, score in scores.items()}
    assert counts == {
        "gold": 80, "another": 80, "omitted": 12, "untold": 60, "evidence": 232, "stated": 80,
    }  # fmt: skip
    assert scores["evidence"].value >= 0.98
    assert scores["stated"].value >= 0.98
    assert scores["evidence"].details["labels"].keys() == set(LABELS)
    assert scores["gold"].interval[0] < scores["gold"].value


def test_a_report_counts_what_it_was_given(reader):
    _, _, rest = world()
    told = [ask(name, city, "calibration") for name, (city, _) in rest.items() if city]
    scores = report(reader, told)
    assert scores.keys() == {"gold", "another of the text", "another", "evidence", "stated"}
    assert scores["gold"].n == scores["stated"].n == len(told)
    assert scores["evidence"].n == sum(scores[k].n for k in list(scores)[:3])
    assert report(reader, []) == {}


def test_on_the_course_it_reads_what_asked_people_taught_it(tmp_path):
    if not COURSE.is_dir():
        pytest.skip("the course's files are not here")
    config = birthplaces.BirthplacesConfig(str(COURSE), calibration=400)
    scores = accuracies(birthplaces.load(config, 0), tmp_path / "index.sqlite", "calibration")
    assert scores["stated"].value >= 0.93
    assert scores["gold"].value >= 0.95
    assert scores["another of the text"].value >= 0.95
    assert scores["another"].value >= 0.97
