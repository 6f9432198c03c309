"""A match that knows places: Paris is no wrong answer where the line says "Paris, France".

Exact match punishes an answer that names a larger or a smaller place than the gold one. There
is no gazetteer here: that one place lies in another is what the text itself shows, by commas.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.errors import BadData
from wherefrom.evaluation.evaluator import Score
from wherefrom.reading.fitting_examples import CONTAINER
from wherefrom.reading.names import person

PLACE = 2  # so often a name stands where places do, or it counts as none

_CAPITAL = "[" + "".join(chr(c) for c in range(0x530) if chr(c).isupper()) + "]"
_WORD = rf"(?:(?:{_CAPITAL}\.)+|(?:St|Ste|Mt|Ft)\.|{_CAPITAL}[\w'’-]*)"
_LINK = "(?:of|the|de|la|le|du|del|da|do|di|al|el|upon|am|der|den)"
_NAME = rf"{_WORD}(?: (?:{_LINK} )*{_WORD})*"
_COMMA = r" ?, "
_CHAIN = re.compile(rf"(?<!\w)(?:The )?{_NAME}(?:{_COMMA}(?:[Tt]he )?{_NAME})*")
_SITED = re.compile(r"(?:\b(?:in|near|from)|\d,?) $")  # what a place stands after
_LISTED = re.compile(rf",? (?:and|or|&) (?:[Tt]he )?{_CAPITAL}")  # "Rome, Paris and Bonn"
_TURNS = re.compile(r"--| [-–] |†|\bdied\b|\bd\.? |\b[Bb]orn\b")  # to an end or a birth
_HIDDEN = "\0"  # one for each character of the subject's name


@dataclass(frozen=True)
class Chain:
    """Names between commas, "Paris, Ile-de-France, France": each lies in the later ones."""

    names: tuple[str, ...]
    start: int
    end: int
    ended: bool  # whether the line has come to the end of a life: nobody is born there


class PlaceMatch:
    """Accepts the gold answer, and places of the line that hold it or lie in it.

    It would rather refuse a good answer than accept a bad one. So the line must first name the gold
    place in the same chain or name: "born in Cuba, a judge in Matanzas, Cuba" does not say that
    someone was born in Matanzas.
    """

    def __init__(self, dataset: Dataset) -> None:
        lines = lines_of(dataset)
        self._texts = {name: tuple(map(without_name, own)) for name, own in lines.items()}
        sited: Counter[str] = Counter()
        inside: dict[str, set[str]] = defaultdict(set)
        for document in dataset.documents:
            own = set(document.name.split())
            for chain in _chains(text := without_name(document)):
                if len(chain.names) > 1 or _SITED.search(text, 0, chain.start):
                    sited.update(set(chain.names) - own)
                for inner, outer in pairwise(chain.names):
                    if outer not in own:  # "Born in Leeds, Smith moved": his name is no place
                        inside[outer].add(inner)
        self._places = frozenset(name for name, count in sited.items() if count >= PLACE)
        self.containers = frozenset(o for o, inner in inside.items() if len(inner) >= CONTAINER)

    def accepts(self, subject: str, gold: str, answer: str) -> bool:
        """Whether an answer to a question about the subject counts as right."""
        if answer == gold:
            return True
        texts = self._texts.get(person(subject), ())
        return any(
            self._same_name(gold, answer, text) or self._same_chain(gold, answer, text)
            for text in texts
            if stands_in(answer, text)
        )

    def _same_name(self, gold: str, answer: str, text: str) -> bool:
        """New York and New York City: one begins with the other, and it is not just "New"."""
        short, long = sorted((gold, answer), key=len)
        if not long.startswith((f"{short} ", f"{short}, ")):
            return False
        known = all(part == gold or part in self._places for part in re.split(_COMMA, answer))
        return known and (answer == short or _first(gold, text) == _first(answer, text))

    def _same_chain(self, gold: str, answer: str, text: str) -> bool:
        """Paris and France in "Paris, France": one holds the other, as the commas say."""
        first = _first(gold, text)
        for chain in _chains(text):
            if not chain.start <= first < chain.end:
                continue
            a, g = _place_in(chain, answer), _place_in(chain, gold)
            if a is None or g is None or a == g or (a < g and chain.ended):
                continue
            return chain.names[max(a, g)] in self.containers
        return False


def place_aware_accuracy(predictions: AnswerTable, match: PlaceMatch) -> Score:
    """The share that is right or names a place which holds the gold one or lies in it."""
    if not len(predictions):
        raise BadData("predictions: expected at least one to score, found none")
    accepted = [match.accepts(q.subject, q.answer or "", a.text) for q, a in predictions]
    n, right = len(predictions), sum(accepted)
    return Score.of_share("accuracy", right, n, {"correct": right})


def lines_of(dataset: Dataset) -> Mapping[str, tuple[Document, ...]]:
    """The documents of every subject, under its plain name."""
    found: dict[str, list[Document]] = defaultdict(list)
    for document in dataset.documents:
        if document.subject:
            found[person(document.name)].append(document)
    return {name: tuple(own) for name, own in found.items()}


def without_name(document: Document) -> str:
    """The text with its subject's name blanked, letter by letter: Erna Paris is not a place."""
    name = document.name
    if not name:
        return document.text
    spellings = "|".join(map(re.escape, dict.fromkeys((name, person(name)))))
    pattern = rf"(?<!\w)(?:{spellings})(?!\w)"
    return re.sub(pattern, lambda match: _HIDDEN * len(match[0]), document.text)


def stands_in(phrase: str, text: str) -> bool:
    """Whether the text has the phrase, as whole words."""
    return bool(phrase.strip()) and _first(phrase, text) >= 0


def _first(phrase: str, text: str) -> int:
    match = re.search(rf"(?<!\w){re.escape(phrase)}(?!\w)", text)
    return match.start() if match else -1


def _chains(text: str) -> Iterator[Chain]:
    """The names of a text with what follows them by commas; not what is a plain list."""
    for match in _CHAIN.finditer(text):
        names = tuple(re.sub("^[Tt]he ", "", n) for n in re.split(_COMMA, match[0]))
        if len(names) == 1 or not _LISTED.match(text, match.end()):
            turns = _TURNS.findall(text[: match.start()])
            ended = bool(turns) and turns[-1].lower() != "born"
            yield Chain(names, match.start(), match.end(), ended)


def _place_in(chain: Chain, place: str) -> int | None:
    """Where the place stands in the chain; "Columbus, Ohio" stands where Columbus does."""
    names = tuple(re.split(_COMMA, place))
    n = len(names)
    starts = range(len(chain.names) - n + 1)
    return next((i for i in starts if chain.names[i : i + n] == names), None)
