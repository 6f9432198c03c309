"""Decoys: out-of-corpus names. A model that knows what it knows declines to answer about them.

There are five tiers. The first four are ordered from names that look most like known names to
names that look least like them:

    recombined  the first word of one known name, followed by the other words of another
    absent      well-known real people who are not in the corpus
    invented    names that a character model makes up, chosen so that the model under audit finds
                them as likely as names it knows: likelihood alone cannot tell them apart
    gibberish   known names with every letter replaced by a random one
    shortened   known names without their last letter, without their last three letters, without
                their last word, or cut after their first word

The names are a function of the corpus (`invented` also of the model's likelihoods).
The share of a tier that is declined is an empirical figure about these names, not a guarantee about
others. `perturbed_names.py` has further tiers: known names that are written a little differently.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from wherefrom.core.contracts import Document
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.reading.names import person
from wherefrom.reading.occurrences import Occurrences

TIERS = ("recombined", "absent", "invented", "gibberish", "shortened")
Likelihood = Callable[[Sequence[str]], np.ndarray]
T = TypeVar("T")

_TRIES = 40  # proposals for each name that is wanted
_POOL = 6  # inventions in each round for each name that is wanted
_ROUNDS = 6  # the most rounds in which the best inventions are varied
_MATCHED = 0.05  # stop varying when the mismatch is below this
_FAMILIES = 10  # the inventions must come from at least this many families (see `_thin`)
_REFERENCES = 500  # known names whose likelihoods the inventions should match
_ORDERS = (2, 3)  # how many characters the next character of an invention depends on
_LONGEST = 40  # characters of a decoy
_EDGE = "\n"  # stands before and after a name
_SHORTER = 4  # ways to shorten a name
_INVENTED = 30  # inventions that show whether a name gate leaks


def make_tiers(
    novel: "NovelNames", likelihood: Likelihood, count: int
) -> dict[str, tuple[str, ...]]:
    """`count` names for each tier, or as many as can be made; no name is in two tiers.

    Every name is new; only shortened names occur in the texts.
    """
    names, novel = novel.names, replace(novel, taken={*novel.taken})
    return {
        "recombined": novel.take(_recombine(names, count * _TRIES, seed=0), count),
        "absent": novel.take(_absent(names), count),
        "invented": novel.take(_invent(names, novel, likelihood, count, seed=0), count),
        "gibberish": novel.take(_scramble(names, count * _TRIES, seed=0), count),
        "shortened": novel.anywhere().take(_shorten(names), count),
    }


class DecoyNames:
    """Decoys for a given name: half share its first word, half share the words after it.

    Whatever the parts of a name suggest, its decoys suggest too. The decoys are a function of the
    corpus and the name. Some names have no decoys of their own: a name of one word, and a name
    whose parts only combine to names of the corpus. Such a name gets recombined names that share
    nothing with it, or gibberish if all names are single words.
    """

    def __init__(self, novel: "NovelNames", count: int) -> None:
        names, self._novel = novel.names, novel
        pairs = [name.split(" ", 1) for name in names if " " in name]
        self._firsts, self._rests = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
        self._names, self._invented = names, tuple[str, ...]()
        self._count = count
        tries = count * _TRIES
        self._others = self._first(_recombine(names, tries, seed=1)) or self._first(
            _scramble(names, tries, seed=1)
        )

    def of(self, name: str) -> tuple[str, ...]:
        mine = _key(person(name))
        found = self._first(p for p in self._propose(person(name)) if _key(p) != mine)
        return found or tuple(p for p in self._others if _key(p) != mine)

    def invented(self, likelihood: Likelihood) -> tuple[str, ...]:
        """Names that the model finds as likely as known ones, made once."""
        if not self._invented:
            found = _invent(self._names, self._novel, likelihood, _INVENTED, seed=1)
            self._invented = tuple(found)
        return self._invented

    def material(self) -> dict[str, Any]:
        """What the decoys of any name are made of, for a page that makes them itself.

        `taken` are the keys of names that are no decoys; `longest` is a decoy's greatest length.
        """
        return {
            "firsts": self._firsts,
            "rests": self._rests,
            "others": list(self._others),
            "taken": sorted(self._novel.taken),
            "count": self._count,
            "longest": _LONGEST,
        }

    def _propose(self, name: str) -> Iterator[str]:
        first, _, rest = name.partition(" ")
        turn = int.from_bytes(sha256(name.encode(errors="surrogatepass")).digest()[:4])
        rows = self._count * 2 if rest and self._rests else 0
        for one, other in _words(2, rows, 1, "recombined", turn):
            yield f"{first} {pick_one(self._rests, one)}"
            yield f"{pick_one(self._firsts, other)} {rest}"

    def _first(self, proposals: Iterable[str]) -> tuple[str, ...]:
        allowed = filter(self._novel.allows, proposals)
        return tuple(dict.fromkeys(islice(allowed, self._count)))


@dataclass
class NovelNames:
    """Which proposals may be taken: out-of-corpus names that can be written, each once.

    `names` are those to imitate, each once and sorted.
    """

    names: Sequence[str]
    spell: Callable[[str], bool]
    taken: set[str]
    texts: Occurrences
    known: dict[str, bool] = field(default_factory=dict[str, bool])

    @classmethod
    def of(
        cls,
        subjects: Iterable[str],
        spell: Callable[[str], bool],
        avoid: Iterable[str] = (),
        documents: Sequence[Document] = (),
    ) -> "NovelNames":
        """`subjects` are the names that the model has read about, `spell` says whether it can write
        a name. None of them is new, nor of `avoid` (people who are asked about but have no text),
        nor what occurs in the documents.
        """
        names = sorted({person(name) for name in subjects})
        usable = [name for name in names if spell(name) and len(name) <= _LONGEST]
        if not usable:
            raise BadData("decoys: expected known names to imitate, found none")
        known = {_key(person(name)) for name in (*names, *avoid)}
        return cls(usable, spell, known, Occurrences(documents))

    def allows(self, name: str) -> bool:
        if name not in self.known:
            fits = len(name) <= _LONGEST and self.spell(name)
            self.known[name] = fits and name not in self.texts
        return self.known[name] and _key(name) not in self.taken

    def anywhere(self) -> "NovelNames":
        """The same, but names that stand in the texts may be taken, too."""
        return replace(self, texts=Occurrences(()), known={})

    def take(self, proposals: Iterable[str], count: int) -> tuple[str, ...]:
        found: list[str] = []
        for name in proposals:
            if len(found) == count:
                break
            if self.allows(name):
                found.append(name)
                self.taken.add(_key(name))
        return tuple(found)


def _key(name: str) -> str:
    return " ".join(name.casefold().split())


def _words(count: int, rows: int, seed: int, tier: str, turn: int = 0) -> list[list[int]]:
    """`rows` rows of `count` counted random words; each tier and turn draws its own."""
    return random_words(count, rows, seed, 1 + TIERS.index(tier), turn)


def random_words(count: int, rows: int, seed: int, stage: int, turn: int = 0) -> list[list[int]]:
    row = np.arange(rows, dtype=np.int64)
    made = draws(count, seed=seed, stream=Stream.SAMPLING, stage=stage, step=turn, row=row)
    return np.stack(made, 1).tolist()


def pick_one(items: Sequence[T], word: int) -> T:
    return items[int(below(word, len(items)))]


def _shuffle(items: Sequence[T], seed: int, tier: str) -> list[T]:
    words = _words(1, len(items), seed, tier)
    return [items[i] for i in sorted(range(len(items)), key=words.__getitem__)]


def _recombine(names: Sequence[str], proposals: int, seed: int) -> Iterator[str]:
    pairs = [name.split(" ", 1) for name in names if " " in name]
    for one, other in _words(2, proposals if pairs else 0, seed, "recombined"):
        yield f"{pick_one(pairs, one)[0]} {pick_one(pairs, other)[1]}"


def _absent(names: Sequence[str]) -> Iterator[str]:
    """Famous people in random order; only those with as many words as some known name."""
    sizes = {len(name.split()) for name in names}
    return (n for n in _shuffle(famous_people(), 0, "absent") if len(n.split()) in sizes)


def famous_people() -> list[str]:
    """Well-known people of many countries and times, spelt with English letters.

    The list must not change, or the reported shares of declined names would change with it.
    """
    text = (files("wherefrom.answering") / "famous_people.json").read_text("utf-8")
    return json.loads(text)


def _scramble(names: Sequence[str], proposals: int, seed: int) -> Iterator[str]:
    letters = _Letters(names)
    for pick, *words in _words(1 + _LONGEST, proposals, seed, "gibberish"):
        pairs = zip(pick_one(names, pick), words, strict=False)
        yield "".join(letters.like(letter, word) for letter, word in pairs)


def _shorten(names: Sequence[str]) -> Iterator[str]:
    """The beginning of each name, cut in the four ways in turn."""
    for number, name in enumerate(_shuffle(names, 0, "shortened")):
        words = name.split()
        shorter = (name[:-1], name[:-3], " ".join(words[:-1]), words[0])[number % _SHORTER]
        if shorter == shorter.strip() != name and len(shorter) > 1:
            yield shorter


class _Letters:
    """The letters of some names, with repetitions: capitals, small letters, and others."""

    def __init__(self, names: Iterable[str]) -> None:
        self._groups: dict[tuple[bool, bool], list[str]] = {}
        for letter in (c for name in names for c in name if c.isalpha()):
            self._groups.setdefault(self._kind(letter), []).append(letter)

    def like(self, character: str, word: int) -> str:
        """A random letter of the same kind; a character that is no letter is kept."""
        if not character.isalpha():
            return character
        return pick_one(self._groups[self._kind(character)], word)

    @staticmethod
    def _kind(letter: str) -> tuple[bool, bool]:
        return letter.isupper(), letter.islower()


def _invent(
    names: Sequence[str], novel: NovelNames, likelihood: Likelihood, count: int, seed: int
) -> list[str]:
    """Inventions whose likelihoods are closest to those of known names, rank by rank.

    A model that has learnt names by heart finds few inventions as likely as known names. So the
    best inventions are varied for a few rounds, until they are as likely. A part of the name that
    the likelihood ignores (the first word, for `familiarity`) may come out odd.
    """
    references = _shuffle(names, seed, "invented")[:_REFERENCES]
    known = np.asarray(likelihood(references), dtype=np.float64)
    aims = np.quantile(known, (np.arange(count) + 0.5) / count)
    is_new, pool, best = _novelty(names), {}, []
    for turn in range(1 + _ROUNDS):
        made = _vary(best, names, count, seed, turn) if best else _spell_out(names, count, seed)
        fit = (n for n in dict.fromkeys(made) if n not in pool and is_new(n) and novel.allows(n))
        if new := list(islice(fit, count * _POOL)):
            pool.update(zip(new, map(float, likelihood(new)), strict=True))
        pool = _thin(pool, -(-count // _FAMILIES))
        best = _match(pool, aims) if pool else []
        if best and mismatch(known, np.array([pool[name] for name in best])) < _MATCHED:
            break
    return best


def mismatch(one: np.ndarray, other: np.ndarray) -> float:
    """Kolmogorov and Smirnov's distance: how far two distributions differ at most, 0 to 1."""
    places = np.concatenate((one, other))
    below = (np.searchsorted(np.sort(x), places, side="right") / len(x) for x in (one, other))
    return float(np.abs(np.subtract(*below)).max())


def _novelty(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name is an invention: as many words as some known name, and a new word among them.

    A name of known words alone would be a recombination. The beginning of a known word does not
    count as new.
    """
    sizes = {len(name.split()) for name in names}
    words = {word for name in names for word in name.split()}
    begun = {word[:i] for word in words for i in range(1, len(word) + 1)}

    def is_new(name: str) -> bool:
        parts = name.split()
        new = [part for part in parts if part not in words]
        return len(parts) in sizes and bool(new) and begun.isdisjoint(new)

    return is_new


def _thin(pool: dict[str, float], most: int) -> dict[str, float]:
    """At most `most` names of each family, the likeliest ones.

    A family shares all but the first word. Without this limit, one good last name would fill the
    whole tier.
    """
    cousins: Counter[str] = Counter()
    kept: dict[str, float] = {}
    for name in sorted(pool, key=lambda name: (-pool[name], name)):
        family = name.partition(" ")[2] or name
        cousins[family] += 1
        if cousins[family] <= most:
            kept[name] = pool[name]
    return kept


def _match(pool: dict[str, float], aims: np.ndarray) -> list[str]:
    """One name for each aim, no name twice, with the least sum of distances; aims must rise.

    Dynamic programming over sorted names and aims: the best match of the first i aims with the
    first j names either ends with the j-th name or does not use it.
    """
    names = sorted(pool, key=lambda name: (pool[name], name))
    aims = aims[np.linspace(0, len(aims) - 1, min(len(names), len(aims))).astype(int)]
    values = np.array([pool[name] for name in names])
    cost = np.zeros(len(names) + 1)
    used = np.zeros((len(aims), len(names)), dtype=bool)
    for i, aim in enumerate(aims):
        ending = cost[:-1] + np.abs(values - aim)
        lowest = np.minimum.accumulate(ending)
        used[i] = ending <= lowest
        cost = np.concatenate(([np.inf], lowest))
    chosen: list[str] = []
    j = len(names) - 1
    for i in range(len(aims) - 1, -1, -1):
        j = int(np.flatnonzero(used[i, : j + 1])[-1])
        chosen.append(names[j])
        j -= 1
    return chosen[::-1]


def _spell_out(names: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Names from a character n-gram model of the known names."""
    follows = _find_following(names)
    for row, words in enumerate(_words(_LONGEST, count * _TRIES, seed, "invented", 1)):
        order = _ORDERS[row % len(_ORDERS)]
        text = _EDGE * order
        for word in words:
            text += pick_one(follows[text[-order:]], word)
            if text.endswith(_EDGE):
                yield text.strip(_EDGE)
                break


def _find_following(names: Sequence[str]) -> dict[str, list[str]]:
    """The letters that follow each n-gram of the names, as often as they do."""
    follows: dict[str, list[str]] = {}
    for name in names:
        text = _EDGE * max(_ORDERS) + name + _EDGE
        for i in range(max(_ORDERS), len(text)):
            for order in _ORDERS:
                follows.setdefault(text[i - order : i], []).append(text[i])
    return follows


def _vary(
    best: Sequence[str], names: Sequence[str], count: int, seed: int, turn: int
) -> Iterator[str]:
    """New names: two good ones joined at their first space, or one with one letter changed."""
    letters = _Letters(names)
    for one, other, place, word in _words(4, count * _POOL, seed, "invented", 1 + turn):
        name, second = pick_one(best, one), pick_one(best, other)
        if place % 2 and " " in name and " " in second:
            yield f"{name.split(' ', 1)[0]} {second.split(' ', 1)[1]}"
        else:
            at = int(below(place, len(name)))
            yield name[:at] + letters.like(name[at], word) + name[at + 1 :]
