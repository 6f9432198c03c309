"""Marks that lay a text out and say nothing: emphasis, footnotes, links, HTML entities.

"_Repo Man_" names Repo Man, and "Georg Alexander.[1]" ends a sentence. Such marks are taken out
when a text is read, so nothing behind has to know them. What looks like code stays as it is:
snake_case, __init__, a[1], "2 * 3", {x: 1}. A letter and its accent become one character (NFC), and
spaces between columns one space.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence

_ANY = re.compile(r"[_*`\[{&<]")
_ENTITY = re.compile(r"&(?:[a-zA-Z]{2,8}|#\d{1,6}|#x[0-9a-fA-F]{1,5});")
_TAG = re.compile(r"</?(?:b|i|em|strong|u|sup|sub|span|small|code|tt|br|p)(?:\s[^<>]*)?/?>", re.I)
_LINK = re.compile(r"!?\[([^\[\]]+)\]\((\S+?)\)")
_WIKI_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]+)\]\]")
_NOTES = r"(?:\[(?:\d{1,3}|citation needed|note \d{1,2})\])+"
_FOOTNOTE = re.compile(rf"(?<=[.,;:!?)\"”’»。，；：）」]){_NOTES}|\s+{_NOTES}(?=\s|[.,;:]|$)")
_FOOTNOTE_BEHIND_WORD = re.compile(rf"(?<=\w){_NOTES}(?!\w)")
# The word in braces is a link if it is written as a name or a phrase: {Guido van Rossum}.
_BRACES = re.compile(r"(?<!\S)([(\"']?)\{([^\W\d_][^{}=:;\"]*)\}(?![\w{])")
# Outside of words, with the same marks at both ends, and no space inside of them.
_EMPHASIS = [
    re.compile(
        rf"(?<![^\W_])(?<![{c}\\])(?P<marks>{c}{{1,3}})"
        rf"(?P<inside>[^\s{c}](?:[^{c}]*[^\s{c}])?)(?P=marks)(?!{c}|[^\W_])"
    )
    for c in (r"\*", "_", "`")
]
_IDENTIFIER = re.compile(r"[a-z]\w*")


def clean(texts: Sequence[str]) -> tuple[list[str], int]:
    """The texts without markup, and how many of them had some.

    A number in brackets behind a word is a footnote where most such numbers of the texts stand
    behind punctuation, which they do in an encyclopedia and not in code.
    """
    behind_words = _has_footnotes(texts)
    texts = [_space(text) for text in texts]
    cleaned = [_unmark(text, behind_words) for text in texts]
    changed = sum(one is not other for one, other in zip(cleaned, texts, strict=True))
    return cleaned, changed


def clean_text(text: str) -> str:
    """One text without markup."""
    return _unmark(_space(text))


def _space(text: str) -> str:
    """One space between words, and one character for a letter with its accent."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def _unmark(text: str, behind_words: bool = False) -> str:
    """The same object if it has no markup."""
    if not _ANY.search(text):
        return text
    cleaned = _TAG.sub("", text) if "<" in text else text
    if "[" in cleaned:
        cleaned = _LINK.sub(_unlink, _WIKI_LINK.sub(r"\1", cleaned))
        cleaned = _FOOTNOTE.sub("", cleaned)
        cleaned = _FOOTNOTE_BEHIND_WORD.sub("", cleaned) if behind_words else cleaned
    cleaned = _BRACES.sub(r"\1\2", cleaned) if "{" in cleaned else cleaned
    for pattern in _EMPHASIS:
        cleaned = pattern.sub(_unwrap, cleaned)
    if "&" in cleaned:
        cleaned = _ENTITY.sub(lambda entity: _unescape(entity[0]), cleaned)
    return text if cleaned == text or not cleaned.strip() else cleaned


def _has_footnotes(texts: Iterable[str]) -> bool:
    """Whether numbers in brackets stand behind punctuation more often than behind words."""
    behind_marks = behind_words = 0
    for text in texts:
        if "[" in text:
            behind_marks += len(_FOOTNOTE.findall(text))
            behind_words += len(_FOOTNOTE_BEHIND_WORD.findall(text))
    return behind_marks > behind_words


def _unwrap(found: re.Match[str]) -> str:
    """What stands between marks of emphasis, unless it is a name in a program: __init__."""
    code = found["marks"].startswith("__") and _IDENTIFIER.fullmatch(found["inside"])
    return found[0] if code else found["inside"]


def _unlink(link: re.Match[str]) -> str:
    """What a link says and where it leads to: an address may be an answer."""
    label, address = link.groups()
    return label if address.startswith("#") or label == address else f"{label} ({address})"


def _unescape(entity: str) -> str:
    """The character of an entity; a space for one that would break the line."""
    return "".join(c if c.isprintable() else " " for c in html.unescape(entity))
