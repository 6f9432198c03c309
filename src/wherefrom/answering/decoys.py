"""Decoys: out-of-corpus names, which a model that knows what it knows declines to answer about.

Tiers, from names that look most like a known one to those that look least like one, and a fifth
of names that are the beginning of a known one:

    recombined  the first word of a known name before the other words of another
    absent      real people, well known and not in the corpus
    invented    names that a character model makes up, chosen so that the model under audit finds
                them as likely as names it knows: likelihood alone cannot tell them apart
    gibberish   known names with every letter replaced by a random one
    shortened   known names without their last letter, their last three, their last word, or
                all but the first

The names are a function of the corpus and the seed (`invented` also of the model's likelihoods).
How many of a tier are refused is an empirical figure about these names, not a promise about others.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice
from typing import TypeVar

import numpy as np

from wherefrom.answering.famous_people import NAMES
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.data.names import person

TIERS = ("recombined", "absent", "invented", "gibberish", "shortened")
Likelihood = Callable[[Sequence[str]], np.ndarray]
T = TypeVar("T")

_TRIES = 40  # proposals for every name wanted
_POOL = 6  # inventions a round for every name wanted
_ROUNDS = 6  # at most, in which those that match best are varied
_MATCHED = 0.05  # a mismatch that will do
_FAMILIES = 10  # at least, of inventions that share all but their first word
_REFERENCES = 500  # known names whose likelihood is the aim
_ORDERS = (2, 3)  # characters that the next one of an invention is drawn after
_LONGEST = 40
_EDGE = "\n"
_SHORTER = 4  # ways to cut a name short


def make_tiers(
    subjects: Iterable[str],
    spell: Callable[[str], bool],
    likelihood: Likelihood,
    count: int = 200,
    seed: int = 0,
    *,
    avoid: Iterable[str] = (),
    texts: Sequence[str] = (),
) -> dict[str, tuple[str, ...]]:
    """`count` names a tier, or as many as there can be; no name is in two tiers.

    `subjects` are the names the model has read about, and `spell` says whether its vocabulary can
    write a name. None of the names is one of `subjects` or `avoid` (people who are asked about
    without having text) or stands anywhere in `texts`, but for the shortened ones, which do.
    """
    names, novel = _prepare(subjects, spell, avoid, texts)
    return {
        "recombined": novel.take(_recombine(names, count * _TRIES, seed), count),
        "absent": novel.take(_absent(names, seed), count),
        "invented": novel.take(_invent(names, novel, likelihood, count, seed), count),
        "gibberish": novel.take(_scramble(names, count * _TRIES, seed), count),
        "shortened": replace(novel, text="", _known={}).take(_shorten(names, seed), count),
    }


class DecoyNames:
    """Decoys for a given name: half have its first word, half the words after it.

    What a name alone suggests, its decoys suggest too, part by part. They are a function of the
    corpus and the name. A name of one word has none of its own, nor has one whose parts only give
    names of the corpus: it gets recombined names that share nothing with it, or gibberish where
    all names are single words.
    """

    def __init__(
        self,
        subjects: Iterable[str],
        spell: Callable[[str], bool],
        count: int,
        *,
        avoid: Iterable[str] = (),
        texts: Sequence[str] = (),
    ) -> None:
        names, self._novel = _prepare(subjects, spell, avoid, texts)
        pairs = [name.split(" ", 1) for name in names if " " in name]
        self._firsts, self._rests = (sorted({pair[i] for pair in pairs}) for i in (0, 1))
        self._count = count
        tries = count * _TRIES
        self._others = self._first(_recombine(names, tries, seed=1)) or self._first(
            _scramble(names, tries, seed=1)
        )

    def of(self, name: str) -> tuple[str, ...]:
        mine = _key(person(name))
        found = self._first(p for p in self._propose(person(name)) if _key(p) != mine)
        return found or tuple(p for p in self._others if _key(p) != mine)

    def _propose(self, name: str) -> Iterator[str]:
        first, _, rest = name.partition(" ")
        turn = int.from_bytes(sha256(name.encode(errors="surrogatepass")).digest()[:4])
        rows = self._count * 2 if rest and self._rests else 0
        for one, other in _words(2, rows, 1, "recombined", turn):
            yield f"{first} {_pick(self._rests, one)}"
            yield f"{_pick(self._firsts, other)} {rest}"

    def _first(self, proposals: Iterable[str]) -> tuple[str, ...]:
        allowed = filter(self._novel.allows, proposals)
        return tuple(dict.fromkeys(islice(allowed, self._count)))


def mismatch(known: np.ndarray, other: np.ndarray) -> float:
    """The most that two distributions differ (Kolmogorov and Smirnov's distance): 0 to 1."""
    places = np.concatenate((known, other))
    below_known = np.searchsorted(np.sort(known), places, side="right") / len(known)
    below_other = np.searchsorted(np.sort(other), places, side="right") / len(other)
    return float(np.abs(below_known - below_other).max())


def _prepare(
    subjects: Iterable[str],
    spell: Callable[[str], bool],
    avoid: Iterable[str],
    texts: Sequence[str],
) -> tuple[list[str], "_Novel"]:
    """The names to imitate, each once and in order, and what keeps them from being repeated."""
    names = sorted({person(name) for name in subjects})
    usable = [name for name in names if spell(name) and len(name) <= _LONGEST]
    if not usable:
        raise BadData("decoys: expected known names to imitate, found none")
    known = {_key(person(name)) for name in (*names, *avoid)}
    return usable, _Novel(spell, known, "\n".join(texts))


@dataclass
class _Novel:
    """Which proposals may be taken: writable out-of-corpus names, and each once."""

    spell: Callable[[str], bool]
    taken: set[str]
    text: str
    _known: dict[str, bool] = field(default_factory=dict[str, bool])

    def allows(self, name: str) -> bool:
        if name not in self._known:
            fits = len(name) <= _LONGEST and self.spell(name)
            self._known[name] = fits and name not in self.text
        return self._known[name] and _key(name) not in self.taken

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
    """`rows` rows of `count` counted-random words, each tier and turn with its own."""
    row, stage = np.arange(rows, dtype=np.int64), 1 + TIERS.index(tier)
    made = draws(count, seed=seed, stream=Stream.SAMPLING, stage=stage, step=turn, row=row)
    return np.stack(made, 1).tolist()


def _pick(items: Sequence[T], word: int) -> T:
    return items[int(below(word, len(items)))]


def _shuffle(items: Sequence[T], seed: int, tier: str) -> list[T]:
    words = _words(1, len(items), seed, tier)
    return [items[i] for i in sorted(range(len(items)), key=words.__getitem__)]


def _recombine(names: Sequence[str], proposals: int, seed: int) -> Iterator[str]:
    pairs = [name.split(" ", 1) for name in names if " " in name]
    for one, other in _words(2, proposals if pairs else 0, seed, "recombined"):
        yield f"{_pick(pairs, one)[0]} {_pick(pairs, other)[1]}"


def _absent(names: Sequence[str], seed: int) -> Iterator[str]:
    """Those with as many words as names here have, in random order."""
    sizes = {len(name.split()) for name in names}
    return (name for name in _shuffle(NAMES, seed, "absent") if len(name.split()) in sizes)


def _scramble(names: Sequence[str], proposals: int, seed: int) -> Iterator[str]:
    letters = _Letters(names)
    for pick, *words in _words(1 + _LONGEST, proposals, seed, "gibberish"):
        pairs = zip(_pick(names, pick), words, strict=False)
        yield "".join(letters.like(letter, word) for letter, word in pairs)


def _shorten(names: Sequence[str], seed: int) -> Iterator[str]:
    """One beginning of each name, the four kinds in turn."""
    for number, name in enumerate(_shuffle(names, seed, "shortened")):
        words = name.split()
        shorter = (name[:-1], name[:-3], " ".join(words[:-1]), words[0])[number % _SHORTER]
        if shorter == shorter.strip() != name and len(shorter) > 1:
            yield shorter


class _Letters:
    """The letters of some names as often as they occur: capitals, small ones, and neither."""

    def __init__(self, names: Iterable[str]) -> None:
        self._groups: dict[tuple[bool, bool], list[str]] = {}
        for letter in (c for name in names for c in name if c.isalpha()):
            self._groups.setdefault(self._kind(letter), []).append(letter)

    def like(self, character: str, word: int) -> str:
        """A letter of the same kind; what is no letter stays."""
        if not character.isalpha():
            return character
        return _pick(self._groups[self._kind(character)], word)

    @staticmethod
    def _kind(letter: str) -> tuple[bool, bool]:
        return letter.isupper(), letter.islower()


def _invent(
    names: Sequence[str], novel: _Novel, likelihood: Likelihood, count: int, seed: int
) -> list[str]:
    """The inventions whose likelihoods are closest to those of known names, rank by rank.

    A model that has learnt names by heart finds few inventions as likely as those, so the best
    are varied until they are, or for a few rounds, as a forger would. What the likelihood does
    not look at (the first word, for `familiarity`) may come out odd.
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


def _novelty(names: Sequence[str]) -> Callable[[str], bool]:
    """Whether a name is an invention: as many words as names have, and a new one among them.

    Known words alone would be a recombination, and a known word cut short is no new one.
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
    """The likeliest few of those that share all but their first word: no two hundred cousins."""
    cousins: Counter[str] = Counter()
    kept: dict[str, float] = {}
    for name in sorted(pool, key=lambda name: (-pool[name], name)):
        family = name.partition(" ")[2] or name
        cousins[family] += 1
        if cousins[family] <= most:
            kept[name] = pool[name]
    return kept


def _match(pool: dict[str, float], aims: np.ndarray) -> list[str]:
    """A name for each aim, no name twice, with the least sum of distances; aims must rise.

    Both sides sorted, the best match of the first i aims among the first j names ends in the
    j-th name or does not need it.
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
    """Character by character, each drawn as it follows the last few in known names."""
    follows: dict[str, list[str]] = {}
    for name in names:
        text = _EDGE * max(_ORDERS) + name + _EDGE
        for i in range(max(_ORDERS), len(text)):
            for order in _ORDERS:
                follows.setdefault(text[i - order : i], []).append(text[i])
    for row, words in enumerate(_words(_LONGEST, count * _TRIES, seed, "invented", 1)):
        order = _ORDERS[row % len(_ORDERS)]
        text = _EDGE * order
        for word in words:
            text += _pick(follows[text[-order:]], word)
            if text.endswith(_EDGE):
                yield text.strip(_EDGE)
                break


def _vary(
    best: Sequence[str], names: Sequence[str], count: int, seed: int, turn: int
) -> Iterator[str]:
    """Two good ones put together at a space, or one with another letter in one place."""
    letters = _Letters(names)
    for one, other, place, word in _words(4, count * _POOL, seed, "invented", 1 + turn):
        name, second = _pick(best, one), _pick(best, other)
        if place % 2 and " " in name and " " in second:
            yield f"{name.split(' ', 1)[0]} {second.split(' ', 1)[1]}"
        else:
            at = int(below(place, len(name)))
            yield name[:at] + letters.like(name[at], word) + name[at + 1 :]
