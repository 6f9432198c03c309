"""Name bias: none where names say nothing, and all of it where it is known by hand."""

from math import inf, log2

import numpy as np
import pytest

from tests.support.made_up import ask
from wherefrom.auditing.name_bias import PARTS, _Known, choose_smoothing, gain, measure_name_bias
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.randomness import Stream, draws

SYLLABLES = "ba co du fe gi ho ju ka lo mu ne pi ra so tu ve".split()


def make(count: int, first: int, place) -> list[Question]:
    """People whose last names end in one of four ways; `place(i)` says where they are from."""
    endings = ("ski", "sen", "ini", "ova")
    found = []
    for i in range(first, first + count):
        one, two, three = (SYLLABLES[i // 16**k % 16] for k in (0, 1, 2))
        name = f"{(two + three).title()} {(one + three).title()}{endings[i * 7 % 4]}"
        found.append(ask(name, place(i)))
    return found


PLACES = ("Warsaw", "Oslo", "Rome", "Sofia")


def by_ending(i: int) -> str:
    return PLACES[i * 7 % 4]


def by_chance(i: int) -> str:
    place = {"seed": 0, "stream": Stream.WORLD, "stage": 0, "step": 0}
    return PLACES[int(draws(1, row=np.array([i]), **place)[0][0]) % 4]


def test_an_ending_that_tells_all_is_worth_two_bits_and_chance_none():
    """Four places, equally likely: two bits at most."""
    found = measure_name_bias(make(400, 0, by_ending), make(200, 1000, by_ending))
    assert 1.8 < found.parts["ending"].value <= 2.02
    assert 1.8 < found.whole.value <= 2.02
    low, high = found.whole.interval
    assert low <= found.whole.value <= high
    assert abs(found.parts["first"].value) < 0.1
    assert found.summary.startswith("warning: a name alone gives 2.0")
    assert "biased" in found.summary
    # Where names say nothing, none is found.
    found = measure_name_bias(make(400, 0, by_chance), make(200, 1000, by_chance))
    assert abs(found.whole.value) < 0.1
    assert "no name bias is found in 200 people" in found.summary


@pytest.mark.parametrize("parts", [("last",), ("characters",), tuple(PARTS)])
def test_probabilities_add_up_to_one_with_the_other_answers(parts):
    people = [(q.subject, q.answer) for q in make(60, 0, by_chance)] + [("Bo Li", "Lima")]
    known = _Known(people, parts)
    smoothing = dict.fromkeys(parts, (0.6, 1.0))
    for name in ("Bo Li", people[3][0], "Zz Qq", "Ba"):
        events = [(name, answer) for answer in (*known.answers, "a place nobody is from")]
        prior = known.prior(events)
        assert prior.sum() == pytest.approx(1)
        assert (prior * 2 ** gain(known, events, smoothing)).sum() == pytest.approx(1)


def test_a_gain_by_hand():
    """Three people, two of them Olsens from Oslo; what is new has (1 + 0.5) / (3 + 1)."""
    people = [("Bo Olsen", "Oslo"), ("Cy Olsen", "Oslo"), ("Di Roe", "Rome")]
    known = _Known(people, ("last",))
    other = 1.5 / 4
    assert known.prior([("X", "Oslo"), ("X", "Rome"), ("X", "Lima")]) == pytest.approx(
        [(1 - other) * 2 / 3, (1 - other) / 3, other]
    )
    prior = (1 - other) * 2 / 3
    expected = (2 - 0.6 + (0.6 + 1) * prior) / 3
    smoothing = {"last": (0.6, 1.0)}
    (bits,) = gain(known, [("Em Olsen", "Oslo")], smoothing)
    assert bits == pytest.approx(log2(expected / prior))
    assert gain(known, [("Em Unheard", "Oslo")], smoothing) == pytest.approx([0])
    assert gain(known, [("Em Olsen", "Oslo")], {"last": (0.6, inf)}) == pytest.approx([0])


def test_parts_of_a_name():
    features = {part: find("Martin Luther King, Jr.") for part, find in PARTS.items()}
    assert [features[part] for part in ("first", "last", "ending")] == [
        ["martin"],
        ["king"],
        ["ing"],
    ]
    assert {" ma", "kin", "ng "} <= set(features["characters"])
    assert PARTS["last"]("Jr.") == ["jr"]


def test_smoothing_is_chosen_without_the_people_it_is_tried_on():
    """Names that are all different say nothing of each other, though each fits itself."""
    people = [(f"N{i} M{i * 37 % 1009}", PLACES[i % 4]) for i in range(200)]
    nothing = dict.fromkeys(("first", "last"), (0.0, inf))
    assert choose_smoothing(people, ("first", "last")) == nothing


def test_too_few_people_are_a_users_error():
    with pytest.raises(BadData, match="at least 5 asked and 2 held-out people, found 3 and 9"):
        measure_name_bias(make(3, 0, by_ending), make(9, 1000, by_ending))
