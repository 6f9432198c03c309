"""Answers that need no model: what any model must beat to have learnt something."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np

from wherefrom.core.contracts import Answer, Candidate, Dataset, Document, Note, Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form, forms_around, match
from wherefrom.core.progress import telling
from wherefrom.core.words import WordVocabulary
from wherefrom.evaluation.evaluator import gold_answer
from wherefrom.evaluation.relations import divide

OPEN_BOOK = "open_book"  # the predictor that looks its answers up in the notes
_OTHERS = 4


class Majority:
    """The most frequent answer to the asked questions of the same relation.

    Of equally frequent answers, it is the first by name.
    """

    def __init__(self, asked: Sequence[Question]) -> None:
        _require(asked)
        self._relations = _Relations(asked)
        self._answers = {name: _most_frequent(qs) for name, qs in self._relations.asked.items()}

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        return [self._answers[self._relations.of(text)] for text in questions]


def _most_frequent(asked: Sequence[Question]) -> Answer:
    counts = Counter(map(gold_answer, asked))
    ranked = sorted(counts, key=lambda name: (-counts[name], name))
    first, *others = (Candidate(name, counts[name] / len(asked)) for name in ranked)
    return Answer(first.text, first.probability, tuple(others[:_OTHERS]))


class Always:
    """One answer to everything; the course's own baseline says London."""

    def __init__(self, text: str) -> None:
        self._answer = Answer(text, 1.0)

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        return [self._answer] * len(questions)


class NearestName:
    """What the asked person with the most similar name has as answer to the same relation."""

    def __init__(self, asked: Sequence[Question]) -> None:
        _require(asked)
        self._relations = _Relations(asked)
        forms = self._relations.forms
        self._names = {
            name: _SimilarNames([_name(forms, q.text) for q in qs], list(map(gold_answer, qs)))
            for name, qs in self._relations.asked.items()
        }

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        relations, names = self._relations, self._names
        return [
            names[relations.of(text)].nearest(_name(relations.forms, text)) for text in questions
        ]


def _name(forms: Sequence[Form], text: str) -> str:
    """What the question varies; all of one that has another form."""
    found = match(forms, text)
    return found[1] if found else text


class _SimilarNames:
    """Names with an answer each: the answer of the most similar name, of equals the first.

    Similarity is the cosine between counts of the names' pairs and triples of characters. It
    needs one pass over an inverted index for each question, where edit distance would need
    one for each pair of names, and it does not mind a middle name. The cosine is given as the
    answer's probability: it orders the answers by trust, but nothing has calibrated it.
    """

    def __init__(self, names: Sequence[str], golds: Sequence[str]) -> None:
        self._golds = golds
        profiles = [_profile(name) for name in telling("comparing names", names)]
        self._squares = np.array([_square(profile) for profile in profiles], dtype=np.float64)
        grams = sorted(set(chain.from_iterable(profiles)))
        self._index = {gram: i for i, gram in enumerate(grams)}
        self._people, self._counts, self._starts = self._postings(profiles)

    def nearest(self, name: str) -> Answer:
        profile = _profile(name)
        known = [(self._index[gram], c) for gram, c in profile.items() if gram in self._index]
        slices = [slice(self._starts[i], self._starts[i + 1]) for i, _ in known]
        people = np.concatenate([self._people[:0], *(self._people[s] for s in slices)])
        products = [self._counts[s] * c for s, (_, c) in zip(slices, known, strict=True)]
        weights = np.concatenate([self._counts[:0], *products])
        # Whole numbers up to the last division, so that equally similar names are equal.
        dots = np.bincount(people, weights, minlength=len(self._golds))
        ratios = dots**2 / self._squares
        best = int(ratios.argmax())
        return Answer(self._golds[best], math.sqrt(min(ratios[best] / _square(profile), 1.0)))

    def _postings(
        self, profiles: Sequence[Counter[str]]
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each n-gram, the people who have it and how often they do."""
        triples = np.array(
            [
                (self._index[gram], person, count)
                for person, profile in enumerate(profiles)
                for gram, count in profile.items()
            ],
            dtype=np.int64,
        )
        grams, people, counts = triples[np.argsort(triples[:, 0], kind="stable")].T
        starts = np.searchsorted(grams, np.arange(len(self._index) + 1))
        return people.copy(), counts.astype(np.float64), starts


class _Relations:
    """The asked questions by relation, and which relation a question's text asks for.

    The form of a question gives its relation. With one relation, or where the text has no form of
    the asked questions, all asked questions count: they stand under "".
    """

    def __init__(self, asked: Sequence[Question]) -> None:
        self._all = tuple(asked)
        self.asked: dict[str, tuple[Question, ...]] = {"": self._all}
        relations = [question.relation for question in asked]
        for relation, places in divide(relations).items():
            self.asked[relation] = tuple(asked[int(i)] for i in places)

    @cached_property
    def forms(self) -> tuple[Form, ...]:
        return forms_around([(question.text, question.subject) for question in self._all])

    @cached_property
    def _of_form(self) -> dict[Form, str]:
        """The relation that most questions of a form have."""
        counts: dict[Form, Counter[str]] = {}
        for question in self._all:
            if found := match(self.forms, question.text):
                counts.setdefault(found[0], Counter())[question.relation] += 1
        return {form: count.most_common(1)[0][0] for form, count in counts.items()}

    def of(self, text: str) -> str:
        if len(self.asked) == 1:
            return ""
        found = match(self.forms, text)
        return self._of_form.get(found[0], "") if found else ""


class OpenBook:
    """What the reader answers at once, from its notes; nothing where it noted nothing.

    No model is asked. A model that is taught from the notes has no other source.
    """

    def __init__(self, notes: Sequence[Note], questions: Sequence[Question]) -> None:
        noted = {(note.subject, note.relation): note for note in notes}
        found = ((q.text, noted.get((q.subject, q.relation))) for q in questions)
        self._answers = {text: Answer(note.value, note.score) for text, note in found if note}

    def answer(self, questions: Sequence[str]) -> list[Answer]:
        return [self._answers.get(text, Answer("", 0.0)) for text in questions]


class Unigram:
    """Every word by its own share of the training text, whatever came before it.

    One imagined sighting of every word keeps the probability of an unseen one above zero.
    """

    def __init__(self, documents: Sequence[Document], vocabulary: WordVocabulary) -> None:
        counts = np.ones(len(vocabulary))
        for document in documents:
            np.add.at(counts, [*vocabulary.encode(document.text), vocabulary.end], 1)
        self._log_shares = np.log(counts / counts.sum())

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        """`text` is pairs (previous word, next word)."""
        return self._log_shares[text[:, 1]]


class CountBigram:
    """Kneser and Ney's interpolated bigram: what one would use instead of a network.

    From every count a `discount` is taken; what that frees, and `backing` imagined sightings
    more, goes to all words by how many different words each has followed. Both numbers are
    those that predict the last tenth of the training text best from the nine before it.
    """

    discounts = (0.5, 0.6, 0.7, 0.8, 0.9)
    backings = (0.0, 1.0, 2.0, 5.0, 10.0, 20.0)

    def __init__(self, documents: Sequence[Document], vocabulary: WordVocabulary) -> None:
        pairs = vocabulary.bigrams(document.text for document in documents)
        if len(pairs) < 2:
            raise BadData(f"text: expected at least 2 bigrams to count, found {len(pairs)}")
        first = max(len(pairs) * 9 // 10, 1)
        tried = _Counts(pairs[:first], len(vocabulary))
        choices = ((d, b) for d in self.discounts for b in self.backings)
        self.discount, self.backing = max(
            choices, key=lambda choice: tried.log_probabilities(pairs[first:], *choice).mean()
        )
        self._counts = _Counts(pairs, len(vocabulary))

    def log_probabilities(self, text: np.ndarray) -> np.ndarray:
        """`text` is pairs (previous word, next word)."""
        return self._counts.log_probabilities(text, self.discount, self.backing)


class _Counts:
    """How often each bigram of a text occurs, sorted by its number (previous x words + next)."""

    def __init__(self, pairs: np.ndarray, words: int) -> None:
        self.words = words
        self.bigrams, self.times = np.unique(pairs @ [words, 1], return_counts=True)
        self.first = np.bincount(pairs[:, 0], minlength=words)
        self.followers = np.bincount(self.bigrams // words, minlength=words)
        preceded = np.bincount(self.bigrams % words, minlength=words) + 1.0
        self.spread = preceded / preceded.sum()

    def log_probabilities(self, text: np.ndarray, discount: float, backing: float) -> np.ndarray:
        previous, following = text[:, 0], text[:, 1]
        wanted = text @ [self.words, 1]
        place = np.minimum(np.searchsorted(self.bigrams, wanted), len(self.bigrams) - 1)
        seen = np.where(self.bigrams[place] == wanted, self.times[place], 0)
        freed = discount * self.followers[previous] + backing
        new = self.first[previous] == 0  # nothing is known of it: all is freed
        total = np.where(new, 1.0, self.first[previous] + backing)
        freed = np.where(new, 1.0, freed)
        kept = np.maximum(seen - discount, 0)
        return np.log((kept + freed * self.spread[following]) / total)


BASELINES: dict[str, Callable[[Dataset, Any], Any]] = {
    "majority": lambda dataset, _: Majority(dataset.asked),
    "london": lambda dataset, _: Always("London"),
    "nearest_name": lambda dataset, _: NearestName(dataset.asked),
    "unigram": lambda dataset, words: Unigram(dataset.training_documents, words),
    "counts": lambda dataset, words: CountBigram(dataset.training_documents, words),
}


def _profile(name: str) -> Counter[str]:
    """Counts of character pairs and triples, word ends included; case does not matter."""
    padded = f" {name.casefold()} "
    return Counter(padded[i : i + n] for n in (2, 3) for i in range(len(padded) - n + 1))


def _square(profile: Counter[str]) -> int:
    return sum(count * count for count in profile.values())


def _require(asked: Sequence[Question]) -> None:
    if not asked:
        raise BadData("asked questions: expected at least one to answer from, found none")
