"""The weights as a categorical distribution: what the word says, and what it does not.

alpha_i = exp(k_i.q) / sum_j exp(k_j.q), c = sum_i alpha_i v_i. Item 0 is a.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.numerics import Array, attend, generator, length, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, bars, dress, panels

N, D = 10, 6  # items, and entries of a value
DRAWS = 40_000  # of an item, where one pretends that items are drawn
_TIGHT = 1e-12
_USE = 6


def categorical(seed: int) -> Demonstration:
    random = generator(seed, _USE)
    keys, values = random.standard_normal((N, N)), random.standard_normal((N, D))
    query = 0.4 * random.standard_normal(N)  # short, so that no item has nearly all of it
    weights, c = attend(query, keys, values)
    many = softmax(random.uniform(-30.0, 30.0, (1000, N)))
    picked = random.choice(N, size=DRAWS, p=weights)
    drawn = values[picked]
    # E|v_I - c|^2, from the weights alone: what one drawn value misses the mean by.
    expected = float(weights @ ((values - c) ** 2).sum(axis=1))
    checks = (
        Check.away("the least of 10,000 weights, scores from -30 to 30: above 0", many.min(), 0, 0),
        Check("their sums, the furthest from 1", _furthest(many.sum(axis=1)), 1, _TIGHT),
        Check(
            "|mean of 40,000 values drawn by the weights - c|",
            length(drawn.mean(axis=0) - c),
            0,
            6 * math.sqrt(expected / DRAWS),
        ),
        Check.sampled(
            "mean squared distance of a drawn value from c",
            ((drawn - c) ** 2).sum(axis=1),
            expected,
        ),
        *_shift_checks(weights),
    )
    return Demonstration.of(
        "categorical",
        checks,
        (
            _not_negative_is_not_enough(),
            _nothing_is_drawn([attend(query, keys, values)[1] for _ in range(3)], values, expected),
            _not_relevance(),
        ),
        lambda: _draw(weights, values, c),
    )


def _furthest(sums: Array) -> float:
    return float(sums[np.argmax(abs(sums - 1))])


def _shift_checks(weights: Array) -> tuple[Check, ...]:
    """The weights know differences of scores only, and only among the items that are there."""
    scores = np.log(weights)
    raised = softmax(scores + 100.0)
    twice = softmax(np.append(scores, scores[0]))  # item a once more
    share = float(weights[0])
    return (
        Check("100 added to every score: the largest change", _change(raised, weights), 0, _TIGHT),
        Check(
            "a once more: alpha_a falls from p to p/(1 + p)", twice[0], share / (1 + share),
            _TIGHT,
        ),
        Check(
            "the same: alpha_a over alpha_b, change",
            twice[0] / twice[1] - weights[0] / weights[1],
            0,
            1e-9,
        ),
    )  # fmt: skip


def _change(after: Array, before: Array) -> float:
    return float(abs(after - before).max())


def _not_negative_is_not_enough() -> Refutation:
    """ReLU in place of exp: not negative, and still no distribution."""
    scores = np.array([-1.0, -2.0, -3.0])
    total = float(np.maximum(scores, 0).sum())
    return Refutation.of(
        "numerator and denominator are not negative, therefore the weights are probabilities",
        Check("sum of max(0, score), scores -1, -2, -3", total, 0, 0),
        Check.away("sum of exp(score), the same scores", np.exp(scores).sum(), 0, 0.1),
        Check(
            "the largest weight, the same scores",
            softmax(scores).max(),
            1 / (1 + math.exp(-1) + math.exp(-2)),
            _TIGHT,
        ),
    )


def _nothing_is_drawn(again: list[Array], values: Array, expected: float) -> Refutation:
    moved = max(length(each - again[0]) for each in again)
    nearest = float(np.linalg.norm(values - again[0], axis=1).min())
    return Refutation.of(
        "attention selects a value at random, with the weights as probabilities",
        Check("spread of c over three computations", moved, 0, 0),
        Check.away("the distance of c from the nearest value", nearest, 0, 1e-3),
        Check.away("mean squared distance of one drawn value from c", expected, 0, 0.01),
    )


def _not_relevance() -> Refutation:
    """The item with nine tenths of the weight adds nothing, since its value is zero."""
    weights = softmax(np.log(np.array([0.9, 0.05, 0.05])))
    values = np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 10.0]])
    parts = np.linalg.norm(weights[:, None] * values, axis=1)
    return Refutation.of(
        "a larger weight means that the item matters more to the output",
        Check("weight of a", weights[0], 0.9, _TIGHT),
        Check("length of what a adds to c", parts[0], 0, _TIGHT),
        Check("weight of b", weights[1], 0.05, _TIGHT),
        Check("length of what b adds to c", parts[1], 1.5, _TIGHT),
    )


def _draw(weights: Array, values: Array, c: Array) -> Figure:
    figure, (left, middle, right) = panels(3)
    left.bar(range(N), weights, color=RIGHT, width=0.7)
    left.set_xticks(range(N), [f"{i + 1}" for i in range(N)])
    dress(left, f"Ten weights, all above 0, sum {weights.sum():.0f}", "item", "weight")
    # Two entries of every value; its size is its weight. c lies inside their convex hull.
    sizes = 15 + 700 * weights
    middle.scatter(values[:, 0], values[:, 1], s=sizes, color=PALE, label="values, size: weight")
    middle.plot(c[0], c[1], "X", color=WRONG, markersize=9, label="c, their mean")
    dress(middle, "c is none of the values", "first entry", "second entry", legend=True)
    names = ["a: weight", "a: adds", "b: weight", "b: adds"]
    bars(right, names, [0.9, 0.0, 0.05, 1.5], [RIGHT, WRONG, RIGHT, OTHER])
    right.tick_params(axis="x", labelsize=8)
    dress(right, "A weight is not what an item adds", "", "")
    return figure
