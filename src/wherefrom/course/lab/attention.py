"""One query over fixed keys: what the weights are, copying a value, averaging two, and a sum apart.

alpha = softmax(k_i . q), c = sum_i alpha_i v_i. Item 0 is j or a, item 1 is b.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import Array, attend, generator, length, orthonormal, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG

N = 10  # items
DRAWS = 40_000  # of an item, where one pretends that items are drawn


def categorical(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "categorical")
    keys, values = random.standard_normal((N, N)), random.standard_normal((N, 6))
    query = 0.4 * random.standard_normal(N)  # short, so that no item has nearly all of it
    weights, c = attend(query, keys, values)
    many = softmax(random.uniform(-30.0, 30.0, (1000, N)))
    drawn = values[random.choice(N, size=DRAWS, p=weights)]
    # E|v_I - c|^2, from the weights alone: what one drawn value misses the mean by.
    missed = float(weights @ ((values - c) ** 2).sum(axis=1))
    nearest = np.linalg.norm(values - c, axis=1).min()
    shown.away("the least of 10,000 weights, scores from -30 to 30: above 0", many.min(), 0, 0)
    shown.check("their sums, the furthest from 1", abs(many.sum(axis=1) - 1).max(), 0)
    off, most = length(drawn.mean(axis=0) - c), 6 * math.sqrt(missed / DRAWS)
    shown.check("|mean of 40,000 values drawn by the weights - c|", off, 0, most)
    negative, few = np.array([-1.0, -2.0, -3.0]), softmax(np.log([0.9, 0.05, 0.05]))
    parts = few[:, None] * np.array([[0.0, 0.0], [30.0, 0.0], [0.0, 10.0]])
    shown.wrong(
        "numerator and denominator are not negative, therefore the weights are probabilities"
    )
    shown.check("sum of max(0, score), scores -1, -2, -3", np.maximum(negative, 0).sum(), 0, 0)
    shown.away("sum of exp(score), the same scores", np.exp(negative).sum(), 0, 0.1)
    shown.wrong("attention selects a value at random, with the weights as probabilities")
    shown.check("change of c, computed again", length(attend(query, keys, values)[1] - c), 0, 0)
    shown.away("the distance of c from the nearest value", nearest, 0, 1e-3)
    shown.wrong("a larger weight means that the item matters more to the output")
    shown.check("weight 0.9: length of what a adds to c", length(parts[0]), 0)
    shown.check("weight 0.05: length of what b adds to c", length(parts[1]), 1.5)
    # Two entries of every value; c lies inside their convex hull.
    plot = shown.plot("c is none of the values", "first entry", "second entry")
    sizes = {"s": 15 + 700 * weights, "color": PALE, "label": "values, size: weight"}
    plot.draw("scatter", *values[:, :2].T, **sizes).curve(c[0], c[1], "c, their mean", WRONG, "X")


def copying(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "copying")
    for n, over in ((n, over) for n in (N, 1000) for over in (0.0, 7.0)):
        scores = np.full(n, random.normal())
        scores[0] += math.log(n - 1) + over
        label = f"alpha_j with a margin of ln(n-1){f' + {over:g}' if over else ''}, n = {n:,}"
        shown.check(label, softmax(scores)[0], 1 / (1 + math.exp(-over)))
    drawn = random.uniform(-8.0, 8.0, (1000, N))
    best = np.sort(drawn, axis=1)
    bound = 1 / (1 + (N - 1) * np.exp(best[:, -2] - best[:, -1]))
    short = np.maximum(bound - softmax(drawn).max(axis=1), 0).max()
    shown.check("how far alpha_j falls below 1/(1 + (n-1) e^-margin), 1,000 draws", short)
    values = random.standard_normal((N, N))
    alpha, c = attend((math.log(N - 1) + 7) * np.eye(N)[0], np.eye(N), values)
    left = (1 - alpha[0]) * length(values[0] - values[1:].mean(axis=0))
    shown.check("|c - v_j| with a margin of ln(n-1) + 7", length(c - values[0]), left)
    identical = attend(np.eye(N)[0], np.eye(N), np.eye(N))[0][0]
    tied = np.array([10.0, 10.0, -100.0])
    shown.wrong("it is enough that q is almost identical to k_j")
    shown.check("alpha_j with q = k_j, unit norms, n = 10", identical, math.e / (math.e + 9))
    shown.check("the same, rounded", identical, 0.232, 5e-4)
    shown.wrong("k_j.q must be much larger than the sum of the other scores")
    shown.check("k_j.q minus the sum of the others, scores 10, 10, -100", 20 - tied.sum(), 100)
    shown.check("alpha_j for these scores", softmax(tied)[0], 0.5)
    said = "Half of the weight at a margin of ln(n-1)"
    plot = shown.plot(said, "k_j.q minus the best other", "weight of j")
    margin = np.linspace(0, 14, 200)
    for n, colour in ((10, RIGHT), (100, OTHER), (1000, PALE)):
        plot.curve(margin, 1 / (1 + (n - 1) * np.exp(-margin)), f"n = {n:,}", colour)
        plot.draw("plot", [math.log(n - 1)], [0.5], "o", color=colour)


def shared_weight(n: int, beta: float) -> float:
    """alpha_a = alpha_b for q = beta (k_a + k_b), keys perpendicular and of unit length."""
    return math.exp(beta) / (2 * math.exp(beta) + n - 2)


def faster_weight(n: int, beta: float) -> float:
    """The same for q = beta (k_a + k_b - the sum of the other keys)."""
    return math.exp(beta) / (2 * math.exp(beta) + (n - 2) * math.exp(-beta))


def average_of_two(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "average-of-two")
    basis, values = orthonormal(random, 2 * N, 2 * N), random.standard_normal((N, 2 * N))
    keys = basis[:, :N].T
    both, away_from_others = keys[0] + keys[1], keys[0] + keys[1] - keys[2:].sum(axis=0)

    def weight(query: Array) -> float:
        return attend(query, keys, values)[0][0]

    near = length(attend(20.0 * both, keys, values)[1] - (values[0] + values[1]) / 2)
    shown.check("alpha_a, beta = 1, closed form", weight(both), shared_weight(N, 1))
    shown.check("alpha_a, beta = 5, closed form", weight(5 * both), shared_weight(N, 5))
    shown.check("|c - (v_a + v_b)/2|, beta = 20", near, 0, 1e-6)
    shown.check("the others subtracted, beta = 1", weight(away_from_others), faster_weight(N, 1))
    least = faster_weight(N, 5)
    shown.check("the others subtracted, beta = 5", weight(5 * away_from_others), least)
    many = softmax(np.array([5.0, 5.0, *[0.0] * 998]))[0]
    apart = random.standard_normal((N, N)) @ basis[:, N:].T  # values perpendicular to all keys
    blind = weight(50.0 * (apart[0] + apart[1]))
    shown.wrong("alpha_a = e^beta / (2 e^beta) = 1/2, the n - 2 others left out")
    shown.away("alpha_a, beta = 1, n = 10", weight(both), 0.5, 0.2)
    shown.check("alpha_a, beta = 5, n = 1,000", many, shared_weight(1000, 5))
    shown.wrong("q = (mu_a + mu_b)/2, the average of the two keys")
    shown.check("alpha_a with q = (mu_a + mu_b)/2, n = 10", weight(0.5 * both), 0.146, 5e-4)
    shown.wrong("a query made of the values v_a and v_b")
    shown.check("alpha_a with q = 50 (v_a + v_b), values perpendicular to keys", blind, 1 / N)
    plot = shown.plot("Both weights go to one half (n = 10)", "beta", "weight of a")
    beta = np.arange(81)
    for alpha, colour, label in (
        (shared_weight, RIGHT, "beta (k_a + k_b)"),
        (faster_weight, OTHER, "others taken off"),
    ):
        plot.curve(beta / 10, [alpha(N, b / 10) for b in beta], label, colour)
    plot.curve([0.5], [shared_weight(N, 0.5)], "(mu_a + mu_b)/2", WRONG, "o")


def projection(shown: Demonstration, seed: int) -> None:
    random = generator(seed, "projection")
    d, m, p = 8, 3, 4
    basis = orthonormal(random, d, m + p)
    a, b = basis[:, :m], basis[:, m:]
    parts = (part @ random.standard_normal(part.shape[1]) for part in (a, b))
    va, vb = (part / length(part) for part in parts)
    extract, whole = a @ a.T, va + vb
    # The same space, a basis that is not orthonormal: stretched by these along three directions.
    turns = orthonormal(random, m, m), orthonormal(random, m, m)
    skewed = a @ turns[0] @ np.diag((0.5, 1.5, 2.5)) @ turns[1]
    mended = skewed @ np.linalg.solve(skewed.T @ skewed, skewed.T)
    far = length(skewed @ skewed.T @ whole - va)
    shown.check("largest entry of A^T B", abs(a.T @ b).max(), 0)
    shown.check("|A A^T (v_a + v_b) - v_a|", length(extract @ whole - va), 0)
    shown.away("a basis that is not orthonormal: |A A^T s - v_a|", far, 0, 0.05)
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
