import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.ngrams import NgramEmbedding


def test_the_rows_of_a_small_string_by_hand():
    """Characters 5, 9, 2 and 50 buckets an order; pad (0) stands before the first.

    pairs:   5 x 101           = 505            505 % 50 = 5
             9 x 101 + 5 x 7950 = 40659        40659 % 50 = 9
             2 x 101 + 9 x 7950 = 71752        71752 % 50 = 2
    triples: 505 x 101                    = 51005      % 50 = 5
             40659 x 101                  = 4106559    % 50 = 9
             71752 x 101 + 5 x 15869      = 7326297    % 50 = 47
    """
    found = NgramEmbedding(3, 50, 4).indices(torch.tensor([[5, 9, 2]]))
    assert found.tolist() == [[[5, 50 + 5], [9, 50 + 9], [2, 50 + 47]]]


@pytest.mark.parametrize("longest", [2, 3, 4])
def test_there_is_an_embedding_for_every_order(longest):
    torch.manual_seed(0)
    embedding = NgramEmbedding(longest, 64, 4)
    text = torch.randint(2, 30, (2, 9))
    rows = embedding.indices(text)
    assert rows.shape == (2, 9, longest - 1)
    for order in range(longest - 1):  # each order has a table of its own
        assert (rows[..., order] // 64 == order).all()
    expected = torch.stack([embedding.table.weight[rows[..., o]] for o in range(longest - 1)])
    torch.testing.assert_close(embedding(text), expected.sum(0))


@given(
    texts=st.lists(st.lists(st.integers(2, 90), min_size=10, max_size=10), min_size=2, max_size=2),
    longest=st.integers(2, 4),
    alike=st.integers(1, 8),
)
@settings(max_examples=50, deadline=None)
def test_only_the_last_few_characters_matter(texts, longest, alike):
    """Two texts that agree in their last characters have the same n-grams of so many of them."""
    first, second = torch.tensor(texts)
    second[-alike:] = first[-alike:]
    embedding = NgramEmbedding(longest, 4096, 2)
    rows = embedding.indices(torch.stack((first, second)))[:, -1]
    for order in range(2, longest + 1):
        if order <= alike:
            assert rows[0, order - 2] == rows[1, order - 2]


def test_each_of_the_last_characters_matters():
    embedding = NgramEmbedding(4, 4096, 2)
    text = torch.tensor([[7, 3, 9, 4, 8, 2]])
    rows = embedding.indices(text)[0, -1]
    for back in range(4):
        other = text.clone()
        other[0, -1 - back] += 1
        changed = (embedding.indices(other)[0, -1] != rows).tolist()
        assert changed == [order > back for order in (2, 3, 4)]


def test_a_text_read_piece_by_piece_is_the_text_read_whole():
    """Pieces may be shorter than the n-grams: those reach back into what was read before."""
    config = GPTConfig(
        vocab_size=20, block_size=16, n_layer=1, n_head=2, n_embd=8, attention="rope", ngrams=3,
        ngram_buckets=64, init_std=0.5,
    )  # fmt: skip
    torch.manual_seed(0)
    model = GPT(config).double().eval()
    torch.nn.init.normal_(model.ngram_emb.table.weight)
    text = torch.randint(2, 20, (3, 12))
    with torch.no_grad():
        whole, cache, found = model(text), model.new_cache(3, 16), []
        for piece in text.split([1, 2, 1, 5, 3], 1):
            found.append(model(piece, cache))
            cache.grow(torch.full((3,), piece.shape[1]))
    torch.testing.assert_close(torch.cat(found, 1), whole)
