"""One query over fixed keys: copying a value, averaging two, and taking a sum apart.

c = sum_i alpha_i v_i with alpha = softmax(k_i . q). Item 0 is j or a, item 1 is b.
"""

import math

import numpy as np

from wherefrom.course.lab.demonstration import Check, Demonstration, Figure, Refutation
from wherefrom.course.lab.numerics import Array, attend, generator, length, orthonormal, softmax
from wherefrom.show.drawing.figures import OTHER, PALE, RIGHT, WRONG, bars, dress, panels

N = 10  # items
_TIGHT = 1e-12
_USES = {"copying": 1, "average-of-two": 2, "projection": 3}  # of the seed


# -- copying ------------------------------------------------------------------------------------


def copied_share(n: int, margin: float) -> float:
    """alpha_j where the n - 1 other scores are all `margin` below k_j . q."""
    return 1 / (1 + (n - 1) * math.exp(-margin))


def copying(seed: int) -> Demonstration:
    random = generator(seed, _USES["copying"])
    values, identity = random.standard_normal((N, N)), np.eye(N)
    checks = [_margin_check(n, over, random) for n in (N, 1000) for over in (0.0, 7.0)]
    scores = random.uniform(-8.0, 8.0, (1000, N))
    best = np.sort(scores, axis=1)
    bound = 1 / (1 + (N - 1) * np.exp(best[:, -2] - best[:, -1]))
    short = float(np.maximum(bound - softmax(scores).max(axis=1), 0).max())
    checks.append(
        Check("how far alpha_j falls below 1/(1 + (n-1) e^-margin), 1,000 draws", short, 0, _TIGHT)
    )
    query = (math.log(N - 1) + 7) * identity[0]
    alpha, c = attend(query, identity, values)
    others = length(values[0] - values[1:].mean(axis=0))
    left = (1 - float(alpha[0])) * others
    checks.append(
        Check("|c - v_j| with a margin of ln(n-1) + 7", length(c - values[0]), left, 1e-9)
    )
    return Demonstration.of("copying", tuple(checks), _copying_refutations(), _draw_copying)


def _margin_check(n: int, over: float, random: np.random.Generator) -> Check:
    margin = math.log(n - 1) + over
    scores = np.full(n, random.normal())
    scores[0] += margin
    label = f"alpha_j with a margin of ln(n-1){f' + {over:g}' if over else ''}, n = {n:,}"
    return Check(label, softmax(scores)[0], 1 / (1 + math.exp(-over)), _TIGHT)


def _copying_refutations() -> tuple[Refutation, ...]:
    identical = float(attend(np.eye(N)[0], np.eye(N), np.eye(N))[0][0])
    scores = np.array([10.0, 10.0, -100.0])
    tied = float(softmax(scores)[0])
    return (
        Refutation.of(
            "it is enough that q is almost identical to k_j",
            Check(
                "alpha_j with q = k_j, unit norms, n = 10", identical, math.e / (math.e + 9), _TIGHT
            ),
            Check("the same, rounded", identical, 0.232, 5e-4),
            Check.away("alpha_j against the 1 that is promised", identical, 1.0, 0.5),
        ),
        Refutation.of(
            "k_j.q must be much larger than the sum of the other scores",
            Check(
                "k_j.q minus the sum of the others, scores 10, 10, -100",
                scores[0] - scores[1:].sum(),
                100.0,
                _TIGHT,
            ),
            Check("alpha_j for these scores", tied, 0.5, _TIGHT),
            Check.away("alpha_j against the 1 that is promised", tied, 1.0, 0.4),
        ),
    )


def _draw_copying() -> Figure:
    figure, (left, right) = panels(2)
    margin = np.linspace(0, 14, 200)
    for n, colour in ((10, RIGHT), (100, OTHER), (1000, PALE)):
        share = 1 / (1 + (n - 1) * np.exp(-margin))
        left.plot(margin, share, color=colour, label=f"n = {n:,}")
        left.plot([math.log(n - 1)], [0.5], "o", color=colour)
    dress(
        left,
        "Half of the weight at a margin of ln(n-1)",
        "k_j.q minus the best other",
        "weight of j",
        legend=True,
    )
    values = [copied_share(N, 1.0), 0.5, copied_share(N, math.log(N - 1) + 7)]
    bars(right, ["q = k_j", "10, 10, -100", "ln 9 + 7"], values, [WRONG, WRONG, RIGHT])
    dress(right, "Two that do not copy, and one", "", "weight of j")
    return figure


# -- an average of two --------------------------------------------------------------------------


def shared_weight(n: int, beta: float) -> float:
    """alpha_a = alpha_b for q = beta (k_a + k_b), keys perpendicular and of unit length."""
    return math.exp(beta) / (2 * math.exp(beta) + n - 2)


def faster_weight(n: int, beta: float) -> float:
    """The same for q = beta (k_a + k_b - the sum of the other keys)."""
    return math.exp(beta) / (2 * math.exp(beta) + (n - 2) * math.exp(-beta))


def average_of_two(seed: int) -> Demonstration:
    random = generator(seed, _USES["average-of-two"])
    keys, values = orthonormal(random, 2 * N, N).T, random.standard_normal((N, 2 * N))
    both = keys[0] + keys[1]
    away = both - keys[2:].sum(axis=0)

    def weight(query: Array) -> float:
        return float(attend(query, keys, values)[0][0])

    _, c = attend(20.0 * both, keys, values)
    target = (values[0] + values[1]) / 2
    checks = (
        Check("alpha_a, beta = 1", weight(both), 0.202, 5e-4),
        Check("alpha_a, beta = 5", weight(5 * both), 0.487, 5e-4),
        Check("alpha_a, beta = 1, closed form", weight(both), shared_weight(N, 1), _TIGHT),
        Check("alpha_a, beta = 5, closed form", weight(5 * both), shared_weight(N, 5), _TIGHT),
        Check(
            "alpha_b minus alpha_a, beta = 5",
            np.diff(attend(5 * both, keys, values)[0][:2])[0],
            0,
            _TIGHT,
        ),
        Check("|c - (v_a + v_b)/2|, beta = 20", length(c - target), 0, 1e-6),
        Check("the others subtracted, beta = 1", weight(away), faster_weight(N, 1), _TIGHT),
        Check("the others subtracted, beta = 5", weight(5 * away), faster_weight(N, 5), _TIGHT),
    )
    return Demonstration.of(
        "average-of-two", checks, _average_refutations(keys, values, random), _draw_average
    )


def _average_refutations(
    keys: Array, values: Array, random: np.random.Generator
) -> tuple[Refutation, ...]:
    both = keys[0] + keys[1]
    one, half = (float(attend(scale * both, keys, values)[0][0]) for scale in (1.0, 0.5))
    many = float(softmax(np.array([5.0, 5.0, *[0.0] * 998]))[0])
    basis = orthonormal(random, 2 * N, 2 * N)
    apart_keys, apart_values = basis[:, :N].T, random.standard_normal((N, N)) @ basis[:, N:].T
    blind = attend(50.0 * (apart_values[0] + apart_values[1]), apart_keys, apart_values)[0]
    return (
        Refutation.of(
            "alpha_a = e^beta / (2 e^beta) = 1/2, the n - 2 others left out",
            Check.away("alpha_a, beta = 1, n = 10", one, 0.5, 0.2),
            Check("alpha_a, beta = 5, n = 1,000", many, shared_weight(1000, 5), _TIGHT),
            Check.away("alpha_a, beta = 5, n = 1,000, against 1/2", many, 0.5, 0.2),
        ),
        Refutation.of(
            "q = (mu_a + mu_b)/2, the average of the two keys",
            Check("alpha_a with q = (mu_a + mu_b)/2, n = 10", half, 0.146, 5e-4),
            Check.away("the same against 1/2", half, 0.5, 0.2),
        ),
        Refutation.of(
            "a query made of the values v_a and v_b",
            Check(
                "alpha_a with q = 50 (v_a + v_b), values perpendicular to keys",
                blind[0],
                1 / N,
                1e-9,
            ),
            Check.away("the same against 1/2", blind[0], 0.5, 0.2),
        ),
    )


def _draw_average() -> Figure:
    figure, (left, right) = panels(2)
    beta = np.linspace(0, 8, 200)
    left.axhline(0.5, color=PALE, linewidth=1, linestyle="--")
    plain = [shared_weight(N, float(b)) for b in beta]
    left.plot(beta, plain, color=RIGHT, label="beta (k_a + k_b)")
    faster = [faster_weight(N, float(b)) for b in beta]
    left.plot(beta, faster, color=OTHER, label="others subtracted")
    left.plot([0.5], [shared_weight(N, 0.5)], "o", color=WRONG, label="(mu_a + mu_b)/2")
    dress(left, "Both weights go to one half (n = 10)", "beta", "weight of a", legend=True)
    wrong = [shared_weight(N, 1), shared_weight(N, 0.5), 1 / N]
    names = ["n-2 left out", "(mu_a+mu_b)/2", "from values"]
    bars(right, ["beta = 5", *names], [shared_weight(N, 5), *wrong], [RIGHT, *[WRONG] * 3])
    right.tick_params(axis="x", labelsize=7)
    dress(right, "One half promised; what comes out", "", "weight of a")
    return figure


# -- taking a sum apart -------------------------------------------------------------------------


def projection(seed: int) -> Demonstration:
    random = generator(seed, _USES["projection"])
    d, m, p = 8, 3, 4
    basis = orthonormal(random, d, m + p)
    a, b = basis[:, :m], basis[:, m:]
    va, vb = (_unit(part @ random.standard_normal(part.shape[1])) for part in (a, b))
    extract = a @ a.T
    # The same space, a basis that is not orthonormal: stretched by these along three directions.
    turns = orthonormal(random, m, m), orthonormal(random, m, m)
    skewed = a @ turns[0] @ np.diag((0.5, 1.5, 2.5)) @ turns[1]
    mended = skewed @ np.linalg.solve(skewed.T @ skewed, skewed.T)
    far = length(skewed @ skewed.T @ (va + vb) - va)
    checks = (
        Check("largest entry of A^T B", abs(a.T @ b).max(), 0, _TIGHT),
        Check("|A A^T (v_a + v_b) - v_a|", length(extract @ (va + vb) - va), 0, _TIGHT),
        Check("|A A^T v_b|", length(extract @ vb), 0, _TIGHT),
        Check.away("a basis that is not orthonormal: |A A^T s - v_a|", far, 0, 0.05),
        Check("the same, with A (A^T A)^-1 A^T", length(mended @ (va + vb) - va), 0, 1e-9),
    )
    return Demonstration.of(
        "projection",
        checks,
        _projection_refutations(a, extract, vb),
        lambda: _draw_projection(extract, va, vb),
    )


def _projection_refutations(a: Array, extract: Array, vb: Array) -> tuple[Refutation, ...]:
    d, m = a.shape
    gram = a.T @ a
    return (
        Refutation.of(
            "M = A, the basis vectors as columns",
            Check("A s is defined (1: yes)", _fits(a, vb), 0, 0),
            Check.away("columns of A against entries of s", m, d, 0.5),
        ),
        Refutation.of(
            "M = A^T A",
            Check("largest entry of A^T A - I", abs(gram - np.eye(m)).max(), 0, _TIGHT),
            Check("A^T A s is defined (1: yes)", _fits(gram, vb), 0, 0),
        ),
        Refutation.of(
            "M v_b = v_b",
            Check("|M v_b|", length(extract @ vb), 0, _TIGHT),
            Check("|M v_b - v_b|", length(extract @ vb - vb), length(vb), 1e-9),
            Check.away("the same against 0", length(extract @ vb - vb), 0, 0.05),
        ),
    )


def _unit(vector: Array) -> Array:
    return vector / np.linalg.norm(vector)


def _fits(matrix: Array, vector: Array) -> float:
    try:
        np.matmul(matrix, vector)
    except ValueError:
        return 0.0
    return 1.0


def _draw_projection(extract: Array, va: Array, vb: Array) -> Figure:
    figure, axes = panels(2)
    place = np.arange(len(va))
    shown = (
        (va + vb, extract @ (va + vb), "s and M s", "s = v_a + v_b", "M s"),
        (vb, extract @ vb, "v_b and M v_b", "v_b", "M v_b"),
    )
    axes[0].plot(place + 0.2, va, "_", color=WRONG, markersize=9, label="v_a", zorder=3)
    for panel, (before, after, title, first, second) in zip(axes, shown, strict=True):
        panel.bar(place - 0.2, before, 0.38, color=PALE, label=first)
        panel.bar(place + 0.2, after, 0.38, color=RIGHT, label=second)
        dress(panel, title, "coordinate", "", legend=True)
    return figure
