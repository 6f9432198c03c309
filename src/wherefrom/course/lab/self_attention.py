"""Attention of words to each other: what key, query and value matrices add, and what they cost.

x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b, with perpendicular u of length beta.
"""

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


def key_query_value(shown: Demonstration, seed: int) -> None:
    a, b, c, d = directions(seed)
    key = np.outer(d, d) + np.outer(c, c)
    query = np.outer(d, a) + np.outer(c, d)
    value = (np.outer(b, b) - np.outer(c, c)) / BETA**2
    x = words(seed)
    weights, out = contexts(x, key, query, value)
    _, simple = contexts(x, np.eye(_D), query, value)
    _, swapped = contexts(x, query, key, value)
    shown.check("alpha_13", weights[0, 2], 1)
    shown.check("alpha_21", weights[1, 0], 1)
    for label, found in (("", out), ("K = I: ", simple)):
        shown.check(f"{label}|c_1 - (u_b - u_c)|", length(found[0] - (b - c)))
        shown.check(f"{label}|c_2 - u_b|", length(found[1] - b))
    shown.wrong("K and Q are interchangeable")
    shown.check("swapped: |c_1|", length(swapped[0]))
    shown.check("swapped: |c_2 - (2 u_b - u_c)/3|", length(swapped[1] - (2 * b - c) / 3))
    shares = out @ np.stack((a, b, c, d)).T / BETA**2
    shown.grid("alpha", weights, ["1", "2", "3"], ["x_1", "x_2", "x_3"])
    shown.grid("outputs", shares, ["c_1", "c_2", "c_3"], _NAMES)


def without_key_query_value(shown: Demonstration, seed: int) -> None:
    a, b, c, d = directions(seed)
    added = {"nothing": 0 * a, "u_d": d, "u_c": c}
    runs = {name: contexts(words(seed, u), *[np.eye(_D)] * 3) for name, u in added.items()}
    for name, (_, out) in runs.items():
        shown.check(f"{name} added: |c_2 - x_2|", length(out[1] - a - added[name]), 0, 1e-5)
    # Averages of the three words: random ones, and the one that Lagrange's condition gives.
    random = generator(seed, "averages").dirichlet(np.ones(3), 10_000)
    averages = np.vstack((random, [0.4, 0.2, 0.4])) @ words(seed)
    alone, far = averages @ (b - c - d) / BETA**2, np.linalg.norm(averages - b, axis=1) / BETA
    shown.check("u_b less u_c and u_d, the most in 10,000 averages", alone.max())
    shown.check("the least distance of an average from u_b, in beta", far.min(), 0.4**0.5)
    after = float(runs["u_d"][0][1, 0])
    shown.wrong("adding u_d to x_2 increases alpha_21, so c_2 takes in u_d + u_b")
    shown.check("alpha_21 with u_d added", after, 0, 1e-6)
    shown.check("share of u_b in c_2 with u_d added", runs["u_d"][1][1] @ b / BETA**2, 0, 1e-6)
    shares = np.stack([out[1] for _, out in runs.values()]) @ np.stack((a, b, c, d)).T / BETA**2
    shown.grid("c_2 after adding ... to x_2", shares, list(runs), _NAMES)


def factors(x: Array, seed: int, head: int) -> dict[str, tuple[Array, Array]]:
    """The two matrices whose product are a head's scores: ReLU(X A) and B, or X Q and (X K)^T."""
    random = generator(seed, "synthesizer")
    a, query, key = random.standard_normal((3, x.shape[1], head)) / np.sqrt(x.shape[1])
    b = random.standard_normal((head, len(x)))
    return {"synthesizer": (np.maximum(x @ a, 0), b), "attention": (x @ query, (x @ key).T)}


def synthesizer(shown: Demonstration, seed: int) -> None:
    width, head, rows = 32, 8, 64
    x = generator(seed, "words").standard_normal((2 * rows, width))
    moved = np.vstack((x[:1], x[rows + 1 :]))  # other words, but for the first
    before, after, longer = (factors(words, seed, head) for words in (x[:rows], moved, x))

    def change(kind: str) -> float:
        return abs(before[kind][0][0] @ before[kind][1] - after[kind][0][0] @ after[kind][1]).max()

    def cost(left: Array, right: Array) -> int:  # of the scores, and of weighting values by them
        return left.size * right.shape[1] + len(left) * right.shape[1] * head

    few, most = cost(*before["synthesizer"]), cost(*before["attention"])
    shown.check("change of word 1's scores when all other words change", change("synthesizer"))
    shown.away("the same with queries and keys", change("attention"), 0, 1e-3)
    shown.wrong("the synthesizer removes the quadratic computation entirely")
    shown.check("multiplications of the scores, and with the values", few, 2 * rows**2 * head)
    shown.check("over attention's", few / most, 1)
    shown.check("growth when l doubles", cost(*longer["synthesizer"]) / few, 4)
    said = f"Multiplications of a head (d = {width}, d_h = {head})"
    plot, n = shown.plot(said, "length l", xscale="log", yscale="log"), np.geomspace(8, 4096, 100)
    plot.curve(n, 2 * n**2 * head + 3 * n * width * head, "queries and keys", RIGHT)
    plot.curve(n, 2 * n**2 * head + 2 * n * width * head, "synthesizer", WRONG)
    plot.curve(n, 2 * n * width * head, "without its quadratic part", OTHER, "--")
