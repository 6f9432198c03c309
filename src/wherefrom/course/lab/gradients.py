"""The derivative of cross-entropy after softmax, by hand."""

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import Array, central_differences, generator, softmax
from wherefrom.show.drawing.figures import PALE, RIGHT, WRONG

_NEAR = 1e-8  # central differences with steps of 1e-5 are right to about 1e-10


def cross_entropy(theta: Array, label: int) -> float:
    """-ln softmax(theta)[label]."""
    return float(np.logaddexp.reduce(theta) - theta[label])


def softmax_cross_entropy(shown: Demonstration, seed: int) -> None:
    theta, true = generator(seed, "softmax-cross-entropy").standard_normal(6), 2
    found, y = softmax(theta), np.eye(len(theta))[true]
    right = found - y
    jacobian = np.diag(found) - np.outer(found, found)  # d y_hat_j / d theta_i
    upstream = -y / found
    summed, alone = jacobian @ upstream, np.diag(jacobian) * upstream
    measured = central_differences(lambda t: cross_entropy(t, true), theta)
    others = np.arange(len(theta)) != true
    far, near = abs(right - measured).max(), abs(summed - right).max()
    shown.check("y_hat - y against central differences", far, 0, _NEAR)
    shown.check("the chain rule, summed over j, against y_hat - y", near)
    shown.wrong("dCE/dtheta_i = dCE/dy_hat_i . dy_hat_i/dtheta_i")
    shown.check("one term: entry of the true class", alone[true], right[true])
    shown.check("one term: largest entry of the other classes", abs(alone[others]).max())
    shown.check("the same, as it should be", measured[others].max(), found[others].max(), _NEAR)
    plot, place = shown.plot("The gradient, entry by entry", "entry"), np.arange(len(theta))
    for number, (values, colour, label) in enumerate(
        ((measured, PALE, "central differences"), (right, RIGHT, "y_hat - y"),
         (alone, WRONG, "one term alone"))
    ):  # fmt: skip
        plot.draw("bar", place + 0.27 * (number - 1), values, 0.26, color=colour, label=label)
