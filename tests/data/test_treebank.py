"""Tagged text, its vocabulary and its vectors, on small files and on the real ones."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from tests.support import real_data
from wherefrom.core.errors import BadData, MissingInput
from wherefrom.core.words import WordText
from wherefrom.data import tiny_text, treebank
from wherefrom.data.treebank import GENERATED, KNOWN, TreebankConfig, load, read_sentences, survey

TRAIN = "-DOCSTART-\tX\n\nThe\tDT\ncat\tNN\nsat\tVBD\n\n\nThe\tDT\ndog\tNN\nran\tVBD\n\nYes\tUH\n"
DEV = "The\tDT\ncat\tNN\nsat\tVBD\n-DOCSTART-\t X\n\n12,345\tCD\ncats\tNNS\n\nYes\tUH\n\n"
VOCABULARY = "the \t9\t0.5\nUUUNKKK 4\n<s> 3\n</s> 3\ncat 2\nDGDGDGDGDG 1\nyes 1\nsat 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part, text in (("train", TRAIN), ("dev", DEV), ("vocabulary", VOCABULARY)):
        path = tmp_path / treebank.FILES[part]
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    path = tmp_path / treebank.FILES["embeddings"]
    path.parent.mkdir()
    np.save(path, np.arange(12.0, dtype=np.float32).reshape(4, 3))
    path.with_suffix(".words.txt").write_text("the\ncat\nyes\nsat\n")
    return tmp_path


@pytest.fixture
def config(folder) -> TreebankConfig:
    return TreebankConfig(folder=str(folder), words=7)


def test_sentences_end_at_blank_lines_and_documents(folder):
    assert read_sentences(folder / treebank.FILES["train"]) == [
        ("The", "cat", "sat"), ("The", "dog", "ran"), ("Yes",),
    ]  # fmt: skip
    assert read_sentences(folder / treebank.FILES["dev"]) == [
        ("The", "cat", "sat"), ("12,345", "cats"), ("Yes",), (),
    ]  # fmt: skip


def test_words_take_their_form_and_what_dev_has_is_not_trained_on(config):
    data = load(config, 0)
    assert isinstance(data, WordText)
    texts = [d.text for d in data.documents]
    unknown = "UUUNKKK"
    assert texts[:2] == [f"the {unknown} {unknown}", "yes"]  # a short sentence may be in both
    assert texts[2:] == [f"the cat {unknown}", f"DGDGDGDGDG {unknown}", "yes", ""]
    assert data.held_out == 4
    assert data.details["dropped_sentences"] == data.details["dropped_different"] == 1
    assert data.details["training_sentences"] == 2
    assert data.vocabulary.words[:3] == ("the", unknown, "<s>")
    np.testing.assert_array_equal(data.vocabulary.vectors[4], [3, 4, 5])
    assert data.details["made_up_vectors"] == 4


def test_files_may_be_named_one_by_one_and_lie_in_the_folder_itself(config, folder, tmp_path):
    usual = load(config, 0)
    flat = tmp_path / "flat"
    flat.mkdir()
    for part in treebank.FILES.values():
        (folder / part).rename(flat / Path(part).name)
    words = Path(treebank.FILES["embeddings"]).with_suffix(".words.txt")
    (folder / words).rename(flat / words.name)
    assert load(replace(config, folder=str(flat)), 0) == usual
    named = {part: str(flat / Path(file).name) for part, file in treebank.FILES.items()}
    assert load(TreebankConfig(words=7, **named), 0) == usual


def test_without_files_the_text_is_generated_and_that_is_said():
    config = TreebankConfig()
    made, data = tiny_text.load(GENERATED, 3), load(config, 3)
    assert isinstance(data, WordText)
    assert data.held_out == made.held_out
    known = data.vocabulary.words[3:]
    assert data.vocabulary.words[:3] == ("<s>", "</s>", "UUUNKKK")
    assert len(known) == KNOWN
    plain = [d.text.split() for d in made.documents]
    for document, words in zip(data.documents, plain, strict=True):
        assert document.text.split() == [w if w in known else "UUUNKKK" for w in words]
    counts = Counter(w for words in plain[: -made.held_out] for w in words)
    rare = set(counts) - set(known)
    assert 0 < max(counts[w] for w in rare) <= min(counts[w] for w in known)
    (line,) = survey(config)
    assert "generated" in line
    assert "--data" in line


@pytest.mark.parametrize(
    ("part", "text", "message"),
    [
        ("train", "", "found none"),
        ("train", "\n\n-DOCSTART-\tX\n\n", "found no words"),
        ("dev", "a\tDT\nb\n", r"dev\.txt:2: expected 'word<TAB>TAG', found 1 column;"),
        ("dev", "a\tDT\tx\n", r"dev\.txt:1: .* found 3 columns;"),
        ("dev", "\tDT\n", r"dev\.txt:1: .* found no word;"),
        ("train", "The\tDT\ncat\tNN\nsat\tVBD\n", "sentences that dev has not"),
        ("vocabulary", VOCABULARY.replace("<s>", "s"), "expected <s> among the first 7 words"),
        ("vocabulary", VOCABULARY.replace("</s>", "s"), "expected </s> among"),
        ("vocabulary", VOCABULARY.replace("UUUNKKK", "unk"), "expected UUUNKKK among"),
        ("vocabulary", VOCABULARY.replace("cat", "the"), "found 'the' twice"),
        ("vocabulary", "the\n<s>\n", "at least 7 words, found 2"),
        ("vocabulary", VOCABULARY.replace("cat", "ocelot"), "found none for 'ocelot'"),
    ],
)
def test_bad_files_are_refused_in_one_line(config, folder, part, text, message):
    (folder / treebank.FILES[part]).write_text(text)
    with pytest.raises(BadData, match=message) as caught:
        load(config, 0)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_missed(config, folder, tmp_path):
    (folder / treebank.FILES["dev"]).unlink()
    with pytest.raises(MissingInput, match=r"expected language/ptb-dev\.txt in it, found none"):
        load(config, 0)
    with pytest.raises(MissingInput, match=r"Missing --data FOLDER"):
        load(TreebankConfig(train=str(tmp_path / "x")), 0)


def test_who_has_no_word_vectors_is_told_how_to_get_them(config, folder, monkeypatch):
    monkeypatch.setattr(treebank, "fetched_vectors", lambda: None)
    (folder / treebank.FILES["embeddings"]).unlink()
    with pytest.raises(MissingInput, match="'wherefrom data fetch glove' gets word vectors"):
        load(config, 0)


@pytest.mark.nightly
def test_the_real_text_has_the_homeworks_bigrams():
    data = load(TreebankConfig(folder=str(real_data.find("language").parent)), 0)
    assert isinstance(data, WordText)
    dev = data.vocabulary.bigrams(d.text for d in data.held_out_documents)
    assert len(dev) == 122_439
    assert (dev[:, 1] == data.vocabulary.unknown).mean() == pytest.approx(0.1544, abs=5e-5)
    assert data.details["dropped_different"] == 36
    assert data.vocabulary.vectors.shape == (2000, 50)
