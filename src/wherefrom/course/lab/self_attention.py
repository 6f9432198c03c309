"""Attention of words to each other: what key, query and value matrices add.

x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b, with perpendicular u of length beta.
"""

from typing import Any

import numpy as np

from wherefrom.course.lab.demonstration import Check, Demonstration, Grid, wrong
from wherefrom.course.lab.numerics import Array, generator, length, orthonormal, softmax

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


def key_query_value(seed: int) -> Demonstration:
    _, b, c, _ = directions(seed)
    x, (key, query, value) = words(seed), matrices(seed)
    weights, out = contexts(x, key, query, value)
    _, simple = contexts(x, np.eye(_D), query, value)
    checks = (
        Check("alpha_13", weights[0, 2], 1),
        Check("alpha_21", weights[1, 0], 1),
        Check("|c_1 - (u_b - u_c)|", length(out[0] - (b - c))),
        Check("|c_2 - u_b|", length(out[1] - b)),
        Check("K = I: |c_1 - (u_b - u_c)|", length(simple[0] - (b - c))),
        Check("K = I: |c_2 - u_b|", length(simple[1] - b)),
    )
    _, swapped = contexts(x, query, key, value)
    refuted = wrong(
        "K and Q are interchangeable",
        Check("swapped: |c_1|", length(swapped[0])),
        Check("swapped: |c_2 - (2 u_b - u_c)/3|", length(swapped[1] - (2 * b - c) / 3)),
    )
    shares = out @ np.stack(directions(seed)).T / BETA**2
    plots = (
        Grid("alpha", weights, ["1", "2", "3"], ["x_1", "x_2", "x_3"]),
        Grid("outputs", shares, ["c_1", "c_2", "c_3"], _NAMES),
    )
    return Demonstration("key-query-value", checks, (refuted,), plots)


def without_key_query_value(seed: int) -> Demonstration:
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
    checks = (
        Check("|c_2 - u_a|", length(runs["nothing"][1][1] - a), 0, 1e-5),
        Check("u_d added: |c_2 - (u_a + u_d)|", length(runs["u_d"][1][1] - (a + d)), 0, 1e-5),
        Check("u_c added: |c_2 - (u_a + u_c)|", length(runs["u_c"][1][1] - (a + c)), 0, 1e-5),
        Check("s u_d added: x_2's least lead over x_1, in beta^2", lead.min(), 0.75),
        Check("u_b less u_c and u_d, the most in 10,000 averages", alone.max()),
        Check("distance from u_b with the weights (2, 1, 2)/5, in beta", far[-1], 0.4**0.5),
        Check("how much nearer any of the 10,000 is", far[-1] - far.min()),
    )
    before, after = (float(runs[name][0][1, 0]) for name in ("nothing", "u_d"))
    ratio = (np.exp(BETA**2) + 2) / (np.exp(BETA**2) + 1 + np.exp(-(BETA**2)))
    refuted = wrong(
        "adding u_d to x_2 increases alpha_21, so c_2 takes in u_d + u_b",
        Check("alpha_21 with u_d added", after, 0, 1e-6),
        Check("alpha_21 after over before", after / before, ratio),
        Check("share of u_b in c_2 with u_d added", runs["u_d"][1][1] @ b / BETA**2, 0, 1e-6),
    )
    shares = np.stack([out[1] for _, out in runs.values()]) @ np.stack((a, b, c, d)).T / BETA**2
    plot = Grid("c_2 after adding ... to x_2", shares, list(runs), _NAMES)
    return Demonstration("without-key-query-value", checks, (refuted,), (plot,))
