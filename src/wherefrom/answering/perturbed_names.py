"""Known names, written a little differently: what people type when they mean somebody known.

A model that reads letter by letter may take such a name for the known one, or for somebody else of
a similar name, and answer with confidence. There are seven tiers:

    misspelt       one letter replaced, left out, doubled, or exchanged with the next
    accented       an accent more or less
    swapped        the last word first, with or without a comma
    merged         two words run together, or the last words of two people joined
    initials       an initial for the first word or for the last, or the middle words left out
    titled         a title before the name
    unseen letter  a letter that looks the same and is in no training text

The names are a function of the corpus.
"""

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from wherefrom.answering.decoys import TIERS, NovelNames, pick_one, random_words
from wherefrom.core.randomness import below

MISSPELT, ACCENTED, SWAPPED, MERGED = "misspelt", "accented", "swapped", "merged"
INITIALS, TITLED, UNSEEN = "initials", "titled", "unseen letter"
PERTURBED = (MISSPELT, ACCENTED, SWAPPED, MERGED, INITIALS, TITLED, UNSEEN)

_TITLES = ("Dr.", "Mr.", "Mrs.", "Prof.", "Sir", "Professor")
_ACCENTS = ("\N{COMBINING ACUTE ACCENT}", "\N{COMBINING DIAERESIS}", "\N{COMBINING GRAVE ACCENT}",
            "\N{COMBINING TILDE}", "\N{COMBINING CIRCUMFLEX ACCENT}", "\N{COMBINING CEDILLA}",
            "\N{COMBINING CARON}")  # fmt: skip
# Letters of other scripts that look like those of the Latin one, and a few that look like none.
_LOOK_ALIKE = {"a": "а", "c": "с", "e": "е", "i": "і", "o": "о", "p": "р", "x": "х", "y": "у",
               "s": "ѕ", "j": "ј", "A": "А", "B": "В", "C": "С", "E": "Е", "H": "Н", "K": "К",
               "M": "М", "O": "О", "P": "Р", "S": "Ѕ", "T": "Т", "X": "Х"}  # fmt: skip
_WORDS = 4  # random words for each name
_OTHERS = "жщώ漢ӂ"


@dataclass(frozen=True)
class Writing:
    """What a tier may write with: the letters of known names, and what the model can spell."""

    letters: Sequence[str]  # small ones, with repetitions
    spell: Callable[[str], bool]
    names: Sequence[str]


def make_perturbed(novel: NovelNames, count: int) -> dict[str, tuple[str, ...]]:
    """`count` names for each tier, or as many as can be made; no name is in two tiers.

    Every name is new. Accented names and those with an unseen letter may be such that the model
    cannot spell them.
    """
    novel = replace(novel, taken={*novel.taken})
    letters = [c for name in novel.names for c in name if c.islower()] or ["e"]
    writing = Writing(letters, novel.spell, novel.names)
    found: dict[str, tuple[str, ...]] = {}
    for tier in PERTURBED:
        may_be_unseen = tier in (ACCENTED, UNSEEN)
        allowed = replace(novel, spell=bool, known={}) if may_be_unseen else novel
        found[tier] = allowed.take(_propose(tier, writing), count)
    return found


def _propose(tier: str, writing: Writing) -> Iterator[str]:
    """One proposal for each name in a random order, if the tier has any for this name."""
    stage = 1 + len(TIERS) + PERTURBED.index(tier)
    rows = random_words(1 + _WORDS, len(writing.names), 0, stage)
    for number in sorted(range(len(rows)), key=lambda i: rows[i][0]):
        proposals = WAYS[tier](writing.names[number], rows[number][1:], writing)
        if (made := next(proposals, None)) is not None:
            yield made


def _misspell(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    way, where, letter, _ = words
    places = [i for i, c in enumerate(name) if c.isalpha()]
    if not places:
        return
    at = pick_one(places, where)
    old, rest = name[at], name[at + 1 :]
    if way % 4 == 0:
        new = pick_one(writing.letters, letter)
        yield name[:at] + (new.upper() if old.isupper() else new) + rest
    elif way % 4 == 1:
        yield name[:at] + rest
    elif way % 4 == 2:
        yield name[: at + 1] + old.lower() + rest
    elif rest[:1].isalpha():
        first, second = (rest[0].upper(), old.lower()) if old.isupper() else (rest[0], old)
        yield name[:at] + first + second + rest[1:]


def _accent(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    """Without its accents if it has any, every other time; else with one more.

    An accent that the model has read is proposed first: it is the harder case.
    """
    way, where, _, _ = words
    plain = "".join(c for c in unicodedata.normalize("NFD", name) if not unicodedata.combining(c))
    if plain != name and way % 2:
        yield plain
        return
    places = [i for i, c in enumerate(name) if c.isascii() and c.isalpha()]
    start = int(below(where, max(1, len(places))))
    made: list[str] = []
    for at in (*places[start:], *places[:start]):
        for accent in _ACCENTS:
            letter = unicodedata.normalize("NFC", name[at] + accent)
            if len(letter) == 1:
                made.append(name[:at] + letter + name[at + 1 :])
    yield from sorted(made, key=lambda other: not writing.spell(other))


def _swap(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    first, _, last = name.rpartition(" ")
    if first:
        yield f"{last}, {first}" if words[0] % 2 else f"{last} {first}"


def _merge(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    if " " not in name:
        return
    if words[0] % 2:
        first, _, rest = name.partition(" ")
        yield f"{first}{rest}" if words[1] % 2 else f"{first}{rest.lower()}"
    else:
        other = pick_one(writing.names, words[1])
        joint = "-" if words[2] % 2 else " "
        yield f"{name}{joint}{other.rpartition(' ')[2]}"


def _abbreviate(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    first, *rest = name.split()
    if not rest:
        return
    short = (
        " ".join((f"{first[0]}.", *rest)),
        " ".join((f"{first[0]}", *rest)),
        " ".join((first, *rest[:-1], f"{rest[-1][0]}.")),
        f"{first[0]}. {rest[-1]}",
    )
    start = words[0] % len(short)
    yield from (other for other in (*short[start:], *short[:start]) if other != name)


def _entitle(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    yield f"{pick_one(_TITLES, words[0])} {name}"


def _replace_by_unseen(name: str, words: Sequence[int], writing: Writing) -> Iterator[str]:
    places = [i for i, c in enumerate(name) if c.isalpha()]
    start = int(below(words[0], max(1, len(places))))
    ordered = (*places[start:], *places[:start])
    for at in sorted(ordered, key=lambda i: name[i] not in _LOOK_ALIKE):
        for letter in (*_LOOK_ALIKE.get(name[at], ""), *_OTHERS):
            made = name[:at] + letter + name[at + 1 :]
            if not writing.spell(made):
                yield made


# Proposals of a tier for a name; the random words choose among them.
WAYS: dict[str, Callable[[str, Sequence[int], Writing], Iterator[str]]] = {
    MISSPELT: _misspell,
    ACCENTED: _accent,
    SWAPPED: _swap,
    MERGED: _merge,
    INITIALS: _abbreviate,
    TITLED: _entitle,
    UNSEEN: _replace_by_unseen,
}
