"""Two derivatives by hand, of softmax and of a network, and perplexity, which has no base."""

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import (
    Array,
    central_differences,
    generator,
    sigmoid,
    softmax,
)
from wherefrom.show.drawing.figures import PALE, RIGHT, WRONG

_NEAR = 1e-8  # central differences with steps of 1e-5 are right to about 1e-10


def cross_entropy(theta: Array, label: int) -> float:
    """-ln softmax(theta)[label]."""
    return float(np.logaddexp.reduce(theta) - theta[label])


def softmax_cross_entropy(shown: Demonstration, seed: int) -> None:
    theta, label = generator(seed, "softmax-cross-entropy").standard_normal(6), 2
    found, y = softmax(theta), np.eye(len(theta))[label]
    right = found - y
    jacobian = np.diag(found) - np.outer(found, found)  # d y_hat_j / d theta_i
    upstream = -y / found
    summed, alone = jacobian @ upstream, np.diag(jacobian) * upstream
    measured = central_differences(lambda t: cross_entropy(t, label), theta)
    others = np.arange(len(theta)) != label
    shown.check("y_hat - y against central differences", _gap(right, measured), 0, _NEAR)
    shown.check("the chain rule, summed over j, against y_hat - y", _gap(summed, right))
    shown.wrong("dCE/dtheta_i = dCE/dy_hat_i . dy_hat_i/dtheta_i")
    shown.check("one term: entry of the true class", alone[label], right[label])
    shown.check("one term: largest entry of the other classes", abs(alone[others]).max())
    shown.check("the same, as it should be", measured[others].max(), found[others].max(), _NEAR)
    _entries(shown, measured, {"y_hat - y": right, "one term alone": alone})


def input_gradient(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "input-gradient")
    w1, b1 = random.standard_normal((5, 7)), random.standard_normal(7)
    w2, b2 = random.standard_normal((7, 4)), random.standard_normal(4)
    x, label = random.standard_normal(5), 1

    def loss(x: Array) -> float:
        return cross_entropy(sigmoid(x @ w1 + b1) @ w2 + b2, label)

    h = sigmoid(x @ w1 + b1)
    error = (softmax(h @ w2 + b2) - np.eye(4)[label]) @ w2.T
    right, flat = (error * h * (1 - h)) @ w1.T, error @ w1.T
    measured = central_differences(loss, x)
    shown.check("the formula against central differences", _gap(right, measured), 0, _NEAR)
    shown.away("without h (1 - h), against central differences", _gap(flat, measured), 0, 1e-3)
    _entries(shown, measured, {"the formula": right, "without h (1 - h)": flat})


def perplexity_base(shown: Demonstration, seed: int) -> None:
    p = generator(seed, "perplexity-base").uniform(0.01, 0.9, 200)
    natural, mixed = np.exp(-np.log(p).mean()), np.exp(-np.log2(p).mean())
    shown.check("2^(-mean log2 p) against e^(-mean ln p)", 2 ** -np.log2(p).mean(), natural)
    shown.check("both are the geometric mean of 1/p", float(np.prod(p ** (-1 / len(p)))), natural)
    shown.away("bases mixed, e^(-mean log2 p), against the perplexity", mixed, natural, 0.5)
    plot = shown.plot("One perplexity, whatever the base", "base t", ylim=(0, 4 * natural))
    bases = np.linspace(1.5, 12, 100)
    logs = np.log(p).mean() / np.log(bases)
    plot.curve(bases, bases**-logs, "t^(-mean log_t p)", RIGHT)
    plot.curve(bases, np.exp(-logs), "e^(-mean log_t p)", WRONG)


def _gap(a: Array, b: Array) -> float:
    return float(abs(a - b).max())


def _entries(shown: Demonstration, measured: Array, formulas: dict[str, Array]) -> None:
    """What is measured, what is right and what is wrong, beside each other."""
    plot, place = shown.plot("The gradient, entry by entry", "entry"), np.arange(len(measured))
    columns = {"central differences": measured} | formulas
    for number, (label, values) in enumerate(columns.items()):
        colour = (PALE, RIGHT, WRONG)[number]
        plot.draw("bar", place + 0.27 * (number - 1), values, 0.26, color=colour, label=label)
