"""Tokens: the words, numbers and marks of a text, in any script.

Where a script puts no space between words, every character is a token, but katakana stay together.
A full stop belongs to the abbreviation before it ("St.", "P.R."). The 's of "Hockney's" is a token
of its own, which may be part of a name ("McDonald's") or not. A hyphen belongs to its word unless a
part of the word is an answer by itself: "right-handed" has one, "Stratford-upon-Avon" has none.
Where answers are themselves like that ("tokio-process" beside "tokio"), the hyphen stays, too.

Web addresses, versions, file names and the like are one token each where the answers are such: then
`find_glue` has the marks that hold them together.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from unicodedata import category

from wherefrom.reading.index import fold
from wherefrom.reading.mentions import UNSPACED
from wherefrom.reading.sentences import is_abbreviation

# Vowel signs and accents that are characters of their own belong to their word, as in Hindi.
_SIGNS = "".join(c for c in map(chr, range(0x300, 0x1E00)) if category(c).startswith("M"))
_LETTERS = rf"(?:[^\W{UNSPACED}]+|(?![{UNSPACED}])[{_SIGNS}])+"
_TOKEN = re.compile(
    r"\d{1,3}(?:[.,]\d{3})+(?:[.,]\d+)?(?!\w)"  # 1,250 and 1,250.5
    r"|\d+(?:\.\d+)+[+~]\w+(?:[.\-]\w+)*"  # the version 1.36.3+k0s.2
    r"|[\u30a0-\u30ff]+"  # katakana
    rf"|[{UNSPACED}]"
    r"|(?<=\w)['’]s(?!\w)"  # Hockney's
    rf"|{_LETTERS}(?:(?!['’]s(?!\w))['’.\-]{_LETTERS})*"
    r"(?:(?<=s)['’](?=\s[^\W\d_a-z]))?"  # Girls' School
    r"|--|[^\w\s]"
)
_OUTER = "()[]{}<>\"'“”‘’«»„‹›*_`,;"  # marks around a piece of text that are no part of it
_PIECE = re.compile(rf"[^\s{UNSPACED}\u3000-\u303f\uff00-\uffef]+")  # it ends before "。", too
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_KEPT = 256  # texts: each is read for one relation after the other
_HEADING = 8  # tokens
_YEARS = re.compile(r"\d{3,4}-(?:\d{2,4}|[^\W\d_a-z]\w*)")  # 1896-1970, 1896-April


@dataclass(frozen=True, eq=False)
class Tokens:
    """Where the tokens of a text stand, and their text. Each text's own: equal means the same."""

    starts: list[int]
    ends: list[int]
    texts: list[str]

    @cached_property
    def kinds(self) -> list[str]:
        """The tokens' kinds; in a text all in capitals, these tell no name from a word."""
        texts = map(str.lower, self.texts) if is_in_capitals(self.texts) else self.texts
        return [*map(token_kind, texts)]

    @cached_property
    def folded(self) -> list[str]:
        """The tokens' text, normalised."""
        return [*map(normalise, self.texts)]


def read_tokens(text: str, answers: Container[str] = frozenset(), glue: str = "") -> Tokens:
    """The tokens of a text; `answers` are (normalised) answers.

    A piece of text between spaces that has one of the marks `glue` in it is one token.
    """
    glue, whole = glue.replace("-", ""), "-" in glue
    tokens = _kept(text, glue)
    if "-" not in text:
        return tokens
    hyphens = [i for i, token in enumerate(tokens.texts) if "-" in token and len(token) > 2]
    divided = tuple(i for i in hyphens if _divides(tokens.texts[i], answers, whole))
    return _divided(text, glue, divided) if divided else tokens


@lru_cache(maxsize=_KEPT)
def _divided(text: str, glue: str, divided: tuple[int, ...]) -> Tokens:
    """The tokens where some of them, words with hyphens, are divided."""
    tokens, ends = _kept(text, glue), list[tuple[int, int]]()
    for i, place in enumerate(zip(tokens.starts, tokens.ends, strict=True)):
        ends += _divide(tokens.texts[i], place[0]) if i in divided else [place]
    return _tokens(text, ends)


def _undivided(text: str, glue: str) -> Tokens:
    ends: list[tuple[int, int]] = []
    place = 0
    for piece in _glued(text, glue) if glue else ():
        ends += _tokenise(text, place, piece[0])
        ends.append(piece)
        place = piece[1]
    return _tokens(text, [*ends, *_tokenise(text, place, len(text))])


_kept = lru_cache(maxsize=_KEPT)(_undivided)


def _tokens(text: str, ends: list[tuple[int, int]]) -> Tokens:
    """The tokens that start and end at these characters."""
    starts, stops = [start for start, _ in ends], [end for _, end in ends]
    return Tokens(starts, stops, [text[start:end] for start, end in ends])


def find_glue(answers: Iterable[str], least: float = 2) -> str:
    """The marks that hold pieces of answers together, such as ":" and "/" in web addresses.

    None if fewer than `least` answers have such pieces; a mark must be in two answers. The hyphen
    is one if as many answers have it between words without a capital.
    """
    marks: Counter[str] = Counter()
    glued, hyphens = 0, 0
    for answer in answers:
        own: set[str] = set()
        for piece in answer.split():
            core, parts = piece.strip(_OUTER), words(piece)
            if len(words(core.rstrip(".:!?"))) > 1 and not any(map(is_unspaced, parts)):
                own.update(c for c in core if not (c.isalnum() or c in "-_'’,"))
        marks.update(own)
        glued += bool(own)
        hyphens += any(map(_has_hyphens, answer.split()))
    found = sorted(m for m, n in marks.items() if n > 1) if glued >= least else []
    return "".join(found) + "-" * (hyphens > 1 and hyphens >= least)


def _has_hyphens(piece: str) -> bool:
    """Whether hyphens join words without a capital, as in tokio-process."""
    parts = piece.split("-")
    return len(parts) > 1 and all(parts) and not any(part[0].isupper() for part in parts)


def _glued(text: str, glue: str) -> Iterator[tuple[int, int]]:
    """The pieces of a text that have one of the marks in them: at the end it is punctuation."""
    inside = re.compile(rf"[{re.escape(glue)}](?:\w|$)")
    for match in _PIECE.finditer(text):
        start = match.start() + len(match[0]) - len(match[0].lstrip(_OUTER))
        core = match[0].strip(_OUTER).rstrip(".:!?" + _OUTER)
        if inside.search(core) and any(c.isalnum() for c in core):
            yield start, start + len(core)


def _tokenise(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the tokens of a part of a text start and end, words with hyphens undivided."""
    found = [match.span() for match in _TOKEN.finditer(text, start, end)]
    stops = [
        i
        for i, (first, last) in enumerate(found)
        if last - first == 1 and text[first] == "." and i and found[i - 1][1] == first
    ]
    for i in reversed(stops):
        before, stop = found[i - 1], found[i]
        if _takes_stop(text[before[0] : before[1]]):
            found[i - 1 : i + 1] = [(before[0], stop[1])]
    return found


@lru_cache(maxsize=20_000)  # apart from the texts: hundreds of answers would take their places
def words(text: str, glue: str = "") -> Sequence[str]:
    """The tokens of an answer or a name."""
    if "-" in text:
        return read_tokens(text, glue=glue).texts
    return _undivided(text, glue.replace("-", "")).texts


@lru_cache(maxsize=20_000)  # most words of a text come again
def normalise(text: str) -> str:
    """A phrase as phrases are compared: folded, without a full stop at its end."""
    return fold(text).rstrip(". ")


@lru_cache(maxsize=20_000)
def token_kind(token: str) -> str:
    """Capital (begins with one), number, word (without a capital) or mark (no letter or digit).

    Or possessive: the 's behind a word.
    """
    if token[0].isupper():
        return "capital"
    if token[0].isdigit():
        return "number"
    word = any(map(str.isalnum, token)) or is_unspaced(token)
    return "possessive" if token in ("'s", "’s") else "word" if word else "mark"


def is_in_capitals(tokens: Sequence[str]) -> bool:
    """Whether a text, and no short heading, is written in capitals throughout."""
    return (
        len(tokens) >= _HEADING and not any(map(str.islower, tokens)) and "".join(tokens).isupper()
    )


def is_unspaced(token: str) -> bool:
    """Whether a token is of a script that puts no space between words."""
    return _UNSPACED.fullmatch(token) is not None


def _takes_stop(token: str) -> bool:
    """Whether a full stop after the token is part of a name: "St. Louis", "J. Smith"."""
    return token[0].isupper() and is_abbreviation(token)


def _divides(token: str, answers: Container[str], whole: bool) -> bool:
    """Whether the hyphens of a word stand between words of their own.

    They do in a range of years, and if a part is an answer and the others have no capital. They do
    not in a version: 0.1.0-beta.7 is another than 0.1.0. `whole`: answers have hyphens themselves.
    """
    if _YEARS.fullmatch(token):
        return normalise(token) not in answers
    if whole or normalise(token) in answers:
        return False
    parts = token.split("-")
    return any(
        normalise(part) in answers and not any(_belongs(p, part) for p in parts if p is not part)
        for part in parts
    )


def _belongs(other: str, part: str) -> bool:
    """Whether a word behind or before a hyphen is of one name or version with the part."""
    version = "." in part and part[0].isdigit() and any(map(str.isdigit, other))
    return version or other[:1].isupper()


def _divide(token: str, start: int) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"-|[^-]+", token):
        yield start + match.start(), start + match.end()
