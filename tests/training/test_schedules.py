import math

import pytest

from wherefrom.core.errors import UsageError
from wherefrom.core.recipe import Schedule
from wherefrom.training.schedules import TokenCount, factor, find_place

HALF = math.sqrt(0.5)
COSINE = [1, (1 + HALF) / 2, 0.5, (1 - HALF) / 2]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"shape": "constant", "warmup": 0.0}, [1.0] * 10),
        ({"shape": "constant", "warmup": 0.4, "floor": 0.5}, [0.25, 0.5, 0.75] + [1.0] * 7),
        ({"shape": "linear", "warmup": 0.0}, [1 - i / 10 for i in range(10)]),
        ({"shape": "linear", "warmup": 0.2}, [0.5, 1, 1, *(i / 8 for i in range(7, 0, -1))]),
        ({"shape": "linear", "warmup": 0.0, "floor": 0.2}, [1 - 0.08 * i for i in range(10)]),
        ({"shape": "cosine", "warmup": 0.0}, COSINE),
        ({"shape": "cosine", "warmup": 0.0, "floor": 0.1}, [0.1 + 0.9 * f for f in COSINE]),
        ({"shape": "cosine", "warmup": 0.2}, [1.0, *COSINE]),
        # Any warm-up takes at least a step, and may take all.
        ({"shape": "constant", "warmup": 0.01}, [1.0] * 10),
        ({"shape": "linear", "warmup": 1.0}, [0.25, 0.5, 0.75, 1.0]),
        ({"shape": "linear"}, [1.0]),
    ],
)
def test_factors_by_hand(given, expected):
    steps = len(expected)
    found = [factor(Schedule(**given), step, steps) for step in range(steps)]
    assert found == pytest.approx(expected)


COURSE = Schedule(shape="course", floor=0.1)
# 2,937 documents, 128 a step, rows of 127 places; 200 epochs of 128 a row until the floor.
PRETRAIN = TokenCount(2937, 128, 127, 200 * 2937 * 128)


def course(epoch: float) -> float:
    return factor(COURSE, round(epoch * 23), 650 * 23, PRETRAIN)


def test_tokens_are_counted_with_their_padding_and_a_short_last_step():
    assert PRETRAIN.before(0) == 0
    assert PRETRAIN.before(1) == 128 * 127
    assert PRETRAIN.before(22) == 22 * 128 * 127
    assert PRETRAIN.before(23) == 2937 * 127
    assert PRETRAIN.before(24) == (2937 + 128) * 127
    assert PRETRAIN.final == 75_187_200


def test_the_courses_rate_falls_and_comes_back():
    assert course(0) == 1.0
    assert factor(COURSE, 1, 14950, PRETRAIN) == pytest.approx(1.0, abs=1e-6)
    assert course(160) > 0.1
    assert all(course(e) == 0.1 for e in (162, 200, 241))
    assert course(244) > 0.1
    assert course(403) == pytest.approx(1.0, abs=1e-4)
    assert all(course(e) == 0.1 for e in (565, 600, 644))
    assert 6e-3 * factor(COURSE, 650 * 23, 650 * 23, PRETRAIN) == pytest.approx(7.18e-4, rel=3e-3)


def test_the_course_warms_up_in_tokens():
    few = TokenCount(10, 2, 100, 10**6)
    assert [factor(COURSE, s, 99, few) for s in (1, 4)] == pytest.approx([200 / 10240, 800 / 10240])


def test_a_schedule_that_counts_needs_something_to_count():
    with pytest.raises(UsageError, match="course"):
        factor(COURSE, 0, 10)


def test_a_plan_that_is_revised_spreads_what_is_left_over_the_new_steps():
    """Of 100 steps, 40 were taken when they became 70, so that each of 30 counts as two."""
    revised = ((40, 100),)
    places = [find_place(step, 70, revised) for step in (0, 39, 40, 41, 69, 70)]
    assert places == [(0, 100), (39, 100), (40, 100), (42, 100), (98, 100), (100, 100)]
    again = (*revised, (55, 70))  # at place 70: the last 30 places take 60 steps
    assert find_place(54, 115, again) == (68, 100)
    assert find_place(56, 115, again) == (70.5, 100)
    assert find_place(7, 100, ()) == (7, 100)
