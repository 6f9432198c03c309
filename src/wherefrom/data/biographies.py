"""Short biographies of generated people, with facts whose information is known to the bit.

A name or a value is made of syllables, and every syllable is one of 64 (16 consonants by 4 vowels):
6 bits, 4 for the consonant and 2 for the vowel. All are drawn evenly and apart from each other, so
a model that has learnt the language but not the people loses exactly these bits, and whatever it
loses less it must have stored. A person has one biography in each of `wordings`: all people's in
the same words and the same order, so that there is nothing to remember besides names and facts.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from wherefrom.core.bounds import check_whole
from wherefrom.core.contracts import Dataset, Document, Fact, Question, Span, StoredSpan
from wherefrom.core.randomness import Stream, below, draws

MOST_PEOPLE = 1_000_000
CONSONANTS, VOWELS = "bdfghjklmnprstvz", "aeio"
SYLLABLES = tuple(c + v for c in CONSONANTS for v in VOWELS)
_WORD = 2  # syllables of a value and of each of the two names
VALUES = len(SYLLABLES) ** _WORD
NAMES = VALUES**2
NAME = "name"
# The first letter of a name stands at the beginning of the text, where nothing is predicted.
NAME_BITS = math.log2(NAMES / len(CONSONANTS))
VALUE_BITS = math.log2(VALUES)

# A clause for each relation in each wording, and the question about it. A question begins with the
# name, as a biography does, so that a small model need not learn to look for it elsewhere.
RELATIONS = {
    "birthplace": (
        ("born {}", "from {}", "{} native", "cradle {}", "{} by birth"),
        "{}: place of birth?",
    ),
    "home": (
        ("home {}", "in {} now", "{} flat", "moved to {}", "{} dweller"),
        "{}: place of living?",
    ),
    "employer": (
        ("firm {}", "paid by {}", "{} staff", "works at {}", "{} clerk"),
        "{}: place of work?",
    ),
    "spouse": (
        ("wed {}", "spouse {}", "{} is dear", "married {}", "{} at heart"),
        "{}: who is the partner?",
    ),
}
# In each wording the relations stand in another order, and each comes first in some wording.
ORDERS = ((0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0), (1, 3, 0, 2), (0, 3, 2, 1))


# The letters of all people and wordings: so models of one width have as many parameters.
_TEXTS = [text for clauses, form in RELATIONS.values() for text in (*clauses, form)]
_ALPHABET = "".join([*_TEXTS, *SYLLABLES, CONSONANTS.upper(), ":,. "]).replace("{}", "")


@dataclass(frozen=True)
class BiographiesConfig:
    """How many people there are, and in how many wordings each one's biography is told.

    The questions about `asked` of them may be trained on; those about the others are held out.
    """

    kind: ClassVar[str] = "biographies"
    people: int = 1000
    wordings: int = 1
    asked: int = 0

    def __post_init__(self) -> None:
        check_whole(self, "people", 2, MOST_PEOPLE)
        check_whole(self, "wordings", 1, len(ORDERS))
        check_whole(self, "asked", 0, self.people, "the number of people")


def load(config: BiographiesConfig, seed: int) -> Dataset:
    names, drawn = _draw_people(config, seed)
    documents, facts, questions = list[Document](), list[Fact](), list[Question]()
    for number in range(config.people):
        name = spell_name(int(names[number]))
        values = [spell_value(int(v)) for v in drawn[number]]
        for wording in range(config.wordings):
            document, stated = write_biography(name, values, wording, len(documents))
            documents.append(document)
            facts += stated
        split = "asked" if number < config.asked else "held-out"
        for (relation, (_, form)), value in zip(RELATIONS.items(), values, strict=True):
            questions.append(Question(form.format(name), name, relation, value, split))
    return Dataset(tuple(documents), tuple(facts), tuple(questions), alphabet=_ALPHABET)


def write_biography(
    name: str, values: list[str], wording: int, document: int
) -> tuple[Document, list[Fact]]:
    """A person's biography in one wording, and what it states."""
    text, facts = name, list[Fact]()
    relations = list(RELATIONS.items())
    for nth, place in enumerate(ORDERS[wording]):
        relation, (clauses, _) = relations[place]
        before, behind = clauses[wording].split("{}")
        text += f"{', ' if nth else ': '}{before}"
        span = Span(len(text), len(text) + len(values[place]))
        text += values[place] + behind
        facts.append(Fact(name, relation, values[place], document, span))
    return Document(f"{text}.", Span(0, len(name))), facts


def find_stored_spans(dataset: Dataset) -> Iterator[StoredSpan]:
    """Every name and value of the text, with the bits that only a model that has stored it saves.

    A person's biographies in several wordings are one item: what they cost is averaged.
    """
    people = len({question.subject for question in dataset.questions})
    # Which person it is, but for what the first letter says of it.
    unforeseen = max(math.log2(people / len(CONSONANTS)), 0.0)
    for number, document in enumerate(dataset.documents):
        assert document.subject is not None, "a biography begins with its name"
        name, span = document.subject.of(document.text), Span(1, document.subject.end)
        yield StoredSpan(name, NAME, number, span, NAME_BITS, unforeseen)
    for fact in dataset.facts:
        place = fact.document, fact.value_span
        yield StoredSpan(fact.subject, fact.relation, *place, VALUE_BITS)


def spell_name(number: int) -> str:
    return f"{spell_value(number // VALUES)} {spell_value(number % VALUES)}"


def spell_value(number: int) -> str:
    base = len(SYLLABLES)
    return (SYLLABLES[number // base] + SYLLABLES[number % base]).capitalize()


def _draw_people(config: BiographiesConfig, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of each person's name and values, (people, relations).

    Names are drawn without repetition: a drawn name that somebody has is passed over.
    """
    names = np.empty(0, np.int64)
    first = 0
    while len(names) < config.people:
        wanted = 2 * config.people + 16
        (word,) = _draw(1, 0, first, wanted, seed)
        found = np.concatenate([names, below(word, NAMES)])
        _, earliest = np.unique(found, return_index=True)
        names, first = found[np.sort(earliest)], first + wanted
    words = _draw(len(RELATIONS), 1, 0, config.people, seed)
    values = np.stack([below(word, VALUES) for word in words], 1)
    return names[: config.people], values


def _draw(count: int, stage: int, first: int, rows: int, seed: int) -> list[np.ndarray]:
    row = np.arange(first, first + rows, dtype=np.int64)
    place = {"seed": seed, "stream": Stream.WORLD, "stage": stage, "step": 0}
    return list(draws(count, row=row, **place))
