"""Two derivatives by hand, of softmax and of a network, and perplexity, which has no base."""

import math
from functools import partial

import numpy as np

from wherefrom.course.lab.demonstration import Check, Demonstration, Figure, away, wrong
from wherefrom.course.lab.numerics import (
    Array,
    central_differences,
    generator,
    length,
    sigmoid,
    softmax,
)
from wherefrom.show.drawing.figures import PALE, RIGHT, WRONG, dress, panels

_USES = {"softmax": 7, "network": 8, "perplexity": 9}
_NEAR = 1e-8  # central differences with steps of 1e-5 are right to about 1e-10


def cross_entropy(theta: Array, label: int) -> float:
    """-ln softmax(theta)[label]."""
    return float(np.logaddexp.reduce(theta) - theta[label])


# -- softmax and cross-entropy ------------------------------------------------------------------


def softmax_cross_entropy(seed: int) -> Demonstration:
    theta, label = generator(seed, _USES["softmax"]).standard_normal(6), 2
    found, y = softmax(theta), np.eye(len(theta))[label]
    right = found - y
    jacobian = np.diag(found) - np.outer(found, found)  # d y_hat_j / d theta_i
    upstream = -y / found
    summed, alone = jacobian @ upstream, np.diag(jacobian) * upstream
    measured = central_differences(lambda t: cross_entropy(t, label), theta)
    others = np.arange(len(theta)) != label
    checks = (
        Check("y_hat - y against central differences", _gap(right, measured), 0, _NEAR),
        Check("the chain rule, summed over j, against y_hat - y", _gap(summed, right)),
        Check("sum of the gradient", right.sum()),
    )
    refuted = wrong(
        "dCE/dtheta_i = dCE/dy_hat_i . dy_hat_i/dtheta_i",
        Check("one term: entry of the true class", alone[label], right[label]),
        Check("one term: largest entry of the other classes", abs(alone[others]).max()),
        Check("the same, as it should be", measured[others].max(), found[others].max(), _NEAR),
    )
    draw = partial(_draw_entries, measured, right, alone, "y_hat - y", "one term alone")
    return Demonstration.of("softmax-cross-entropy", checks, (refuted,), draw)


# -- the network's input ------------------------------------------------------------------------


def input_gradient(seed: int) -> Demonstration:
    random = generator(seed, _USES["network"])
    w1, b1 = random.standard_normal((5, 7)), random.standard_normal(7)
    w2, b2 = random.standard_normal((7, 4)), random.standard_normal(4)
    x, label = random.standard_normal(5), 1

    def loss(x: Array) -> float:
        return cross_entropy(sigmoid(x @ w1 + b1) @ w2 + b2, label)

    h = sigmoid(x @ w1 + b1)
    error = (softmax(h @ w2 + b2) - np.eye(4)[label]) @ w2.T
    right, flat = (error * h * (1 - h)) @ w1.T, error @ w1.T
    measured = central_differences(loss, x)
    step = 1e-4 * right / length(right)
    drop = (loss(x - step) - loss(x + step)) / 2e-4
    checks = (
        Check("the formula against central differences", _gap(right, measured), 0, _NEAR),
        Check("slope along the gradient against its length", -drop, length(right), 1e-6),
        away("without h (1 - h), against central differences", _gap(flat, measured), 0, 1e-3),
    )
    draw = partial(_draw_entries, measured, right, flat, "the formula", "without h (1 - h)")
    return Demonstration.of("input-gradient", checks, (), draw)


# -- perplexity ---------------------------------------------------------------------------------


def perplexity_base(seed: int) -> Demonstration:
    p = generator(seed, _USES["perplexity"]).uniform(0.01, 0.9, 200)
    natural, mixed = np.exp(-np.log(p).mean()), np.exp(-np.log2(p).mean())
    checks = (
        Check("2^(-mean log2 p) against e^(-mean ln p)", 2 ** -np.log2(p).mean(), natural),
        Check("10^(-mean log10 p) against e^(-mean ln p)", 10 ** -np.log10(p).mean(), natural),
        Check("both are the geometric mean of 1/p", float(np.prod(p ** (-1 / len(p)))), natural),
        Check(
            "bases mixed, e^(-mean log2 p), against the power 1/ln 2 of it",
            *(mixed, natural ** (1 / math.log(2)), 1e-8),
        ),
        away("bases mixed, against the perplexity", mixed, natural, 0.5),
    )
    return Demonstration.of("perplexity-base", checks, (), lambda: _draw_perplexity(p, natural))


def _gap(a: Array, b: Array) -> float:
    return float(abs(a - b).max())


def _draw_entries(
    measured: Array, right: Array, wrong: Array, right_name: str, wrong_name: str
) -> Figure:
    figure, (left,) = panels(1)
    place = np.arange(len(measured))
    left.bar(place - 0.27, measured, 0.26, color=PALE, label="central differences")
    left.bar(place, right, 0.26, color=RIGHT, label=right_name)
    left.bar(place + 0.27, wrong, 0.26, color=WRONG, label=wrong_name)
    left.axhline(0, color=PALE, linewidth=0.8)
    dress(left, "The gradient, entry by entry", "entry", "", legend=True)
    return figure


def _draw_perplexity(p: Array, natural: float) -> Figure:
    figure, (left,) = panels(1)
    bases = np.linspace(1.5, 12, 100)
    logs = np.log(p).mean() / np.log(bases)
    left.plot(bases, bases**-logs, color=RIGHT, label="t^(-mean log_t p)")
    left.plot(bases, np.exp(-logs), color=WRONG, label="e^(-mean log_t p)")
    left.plot([2, np.e, 10], [natural] * 3, "o", color=RIGHT)
    left.set_ylim(0, 4 * natural)
    dress(left, "One perplexity, whatever the base", "base t", "", legend=True)
    return figure
