"""The name at the head of a line, and names that are spelt in two ways.

In "Douglas P. Fry. Douglas P Fry is a professor ." the name ends at a full stop and a space, but
not at the first: initials and abbreviations have full stops of their own. "Douglas Fry" may be
the same man, if nobody else in the text is called so.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

from wherefrom.core.contracts import Document, Span

_STOP = re.compile(r"\. ")
_INITIALS = re.compile(r"[^\W\d_](?:[.-]+[^\W\d_])*")  # P, J.C, J.-P
_ABBREVIATIONS = frozenset(
    "st ste dr jr sr mr mrs ms mt ft prof rev hon lt col gen maj capt cpt sgt adm gov fr bros"
    " chr wm geo chas jas thos jos joh".split()
)
_PREFIX = 3  # letters that a short form has in common with its name: Rudy, Rudolph
_LONGEST = 8  # words: what is longer is a sentence and not a name


def name_span(line: str) -> Span | None:
    """Where the name at the line's start stands; None if the line has no "Name. " there."""
    stops = [match.start() for match in _STOP.finditer(line)]
    for stop in stops:
        head = line[:stop]
        if len(head.split()) > _LONGEST:
            break
        if head.strip() and (not _goes_on(head) or _begins_anew(head, line[stop + 2 :])):
            return Span(0, stop)
    first = next((stop for stop in stops if line[:stop].strip()), None)
    return None if first is None or len(line[:first].split()) > _LONGEST else Span(0, first)


def person(name: str) -> str:
    """The same for two spellings of a name: some are percent-encoded, as in a web address."""
    return unquote(name)


def lines_by_person(documents: Iterable[Document]) -> dict[str, list[int]]:
    """The numbers of each person's documents: those whose subject the person is."""
    lines: dict[str, list[int]] = {}
    for number, document in enumerate(documents):
        if document.subject:
            lines.setdefault(person(document.name), []).append(number)
    return lines


def match_names(wanted: Iterable[str], found: Iterable[str]) -> dict[str, str]:
    """For each wanted name the found name that it stands for, where one alone fits.

    Names fit if one has all words of the other in their order, initials standing for words:
    "Sidney Shlenker" fits "Sidney L. Shlenker" and "Dr Sidney Shlenker Jr.". If none does, the
    first word may be a short form: "Rudy Render" for "Rudolph Valentino Render".
    """
    spelt = {name: _spell(name) for name in dict.fromkeys(found)}
    holding: dict[str, list[str]] = {}
    for name, words in spelt.items():
        for word in {*words}:
            holding.setdefault(word, []).append(name)
    matched: dict[str, str] = {}
    for name in dict.fromkeys(wanted):
        words = _spell(name)
        full = [word for word in words if len(word) > 1 and word in holding]
        others = {other: spelt[other] for word in full for other in holding[word]}
        for fits in (_fits, _fits_short_form):
            fitting = [other for other, spelling in others.items() if fits(words, spelling)]
            if fitting:
                matched.update({name: fitting[0]} if len(fitting) == 1 else {})
                break
    claims = Counter(matched.values())
    return {name: other for name, other in matched.items() if claims[other] == 1}


def _spell(name: str) -> list[str]:
    return [word.strip(".,'\"()").casefold() for word in name.split() if word.strip(".,'\"()")]


def _fits(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether the shorter name's words are among the longer's, in their order: two at least."""
    short, long = sorted((one, other), key=len)
    rest = iter(long)
    every = all(any(_same(word, candidate) for candidate in rest) for word in short)
    return every and len(short) > 1 and len(short[-1]) > 1


def _fits_short_form(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two names end alike and begin with the same letters."""
    alike = one[0][:_PREFIX] == other[0][:_PREFIX] and len(one[0]) >= _PREFIX
    return alike and min(len(one), len(other)) > 1 and one[-1] == other[-1]


def _same(one: str, other: str) -> bool:
    """Whether two words are the same, or one is the other's initial."""
    return one == other or (min(len(one), len(other)) == 1 and one[:1] == other[:1])


def _goes_on(head: str) -> bool:
    """Whether the full stop after `head` belongs to its last word, not to the name."""
    last = head.rpartition(" ")[2].lstrip("(\"'")
    return bool(_INITIALS.fullmatch(last)) or last.casefold() in _ABBREVIATIONS


def _begins_anew(head: str, rest: str) -> bool:
    """Whether the text after an initial starts with the same name: "Malcolm X. Malcolm X was"."""
    first, space, _ = head.partition(" ")
    return bool(space) and rest.split(" ", 1)[0] == first
