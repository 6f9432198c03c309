"""The generated people: a world with facts, text that tells some of them, and questions.

Honest by construction: a fact is a counted-random draw that does not depend on the name, so
nothing but a person's own text can tell where that person was born. Sentences, what they state,
and questions are made from the columns of a `World` when they are read.
"""

import hashlib
import json
import string
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from wherefrom.core.config import encode
from wherefrom.core.contracts import Dataset, Document, Fact, Question
from wherefrom.core.made_sequence import Chosen, MadeSequence
from wherefrom.core.progress import telling
from wherefrom.data import people_parts as parts
from wherefrom.data.people_world import (
    SPLITS,
    SUPPORTS,
    PeopleConfig,
    World,
    choose_forms,
    draw_world,
)
from wherefrom.reading.mentions import same_span

# Sentences up to which all are made at once. They are read many times, and more would fill the
# memory: a million people have eight million sentences, which state ten million facts.
FEW = 200_000
VERSION = 1  # of what a config and a seed give; to be raised if that ever changes
_BEFORE, _BEHIND = parts.QUESTION.split("{n}")


def load(config: PeopleConfig, seed: int) -> Dataset:
    """The data set: in memory if it is small, else made when it is read."""
    world, key = draw_world(config, seed), _key(config, seed)
    told = _Told(world, *choose_forms(config, world, seed))
    documents, facts = Sentences(told, key), Statements(told)
    questions, alphabet = PeopleQuestions(world, key), "Where was born?"
    if len(documents) > FEW:
        return Dataset(documents, facts, questions, alphabet=alphabet)
    written = tuple(telling("writing about people", documents))
    return Dataset(written, tuple(facts), tuple(questions), alphabet=alphabet)


def _key(config: PeopleConfig, seed: int) -> str:
    """The same for the same data only."""
    spelt = json.dumps([VERSION, encode(config), seed], sort_keys=True)
    return hashlib.sha256(spelt.encode()).hexdigest()


@dataclass(frozen=True)
class Form:
    """A sentence form taken apart: each field, and the text before it; what follows the last."""

    fields: tuple[tuple[str, str], ...]
    end: str

    @classmethod
    @lru_cache
    def of(cls, form: str) -> "Form":
        found = [(literal, field) for literal, field, _, _ in string.Formatter().parse(form)]
        end = found.pop()[0] if found[-1][1] is None else ""
        return cls(tuple((literal, str(field)) for literal, field in found), end)

    def state(self, values: dict[str, str], document: int) -> list[Fact]:
        """What the sentence about a person states; "n" in `values` is the name."""
        facts, end = list[Fact](), 0
        for literal, field in self.fields:
            start = end + len(literal)
            end = start + len(values[field])
            if field != "n":
                span = same_span(start, end)
                relation = parts.RELATIONS[field]
                facts.append(Fact(values["n"], relation, values[field], document, span))
        return facts

    def write(self, values: dict[str, str]) -> Document:
        """The sentence: there are ten of them for every other thing that is made."""
        text = self._template % values
        start = self._before + sum([len(values[field]) for field in self._earlier])
        return Document(text, same_span(start, start + len(values["n"])))

    @cached_property
    def _template(self) -> str:
        return "".join(f"{literal}%({field})s" for literal, field in self.fields) + self.end

    @cached_property
    def _earlier(self) -> tuple[str, ...]:
        """The fields before the name."""
        fields = [field for _, field in self.fields]
        return tuple(fields[: fields.index("n")])

    @cached_property
    def _before(self) -> int:
        """Characters before the name besides those fields."""
        return sum(len(literal) for literal, _ in self.fields[: len(self._earlier) + 1])


_FORMS = tuple(map(Form.of, parts.FORMS))
_FACTS = np.array([len(form.fields) - 1 for form in _FORMS])  # that a sentence of each form states


class _Told:
    """A world with the forms of its sentences."""

    def __init__(self, world: World, forms: np.ndarray, sentences: np.ndarray) -> None:
        self.world, self.forms, self.sentences = world, forms, sentences

    def values(self, person: int) -> dict[str, str]:
        """The name and the facts by the letters that stand for them in the forms."""
        city, year, employer, trade = self.world.values(person)
        return {"n": self.world.name(person), "c": city, "y": year, "e": employer, "t": trade}

    def own_forms(self, person: int) -> tuple[int, list[int]]:
        """The number of a person's first sentence, and the forms of all of them."""
        first, end = int(self.sentences[person]), int(self.sentences[person + 1])
        return first, self.forms[first:end].tolist()


class Sentences(MadeSequence[Document]):
    """The documents, all of a person's together.

    `key` says which they are without reading them: the same key, the same documents.
    """

    def __init__(self, told: _Told, key: str) -> None:
        self._told, self.key, self.starts = told, key, told.sentences

    def make(self, group: int) -> list[Document]:
        _, forms = self._told.own_forms(group)
        if not forms:
            return []
        values = self._told.values(group)
        return [_FORMS[form].write(values) for form in forms]

    @cached_property
    def letters(self) -> frozenset[str]:
        """Every character that stands in a document, found without writing any of them."""
        told, world = self._told, self._told.world
        there = np.diff(told.sentences) > 0
        used = [
            [world.first_names[i] for i in np.unique(world.first[there])],
            [world.last_names[i] for i in np.unique(world.last[there])],
        ]
        person = np.repeat(np.arange(len(world)), np.diff(told.sentences))
        columns = dict(zip("cyet", ("city", "year", "employer", "trade"), strict=True))
        for number in np.unique(told.forms):
            form = _FORMS[number]
            used.append([form.end, *(literal for literal, _ in form.fields)])
            about = person[told.forms == number]
            for field in (field for _, field in form.fields if field != "n"):
                column = getattr(world, columns[field])[about]
                rows = about[np.unique(column, return_index=True)[1]]
                used.append([told.values(int(row))[field] for row in rows])
        found = {letter for texts in used for text in texts for letter in text}
        return frozenset(found | {" "})  # a space stands in every name


class Statements(MadeSequence[Fact]):
    """What the documents state, in their order."""

    def __init__(self, told: _Told) -> None:
        self._told = told
        stated = np.concatenate([[0], np.cumsum(_FACTS[told.forms])])
        self.starts = stated[told.sentences]

    def make(self, group: int) -> list[Fact]:
        first, forms = self._told.own_forms(group)
        values, facts = self._told.values(group), list[Fact]()
        for number, form in enumerate(forms, first):
            facts += _FORMS[form].state(values, number)
        return facts


class PeopleQuestions(MadeSequence[Question]):
    """A question about each person; `key` as of the sentences."""

    def __init__(self, world: World, key: str) -> None:
        self._world, self.key = world, key
        self.starts = np.arange(len(world) + 1)

    def make(self, group: int) -> list[Question]:
        (found,) = self.make_all([group])
        return found

    def make_all(self, groups: Sequence[int]) -> Iterator[list[Question]]:
        world = self._world
        rows = np.asarray(groups)
        columns = (world.first, world.last, world.city, world.split, world.support)
        for first, last, city, split, support in zip(
            *(column[rows].tolist() for column in columns), strict=True
        ):
            name = f"{world.first_names[first]} {world.last_names[last]}"
            text, answer = f"{_BEFORE}{name}{_BEHIND}", parts.CITIES[city]
            role = SPLITS[split], SUPPORTS[support]
            yield [Question(text, name, "birthplace", answer, *role)]

    def where(self, split: str, support: tuple[str, ...] | None = None) -> Chosen[Question]:
        """The questions of a split, with one of these supports if they are given."""
        world = self._world
        here = world.split == (SPLITS.index(split) if split in SPLITS else len(SPLITS))
        if support is not None:
            known = [SUPPORTS.index(name) for name in support if name in SUPPORTS]
            here &= np.isin(world.support, known)
        return Chosen(self, np.flatnonzero(here))
