"""The forms that questions have: what stays the same, and the subject that stands between.

"Where was X born?" is a form: a beginning, an end, and room for a subject. Nobody writes the
forms down, so they are found in the questions themselves. A form needs several questions: a
question that is alone in its wording has no part that is known to vary.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

_MARKS = re.compile(r"\W+$")
_FEWEST = 3  # questions that make a form
_RARE = 0.1  # "When did van X die?" beside ten times as many "When did X die?" is no form
_MANY = 0.15  # a last character that this share of the questions has belongs to their form
_MOST = 0.5  # the same for first characters, since many people share a family name
_SAMPLE = 10_000  # questions of a form in which its own capitals are looked for
_ENOUGH = 0.75  # share of the questions that the forms must fit to be believed


@dataclass(frozen=True)
class Form:
    """What a question begins and ends with."""

    prefix: str
    suffix: str

    def subject(self, text: str) -> str | None:
        """What stands between; None if the question has another form or nothing there."""
        if not (text.startswith(self.prefix) and text.endswith(self.suffix)):
            return None
        inner = text[len(self.prefix) : len(text) - len(self.suffix)]
        return inner if inner.strip() else None

    def fill(self, subject: str) -> str:
        return f"{self.prefix}{subject}{self.suffix}"

    def within(self, other: "Form") -> bool:
        """Whether every question of this form fits the other one too."""
        fits = self.prefix.startswith(other.prefix) and self.suffix.endswith(other.suffix)
        return fits and self != other

    @cached_property
    def length(self) -> int:
        return len(self.prefix) + len(self.suffix)


@dataclass(frozen=True)
class ParsedQuestion:
    """A question taken apart, once: everything that asks or judges takes this and parses no more.

    `text` is the question as the model was taught to read it: its own spaces and capitals.
    """

    text: str
    form: Form
    subject: str
    relation: str


def find_forms(texts: Sequence[str]) -> tuple[Form, ...]:
    """The forms of some questions, the commonest first; at least one if there is a question.

    Words with capitals or digits make up most subjects, so what stands around them is tried
    first; where there are no capitals, questions that share their first or last words are
    taken together, or, where there are no spaces, the same first or last characters. If nothing
    fits enough of them, what all of them share is the only form.
    """
    if not texts:
        return ()
    ways = (_by_capitals, _by_words((0, -1)), _by_words((0,)), _by_words((-1,)), _by_characters)
    for way in ways:
        forms = _common(way(texts))
        if sum(match(forms, text) is not None for text in texts) >= _ENOUGH * len(texts):
            return forms
    return (_frame(texts),)


def forms_around(questions: Sequence[tuple[str, str]]) -> tuple[Form, ...]:
    """The forms of questions whose subjects are known; found as above where most lack theirs."""
    counts: Counter[Form] = Counter()
    for text, subject in questions:
        before, found, behind = text.rpartition(subject) if subject else ("", "", "")
        if found:
            counts[Form(before, behind)] += 1
    forms = _common(counts)
    texts = [text for text, _ in questions]
    enough = sum(match(forms, text) is not None for text in texts) >= _ENOUGH * len(texts)
    return forms if forms and enough else find_forms(texts)


def match(forms: Iterable[Form], text: str) -> tuple[Form, str] | None:
    """The closest of the forms that a question fits, and its subject."""
    closest: tuple[Form, str] | None = None
    for form in forms:
        subject = form.subject(text)
        if subject is not None and (closest is None or form.length > closest[0].length):
            closest = form, subject
    return closest


def _common(counts: Counter[Form]) -> tuple[Form, ...]:
    """Those that several questions have, without rare ones that are part of a common one."""
    several = {form: n for form, n in counts.items() if n >= _FEWEST}

    def rare(form: Form) -> bool:
        return any(
            form.within(other) and several[form] < _RARE * several[other] for other in several
        )

    kept = [form for form in several if not rare(form)]
    return tuple(sorted(kept, key=lambda form: (-several[form], form.prefix, form.suffix)))


def _by_capitals(texts: Sequence[str]) -> Counter[Form]:
    """What stands around the words with a capital or a digit, the first word left aside."""
    groups: dict[tuple[str, str], list[str]] = {}
    for text in texts:
        words = text.split()
        named = [i for i, word in enumerate(words) if i and _is_name(word)]
        if named:
            first, last = named[0], named[-1]
            start = _find_word(text, words[: first + 1], 0)
            end = _find_word(text, words[first : last + 1], start)
            # At the end of a question marks are its own; inside it a full stop is a name's.
            closing = len(words) - 1 == last
            end += len(_MARKS.sub("", words[last]) if closing else words[last])
            around = (text[:start], text[end:])
            groups.setdefault(around, []).append(text[start:end])
    found: Counter[Form] = Counter()
    for around, inner in groups.items():
        found.update(_narrow(Form(*around), inner))
    return found


def _find_word(text: str, words: Sequence[str], place: int) -> int:
    """Where the last of some words stands that follow each other from a place on."""
    for word in words[:-1]:
        place = text.index(word, place) + len(word)
    return text.index(words[-1], place)


def _narrow(form: Form, inner: Sequence[str]) -> Counter[Form]:
    """Forms that also have the capitals of the question: "What is the ISO code of X?".

    A beginning that ends in a word without a capital, or an end that begins with one, is the
    question's if many share it and almost all have one: few names begin alike for so long.
    """
    sample = inner[:_SAMPLE]
    least = max(_FEWEST, _RARE * len(sample))
    counts = (Counter(part for text in sample for part in cut(text)) for cut in (_heads, _tails))
    heads, tails = ({part for part, n in count.items() if n >= least} for count in counts)
    if not heads and not tails:
        return Counter({form: len(inner)})
    found: Counter[Form] = Counter()
    for text in inner:
        head = max(heads.intersection(_heads(text)), key=len, default="")
        tail = max(tails.intersection(_tails(text[len(head) :])), key=len, default="")
        found[Form(form.prefix + head, tail + form.suffix)] += 1
    return found if found[form] <= _RARE * len(inner) else Counter({form: len(inner)})


def _heads(text: str) -> list[str]:
    """The beginnings of a text that end in a word without a capital, before one that has one."""
    return [text[: right.start()] for left, right in _neighbours(text) if not _is_name(left[0])]


def _tails(text: str) -> list[str]:
    """The ends of a text that begin with a word without a capital, after one that has one."""
    return [text[left.end() :] for left, right in _neighbours(text) if not _is_name(right[0])]


def _neighbours(text: str) -> list[tuple[re.Match[str], re.Match[str]]]:
    """Words that follow each other, with a capital up to the one and one from the other on."""
    words = list(re.finditer(r"\S+", text))
    named = [_is_name(word[0]) for word in words]
    places = (i for i in range(1, len(words)) if any(named[:i]) and any(named[i:]))
    return [(words[i - 1], words[i]) for i in places]


@lru_cache(maxsize=1 << 14)
def _is_name(word: str) -> bool:
    """Whether a word has a capital or a digit; most words of questions come again."""
    if word.isalpha() and word.islower():  # most words, and quickly told
        return False
    return any(c.isupper() or c.isdigit() for c in word)


def _by_characters(texts: Sequence[str]) -> Counter[Form]:
    """Where no space divides words: beginnings and ends that many questions share."""
    unspaced = [text for text in texts if not text.isascii() and " " not in text.strip()]
    found: Counter[Form] = Counter()
    for end, group in _shared_beginnings([text[::-1] for text in unspaced], _MANY).items():
        rests = [text[len(end) :][::-1] for text in group]
        for beginning, own in _shared_beginnings(rests, _MOST).items():
            found[Form(beginning, end[::-1])] += len(own)
    return found


def _shared_beginnings(texts: Sequence[str], share: float) -> dict[str, list[str]]:
    """Texts by how they begin, as far as almost all of them begin like many others."""
    groups = {"": list(texts)}
    done: dict[str, list[str]] = {}
    while groups:
        beginning, group = groups.popitem()
        following: dict[str, list[str]] = {}
        for text in group:
            following.setdefault(text[: len(beginning) + 1], []).append(text)
        least = max(_FEWEST, share * len(group))
        many = {k: g for k, g in following.items() if len(g) >= least and k != beginning}
        if group and sum(map(len, many.values())) >= (1 - _RARE) * len(group):
            groups |= many
        else:
            done[beginning] = group
    return done


def _by_words(places: tuple[int, ...]) -> Callable[[Sequence[str]], Counter[Form]]:
    """What questions share that have the same words in these places."""

    def find(texts: Sequence[str]) -> Counter[Form]:
        groups: dict[tuple[str, ...], list[str]] = {}
        for text in texts:
            words = text.split()
            if len(words) > len(places):
                groups.setdefault(tuple(words[i] for i in places), []).append(text)
        return Counter({_frame(group): len(group) for group in groups.values()})

    return find


def _frame(texts: Sequence[str]) -> Form:
    """What all questions begin and end with.

    A word is shared whole or not at all: where every asked person's name ends in `n`, that `n`
    is theirs and not the question's.
    """
    prefix = re.sub(r"\w+$", "", _shared(texts))
    rests = [text[len(prefix) :] for text in texts]
    suffix = _shared([rest[::-1] for rest in rests])[::-1]
    return Form(prefix, re.sub(r"^\w+", "", suffix))


def _shared(texts: Sequence[str]) -> str:
    """The longest common beginning: what the first and the last in sorted order share."""
    first, last = min(texts), max(texts)
    pairs = zip(first, last, strict=False)
    return first[: next((i for i, (a, b) in enumerate(pairs) if a != b), len(first))]
