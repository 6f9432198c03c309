"""The generator against its published vectors, and the laws of what is built on it."""

import numpy as np
import pytest
import torch

from wherefrom.core.randomness import MASK32, Stream, below, chance, draws, philox

# kat_vectors of the Random123 distribution, philox4x32 with 10 rounds.
KNOWN = [
    ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ((MASK32,) * 4, (MASK32,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
    (
        (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
        (0xA4093822, 0x299F31D0),
        (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1),
    ),
]
DEVICES = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
PLACE = {"seed": 5, "stream": Stream.ORDER, "stage": 1, "step": 9}


def rows(count: int) -> np.ndarray:
    return np.arange(count, dtype=np.int64)


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_known_answers_in_numpy_and_torch(counter, key, expected):
    words = philox([np.array([c]) for c in counter], key)
    assert tuple(int(w[0]) for w in words) == expected
    for device in DEVICES:
        words = philox([torch.tensor([c], device=device) for c in counter], key)
        assert tuple(int(w[0]) for w in words) == expected


@pytest.mark.parametrize("device", DEVICES)
def test_numpy_and_torch_give_the_same_integers(device):
    steps = np.arange(70, 90, dtype=np.int64)[:, None]
    ours = draws(6, **PLACE | {"step": steps}, row=rows(1000))
    place = PLACE | {"step": torch.from_numpy(steps).to(device)}
    theirs = draws(6, **place, row=torch.from_numpy(rows(1000)).to(device))
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.shape == (20, 1000)
        assert mine.dtype == np.int64
        np.testing.assert_array_equal(mine, other.cpu().numpy())
        np.testing.assert_array_equal(below(mine, 977), below(other, 977).cpu().numpy())
        np.testing.assert_array_equal(chance(mine, 0.3), chance(other, 0.3).cpu().numpy())


@pytest.mark.parametrize("bound", [1, 2, 7, 100, 1000])
def test_below_is_in_range_and_even(bound):
    """Chi squared has a mean of `free` and a variance of twice that: it is rarely further off."""
    found = below(draws(1, **PLACE, row=rows(200_000))[0], bound)
    counts = np.bincount(found, minlength=bound)
    assert found.min() >= 0
    assert len(counts) == bound
    expected, free = len(found) / bound, bound - 1
    assert ((counts - expected) ** 2 / expected).sum() <= free + 4 * np.sqrt(2 * free)


def test_below_at_the_ends_of_its_range():
    ends, largest = np.array([0, MASK32]), 2**31 - 1
    assert below(ends, largest).tolist() == [0, largest - 1]
    assert below(ends, np.array([3, 5])).tolist() == [0, 4]


def test_chance_never_always_and_sometimes():
    word = np.append(draws(1, **PLACE, row=rows(100_000))[0], [0, MASK32])
    assert not chance(word, 0.0).any()
    assert chance(word, 1.0).all()
    spread = np.sqrt(0.3 * 0.7 / len(word))
    assert abs(chance(word, 0.3).mean() - 0.3) < 4 * spread
