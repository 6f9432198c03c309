"""Registered files are compared with their checksums before a data set is read."""

from pathlib import Path

import pytest

from wherefrom.core.errors import Damaged
from wherefrom.data.birthplaces import BirthplacesConfig
from wherefrom.data.character_text import CharactersConfig
from wherefrom.data.data_catalogue import load_dataset, survey_dataset
from wherefrom.data.embeddings import GLOVE, fetched_vectors
from wherefrom.data.facts import FactsConfig
from wherefrom.data.fetching import registry


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def make_characters(folder):
    write(folder, {"language/shakespeare.txt": b"To be, or not to be.\n" * 20})
    return CharactersConfig(str(folder))


def make_facts(folder):
    people = [f"{a} {b}" for a in ("Ada", "Bo", "Cy", "Di") for b in ("Lund", "Falk", "Roth")]
    text = "".join(f"{name} was born in Oslo.\n" for name in people)
    rows = "".join(f"Where was {name} born?\tOslo\n" for name in people)
    write(folder, {"corpus.txt": text.encode(), "questions.tsv": rows.encode()})
    return FactsConfig(
        str(folder / "corpus.txt"), str(folder / "questions.tsv"),
        calibration_share=0, held_out_share=0,
    )  # fmt: skip


MAKERS = {"characters": make_characters, "facts": make_facts}  # a folder, and files by their names


def files_of(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def flip(path: Path) -> bytes:
    """Change one bit in the middle; returns what was there."""
    data = path.read_bytes()
    middle = len(data) // 2
    path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    return data


@pytest.mark.parametrize("kind", MAKERS)
def test_a_flipped_bit_of_any_fetched_file_is_noticed(kind, home):
    folder = home / "data" / "set"
    config = MAKERS[kind](folder)
    files = files_of(folder)
    registry.add("set", folder, files)
    whole = load_dataset(config, 0)
    assert survey_dataset(config)
    for file in files:
        data = flip(folder / file)
        for read in (load_dataset, survey_dataset):
            with pytest.raises(Damaged) as error:
                read(config, 0)
            assert str(error.value).startswith(f"{folder / file}: expected SHA-256 ")
            assert "when 'set' was fetched, found " in str(error.value)
            assert str(error.value).endswith("; 'wherefrom data fetch set' gets it again")
        (folder / file).write_bytes(data)
    assert load_dataset(config, 0).documents == whole.documents


def test_a_folder_of_the_users_is_registered_again_if_it_was_meant(home, folder):
    files = files_of(folder)
    registry.add("birthplaces", folder, files)
    load_dataset(BirthplacesConfig(), 0)
    link = folder.with_name("link")
    link.symlink_to(folder)
    (folder / "wiki.txt").write_text((folder / "wiki.txt").read_text().replace("Oslo", "Lima"))
    for config in (
        BirthplacesConfig(),
        BirthplacesConfig(str(folder)),
        BirthplacesConfig(str(link)),
    ):
        with pytest.raises(Damaged, match="when 'birthplaces' was registered, found") as error:
            load_dataset(config, 0)
        again = f"register it as it is now: wherefrom data add birthplaces {folder}"
        assert str(error.value).endswith(again)
    with pytest.raises(Damaged, match="when 'birthplaces' was registered, found"):
        registry.find_unchanged("birthplaces")
    registry.add("birthplaces", folder, files)
    load_dataset(BirthplacesConfig(), 0)
    assert registry.find_unchanged("birthplaces") == folder
    assert registry.find_unchanged("none") is None


def test_fetched_vectors_are_compared_too(home):
    folder = home / "data" / "glove"
    write(folder, {GLOVE: b"numbers", "words.txt": b"the\n"})
    registry.add("glove", folder, files_of(folder))
    assert fetched_vectors() == folder / GLOVE
    flip(folder / GLOVE)
    with pytest.raises(Damaged, match="'wherefrom data fetch glove' gets it again"):
        fetched_vectors()


def test_a_copy_that_is_not_registered_is_the_users_own(home, tmp_path):
    folder = home / "data" / "set"
    make_characters(folder)
    registry.add("set", folder, files_of(folder))
    other = tmp_path / "own"
    config = make_characters(other)
    flip(other / "language" / "shakespeare.txt")
    load_dataset(config, 0)


def test_a_list_that_leads_elsewhere_is_not_believed(home, folder):
    registry.add("birthplaces", folder, ["wiki.txt"])
    text = (home / "data.json").read_text()
    (home / "data.json").write_text(text.replace('"birthplaces":', '"../../x":'))
    with pytest.raises(Damaged, match=r"expected names of data sets, found '\.\./\.\./x'; remove"):
        registry.entries()
