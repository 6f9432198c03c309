"""Whom the documents are about, learnt from how the subjects of asked questions stand in theirs.

An article opens with its subject up to " is a", a record has it behind "Package:". So a document
gets its subject though no question names it, and a question file from which some names were taken
out leads to about the same subjects. See `boundaries.py` for how beginnings and ends are learnt.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from wherefrom.core.contracts import Span
from wherefrom.core.progress import telling
from wherefrom.reading.boundaries import Boundaries, TokenRange
from wherefrom.reading.mentions import Mentions, letters_of, same_span
from wherefrom.reading.names import match_names
from wherefrom.reading.sentences import split_sentences
from wherefrom.reading.tokens import Tokens, find_glue, read_tokens

_SAMPLE = 5000  # asked subjects that are learnt from
_DOCUMENTS = 3  # of each
_LEAST = 5  # subjects that must stand alike before others are looked for
_SURE = 0.4  # a subject with a lower chance is not taken
_TRUSTED = 0.9  # the chance from which no better subject than a known name is looked for
_HEAD, _LONGEST_HEAD = 300, 5000  # characters of a document that are looked at


@dataclass(frozen=True)
class SubjectFinder:
    """Finds the subject of a document: see `Boundaries`; `head` is how far it looks."""

    boundaries: Boundaries
    glue: str
    head: int

    @classmethod
    def learn(
        cls, texts: Sequence[str], mentions: Mentions, asked: Iterable[str]
    ) -> "SubjectFinder | None":
        """Learn from the documents that name an asked subject first; None if they are too few."""
        named = [subject for subject in dict.fromkeys(asked) if mentions.of(subject)]
        subjects = named[:: len(named) // _SAMPLE + 1]  # evenly out of all: files may be sorted
        shown = [
            (texts[n], span)
            for subject in subjects
            for n in mentions.of(subject)[:_DOCUMENTS]
            if (span := mentions.spans[n]) and letters_of(span.of(texts[n])) == letters_of(subject)
        ]
        if len(shown) < _LEAST:
            return None
        glue = find_glue(subjects)
        ends = sorted(span.end for _, span in shown)
        head = min(max(ends[int(0.95 * len(ends))] + 100, _HEAD), _LONGEST_HEAD)
        tokens = [read_tokens(text[:head], glue=glue) for text, _ in shown]
        places = [_tokens_in(t, span) for t, (_, span) in zip(tokens, shown, strict=True)]
        found = [[place] if place else [] for place in places]
        return cls(Boundaries.learn([t.texts for t in tokens], found), glue, head)

    def find(self, text: str, known: Span | None = None) -> Span | None:
        """Where a document names its subject, if it does: the known name, or a better one."""
        if known and known.end <= self.head and self._opens(text, known) >= _TRUSTED:
            return known
        tokens = read_tokens(text[: self.head], glue=self.glue)
        place = _tokens_in(tokens, known) if known else None
        opens = self.boundaries.opens(tokens.texts, place[0]) if place else 0.0
        best, chance = known if opens else None, max(opens, _SURE)
        for (first, last), fit in self.boundaries.find(tokens.texts):
            if fit > chance and (place is None or first != place[0]):
                best = same_span(tokens.starts[first], tokens.ends[last - 1])
                chance = fit
        return best

    def _opens(self, text: str, known: Span) -> float:
        """How likely a subject stands where the known name does."""
        before = read_tokens(text[: known.start], glue=self.glue).texts
        first = text[known.start : known.end].split()[:1]
        return self.boundaries.opens([*before, *first], len(before))


def find_subjects(
    texts: Sequence[str], mentions: Mentions, asked: Iterable[str]
) -> list[tuple[int, Span]]:
    """The documents that have a subject which no question names, and where it stands.

    A name that stands nowhere as subjects do is the same subject under another name where the
    document has it beside the other, "Aya Danioko, known as Aya Nakamura", or where no other
    document has it.
    """
    finder = SubjectFinder.learn(texts, mentions, asked)
    if finder is None or not finder.boundaries.openers:
        return []
    found, standing = _look_for(finder, texts, mentions)

    def is_new(number: int, span: Span) -> bool:
        text, known = texts[number], mentions.spans[number]
        if known is None or known.of(text) in standing:
            return True
        return known.start > finder.head or not _one_sentence(text, span, known)

    return [(number, span) for number, span in found if is_new(number, span)]


def _one_sentence(text: str, one: Span, other: Span) -> bool:
    """Whether two names stand in one sentence."""
    first, last = min(one.start, other.start), max(one.end, other.end)
    ends = (sentence.end for sentence in split_sentences(text[:last]))
    return not any(first < end < last for end in ends)


def _look_for(
    finder: SubjectFinder, texts: Sequence[str], mentions: Mentions
) -> tuple[list[tuple[int, Span]], set[str]]:
    """Where other subjects stand, and the names of questions that some document is about."""
    found: list[tuple[int, Span]] = []
    standing: set[str] = set()
    for number, text in enumerate(telling("looking for subjects", texts)):
        known = mentions.spans[number]
        if known and len(mentions.of(known.of(text))) == 1:
            continue  # no other document has the name, so this one is about it
        if span := finder.find(text, known):
            if span is known:
                standing.add(span.of(text))
            else:
                found.append((number, span))
    return found, standing


def score_subjects(found: Collection[str], wanted: Collection[str]) -> tuple[float, float]:
    """The share of a question file's names that were found, and of found ones that were wanted.

    In any capitals. A name that the text spells otherwise counts if it would be matched.
    """
    names, others = {*map(letters_of, found)}, {*map(letters_of, wanted)}
    left = [[" ".join(name) for name in sorted(some)] for some in (others - names, names - others)]
    both = len(names & others) + len(match_names(*left))
    return both / max(len(others), 1), both / max(len(names), 1)


def _tokens_in(tokens: Tokens, span: Span) -> TokenRange | None:
    """The tokens that a name is made of; None if it begins or ends inside one."""
    if span.start in tokens.starts and span.end in tokens.ends:
        return tokens.starts.index(span.start), tokens.ends.index(span.end) + 1
    return None
