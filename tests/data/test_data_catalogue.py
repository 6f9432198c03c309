"""Registered files are compared with their checksums when a data set is read, whatever its kind."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from wherefrom.core.errors import Damaged
from wherefrom.data.birthplaces import BirthplacesConfig
from wherefrom.data.character_text import CharactersConfig
from wherefrom.data.data_catalogue import load_dataset, survey_dataset
from wherefrom.data.facts import FactsConfig
from wherefrom.data.fetching import registry
from wherefrom.data.reviews import ReviewsConfig
from wherefrom.data.treebank import TreebankConfig

WORDS = ["UUUNKKK", "<s>", "</s>", "the", "cat", "dog", "sat", "ran"]


def write(folder: Path, files: dict[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def vectors(folder: Path) -> None:
    path = folder / "embeddings" / "glove.6B.50d.subset.npy"
    path.parent.mkdir(parents=True)
    np.save(path, np.linspace(-1, 1, 3 * len(WORDS), dtype=np.float32).reshape(-1, 3))
    path.with_suffix(".words.txt").write_text("".join(f"{w}\n" for w in WORDS))


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


def make_treebank(folder):
    vectors(folder)
    train = "the\tD\ncat\tN\nsat\tV\n\nthe\tD\ndog\tN\nran\tV\n"
    write(
        folder,
        {
            "language/train.tsv": train.encode(),
            "language/dev.tsv": b"the\tD\ncat\tN\nran\tV\n",
            "language/vocabulary.txt": "".join(f"{w}\n" for w in WORDS).encode(),
        },
    )
    return TreebankConfig(str(folder), words=len(WORDS))


def make_reviews(folder):
    vectors(folder)
    rows = [json.dumps({"label": i % 2, "text": f"the cat sat {i}"}) for i in range(40)]
    for part, lines in (("train", rows[:30]), ("test", rows[30:])):
        packed = gzip.compress("".join(f"{line}\n" for line in lines).encode(), mtime=0)
        write(folder, {f"sentiment/imdb_{part}.jsonl.gz": packed})
    return ReviewsConfig(str(folder), least=1, validation=3)


MAKERS = {
    "characters": make_characters,
    "facts": make_facts,
    "treebank": make_treebank,
    "reviews": make_reviews,
}


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


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
        reads = [lambda: load_dataset(config, 0)]
        if kind != "treebank" and "embeddings" not in file:  # a survey reads all the others
            reads.append(lambda: survey_dataset(config, 100))
        for read in reads:
            with pytest.raises(Damaged) as error:
                read()
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
