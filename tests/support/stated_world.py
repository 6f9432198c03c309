"""A small corpus whose statements are known by hand, and a fact checker that was fitted on it."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.support.made_up import ask
from wherefrom.core.contracts import Document, Question, Span
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker

FIRST = "Ada Bo Cy Di Ed Fay Gus Hal Ivo Jo Kit Lea Mo Ned Ora Pia".split()
LAST = "Lund Falk Roth Holm Moss Poe".split()
NAMES = [f"{first} {last}" for last in LAST for first in FIRST]
CITIES = "Oslo Rome Lima Bonn Nice Cork Bath Pisa Graz Lyon".split()
COUNTRIES = "Norway Italy Peru Germany France Ireland England Italy Austria France".split()
LANDS = dict(zip(CITIES, COUNTRIES, strict=True))
STATING = (
    "{n} was born in {c}, {l}, and lives in {o}.",
    "{n} (born 1950, {c}; died 1990, {o}) was a poet.",
    "Born in {c}, {n} studied in {o}.",
    "After years in {o}, {n} wrote of {c}, the place of birth.",
)
OMITTING = ("{n} lives in {o}.", "{n} (died 1990, {o}) was a poet.", "{n} studied in {o}.")
BY_HAND = [
    Document("Zoë Ray was born in Oslo, Norway, and lives in Rome.", Span(0, 7)),
    Document("Sam Day was born in Lima, Peru, and lives in Bonn.", Span(0, 7)),
    Document("Born in Cork, Sam Day studied in Bath.", Span(14, 21)),
    Document("Erna Rome was born in Graz, Austria, and lives in Pisa.", Span(0, 9)),
    Document("Tim Fox was born in New York City, Norway, and lives in Rome.", Span(0, 7)),
    Document('Al "OR" (X* was born in Pisa, Italy, and lives in Oslo.', Span(0, 11)),
    Document("J. P. Dow was born in Atlantis, Peru, and lives in Lyon.", Span(0, 9)),
    Document("the text does not name a single thing that could be one", None),
]


@dataclass(frozen=True)
class World:
    """Eighty asked people, of whom ten have text that omits the birthplace; others by hand.

    `others` were not asked about: their birthplace ("" if the text omits it), and another city
    that their text names. `lands` has the country of each city.
    """

    documents: list[Document]
    asked: list[Question]
    others: dict[str, tuple[str, str]]
    lands: dict[str, str]


@pytest.fixture(scope="session")
def world() -> World:
    documents, asked, others = [], [], {}
    for number, name in enumerate(NAMES):
        omits = number % 8 == 7
        city, other = CITIES[number % 10], CITIES[(3 * number + 1) % 10]
        other = other if other != city else CITIES[(3 * number + 2) % 10]
        forms = OMITTING if omits else STATING
        form = forms[number // 2 % len(forms)]
        text = form.format(n=name, c=city, l=LANDS[city], o=other)
        start = text.index(name)
        documents.append(Document(text, Span(start, start + len(name))))
        if number < 80:
            asked.append(ask(name, "Bergen" if omits else city))
        else:
            others[name] = ("" if omits else city, other)
    return World([*documents, *BY_HAND], asked, others, LANDS)


@pytest.fixture(scope="session")
def checker(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FactChecker]:
    path = tmp_path_factory.mktemp("evidence") / "index"
    index = Index.build(path, world.documents, "0" * 64)
    yield FactChecker.fit(index, world.asked)
    index.close()
