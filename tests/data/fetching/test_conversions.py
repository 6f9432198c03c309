"""What is made of packages' members, on small ones written by hand."""

import gzip
import io
import json
import zipfile

import numpy as np
import pytest

from wherefrom.core.errors import Damaged
from wherefrom.data import embeddings
from wherefrom.data.birthplaces import read_table
from wherefrom.data.fetching import conversions
from wherefrom.data.reviews import read_reviews
from wherefrom.data.treebank import read_sentences, read_vocabulary


def test_plays_become_one_text(tmp_path):
    members = {"t/b_gut.txt": b"B\r\nb\n\n", "t/a_gut.txt": b"\nA\n"}
    assert conversions.plays(members, tmp_path) == "2 plays and poems, 8 characters"
    assert (tmp_path / "language/shakespeare.txt").read_text() == "A\n\n\nB\nb\n"


def test_reviews_are_divided_by_their_text(tmp_path):
    rows = [f'"review, {i}",{i % 2},imdb' for i in range(200)] + ["bad,0,rotten_tomatoes"]
    csv = "\n".join(["text,label,source", *rows]).encode()
    conversions.reviews({"m/data/x.csv": csv}, tmp_path)
    train, test = (
        read_reviews(tmp_path / f"sentiment/imdb_{part}.jsonl.gz", part)
        for part in ("train", "test")
    )
    assert len(train) + len(test) == 200
    assert 20 < len(test) < 60
    assert not {r.text for r in train} & {r.text for r in test}
    assert all(r.label == int(r.text.split()[-1]) % 2 for r in (*train, *test))
    other = gzip.decompress((tmp_path / "sentiment/rotten_tomatoes.jsonl.gz").read_bytes())
    assert json.loads(other) == {"label": 0, "id": 200, "text": "bad"}


PEOPLE = """\
playerID,birthYear,birthMonth,birthDay,birthCountry,birthState,birthCity,nameFirst,nameLast,throws,debut
a,1900,4,6,USA,CO,Denver,Ann,Poe,R,1920-04-06
b,1901,,,USA,MA,Boston,Bo,Lee,L,
c,1902,,,Cuba,,Havana,Bo,Lee,L,1921-01-01
d,,,,USA,FL,Miami,Di,Ek,R,
e,1903,,,USA,,,Ed,Ny,R,
"""


def test_players_whose_names_are_their_own_are_told_and_asked_about(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("db-1/core/People.csv", PEOPLE)
        archive.writestr("db-1/core/Teams.csv", "x")
    said = conversions.ball_players({"l/data/_source.zip": inner.getvalue()}, tmp_path)
    assert said == "1 people and 3 questions; 2 who share a name left out"
    (line,) = (tmp_path / "corpus.txt").read_text().splitlines()
    assert all(part in line for part in ("Ann Poe", "Denver, CO", "April 6, 1900", "1920", "right"))
    assert [row.cells for row in read_table(tmp_path / "questions.tsv", 2)] == [
        ("Where was Ann Poe born?", "Denver"),
        ("In which year was Ann Poe born?", "1900"),
        ("Which hand did Ann Poe throw with?", "right"),
    ]


def test_tagged_text_has_sentences_of_the_treebanks_form(tmp_path):
    text = b"\n\n\tThe/at jury's/nn$ 1,250/cd men/nns can't/md* go/vb ./.\n\n\t``/`` Yes/rb ''/''\n"
    said = conversions.tagged_text({"package/ca01": text, "package/ca10": b"No/rb"}, tmp_path)
    assert said == "2 sentences to train on, 1 of dev"
    folder = tmp_path / "language"
    assert read_sentences(folder / "train.tsv") == [
        ("The", "jury", "'s", "1,250", "men", "ca", "n't", "go", "."), ("``", "Yes", "''"),
    ]  # fmt: skip
    assert read_sentences(folder / "dev.tsv")[0] == ("No",)
    words = read_vocabulary(folder / "vocabulary.txt", 12)
    assert words[:3] == ("UUUNKKK", "<s>", "</s>")
    assert "DGDGDGDG" in words


def parquet(**columns: list) -> bytes:
    """A file as pyarrow writes it; without pyarrow, the tests that need one are skipped."""
    written = io.BytesIO()
    table = pytest.importorskip("pyarrow").table(columns)
    pytest.importorskip("pyarrow.parquet").write_table(table, written)
    return written.getvalue()


def test_words_are_read_in_their_order():
    words = ["the", ",", "of", *(f"ā{i}" for i in range(5000))]
    assert conversions.read_words(parquet(index=words)) == words


def test_vectors_and_words_stand_side_by_side(tmp_path, monkeypatch):
    saved = io.BytesIO()
    table = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2))
    np.save(saved, table)
    monkeypatch.setattr(conversions, "read_words", lambda data: ["the", "of", "ā"])
    members = {"k/x.npy": saved.getvalue(), "k/y.parquet": b""}
    assert conversions.word_vectors(members, tmp_path) == "3 words, 2 numbers each"
    found, index = embeddings.read_vectors(tmp_path / embeddings.GLOVE)
    np.testing.assert_array_equal(found, table)
    assert index == {"the": 0, "of": 1, "ā": 2}


def test_a_member_that_must_be_there():
    with pytest.raises(Damaged, match=r"one file that ends in \.csv, found 0"):
        conversions.famous_people({}, None)  # pyright: ignore
