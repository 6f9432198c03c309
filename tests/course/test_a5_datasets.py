"""The assignment's data sets: by what the hand-out says of them, and against the library's rows."""

import pytest
import torch

from tests.course.files import A5, NAMES, load
from wherefrom.core.errors import BadData

(submission,) = load(A5, "submission")
CharCorruptionDataset, NameDataset = submission.CharCorruptionDataset, submission.NameDataset


def test_a_text_that_has_the_mask_is_refused(capsys):
    """Vocabulary, length and what is past the end are graded."""
    assert len(CharCorruptionDataset("one\ntwo\n", 32)) == 3
    assert capsys.readouterr().out.endswith("data has 8 characters, 8 unique.\n")
    with pytest.raises(BadData, match="U\\+2047"):
        CharCorruptionDataset("a \u2047", 32)


def test_names_are_given_in_either_order_and_checked(corpus):
    """How they are laid out is graded."""
    names = NameDataset(NAMES, corpus)
    assert len(names) == 2
    assert len(NameDataset(corpus, NAMES)) == 2  # the order of another year
    with pytest.raises(IndexError):
        names[2]
    with pytest.raises(BadData, match="3 columns"):
        NameDataset("a\tb\tc\n", corpus)


def read_item(dataset, x, y, third=True):
    """(prefix, suffix, stretch) of an item, after what holds of every item was checked."""
    assert x.dtype == y.dtype == torch.long
    s = "".join(dataset.itos[int(i)] for i in [*x, y[-1]])
    assert torch.equal(x[1:], y[:-1])
    assert len(s) == dataset.laid_out
    text = s.rstrip(dataset.PAD_CHAR)
    assert dataset.PAD_CHAR not in text
    prefix, suffix, *rest = text.split(dataset.MASK_CHAR)
    assert rest[1:] == ([""] if third else [])
    return prefix, suffix, rest[0]


def test_short_documents():
    """Which lengths and spans come, and how often, is graded."""
    dataset = CharCorruptionDataset("abcdefgh" * 10 + "\nxy\n", 32)
    assert len(read_item(dataset, *dataset[1])[2]) == 1
    assert read_item(dataset, *dataset[2]) == ("", "", "")


def test_an_item_is_a_row_of_the_library(corpus):
    objective = corpus.objective(rows=1, seed=0, stage=0, device="cpu")
    for document in [0, 1, 2] * 20:
        x, y = corpus[document]
        prefix, suffix, stretch = read_item(corpus, x, y)
        length = len(prefix + suffix + stretch)
        plan = torch.tensor([[[document, 0, 0, length, len(prefix), len(stretch)]]])
        batch = objective.render_all(plan)
        width = batch.inputs.shape[-1]
        assert torch.equal(batch.inputs[0, 0], x[:width])
        assert torch.equal(batch.targets[0, 0], y[:width])
        assert (x[width:] == 0).all()


@pytest.mark.parametrize("year", ["xcs2021", "xcs2025", "cs224n2021", "cs224n2024"])
@pytest.mark.parametrize("block", [8, 12, 23, 24, 40])
def test_the_library_lays_out_no_longer_rows(monkeypatch, year, block):
    """Of a small block 7/8 and the masks are more than there is room for."""
    monkeypatch.setenv("A5_YEAR", year)
    dataset = CharCorruptionDataset("abcdefgh" * 20, block)
    objective = dataset.objective(rows=1, seed=0, stage=0, device="cpu")
    lengths = objective.plan(0, 600)[..., 3]
    assert objective.longest == dataset.longest == lengths.max()
    assert objective.width <= len(dataset[0][0]) == block - 1 + (year == "cs224n2024")
