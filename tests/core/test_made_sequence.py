"""A sequence whose items are made when they are read is like the tuple of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wherefrom.core.made_sequence import Chosen, MadeSequence, in_batches


class Letters(MadeSequence[str]):
    """Groups of letters; it counts how often a group is made."""

    def __init__(self, *groups: str) -> None:
        self.groups, self.made = groups, 0
        self.starts = np.concatenate([[0], np.cumsum([len(group) for group in groups])])

    def make(self, group: int) -> list[str]:
        self.made += 1
        return list(self.groups[group])


GROUPS = st.lists(st.text("abcdef", max_size=4), max_size=6)
INDICES = st.one_of(st.none(), st.integers(-30, 30))


@given(GROUPS, INDICES, INDICES, st.one_of(st.none(), st.integers(-4, 4).filter(bool)))
def test_it_is_read_like_a_tuple(groups, first, last, step):
    made, plain = Letters(*groups), tuple("".join(groups))
    assert len(made) == len(plain)
    assert tuple(made) == plain
    assert made == plain
    assert [made[i] for i in range(-len(plain), len(plain))] == [*plain, *plain]
    part = made[first:last:step]
    assert tuple(part) == plain[first:last:step]
    assert part == plain[first:last:step]
    assert [part[i] for i in range(-len(part), len(part))] == [*part, *part]
    assert tuple(part[1:]) == plain[first:last:step][1:]


def test_a_number_that_is_too_large_is_refused():
    with pytest.raises(IndexError, match="expected a number below 3, found 3"):
        Letters("ab", "", "c")[3]
    with pytest.raises(IndexError):
        Letters("ab")[-3]


def test_other_items_or_fewer_are_another_sequence():
    assert Letters("ab", "c") == Letters("a", "bc")
    assert Letters("ab", "c") != ("a", "b")
    assert Letters("ab", "c") != ("a", "b", "d")
    assert Letters("ab") != 2


def test_going_through_makes_each_group_once():
    made = Letters("ab", "cd", "ef")
    assert "".join(made) == "abcdef"
    assert made.made == 3
    assert "".join(Chosen(made, np.array([0, 1, 4, 5]))) == "abef"
    assert made.made == 5, "neighbours of one group share it"


@given(st.lists(st.integers(), max_size=20), st.integers(1, 7))
def test_batches_are_all_items_in_order(items, size):
    found = list(in_batches(iter(items), size))
    assert [item for batch in found for item in batch] == items
    assert all(len(batch) == size for batch in found[:-1])
    assert not found or 1 <= len(found[-1]) <= size
