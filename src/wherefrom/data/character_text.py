"""A plain text as one long stream of characters: the last tenth is held out, the rest trained on.

Characters are the hundred of `string.printable`; others are folded onto them, and counted. The
homework trains on all of its text; here no model sees the held-out end, the homework's neither.
Without a file the text is a generated one, which says nothing about English.
"""

from pathlib import Path

from wherefrom.core.characters import CharacterText, Folded, fold
from wherefrom.core.config import TaggedConfig, check
from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.files import read_text
from wherefrom.data import people

USUAL = Path("language/shakespeare.txt")  # where a folder has it, or in the folder itself


class CharactersConfig(TaggedConfig, frozen=True, tag="characters"):
    folder: str = ""  # a folder that has the text, or a text file
    held_out: float = 0.1  # share of the characters, at the end

    def __post_init__(self) -> None:
        fits = 0 < self.held_out < 1
        check(fits, "CharactersConfig", "held_out", self.held_out, "a share between 0 and 1")


def load(config: CharactersConfig, seed: int) -> Dataset:
    """Two documents: what is trained on, and what is held out."""
    if not config.folder:
        told = people.load(people.PeopleConfig(), seed).documents
        return _split(Folded("".join(f"{d.text}\n" for d in told)), config)
    return _split(fold(read_text(find(config))), config)


def _split(found: Folded, config: CharactersConfig) -> CharacterText:
    text, kept = found.text, int(len(found.text) * (1 - config.held_out))
    if not 1 < kept < len(text) - 1:
        raise BadData(
            f"text: expected characters to train on and to hold out, found {len(text)} in all; "
            "name another file, or another share with --set data.held_out"
        )
    details = {"training_characters": kept}
    if found.changed or found.dropped:
        details |= {"folded_characters": found.changed, "dropped_characters": found.dropped}
    documents = (Document(text[:kept]), Document(text[kept:]))
    return CharacterText(documents, held_out=1, details=details)


def survey(config: CharactersConfig) -> list[str]:
    """Which text this is, and what became of it."""
    if not config.folder:
        return [
            "text: generated sentences about people, since no file was named; --data names a text "
            f"file, or a folder with {USUAL}"
        ]
    path = find(config)
    found = fold(read_text(path))
    kept, held_out = (len(document.text) for document in _split(found, config).documents)
    rows = [f"text: {path}, {kept:,} characters to train on, the last {held_out:,} held out"]
    if found.changed or found.dropped:
        rows.append(
            f"characters that are not printable ASCII: {found.changed:,} folded onto ones that "
            f"look alike, {found.dropped:,} left out"
        )
    return rows


def find(config: CharactersConfig) -> Path:
    named = Path(config.folder)
    places = [named, named / USUAL, named / USUAL.name]
    present = [place for place in places if place.is_file()]
    if not present:
        raise MissingInput(
            f"{named}: expected a text file, or a folder with {USUAL} in it, found neither; "
            "name another with --data"
        )
    return present[0]
