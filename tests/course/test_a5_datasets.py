"""The assignment's data sets: by what the hand-out says of them, and against the library's rows."""

import random
from collections import Counter

import pytest
import torch

from tests.course.files import A5, load
from wherefrom.core.errors import BadData, UsageError

submission, helper, utils = load(A5, "submission", "submission.helper", "submission.utils")
CharCorruptionDataset, NameDataset = submission.CharCorruptionDataset, submission.NameDataset
WIKI = "\n".join(f"{n} Grey. {n} was born in Oslo, and sang." for n in ("Ann", "Bo", "Cy"))
WIKI += " Where? Rome."
NAMES = "Where was Ann Grey born?\tOslo\nWhere was Bo Grey born?\tRome\n"
TINY = {"n_layer": 2, "n_head": 2, "n_embd": 8}


@pytest.fixture
def corpus():
    return CharCorruptionDataset(WIKI, 64)


def test_vocabulary_and_documents(corpus, capsys):
    assert corpus.itos[0] == corpus.PAD_CHAR == "\u25a1"
    assert corpus.itos[1] == corpus.MASK_CHAR == "\u2047"
    assert [corpus.itos[i] for i in range(2, corpus.vocab_size)] == sorted(set(WIKI))
    assert len(CharCorruptionDataset("one\ntwo\n", 32)) == 3
    assert capsys.readouterr().out.endswith("data has 8 characters, 8 unique.\n")
    for broken in (3, 10**6):
        with pytest.raises(IndexError):
            corpus[broken]
    with pytest.raises(BadData, match="U\\+2047"):
        CharCorruptionDataset("a \u2047", 32)


def test_names_are_laid_out_as_the_hand_out_says(corpus):
    names = NameDataset(NAMES, corpus)
    assert len(names) == 2
    x, y = names[0]
    question = "Where was Ann Grey born?"
    text = "".join(names.itos[int(i)] for i in x)
    assert text == (question + "\u2047Oslo\u2047").ljust(63, "\u25a1")
    told = "".join(names.itos[int(i)] for i in y)
    pads = "\u25a1" * (len(question) - 1)
    assert told == (pads + "\u2047Oslo\u2047").ljust(63, "\u25a1")
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


def test_span_corruption_reaches_every_length():
    utils.set_seed(0)
    text = "".join(random.choice("abcdefgh") for _ in range(90))
    dataset = CharCorruptionDataset(text + "\nxy\n", 32)
    lengths, shares, starts, ends = Counter(), [], set(), set()
    for _ in range(4000):
        prefix, suffix, stretch = read_item(dataset, *dataset[0])
        whole = prefix + stretch + suffix
        assert text.startswith(whole)
        lengths[len(whole)] += 1
        shares.append(len(stretch) / len(whole))
        starts.add(len(prefix))
        ends.add(len(suffix))
    assert set(lengths) == set(range(4, 29))  # 28 is 7/8 of 32
    assert max(lengths.values()) < 2 * min(lengths.values())
    assert 0.2 < sum(shares) / len(shares) < 0.3
    assert starts >= set(range(20))
    assert ends >= set(range(20))
    assert len(read_item(dataset, *dataset[1])[2]) == 1
    assert read_item(dataset, *dataset[2]) == ("", "", "")
    utils.set_seed(5)
    again = dataset[0]
    utils.set_seed(5)
    assert torch.equal(again[0], dataset[0][0])


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


def test_years(monkeypatch):
    longest = {"cs224n2021": 28, "cs224n2024": 28, "xcs2025": 24, "xcs2022": 28}
    for year, most in longest.items():
        monkeypatch.setenv("A5_YEAR", year)
        dataset = CharCorruptionDataset("abcdefgh" * 20, 32)
        third = year.startswith("xcs")
        items = [read_item(dataset, *dataset[0], third=third) for _ in range(500)]
        assert max(sum(map(len, item)) for item in items) == most
        assert len(dataset[0][0]) == (32 if year == "cs224n2024" else 31)
    monkeypatch.setenv("A5_YEAR", "cs224n2024")
    dataset = CharCorruptionDataset("abcdefgh" * 20, 32)
    mconf = submission.GPTConfig(dataset.vocab_size, 32, **TINY)
    model = helper.initialize_synthesizer_model(mconf)
    assert model(dataset[0][0][None])[0].shape == (1, 32, dataset.vocab_size)
    monkeypatch.setenv("A5_YEAR", "cs224n2204")
    with pytest.raises(UsageError, match="did you mean 'cs224n2024'"):
        CharCorruptionDataset("abc", 32)
