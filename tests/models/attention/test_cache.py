"""A cache of two rows with texts of unequal length, by hand."""

import torch

from wherefrom.models.attention.cache import Cache


def filled() -> Cache:
    """One layer, one head of width 1: a key is its character, a value ten times that."""
    cache = Cache.empty(1, 2, 1, 5, (1, 1), torch.zeros(1))
    add(cache, [[3, 4, 5], [6, 0, 0]], [3, 1])  # the second row has one character and padding
    return cache


def add(cache: Cache, tokens: list[list[int]], counts: list[int]) -> tuple[list, list]:
    given = torch.tensor(tokens)
    positions = cache.write_tokens(given)
    keys = given[:, None, :, None].float()
    found = cache.write(0, keys, 10 * keys, positions)
    cache.grow(torch.tensor(counts))
    return found[0].squeeze((1, 3)).tolist(), found[1].squeeze((1, 3)).tolist()


def test_each_row_grows_after_its_own_text():
    keys, values = add(filled(), [[7], [8]], [1, 1])
    assert keys[0] == [3, 4, 5, 7]
    assert keys[1][:2] == [6, 8]  # over the padding
    assert values[0] == [30, 40, 50, 70]


def test_a_part_is_the_same_memory():
    cache = filled()
    add(cache.part(1, 2), [[9]], [1])
    assert cache.tokens_RP[1, :2].tolist() == [6, 9]
    assert cache.lengths_R.tolist() == [3, 2]


def test_a_row_is_copied_over_another():
    cache = filled()
    cache.move(torch.tensor([0]), torch.tensor([1]))
    assert cache.lengths_R.tolist() == [3, 3]
    assert cache.tokens_RP[1, :3].tolist() == [3, 4, 5]
    assert cache.keys_LRHPD[0, 1, 0, :3, 0].tolist() == [3, 4, 5]
    assert cache.values_LRHPD[0, 1, 0, :3, 0].tolist() == [30, 40, 50]


def test_more_room_keeps_the_text():
    cache = filled().resized(3, 9)
    assert (cache.rows, cache.tokens_RP.shape) == (3, (3, 9))
    assert cache.lengths_R.tolist() == [3, 1, 0]
    keys, _ = add(cache, [[7], [8], [9]], [1, 1, 1])
    assert (keys[0], keys[1][:2], keys[2][:1]) == ([3, 4, 5, 7], [6, 8], [9])
