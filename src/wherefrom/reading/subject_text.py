"""A text about a subject as every relation sees it: tokens, sentences, the subject's name, names.

None of this depends on what is asked for, so it is worked out once where several relations are read
from one text. The last few texts are kept: a text is read for one relation after the other.
"""

from bisect import bisect_left
from collections.abc import Container, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from wherefrom.core.contracts import Span
from wherefrom.reading.boundaries import TokenRange
from wherefrom.reading.mentions import same_span
from wherefrom.reading.sentences import split_sentences
from wherefrom.reading.tokens import Tokens, normalise, words

NAME = "<name>"  # stands for any part of the subject's name in features
_KEPT = 64  # texts
_OPENING, _PARENTHESES = frozenset("(（"), frozenset("()（）")


class CandidateAnswer(NamedTuple):
    """A phrase that may be the answer: tokens `first` to `last` (not included) of its line.

    `run` is the run of capitalised tokens that contains the phrase. `chain` has the runs that are
    joined to it, in their order: "Paris", "Ile-de-France" and "France" all have the chain
    "Paris, Ile-de-France, France", and `position` is the place of this candidate in its chain.
    `fit`: how well what stands around it fits an answer, see `Boundaries`; 0: nothing is known.
    """

    first: int
    last: int
    value: str  # normalised
    run: TokenRange
    chain: tuple[TokenRange, ...]
    position: int
    fit: float = 0.0


class SubjectText:
    """The tokens of a text, where its sentences begin, and which tokens name the subject.

    `starters` are words that begin sentences, see `split_sentences`.
    """

    def __init__(
        self, text: str, subject: str, tokens: Tokens, starters: Container[str] = ()
    ) -> None:
        self.text, self.subject, self._starters = text, subject, starters
        self.starts, self.ends = tokens.starts, tokens.ends
        self.tokens, self.folded, self.kinds = tokens.texts, tokens.folded, tokens.kinds
        self.sentences = split_sentences(text, starters)
        self.sentence_starts = self._sentence_starts()
        self.is_name = self._name_parts(_parts_of(subject))

    def span(self, first: int, last: int) -> Span:
        """The characters of tokens `first` to `last` (not included)."""
        return same_span(self.starts[first], self.ends[last - 1])

    def phrase(self, first: int, last: int) -> str:
        """The text of tokens `first` to `last` (not included)."""
        return self.text[self.starts[first] : self.ends[last - 1]]

    def keep(self, sentences: Sequence[Span]) -> "SubjectText":
        """The text of these sentences alone; its tokens are the same, so none is looked for."""
        text = "".join(sentence.of(self.text) for sentence in sentences)
        starts, ends, texts, moved = list[int](), list[int](), list[str](), 0
        for sentence in sentences:
            first, last = (bisect_left(self.starts, i) for i in (sentence.start, sentence.end))
            back = sentence.start - moved
            starts += [start - back for start in self.starts[first:last]]
            ends += [end - back for end in self.ends[first:last]]
            texts += self.tokens[first:last]
            moved += sentence.end - sentence.start
        return SubjectText(text, self.subject, Tokens(starts, ends, texts), self._starters)

    @cached_property
    def patterns(self) -> list[str]:
        """The tokens as they appear in features: all numbers of one length look the same."""
        return [
            NAME if name else "0" * len(token) if kind == "number" else token.lower()
            for token, kind, name in zip(self.tokens, self.kinds, self.is_name, strict=True)
        ]

    @cached_property
    def depths(self) -> list[int]:
        """For each token, 1 if it stands in parentheses, else 0; the closing mark is outside."""
        depths, depth, opened = [0] * len(self.tokens), 0, 0
        for i in [i for i, token in enumerate(self.tokens) if token in _PARENTHESES]:
            if self.tokens[i] in _OPENING:
                depth, opened = depth + 1, opened if depth else i
            elif depth:
                depth -= 1
                depths[opened:i] = [1] * (i - opened)
        if depth:
            depths[opened:] = [1] * (len(depths) - opened)
        return depths

    def skip_parentheses(self, i: int) -> int:
        """The token behind the parentheses that open at the i-th; i itself if none do."""
        if i >= len(self.tokens) or self.tokens[i] not in _OPENING:
            return i
        closing = (k for k in range(i, len(self.tokens)) if not self.depths[k])
        return next(closing, len(self.tokens)) + 1

    @cached_property
    def with_name(self) -> "Names":
        """The names of the text, the subject's among them."""
        return Names(self, self.kinds)

    @cached_property
    def without_name(self) -> "Names":
        """The names of the text without the subject's."""
        return Names(self, self.mark_name(()))

    def mark_name(self, known: Container[str]) -> list[str]:
        """The kinds of the tokens: "name" where it is the subject's, unless it is known."""
        parts = zip(self.kinds, self.is_name, self.folded, strict=True)
        return ["name" if own and word not in known else kind for kind, own, word in parts]

    def _sentence_starts(self) -> list[int]:
        """For each token, the first token of its sentence."""
        found: list[int] = []
        for sentence in self.sentences:
            first = len(found)
            found += [first] * (bisect_left(self.starts, sentence.end) - first)
        return found

    def _name_parts(self, parts: Sequence[str]) -> list[bool]:
        """For each token, whether it is part of the subject's name: all of it, or a part alone.

        What stands between the first and the last part is, too: the L. in Sidney L. Shlenker.
        """
        found, known = [False] * len(self.tokens), {*parts}
        own = {i for i, token in enumerate(self.folded) if token in known}
        for first in own:
            if self.folded[first : first + len(parts)] == parts:
                found[first : first + len(parts)] = [True] * len(parts)
        runs = find_runs(self.kinds, self.sentence_starts) if own else []
        for first, last in [run for run in runs if not own.isdisjoint(range(*run))]:
            inner = range(first + (first == self.sentence_starts[first]), last)
            ends = self.folded[first], self.folded[last - 1]
            if len(parts) > 1 and ends == (parts[0], parts[-1]):
                found[first:last] = [True] * (last - first)
            elif all(self.folded[i] in parts for i in inner):
                for i in range(first, last):
                    found[i] = found[i] or self.folded[i] in parts
        return [part and kind != "mark" for part, kind in zip(found, self.kinds, strict=True)]


read_text = lru_cache(maxsize=_KEPT)(SubjectText)


class Names:
    """The runs of capitalised tokens of a text, and which of them are joined to chains.

    Candidates are kept, and the features that other relations ask for, too: in `lefts` and `rights`
    those of a candidate's first token and of the end of its last, in `made` those of both; and in
    `anchors` the last content word before a token.
    """

    def __init__(self, text: SubjectText, kinds: list[str]) -> None:
        # Not the text itself, which keeps these names: a circle would be freed late.
        self._text, self._starts, self._ends = text.text, text.starts, text.ends
        self._tokens, self.kinds = text.tokens, kinds
        self.lefts: dict[int, list[str]] = {}
        self.rights: dict[int, list[str]] = {}
        self.made: dict[TokenRange, list[str]] = {}
        self.anchors: dict[int, int] = {}
        self.runs = find_runs(kinds, text.sentence_starts)
        self._run_of = {i: run for run in self.runs for i in range(*run)}
        self._chains = self._join()
        self._candidates: dict[TokenRange, CandidateAnswer] = {}

    def candidate(self, first: int, last: int) -> CandidateAnswer:
        """The phrase of some tokens as a candidate."""
        place = first, last
        found = self._candidates.get(place)
        if found is None:
            around = self._run_of.get(first)
            run = around if around and last <= around[1] else place
            chain = self._chains.get(run, (run,))
            value = normalise(self._text[self._starts[first] : self._ends[last - 1]])
            position = chain.index(run) if len(chain) > 1 else 0
            found = CandidateAnswer(first, last, value, run, chain, position)
            self._candidates[place] = found
        return found

    def goes_on(self, last: int) -> bool:
        """Whether the name that ends before token `last` is part of a longer one."""
        return last < self._run_of.get(last - 1, (0, 0))[1]

    def _join(self) -> dict[TokenRange, tuple[TokenRange, ...]]:
        """For each run, its chain: "Paris, France", or "in Paris in France"."""
        chains: list[list[TokenRange]] = []
        for run in self.runs:
            if chains and self._joins(chains[-1][0][0], chains[-1][-1][1], run[0]):
                chains[-1].append(run)
            else:
                chains.append([run])
        return {run: tuple(chain) for chain in chains for run in chain}

    def _joins(self, start: int, end: int, following: int) -> bool:
        """Whether a comma joins the next run to the chain, or the word that precedes the chain."""
        if following != end + 1:
            return False
        between = self._tokens[end]
        return between == "," or (start > 0 and between == self._tokens[start - 1])


def find_runs(kinds: Sequence[str], sentence_starts: Sequence[int]) -> list[TokenRange]:
    """The runs of capitalised tokens of a sentence, with the 's behind them: McDonald's."""
    runs: list[TokenRange] = []
    behind = ("capital", "possessive")
    for i in [i for i, kind in enumerate(kinds) if kind in behind]:
        if kinds[i] == "possessive" and (not i or kinds[i - 1] not in behind):
            continue
        if runs and runs[-1][1] == i and sentence_starts[i] != i:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


@lru_cache(maxsize=1000)  # the lines about somebody are looked at one after the other
def _parts_of(subject: str) -> list[str]:
    return [normalise(token) for token in words(subject)]
