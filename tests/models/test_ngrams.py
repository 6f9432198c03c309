import torch

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
