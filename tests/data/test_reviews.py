import gzip
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from tests.support import real_data
from wherefrom.core.bags import split_words
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.data.reviews import ReviewsConfig, load, read_reviews, survey

TRAIN = [(f"a good film number {i}", 1) for i in range(20)] + [
    (f"a bad film number {i}", 0) for i in range(20)
]
TEST = [("a good one", 1), ("a bad film number 3", 0), ("bad bad bad", 0)]


def lines(rows: list[tuple[str, int]]) -> str:
    return "".join(json.dumps({"label": b, "id": 7, "text": a}) + "\n" for a, b in rows)


@pytest.fixture
def folder(tmp_path, home):
    (tmp_path / "sentiment").mkdir()
    for part, rows in (("train", TRAIN), ("test", TEST)):
        packed = gzip.compress(lines(rows).encode())
        (tmp_path / "sentiment" / f"imdb_{part}.jsonl.gz").write_bytes(packed)
    return tmp_path


def write_vectors(folder: Path, width: int) -> None:
    (folder / "embeddings").mkdir()
    np.save(folder / "embeddings/glove.6B.50d.subset.npy", np.ones((2, width), np.float32))
    (folder / "embeddings/glove.6B.50d.subset.words.txt").write_text("good\nzebra\n")


def test_reviews_are_questions_in_three_splits(folder):
    data = load(ReviewsConfig(folder=str(folder)), 0)
    train = {q.text: q for q in data.questions if q.split != "held-out"}
    assert len(train) == len(TRAIN)
    for text, label in TRAIN:  # the split is the text's own, by hash
        digest = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16)
        assert train[text].split == ("calibration" if digest % 10 == 0 else "asked")
        assert train[text].answer == ("negative", "positive")[label]
    assert {q.split for q in train.values()} == {"asked", "calibration"}


def test_a_test_review_that_is_in_train_is_dropped_and_counted(folder):
    config = ReviewsConfig(folder=str(folder))
    data = load(config, 0)
    assert [(q.text, q.subject) for q in data.select("held-out")] == [
        ("a good one", "test:1"), ("bad bad bad", "test:3"),
    ]  # fmt: skip
    assert data.dropped == 1
    said = survey(config)
    assert "3 reviews, 1 of which are in train too and are dropped" in said[1]
    assert said[2] == "embeddings: none there, so they begin at random"


def test_the_vocabulary_has_what_asked_reviews_have_often_enough(folder):
    data = load(ReviewsConfig(folder=str(folder), least=2), 0)
    counts: dict[str, int] = {}
    for word in (w for q in data.asked for w in split_words(q.text)):
        counts[word] = counts.get(word, 0) + 1
    assert set(data.vocabulary.words[1:]) == {w for w, n in counts.items() if n >= 2}
    assert counts[data.vocabulary.words[1]] == max(counts.values())
    assert data.vocabulary.vectors is None


def test_vectors_come_from_the_file_and_others_begin_near_zero(folder):
    write_vectors(folder, 50)
    vocabulary = load(ReviewsConfig(folder=str(folder)), 0).vocabulary
    vectors = vocabulary.vectors
    assert vectors.shape == (len(vocabulary), 50)
    np.testing.assert_array_equal(vectors[vocabulary.words.index("good")], np.ones(50))
    assert np.abs(vectors[vocabulary.words.index("bad")]).max() < 0.5


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('{"label": 2, "text": "fine"}', "the label 2"),
        ('{"label": true, "text": "fine"}', "the label true"),
        ('{"label": 1, "text": " ... "}', "an empty review"),
        ('{"label": 1}', "no text"),
        ("[1, 2]", "no text"),
        ("fine", "no JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, found):
    path = tmp_path / "train.jsonl"
    path.write_text(f'{{"label": 1, "text": "good"}}\n{line}\n')
    with pytest.raises(BadData) as error:
        read_reviews(path, "train")
    assert str(error.value).startswith(
        f'{path}:2: expected a review as {{"label": 0 or 1, "text": "..."}}, found {found}; '
    )


def test_a_file_without_reviews_is_refused(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text("\n")
    with pytest.raises(BadData, match="expected reviews, found none"):
        read_reviews(path, "train")


def test_missing_files_are_named(tmp_path):
    with pytest.raises(MissingInput, match=r"expected sentiment/imdb_train\.jsonl\.gz in it"):
        load(ReviewsConfig(folder=str(tmp_path)), 0)
    with pytest.raises(MissingInput, match=r"absent\.jsonl: expected a file"):
        load(ReviewsConfig(train=str(tmp_path / "absent.jsonl"), test=str(tmp_path / "t")), 0)


def test_generated_reviews_repeat_by_seed_and_say_that_they_are_generated():
    config = ReviewsConfig(made=400)
    first, again, other = load(config, 3), load(config, 3), load(config, 4)
    assert first.questions == again.questions
    assert first.questions != other.questions
    held = first.select("held-out")
    assert 90 <= len(held) <= 100
    assert {q.text for q in held}.isdisjoint(q.text for q in first.asked)
    assert 0.4 < sum(q.answer == "positive" for q in first.questions) / 500 < 0.6
    (line,) = survey(config)
    assert "400 generated ones to train on and 100 to test on" in line


@pytest.mark.nightly
def test_the_real_reviews_are_counted():
    folder = real_data.find("sentiment")
    train, test = (
        read_reviews(folder / f"imdb_{part}.jsonl.gz", part) for part in ("train", "test")
    )
    assert [sum(r.label for r in part) for part in (train, test)] == [12_500, 12_500]
    said = survey(ReviewsConfig(folder=str(folder.parent)))
    assert "25,000 reviews, 123 of which are in train too" in said[1]


def test_what_could_not_be_evaluated_is_refused_before_anything_is_trained(folder):
    config = ReviewsConfig(folder=str(folder))
    path = folder / "sentiment/imdb_test.jsonl.gz"
    path.write_bytes(gzip.compress(lines([*TEST, ("zzzxq " * 20, 1), ("Qwrt!", 0)]).encode()))
    with pytest.raises(BadData, match=r"test.jsonl.gz:4: expected a word that occurs 10 ") as error:
        load(config, 0)
    assert "'zzzxq zzzxq zzzxq zzzxq zzzxq zzzxq zzzx...'" in str(error.value)
    assert "line 5: 'Qwrt!'; 2 bad lines in all" in str(error.value)
    path.write_bytes(gzip.compress(lines(TRAIN[:5]).encode()))
    with pytest.raises(BadData, match=r"test.jsonl.gz: expected reviews that the training file"):
        load(config, 0)
