"""A text as one stream of characters: how it is found, folded and split."""

from pathlib import Path

import pytest

from tests.support import real_data
from wherefrom.core.characters import PRINTABLE, CharacterText
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.data.character_text import CharactersConfig, load, survey
from wherefrom.data.people import PeopleConfig
from wherefrom.data.people import load as load_people


def write(folder: Path, text: str, name: str = "text.txt") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())
    return path


def read(place: Path, **changed) -> CharacterText:
    dataset = load(CharactersConfig(str(place), **changed), 0)
    assert isinstance(dataset, CharacterText)
    return dataset


def test_the_last_tenth_is_held_out(tmp_path):
    dataset = read(write(tmp_path, "0123456789" * 3))
    assert [d.text for d in dataset.documents] == ["0123456789" * 2 + "0123456", "789"]
    assert dataset.held_out == 1
    assert dataset.vocabulary is PRINTABLE
    assert dataset.details == {"training_characters": 27}
    assert read(tmp_path / "text.txt", held_out=0.5).documents[1].text == "56789" + "0123456789"


@pytest.mark.parametrize("name", ["language/shakespeare.txt", "shakespeare.txt"])
def test_a_folder_has_it_where_it_usually_is(tmp_path, name):
    write(tmp_path, "to be or not to be", name)
    assert read(tmp_path).documents[0].text == "to be or not to "


def test_what_is_folded_is_counted_and_said(tmp_path):
    path = write(tmp_path, "\ufeffdéjà vu,\r\n“日” 0123456789")
    dataset = read(path)
    assert "".join(d.text for d in dataset.documents) == 'deja vu,\n"" 0123456789'
    assert dataset.details["folded_characters"] == 4
    assert dataset.details["dropped_characters"] == 1
    first, second = survey(CharactersConfig(str(path)))
    assert first == f"text: {path}, 19 characters to train on, the last 3 held out"
    assert "4 folded" in second
    assert "1 left out" in second


def test_without_a_file_the_text_is_generated_and_that_is_said():
    dataset = load(CharactersConfig(), 3)
    told = load_people(PeopleConfig(), 3).documents
    assert "".join(d.text for d in dataset.documents) == "".join(f"{d.text}\n" for d in told)
    (line,) = survey(CharactersConfig())
    assert "generated" in line
    assert "--data" in line


def test_what_cannot_be_used_is_refused_in_one_line(tmp_path):
    with pytest.raises(MissingInput, match=r"expected a text file, or a folder with language/"):
        read(tmp_path)
    with pytest.raises(BadData, match=r"text: expected characters to train on .* found 3 in all"):
        read(write(tmp_path, "abc"))
    with pytest.raises(BadData, match=r"b\.txt:2: expected text, found a NUL byte"):
        read(write(tmp_path, "abc\nd\0e", "b.txt"))
    (tmp_path / "c.txt").write_bytes(b"caf\xe9")
    with pytest.raises(BadData, match=r"c\.txt:1: expected UTF-8"):
        read(tmp_path / "c.txt")


def test_the_real_text_is_split_as_nanogpt_splits_it():
    dataset = read(real_data.find("language", "shakespeare.txt"))
    assert [len(d.text) for d in dataset.documents] == [1_003_854, 111_540]
    assert dataset.details == {"training_characters": 1_003_854}  # ASCII: nothing is folded
