"""One query over fixed keys: what the weights are, copying a value, averaging two, and a sum apart.

alpha = softmax(k_i . q), c = sum_i alpha_i v_i. Item 0 is j or a, item 1 is b.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import Array, generator, length, orthonormal, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG

N = 10  # items


def categorical(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "categorical")
    keys, values = random.standard_normal((N, N)), random.standard_normal((N, 6))
    # A short query, so that no item has nearly all of the weight.
    weights = softmax(keys @ (0.4 * random.standard_normal(N)))
    c = weights @ values
    many = softmax(random.uniform(-30.0, 30.0, (1000, N)))
    nearest = np.linalg.norm(values - c, axis=1).min()
    shown.away("the least of 10,000 weights, scores from -30 to 30: above 0", many.min(), 0, 0)
    shown.check("their sums, the furthest from 1", abs(many.sum(axis=1) - 1).max(), 0)
    negative, few = np.array([-1.0, -2.0, -3.0]), softmax(np.log([0.9, 0.05, 0.05]))
    shown.wrong(
        "numerator and denominator are not negative, therefore the weights are probabilities"
    )
    shown.check("sum of max(0, score), scores -1, -2, -3", np.maximum(negative, 0).sum(), 0, 0)
    shown.away("sum of exp(score), the same scores", np.exp(negative).sum(), 0, 0.1)
    shown.wrong("attention selects a value at random, with the weights as probabilities")
    shown.away("the distance of c from the nearest value", nearest, 0, 1e-3)
    shown.wrong("a larger weight means that the item matters more to the output")
    shown.check("weight 0.9, value of length 0: what it adds to c", 0 * few[0])
    shown.check("weight 0.05, value of length 30: what it adds to c", 30 * few[1], 1.5)
    # Two entries of every value; c lies inside their convex hull.
    plot = shown.plot("c is none of the values", "first entry", "second entry")
    sizes = {"s": 15 + 700 * weights, "color": PALE, "label": "values, size: weight"}
    plot.draw("scatter", *values[:, :2].T, **sizes).curve(c[0], c[1], "c, their mean", WRONG, "X")


def copying(shown: Demonstration, seed: int) -> None:
    for n, over in ((n, over) for n in (N, 1000) for over in (0.0, 7.0)):
        weight = softmax(np.array([math.log(n - 1) + over, *[0.0] * (n - 1)]))[0]
        label = f"alpha_j with a margin of ln(n-1){f' + {over:g}' if over else ''}, n = {n:,}"
        shown.check(label, weight, 1 / (1 + math.exp(-over)))
    best = np.sort(generator(seed, "copying").uniform(-8.0, 8.0, (1000, N)), axis=1)
    bound = 1 / (1 + (N - 1) * np.exp(best[:, -2] - best[:, -1]))
    short = np.maximum(bound - softmax(best)[:, -1], 0).max()
    shown.check("how far alpha_j falls below 1/(1 + (n-1) e^-margin), 1,000 draws", short)
    identical = softmax(np.eye(N)[0])[0]
    tied = np.array([10.0, 10.0, -100.0])
    shown.wrong("it is enough that q is almost identical to k_j")
    shown.check("alpha_j with q = k_j, unit norms, n = 10", identical, 0.232, 5e-4)
    shown.wrong("k_j.q must be much larger than the sum of the other scores")
    shown.check("k_j.q minus the sum of the others, scores 10, 10, -100", 20 - tied.sum(), 100)
    shown.check("alpha_j for these scores", softmax(tied)[0], 0.5)
    said = "Half of the weight at a margin of ln(n-1)"
    plot = shown.plot(said, "k_j.q minus the best other", "weight of j")
    margin = np.linspace(0, 14, 200)
    for n, colour in ((10, RIGHT), (100, OTHER), (1000, PALE)):
        plot.curve(margin, 1 / (1 + (n - 1) * np.exp(-margin)), f"n = {n:,}", colour)


def average_of_two(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "average-of-two")
    basis = orthonormal(random, 2 * N, 2 * N)
    keys = basis[:, :N].T
    both, others_off = keys[0] + keys[1], keys[0] + keys[1] - keys[2:].sum(axis=0)
    values = random.standard_normal((2, N)) @ basis[:, N:].T  # perpendicular to all keys

    def weight(query: Array) -> float:
        return softmax(keys @ query)[0]

    def plain(beta: float) -> float:  # alpha_a, in closed form
        return math.exp(beta) / (2 * math.exp(beta) + N - 2)

    def faster(beta: float) -> float:
        return math.exp(beta) / (2 * math.exp(beta) + (N - 2) * math.exp(-beta))

    for beta in (1, 5):
        shown.check(f"alpha_a, beta = {beta}, closed form", weight(beta * both), plain(beta))
        label = f"the others subtracted, beta = {beta}"
        shown.check(label, weight(beta * others_off), faster(beta))
    shown.check("alpha_a, beta = 20", weight(20.0 * both), 0.5, 1e-6)
    shown.wrong("alpha_a = e^beta / (2 e^beta) = 1/2, the n - 2 others left out")
    shown.away("alpha_a, beta = 1, n = 10", weight(both), 0.5, 0.2)
    shown.wrong("q = (mu_a + mu_b)/2, the average of the two keys")
    shown.check("alpha_a with q = (mu_a + mu_b)/2, n = 10", weight(0.5 * both), 0.146, 5e-4)
    shown.wrong("a query made of the values v_a and v_b")
    blind = weight(50.0 * values.sum(axis=0))
    shown.check("alpha_a with q = 50 (v_a + v_b), values perpendicular to keys", blind, 1 / N)
    plot = shown.plot("Both weights go to one half (n = 10)", "beta", "weight of a")
    beta = np.arange(81) / 10
    plot.curve(beta, [plain(b) for b in beta], "beta (k_a + k_b)", RIGHT)
    plot.curve(beta, [faster(b) for b in beta], "others taken off", OTHER)
    plot.curve([0.5], [plain(0.5)], "(mu_a + mu_b)/2", WRONG, "o")


def projection(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "projection")
    d, m, p = 8, 3, 4
    basis = orthonormal(random, d, m + p)
    a, b = basis[:, :m], basis[:, m:]
    va, vb = a @ random.standard_normal(m), b @ random.standard_normal(p)
    extract, whole = a @ a.T, va + vb
    skewed = a * (0.5, 1.5, 2.5)  # the same space, a basis that is not of unit length
    mended = skewed @ np.linalg.solve(skewed.T @ skewed, skewed.T)
    shown.check("|A A^T (v_a + v_b) - v_a|", length(extract @ whole - va), 0)
    far = length(skewed @ skewed.T @ whole - va)
    shown.away("a basis that is not orthonormal: |A A^T s - v_a|", far, 0, 1e-3)
    shown.check("the same, with A (A^T A)^-1 A^T", length(mended @ whole - va), 0)
    shown.wrong("M = A, the basis vectors as columns")
    shown.away("columns of A against entries of s", a.shape[1], len(whole), 0.5)
    shown.wrong("M = A^T A")
    shown.check("largest entry of A^T A - I", abs(a.T @ a - np.eye(m)).max(), 0)
    shown.wrong("M v_b = v_b")
    shown.check("|M v_b|", length(extract @ vb), 0)
    plot, place = shown.plot("s and M s", "coordinate"), np.arange(d)
    plot.draw("bar", place - 0.2, whole, 0.38, color=PALE, label="s = v_a + v_b")
    plot.draw("bar", place + 0.2, extract @ whole, 0.38, color=RIGHT, label="M s")
    plot.draw("plot", place + 0.2, va, "_", color=WRONG, markersize=9, label="v_a", zorder=3)
