"""Plain text split into sentences and words as the Penn Treebank does, for word models.

A blank line ends a sentence, and so does a full stop, question mark or exclamation mark, unless it
ends a common abbreviation or a small letter follows. Punctuation, clitics ('s, n't) and quotes (``
and '') are words of their own; a full stop is a word only at the end of a sentence.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from wherefrom.core.errors import UsageError, nearest


@dataclass(frozen=True)
class Token:
    """A word as the Treebank writes it, and the characters of the text that it stands for."""

    text: str
    start: int
    end: int


Sentence = tuple[Token, ...]

_PARAGRAPH = re.compile(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*")
_STOP = re.compile(r"[.?!]+[\"'”’)\]]*(?=\s+(\S))")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\"'])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Gen|Sen|Rep|Gov|St|Jr|Sr|Co|Corp|Inc|Ltd|vs|No"
    r"|Jan|Feb|Mar|Apr|Aug|Sept|Oct|Nov|Dec|(?:[A-Za-z]\.)+[A-Za-z])\.$"
)
_PIECE = re.compile(
    r"""
      \.\.\.                                  # an ellipsis
    | --+                                     # a dash
    | ["“”] | '' | ``                         # quotes
    | [()\[\]{}<>;@\#$%&?!]                   # always alone
    | [,:](?!\d)                              # alone unless a digit follows, as in 1,250 and 9:30
    | (?: (?!\.\.\.|--|''|``) [^\s"“”()\[\]{}<>;@\#$%&?!,:] | [,:](?=\d) )+   # a word
    """,
    re.VERBOSE,
)
_QUOTES = ('"', "“", "”")
_CLOSING = (*_QUOTES, "''", "'", ")", "]")
_CLITIC = re.compile(r"(?<=[^'])(?:n't|'ll|'re|'ve|'s|'m|'d|')$", re.IGNORECASE)
_CONTRACTION = re.compile(
    r"(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(wan)(na)|('t)(is|was)",
    re.IGNORECASE,
)


def treebank(text: str) -> list[Sentence]:
    """The sentences of a text, split into words as in the Treebank."""
    found: list[Sentence] = []
    for paragraph in _PARAGRAPH.finditer(text):
        start = paragraph.start()
        for end in [*_stops(text, start, paragraph.end()), paragraph.end()]:
            if words := _words(text, start, end):
                found.append(words)
            start = end
    return found


def one_a_line(text: str) -> list[Sentence]:
    """One word per line; a blank line ends a sentence. Tagged text is written like this.

    In prose, whole lines would count as words, and the perplexity would only measure how many
    lines there are.
    """
    sentences, current, start = list[Sentence](), list[Token](), 0
    for line in text.split("\n"):
        if word := line.strip():
            first = start + line.index(word)
            current.append(Token(word, first, first + len(word)))
        elif current:
            sentences.append(tuple(current))
            current = list[Token]()
        start += len(line) + 1
    return [*sentences, tuple(current)] if current else sentences


TOKENS: dict[str, Callable[[str], list[Sentence]]] = {
    "treebank": treebank,
    "one-a-line": one_a_line,
}


def find_tokens(name: str) -> Callable[[str], list[Sentence]]:
    if name not in TOKENS:
        raise UsageError(f"tokens {name}: no such way to split words; {nearest(name, TOKENS)}")
    return TOKENS[name]


def _stops(text: str, start: int, end: int) -> list[int]:
    """Where sentences end inside a paragraph.

    A small letter after a full stop means that the sentence goes on, unless all letters are small.
    """
    found, all_small = list[int](), text[start:end] == text[start:end].lower()
    for stop in _STOP.finditer(text, start, end):
        before = text[max(start, stop.start() - 20) : stop.start() + 1]
        abbreviates = stop.group() == "." and _ABBREVIATION.search(before)
        if not abbreviates and (all_small or not stop[1].islower()):
            found.append(stop.end())
    return found


def _words(text: str, start: int, end: int) -> Sentence:
    pieces = list(_PIECE.finditer(text, start, end))
    last = len(pieces) - 1
    while last > 0 and pieces[last].group() in _CLOSING:
        last -= 1
    found: list[Token] = []
    for number, piece in enumerate(pieces):
        first, word = piece.start(), piece.group()
        if word in _QUOTES:
            found.append(Token(_quote(text, first), first, piece.end()))
            continue
        edges = [first, *(first + cut for cut in _cut(word, number == last)), piece.end()]
        found += [Token(text[a:b], a, b) for a, b in pairwise(edges)]
    return tuple(found)


def _cut(word: str, last: bool) -> list[int]:
    """Where a word is cut: before a clitic, inside cannot, before a sentence's full stop."""
    cuts: list[int] = []
    size = len(word)
    if last and word.endswith(".") and size > 1 and word[-2] != ".":
        size -= 1
        cuts.append(size)
    if contraction := _CONTRACTION.fullmatch(word, 0, size):
        first = next(part for part in contraction.groups() if part)
        return [len(first), *cuts]
    if (clitic := _CLITIC.search(word[:size])) and clitic.start() > 0:
        cuts.insert(0, clitic.start())
    return cuts


def _quote(text: str, place: int) -> str:
    """`` for an opening quote, '' for a closing one: the Treebank has no other double quotes."""
    if text[place] != '"':
        return "``" if text[place] == "“" else "''"
    opens = place == 0 or text[place - 1].isspace() or text[place - 1] in "([{<-"
    return "``" if opens else "''"
