"""Attention of words to each other: what key, query and value matrices add, and what they cost.

x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b, with perpendicular u of length beta.
"""

from collections import Counter
from typing import Any

import numpy as np

from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.course.lab.numerics import Array, generator, length, orthonormal, softmax
from wherefrom.show.drawing.figures import OTHER, RIGHT, WRONG

BETA = 4.0
_D = 6  # dimensions: more than the four directions need
_NAMES = ["u_a", "u_b", "u_c", "u_d"]


def directions(seed: int) -> tuple[Array, Array, Array, Array]:
    """u_a, u_b, u_c, u_d."""
    a, b, c, d = BETA * orthonormal(generator(seed, "directions"), _D, 4).T
    return a, b, c, d


def words(seed: int, added: Any = 0.0) -> Array:
    """x_1, x_2, x_3 as rows; `added` goes to x_2."""
    a, b, c, d = directions(seed)
    return np.stack([d + b, a + added, c + b])


def contexts(x: Array, k: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """The weights alpha_ij and the outputs c_i of self-attention with these matrices."""
    weights = softmax((x @ q.T) @ (x @ k.T).T)
    return weights, weights @ (x @ v.T)


def matrices(seed: int) -> tuple[Array, Array, Array]:
    """K, Q and V that make c_1 = u_b - u_c and c_2 = u_b."""
    a, b, c, d = directions(seed)
    key = np.outer(d, d) + np.outer(c, c)
    query = np.outer(d, a) + np.outer(c, d)
    value = (np.outer(b, b) - np.outer(c, c)) / BETA**2
    return key, query, value


def key_query_value(shown: Demonstration, seed: int) -> None:
    _, b, c, _ = directions(seed)
    x, (key, query, value) = words(seed), matrices(seed)
    weights, out = contexts(x, key, query, value)
    _, simple = contexts(x, np.eye(_D), query, value)
    shown.check("alpha_13", weights[0, 2], 1)
    shown.check("alpha_21", weights[1, 0], 1)
    shown.check("|c_1 - (u_b - u_c)|", length(out[0] - (b - c)))
    shown.check("|c_2 - u_b|", length(out[1] - b))
    shown.check("K = I: |c_1 - (u_b - u_c)|", length(simple[0] - (b - c)))
    shown.check("K = I: |c_2 - u_b|", length(simple[1] - b))
    _, swapped = contexts(x, query, key, value)
    shown.wrong("K and Q are interchangeable")
    shown.check("swapped: |c_1|", length(swapped[0]))
    shown.check("swapped: |c_2 - (2 u_b - u_c)/3|", length(swapped[1] - (2 * b - c) / 3))
    shares = out @ np.stack(directions(seed)).T / BETA**2
    shown.grid("alpha", weights, ["1", "2", "3"], ["x_1", "x_2", "x_3"])
    shown.grid("outputs", shares, ["c_1", "c_2", "c_3"], _NAMES)


def without_key_query_value(shown: Demonstration, seed: int) -> None:
    a, b, c, d = directions(seed)
    runs = {
        name: contexts(words(seed, added), *[np.eye(_D)] * 3)
        for name, added in (("nothing", 0.0), ("u_d", d), ("u_c", c))
    }
    more = a + np.linspace(-3, 3, 601)[:, None] * d  # x_2 with any multiple of u_d
    lead = ((more**2).sum(axis=1) - more @ (d + b)) / BETA**2
    # Averages of the three words: random ones, and the one that Lagrange's condition gives.
    random = generator(seed, "averages").dirichlet(np.ones(3), 10_000)
    averages = np.vstack((random, [0.4, 0.2, 0.4])) @ words(seed)
    alone, far = averages @ (b - c - d) / BETA**2, np.linalg.norm(averages - b, axis=1) / BETA
    shown.check("|c_2 - u_a|", length(runs["nothing"][1][1] - a), 0, 1e-5)
    shown.check("u_d added: |c_2 - (u_a + u_d)|", length(runs["u_d"][1][1] - (a + d)), 0, 1e-5)
    shown.check("u_c added: |c_2 - (u_a + u_c)|", length(runs["u_c"][1][1] - (a + c)), 0, 1e-5)
    shown.check("s u_d added: x_2's least lead over x_1, in beta^2", lead.min(), 0.75)
    shown.check("u_b less u_c and u_d, the most in 10,000 averages", alone.max())
    shown.check("distance from u_b with the weights (2, 1, 2)/5, in beta", far[-1], 0.4**0.5)
    shown.check("how much nearer any of the 10,000 is", far[-1] - far.min())
    before, after = (float(runs[name][0][1, 0]) for name in ("nothing", "u_d"))
    ratio = (np.exp(BETA**2) + 2) / (np.exp(BETA**2) + 1 + np.exp(-(BETA**2)))
    shown.wrong("adding u_d to x_2 increases alpha_21, so c_2 takes in u_d + u_b")
    shown.check("alpha_21 with u_d added", after, 0, 1e-6)
    shown.check("alpha_21 after over before", after / before, ratio)
    shown.check("share of u_b in c_2 with u_d added", runs["u_d"][1][1] @ b / BETA**2, 0, 1e-6)
    shares = np.stack([out[1] for _, out in runs.values()]) @ np.stack((a, b, c, d)).T / BETA**2
    shown.grid("c_2 after adding ... to x_2", shares, list(runs), _NAMES)


def _product(costs: Counter[str], what: str, left: Array, right: Array) -> Array:
    """A matrix product; its multiplications are counted."""
    costs[what] += left.size * right.shape[1]
    return left @ right


def attention_head(x: Array, seed: int, head: int) -> tuple[Array, Counter[str]]:
    """softmax(X Q (X K)^T / sqrt(d_h)) (X V): the scores before softmax, and what it cost."""
    random, costs = generator(seed, "synthesizer"), Counter[str]()
    matrices = random.standard_normal((3, x.shape[1], head)) / np.sqrt(x.shape[1])
    query, key, value = (_product(costs, "projecting", x, m) for m in matrices)
    scores = _product(costs, "quadratic", query, key.T) / np.sqrt(head)
    _product(costs, "quadratic", softmax(scores), value)
    return scores, costs


def synthesizer_head(x: Array, seed: int, head: int) -> tuple[Array, Counter[str]]:
    """softmax(ReLU(X A + b_1) B + b_2) (X V): no position is compared with another."""
    random, costs = generator(seed, "synthesizer"), Counter[str]()
    a, v = random.standard_normal((2, x.shape[1], head)) / np.sqrt(x.shape[1])
    hidden = np.maximum(_product(costs, "projecting", x, a), 0)
    scores = _product(costs, "quadratic", hidden, random.standard_normal((head, len(x))))
    _product(costs, "quadratic", softmax(scores), _product(costs, "projecting", x, v))
    return scores, costs


def synthesizer(shown: Demonstration, seed: int) -> None:
    width, head, rows = 32, 8, 64
    x = generator(seed, "words").standard_normal((2 * rows, width))
    moved = np.vstack((x[:1], x[rows + 1 :]))  # other words, but for the first
    (ours, few), (theirs, cost) = (
        f(x[:rows], seed, head) for f in (synthesizer_head, attention_head)
    )
    change = abs(synthesizer_head(moved, seed, head)[0][0] - ours[0]).max()
    compared = abs(attention_head(moved, seed, head)[0][0] - theirs[0]).max()
    square, twice = few["quadratic"], synthesizer_head(x, seed, head)[1]["quadratic"]
    shown.check("change of word 1's scores when all other words change", change)
    shown.away("the same with queries and keys", compared, 0, 1e-3)
    shown.check("multiplications of the scores, and with the values", square, 2 * rows**2 * head)
    shown.check("projections: two matrices of three", few["projecting"] / cost["projecting"], 2 / 3)
    shown.wrong("the synthesizer removes the quadratic computation entirely")
    shown.check("quadratic multiplications, over attention's", square / cost["quadratic"], 1)
    shown.check("growth when l doubles", twice / square, 4)
    said = f"Multiplications of a head (d = {width}, d_h = {head})"
    plot, n = shown.plot(said, "length l", xscale="log", yscale="log"), np.geomspace(8, 4096, 100)
    plot.curve(n, 2 * n**2 * head + 3 * n * width * head, "queries and keys", RIGHT)
    plot.curve(n, 2 * n**2 * head + 2 * n * width * head, "synthesizer", WRONG)
    plot.curve(n, 2 * n * width * head, "without its quadratic part", OTHER, "--")
