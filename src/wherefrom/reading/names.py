"""The name at the head of a line such as "Douglas P. Fry. Douglas P Fry is a professor .".

The name ends at a full stop and a space, but not at the first: initials and abbreviations have
full stops of their own.
"""

import re
from collections.abc import Iterable
from urllib.parse import unquote

from wherefrom.core.contracts import Document, Span

_STOP = re.compile(r"\. ")
_INITIALS = re.compile(r"[^\W\d_](?:[.-]+[^\W\d_])*")  # P, J.C, J.-P
_ABBREVIATIONS = frozenset(
    "st ste dr jr sr mr mrs ms mt ft prof rev hon lt col gen maj capt cpt sgt adm gov fr bros"
    " chr wm geo chas jas thos jos joh".split()
)
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


def _goes_on(head: str) -> bool:
    """Whether the full stop after `head` belongs to its last word, not to the name."""
    last = head.rpartition(" ")[2].lstrip("(\"'")
    return bool(_INITIALS.fullmatch(last)) or last.casefold() in _ABBREVIATIONS


def _begins_anew(head: str, rest: str) -> bool:
    """Whether the text after an initial starts with the same name: "Malcolm X. Malcolm X was"."""
    first, space, _ = head.partition(" ")
    return bool(space) and rest.split(" ", 1)[0] == first
