"""Attention of words to each other: what key, query and value matrices add, and what they cost.

x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b, with perpendicular u of length beta.
"""

from typing import Any

import numpy as np

from wherefrom.course.lab.demonstration import Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.numerics import Array, generator, length, orthonormal, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, dress, grid, panels

BETA = 4.0
_D = 6  # dimensions: more than the four directions need
_TIGHT = 1e-9
_USES = {"directions": 5, "synthesizer": 6}


def directions(seed: int) -> tuple[Array, Array, Array, Array]:
    """u_a, u_b, u_c, u_d."""
    a, b, c, d = BETA * orthonormal(generator(seed, _USES["directions"]), _D, 4).T
    return a, b, c, d


def words(seed: int, added: Any = 0.0) -> Array:
    """x_1, x_2, x_3 as rows; `added` goes to x_2."""
    a, b, c, d = directions(seed)
    return np.stack([d + b, a + added, c + b])


def contexts(x: Array, k: Array, q: Array, v: Array) -> tuple[Array, Array]:
    """The weights alpha_ij and the outputs c_i of self-attention with these matrices."""
    weights = softmax((x @ q.T) @ (x @ k.T).T)
    return weights, weights @ (x @ v.T)


# -- with key, query and value matrices ---------------------------------------------------------


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
        Check("alpha_13", weights[0, 2], 1, _TIGHT),
        Check("alpha_21", weights[1, 0], 1, _TIGHT),
        Check("|c_1 - (u_b - u_c)|", length(out[0] - (b - c)), 0, _TIGHT),
        Check("|c_2 - u_b|", length(out[1] - b), 0, _TIGHT),
        Check("K = I: |c_1 - (u_b - u_c)|", length(simple[0] - (b - c)), 0, _TIGHT),
        Check("K = I: |c_2 - u_b|", length(simple[1] - b), 0, _TIGHT),
    )
    swapped_weights, swapped = contexts(x, query, key, value)
    refutation = Refutation.of(
        "K and Q are interchangeable",
        Check("swapped: |c_1|", length(swapped[0]), 0, _TIGHT),
        Check("swapped: |c_2 - (2 u_b - u_c)/3|", length(swapped[1] - (2 * b - c) / 3), 0, _TIGHT),
        Check.away("swapped: |c_1 - (u_b - u_c)|", length(swapped[0] - (b - c)), 0, 1),
        Check.away("swapped: |c_2 - u_b|", length(swapped[1] - b), 0, 1),
    )
    return Demonstration.of(
        "key-query-value",
        checks,
        (refutation,),
        lambda: _draw_matrices(seed, weights, out, swapped_weights, swapped),
    )


def _draw_matrices(
    seed: int, weights: Array, out: Array, swapped_weights: Array, swapped: Array
) -> Figure:
    figure, axes = panels(4)
    basis = np.stack(directions(seed))
    names, places = ["u_a", "u_b", "u_c", "u_d"], ["x_1", "x_2", "x_3"]
    grid(axes[0], "alpha", weights, ["1", "2", "3"], places)
    grid(axes[1], "outputs", out @ basis.T / BETA**2, ["c_1", "c_2", "c_3"], names)
    grid(axes[2], "alpha, K and Q swapped", swapped_weights, ["1", "2", "3"], places)
    grid(axes[3], "outputs, swapped", swapped @ basis.T / BETA**2, ["c_1", "c_2", "c_3"], names)
    return figure


# -- without ------------------------------------------------------------------------------------


def without_key_query_value(seed: int) -> Demonstration:
    a, b, c, d = directions(seed)
    same = np.eye(_D)
    runs = {
        name: contexts(words(seed, added), same, same, same)
        for name, added in (("nothing", 0.0), ("u_d", d), ("u_c", c))
    }
    more = a + np.linspace(-3, 3, 601)[:, None] * d  # x_2 with any multiple of u_d
    lead = ((more**2).sum(axis=1) - more @ (d + b)) / BETA**2
    checks = (
        Check("|c_2 - u_a|", length(runs["nothing"][1][1] - a), 0, 1e-5),
        Check("u_d added: |c_2 - (u_a + u_d)|", length(runs["u_d"][1][1] - (a + d)), 0, 1e-5),
        Check("u_c added: |c_2 - (u_a + u_c)|", length(runs["u_c"][1][1] - (a + c)), 0, 1e-5),
        Check("s u_d added: x_2's least lead over x_1, in beta^2", lead.min(), 0.75, 1e-9),
        Check("u_b less u_c and u_d, the most in 10,000 averages", _most_alone(seed), 0, 1e-9),
        Check("least distance of any average from u_b, in beta", _nearest(seed), 0.4**0.5, 1e-9),
    )
    before, after = (float(runs[name][0][1, 0]) for name in ("nothing", "u_d"))
    ratio = (np.exp(BETA**2) + 2) / (np.exp(BETA**2) + 1 + np.exp(-(BETA**2)))
    refutation = Refutation.of(
        "adding u_d to x_2 increases alpha_21, so c_2 takes in u_d + u_b",
        Check("alpha_21 with u_d added", after, 0, 1e-6),
        Check("alpha_21 after over before", after / before, ratio, 1e-9),
        Check.away("the same against any growth to speak of", after / before, 2.0, 0.9),
        Check("share of u_b in c_2 with u_d added", runs["u_d"][1][1] @ b / BETA**2, 0, 1e-6),
    )
    return Demonstration.of(
        "without-key-query-value", checks, (refutation,), lambda: _draw_without(seed, runs)
    )


def _most_alone(seed: int) -> float:
    """The most that u_b's share ever exceeds u_c's and u_d's, over random convex combinations."""
    random = generator(seed, _USES["directions"] + 100)
    weights = random.dirichlet(np.ones(3), 10_000)
    basis = np.stack(directions(seed))
    shares = weights @ words(seed) @ basis.T / BETA**2
    return float((shares[:, 1] - shares[:, 2] - shares[:, 3]).max())


def _nearest(seed: int) -> float:
    """|c - u_b| / beta at its least over convex combinations: w = (2, 1, 2)/5, by Lagrange.

    In units of beta it is w_1^2 + w_3^2 + 2 w_2^2 under a square root.
    """
    _, b, _, _ = directions(seed)
    x = words(seed)
    system = np.zeros((4, 4))
    system[:3, :3], system[:3, 3], system[3, :3] = 2 * x @ x.T, 1.0, 1.0
    weights = np.linalg.solve(system, np.array([*(2 * x @ b), 1.0]))[:3]
    if (weights < 0).any():
        return float("nan")  # the least would lie on an edge
    return length(weights @ x - b) / BETA


def _draw_without(seed: int, runs: dict[str, tuple[Array, Array]]) -> Figure:
    figure, (left, right) = panels(2)
    basis = np.stack(directions(seed))
    shares = np.stack([out[1] @ basis.T / BETA**2 for _, out in runs.values()])
    grid(left, "c_2 after adding ... to x_2", shares, list(runs), ["u_a", "u_b", "u_c", "u_d"])
    s = np.linspace(-1.5, 2.5, 200)
    right.plot(s, 1 + s**2, color=RIGHT, label="with itself")
    right.plot(s, s, color=WRONG, label="with x_1")
    right.plot(s, 0 * s, color=PALE, label="with x_3")
    dress(right, "Scores of x_2 = u_a + s u_d, in beta^2", "s", "score", legend=True)
    return figure


# -- the synthesizer ----------------------------------------------------------------------------


class _Counter:
    """Matrix products, and the multiplications that they took."""

    def __init__(self) -> None:
        self.scores = self.mixing = self.projecting = 0

    def product(self, what: str, left: Array, right: Array) -> Array:
        rows, inner = left.shape
        setattr(self, what, getattr(self, what) + rows * inner * right.shape[1])
        return left @ right


def attention_head(x: Array, seed: int, head: int) -> tuple[Array, _Counter]:
    """softmax(X Q (X K)^T / sqrt(d_h)) (X V): the scores before softmax, and what it cost."""
    random, count = generator(seed, _USES["synthesizer"]), _Counter()
    q, k, v = random.standard_normal((3, x.shape[1], head)) / np.sqrt(x.shape[1])
    query, key, value = (count.product("projecting", x, m) for m in (q, k, v))
    scores = count.product("scores", query, key.T) / np.sqrt(head)
    count.product("mixing", softmax(scores), value)
    return scores, count


def synthesizer_head(x: Array, seed: int, head: int) -> tuple[Array, _Counter]:
    """softmax(ReLU(X A + b_1) B + b_2) (X V): no position is compared with another."""
    random, count = generator(seed, _USES["synthesizer"]), _Counter()
    length, width = x.shape
    a, v = random.standard_normal((2, width, head)) / np.sqrt(width)
    b = random.standard_normal((head, length))
    hidden = np.maximum(count.product("projecting", x, a), 0)
    scores = count.product("scores", hidden, b)
    count.product("mixing", softmax(scores), count.product("projecting", x, v))
    return scores, count


def synthesizer(seed: int) -> Demonstration:
    width, head, length = 32, 8, 64
    x = generator(seed, _USES["synthesizer"] + 100).standard_normal((2 * length, width))
    moved = np.vstack((x[:1], x[length + 1 :]))  # other words, but for the first
    (ours, few), (theirs, cost) = (
        f(x[:length], seed, head) for f in (synthesizer_head, attention_head)
    )
    twice = synthesizer_head(x, seed, head)[1]
    change = float(abs(synthesizer_head(moved, seed, head)[0][0] - ours[0]).max())
    compared = float(abs(attention_head(moved, seed, head)[0][0] - theirs[0]).max())
    square = length**2 * head
    checks = (
        Check("change of word 1's scores when all other words change", change, 0, 1e-12),
        Check.away("the same with queries and keys", compared, 0, 1e-3),
        Check("multiplications of the l x l scores", few.scores, square, 0),
        Check("multiplications of the weights with the values", few.mixing, square, 0),
        Check("projections saved: one matrix of three", few.projecting / cost.projecting, 2 / 3, 0),
    )
    refutation = Refutation.of(
        "the synthesizer removes the quadratic computation entirely",
        Check(
            "quadratic multiplications, over those with queries and keys",
            (few.scores + few.mixing) / (cost.scores + cost.mixing),
            1,
            0,
        ),
        Check(
            "growth when l doubles", (twice.scores + twice.mixing) / (few.scores + few.mixing), 4, 0
        ),
        Check.away(
            "the same against the 2 of a linear cost",
            (twice.scores + twice.mixing) / (few.scores + few.mixing),
            2,
            1,
        ),
    )
    return Demonstration.of(
        "synthesizer", checks, (refutation,), lambda: _draw_synthesizer(width, head)
    )


def _draw_synthesizer(width: int, head: int) -> Figure:
    figure, (left,) = panels(1)
    length = np.geomspace(8, 4096, 100)
    square = 2 * length**2 * head
    left.loglog(length, square + 3 * length * width * head, color=RIGHT, label="queries and keys")
    left.loglog(length, square + 2 * length * width * head, color=WRONG, label="synthesizer")
    left.loglog(
        length,
        2 * length * width * head,
        color=OTHER,
        linestyle="--",
        label="without its quadratic part",
    )
    dress(
        left, f"Multiplications of a head (d = {width}, d_h = {head})", "length l", "", legend=True
    )
    return figure
