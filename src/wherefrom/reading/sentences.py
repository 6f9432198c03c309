"""Where the sentences of a text begin and end, in any language that marks their end.

A full stop is not always an end: "St. Louis", "J. R. Smith", "Santurce, P.R. on", "am 3. Mai".
After initials, common abbreviations and short numbers it counts as one only if the next word is
known to begin sentences, which is learnt from the texts themselves.
"""

import re
from collections import Counter
from collections.abc import Container, Iterable

from wherefrom.core.contracts import Span

_CLOSERS = "\"'”’»›)\\]"
_OPENERS = "\"'“‘„«‹(\\[¿¡"
_END = re.compile(
    rf"(?P<stop>[.!?…]+)[{_CLOSERS}]*(?P<space>\s+)(?=[{_OPENERS}]*(?P<next>\w+\.?))"
    r"|[。！？｡।]+[」』”’）》]*\s*"  # scripts that need no space after a full stop
    r"|\n\s*\n"
)
_LAST_WORD = re.compile(r"[^\s(\[\"“„«]+$")
_INITIALS = re.compile(r"[^\W\d_]{1,2}(?:\.-?[^\W\d_]{1,2})+|[^\W\d_]")  # P, J.C, J.-P, Ph.D
_NUMBER = re.compile(r"\d{1,2}")  # an ordinal in many languages: "3. Mai"
_ABBREVIATIONS = frozenset(
    "st ste dr drs jr sr mr mrs ms mt ft prof rev hon lt col gen maj capt cpt sgt adm gov fr bros"
    " chr wm geo chas jas thos jos joh ph no nr vs ca bzw vgl sra dña dª mme mlle hl dipl ing inc"
    " co corp ltd u.s etc approx est dept univ sen rep pres messrs".split()
)
_STARTER_COUNT = 2  # sentences that a word must begin, outside of doubt, to be known to do so
_WORDS = re.compile(r"\w+")


def split_sentences(
    text: str, starters: Container[str] = (), starts: Container[int] = ()
) -> list[Span]:
    """The sentences of a text, each with the space after it; together they are the whole text.

    `starters` are words that begin sentences, `starts` places that may begin one though an
    abbreviation stands before them, such as those of the subjects' names.
    """
    cased = any(c.isupper() for c in text)
    ends: list[int] = []
    for end in _END.finditer(text):
        if end["stop"] is None or _is_end(text, end, cased, starters, starts):
            ends.append(end.end())
    ends = [end for end in ends if end < len(text)]
    return [Span(a, b) for a, b in zip([0, *ends], [*ends, len(text)], strict=True) if a < b]


def find_sentence(text: str, span: Span, starters: Container[str] = ()) -> Span:
    """The sentence that a span begins in; `starters` are words that begin sentences."""
    return next(s for s in split_sentences(text, starters) if span.start < s.end)


def find_starters(texts: Iterable[str]) -> frozenset[str]:
    """Words that begin sentences more often than they stand elsewhere with a capital.

    Only ends without doubt count: those after a word that is neither short nor an abbreviation. A
    word that never stands without a capital is a name, as John in "St. John's".
    """
    begins: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for text in texts:
        total.update(_WORDS.findall(text))
        first = (_WORDS.match(text, sentence.start) for sentence in split_sentences(text))
        begins.update(word[0] for word in first if word and word[0][0].isupper())
    return frozenset(
        word
        for word, n in begins.items()
        if n >= _STARTER_COUNT and 2 * n > total[word] and total[word.lower()]
    )


def _is_end(
    text: str,
    end: re.Match[str],
    cased: bool,
    starters: Container[str],
    starts: Container[int],
) -> bool:
    """Whether a full stop or another mark, with a space and a word after it, ends a sentence."""
    following = end["next"]
    if cased and following[0].islower():
        return False
    if end["stop"] != ".":
        return True
    last = _LAST_WORD.search(text, max(0, end.start() - 20), end.start())
    if last is None:
        return True
    word = last[0]
    if not (_NUMBER.fullmatch(word) or is_abbreviation(word)):
        return True
    if not following.endswith(".") and following in starters:
        return True
    # "Ponce, P.R. Ann Lee was": after letters with full stops between them a name begins anew;
    # after a single initial or a title it goes on ("J. Smith", "Dr. Ann Lee").
    return "." in word and end.end() in starts


def is_abbreviation(word: str) -> bool:
    """Whether a full stop after the word may belong to it: initials, and common abbreviations.

    CO and CA are none: they are states.
    """
    common = word.casefold() in _ABBREVIATIONS and not word.isupper()
    return common or _INITIALS.fullmatch(word) is not None
