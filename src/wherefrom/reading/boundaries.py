"""Where phrases of one kind begin and end, learnt from phrases that were found in text.

A homepage stands behind "Homepage:" and ends before the next label; a film's name opens its article
and ends before "is a". Nothing of this is written down here: the words before known phrases tell
where others begin. Where a phrase ends is a hazard, as in the study of lifetimes: the chance that
it ends before these two words, given that it has not ended yet.
"""

from collections import Counter
from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

from wherefrom.reading.tokens import token_kind

EDGE = "<edge>"  # stands for a token beyond the text
_AGAIN = "<again>"  # stands for the token that the phrase begins with
_WIDTHS = (4, 3, 2)  # how many tokens before a phrase are looked at
_PRECISE = 0.25  # of the places behind such tokens at least this share begin a phrase
_REPEATED = 2  # texts that must have a context before it counts
_COMMON = 3  # places from which a token behind a context has a share of its own
_ENOUGH = 3  # places from which a chance is taken; else the next, coarser context is asked
_WEIGHTS = (1, 4, 4, 16)  # the coarser the words behind phrases, the less they say
_UNFAMILIAR = 0.3  # what the chance of an end is worth before a word that ended no phrase
_LEAST = 0.05  # ends that are less likely are not tried
_LONGEST = 60  # tokens

TokenRange = tuple[int, int]
Context = tuple[str, ...]
_TABLES = ("openers", "firsts", "ends")


@lru_cache(maxsize=50_000)  # most words of a text come again
def spell(token: str) -> str:
    """A token as it stands in a context: all numbers are the same."""
    return "0" if token[:1].isdigit() else token


class Boundaries:
    """What stands before phrases of one kind and behind them.

    `openers` has for each context the share of its places that begin a phrase, `nearest` the last
    two tokens of each of them; `firsts` the same for contexts with a first token that is common
    behind them, since few names begin with "The". `ends` counts for each context how often a phrase
    ended before it and how often it was met inside a phrase or at its end. `kinds` are those of
    first tokens.
    """

    def __init__(
        self,
        openers: dict[Context, float],
        firsts: dict[Context, float],
        ends: dict[Context, tuple[int, int]],
        kinds: frozenset[str],
        longest: int,
    ) -> None:
        self.openers, self.firsts, self.ends = openers, firsts, ends
        self.kinds, self.longest = kinds, longest
        self.nearest = frozenset(key[-2:] for key in openers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Boundaries) and vars(self) == vars(other)

    def as_json(self) -> dict[str, Any]:
        """Contexts are lists in JSON, which cannot be keys: each stands beside its value."""
        tables = {name: list(getattr(self, name).items()) for name in _TABLES}
        return tables | {"kinds": sorted(self.kinds), "longest": self.longest}

    @classmethod
    def from_json(cls, data: Any) -> "Boundaries":
        """What `as_json` wrote; ValueError if it is something else."""
        try:
            openers, firsts, ends = (
                {tuple(map(str, key)): value for key, value in data[name]} for name in _TABLES
            )
            counts = {context: (int(ended), int(met)) for context, (ended, met) in ends.items()}
            return cls(openers, firsts, counts, frozenset(data["kinds"]), int(data["longest"]))
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("expected the boundaries of phrases, found others") from error

    @classmethod
    def learn(
        cls, texts: Sequence[Sequence[str]], found: Sequence[Collection[TokenRange]]
    ) -> "Boundaries":
        """Learn from the tokens of texts and the places of phrases in each of them."""
        spelt = [[EDGE, *map(spell, tokens), EDGE, EDGE] for tokens in texts]
        openers, firsts = _learn_openers(spelt, found)
        counts: dict[Context, list[int]] = {}
        kinds: Counter[str] = Counter()
        longest = 0
        for tokens, words, places in zip(texts, spelt, found, strict=True):
            behind = [p for p in places if _opened(words, p[0], openers, firsts) > 0]
            for first, last in behind:
                kinds[token_kind(tokens[first])] += 1
                longest = max(longest, last - first)
                for i in range(first + 1, last + 1):
                    for context in _following(words, first, i):
                        held = counts.setdefault(context, [0, 0])
                        held[0] += i == last
                        held[1] += 1
        ends = {context: (ended, met) for context, (ended, met) in counts.items() if met > 1}
        most = min(longest + longest // 2 + 1, _LONGEST)  # another may be somewhat longer
        return cls(openers, firsts, ends, frozenset(kinds), most)

    def find(self, tokens: Sequence[str]) -> Iterator[tuple[TokenRange, float]]:
        """The phrases of a text that may be of this kind, and how well each fits, up to 1."""
        if not self.openers:
            return
        words = [EDGE, *map(spell, tokens), EDGE, EDGE]
        for first in _places(words[:-1], self.nearest):
            opened = _opened(words, first, self.openers, self.firsts)
            if opened and token_kind(tokens[first]) in self.kinds:
                for last, chance in self.find_ends(words, first):
                    yield (first, last), opened * chance

    def opens(self, tokens: Sequence[str], first: int) -> float:
        """How likely a phrase begins at this token, as far as the words before it tell."""
        words = [EDGE, *map(spell, tokens[: first + 1]), EDGE]
        return _opened(words, first, self.openers, self.firsts)

    def find_ends(self, words: Sequence[str], first: int) -> list[tuple[int, float]]:
        """Where a phrase that begins at the first token may end, and the chance of it.

        Of two ends that are as likely, the one before words that end many phrases is better.
        """
        alive = 1.0
        found: list[tuple[int, float, float]] = []
        for last in range(first + 1, min(first + self.longest, len(words) - 3) + 1):
            counts = [self.ends.get(c, (0, 0)) for c in _following(words, first, last)]
            ended, met = next((c for c in counts if c[1] >= _ENOUGH), (0, 0))
            ends = (ended + 0.5) / (met + 1)
            if alive * ends >= _LEAST:
                # How many phrases end before the same words, and whether any does before this one.
                usual = 0.5 + max(n / w for (n, _), w in zip(counts, _WEIGHTS, strict=True))
                found.append((last, alive * ends * usual, 1.0 if counts[2][0] else _UNFAMILIAR))
            alive *= 1 - ends
            if alive < _LEAST:
                break
        total = sum(score for _, score, _ in found)
        return [(last, score / total * familiar) for last, score, familiar in found]


def learn_crosswise(
    texts: Sequence[Sequence[str]], found: Sequence[Collection[TokenRange]]
) -> tuple[tuple[Boundaries, Boundaries], float]:
    """What each half of the texts, every second one, has learnt from the other half.

    And the share of the texts in which a phrase is found so. Boundaries fit the texts that taught
    them too well: what they say of these must not be learnt from.
    """
    halves = Boundaries.learn(texts[1::2], found[1::2]), Boundaries.learn(texts[::2], found[::2])
    right = holding = 0
    for number, (tokens, places) in enumerate(zip(texts, found, strict=True)):
        if places:
            fits = dict(halves[number % 2].find(tokens))
            holding += 1
            right += max(fits, key=lambda place: fits[place], default=None) in places
    return halves, right / holding if holding else 0.0


def _learn_openers(
    spelt: Sequence[Sequence[str]], found: Sequence[Collection[TokenRange]]
) -> tuple[dict[Context, float], dict[Context, float]]:
    """The contexts before phrases, of any width, that do not mostly precede something else.

    And the shares of the same contexts with their first tokens, where these are common.
    """
    begins: Counter[Context] = Counter()
    texts: Counter[Context] = Counter()
    for words, places in zip(spelt, found, strict=True):
        firsts = {first for first, _ in places}
        behind = [(c, words[first + 1]) for first in firsts for c in {*_contexts(words, first)}]
        begins.update((*context, token) for context, token in behind)
        texts.update({context for context, _ in behind})
    wanted = {context for context, n in texts.items() if n >= _REPEATED}
    met: Counter[Context] = Counter()
    nearest = {context[-2:] for context in wanted}
    for words in spelt:
        for i in _places(words, nearest):
            met.update((*c, words[i + 1]) for c in wanted.intersection(_contexts(words, i)))
    common = {key: begins[key] / n for key, n in met.items() if n >= _COMMON}
    every, rare = _shares(met, begins), _shares({k: met[k] for k in met if k not in common}, begins)
    openers: dict[Context, float] = {}
    for context, (begun, places) in every.items():
        usual = begun / (places + 1)
        rare_begun, rare_places = rare.get(context, (0, 0))
        if usual >= _PRECISE:
            openers[context] = (rare_begun + usual) / (rare_places + 1)
    return openers, {key: share for key, share in common.items() if key[:-1] in openers}


def _shares(
    met: Mapping[Context, int], begins: Mapping[Context, int]
) -> dict[Context, tuple[int, int]]:
    """For each context how many phrases begin behind it, and how many places there are."""
    found: dict[Context, tuple[int, int]] = {}
    for key, n in met.items():
        begun, places = found.get(key[:-1], (0, 0))
        found[key[:-1]] = (begun + begins[key], places + n)
    return found


def _places(words: Sequence[str], nearest: Container[Context]) -> list[int]:
    """The places of a text behind one of these tokens or pairs of tokens."""
    pairs = [(EDGE,), *pairwise(words)]
    return [i for i in range(len(words) - 2) if pairs[i] in nearest]


def _contexts(words: Sequence[str], first: int) -> list[Context]:
    """The tokens before one, the widest first: `words` has one token more at its beginning."""
    widest = tuple(words[max(0, first + 1 - _WIDTHS[0]) : first + 1])
    return [widest[-width:] for width in _WIDTHS]


def _opened(
    words: Sequence[str], first: int, openers: dict[Context, float], firsts: dict[Context, float]
) -> float:
    """How likely the widest known context makes it that a phrase begins here; 0: no context."""
    for context in _contexts(words, first):
        if context in openers:
            share = firsts.get((*context, words[first + 1]), openers[context])
            return share if share >= _PRECISE else 0.0
    return 0.0


def _following(words: Sequence[str], first: int, last: int) -> tuple[Context, ...]:
    """The two tokens behind a phrase, as they are and more and more coarsely.

    A title is followed by a text that begins as the title does, whatever that is.
    """
    one, two = words[last + 1], words[last + 2]
    if one == words[first + 1]:
        one = _AGAIN
    kind = one if one in (EDGE, _AGAIN) else f"<{token_kind(one)}>"
    return (one, two), (kind, two), (one,), (kind,)
