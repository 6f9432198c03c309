"""Judges question 1c: the parts of the network, its passes, the gradient check, the descent."""

from random import Random
from typing import Any

import numpy as np

from marking.right import DIMENSIONS, forward_backward_prop, probabilities, sigmoid, softmax, unpack
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import Claim, Claims
from wherefrom.course.doctor.order import Request

BLOCKS = ("W1", "b1", "W2", "b2")
HELPERS = ["sigmoid", "softmax", "sigmoid_grad"]  # which q1c_neural takes from other files
_ROWS = (3, 5)  # whose probability forward() is asked for


def array(values: Any) -> dict[str, Any]:
    return {"array": np.asarray(values, dtype=float).tolist()}


def example(draw: int) -> tuple[Any, Any, Any]:
    dice = np.random.default_rng(draw)
    width, hidden, classes = DIMENSIONS
    data, labels = dice.normal(size=(8, width)), np.eye(classes)[dice.integers(0, classes, 8)]
    return data, labels, dice.normal(size=(width + 1) * hidden + (hidden + 1) * classes)


def inputs(draw: int) -> dict[str, list[Any]]:
    """What sigmoid and softmax are tried on."""
    dice = np.random.default_rng(draw)
    large = 1000 + dice.integers(1, 9, (1, 2))
    return {
        "sigmoid": [dice.normal(0, 2, (3, 2)), 0.0],
        "slope": [sigmoid(np.sort(dice.normal(0, 2, 7)))],
        "softmax": [rows := dice.normal(0, 2, (2, 3)), rows[0]],
        "large": [large, -large],
    }


def gradients(draw: int) -> list[dict[str, Any]]:
    """Gradients for a gradient check, in a random order; `right` says which should pass."""
    dice = Random(draw)
    places: list[Any] = [3.5, [0.5, -1.0, 2.0], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]
    found: list[dict[str, Any]] = []
    for at in places * 2:
        factor = dice.choice((0.8, 1.1, 1.25))
        found.append({"function": "square", "at": at, "right": True})
        found.append({"function": "square", "at": at, "factor": factor, "right": False})
    found.append({"function": "square", "at": [1.0, 1.0, 1.0], "last": 0.1, "right": False})
    found.append({"function": "noisy", "at": [1.0, 1.0, 1.0], "right": True})
    return dice.sample(found, len(found))


def slope(draw: int) -> list[float]:
    return np.random.default_rng(draw).uniform(0.5, 2.0, 2).round(3).tolist()


def requests(draw: int, mended: bool = False) -> list[Request]:
    """What the code is asked: first with its own other files, and then with right ones."""
    data, labels, params = example(draw)
    mend = {"mended": HELPERS if mended else []}

    def call(
        name: str, file: str, names: list[str], cases: list[list[Any]], **more: Any
    ) -> Request:
        given = {"file": file, "names": names, "cases": cases, "mended": [], "setting": None}
        return Request(name, "call", given | more)

    rows = [
        [array(data[r : r + 1]), int(np.argmax(labels[r])), array(params), list(DIMENSIONS)]
        for r in _ROWS
    ]
    whole = [[array(data), array(labels), array(params), list(DIMENSIONS)]]
    passes = [
        call("forward", "q1c_neural", ["forward"], rows, **mend),
        call("passes", "q1c_neural", ["forward_backward_prop"], whole, **mend),
    ]
    if mended:
        return passes
    own = {name: [[array(x)] for x in cases] for name, cases in inputs(draw).items()}
    down = slope(draw)
    steps = [
        [{"function": "square"}, array([0.5, -1.5]), 0.01, 1000],
        [{"function": "slope", "by": down}, array([0.0, 0.0]), 0.5, 3],
        [{"function": "slope", "by": [0.0, 0.0]}, array(down), 1.0, 2, {"function": "halve"}],
    ]
    return [
        call("sigmoid", "sigmoid", ["sigmoid"], own["sigmoid"]),
        call("slope", "sigmoid", ["sigmoid_grad"], own["slope"]),
        call("softmax", "softmax", ["softmax"], own["softmax"]),
        call("large", "softmax", ["softmax"], own["large"]),
        Request("gradcheck", "gradcheck", {"cases": _told(gradients(draw))}),
        call("descent", "sgd", ["sgd"], steps),
        Request("saves", "saves", {"slope": down}),
        *passes,
    ]


def _told(cases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{k: v for k, v in case.items() if k != "right"} for case in cases]


def result(claim: Claim, number: int = 0, part: int = 0) -> Any:
    return claim.array(f"result{number}_{part}").numpy().astype(float)


def check_sigmoid(claims: Claims) -> None:
    for number, x in enumerate(inputs(claims.draw)["sigmoid"]):
        close("sigmoid", result(claims["sigmoid"], number), sigmoid(x))


def check_slope(claims: Claims) -> None:
    (s,), given = inputs(claims.draw)["slope"], result(claims["slope"])
    if _same(given, sigmoid(s) * (1 - sigmoid(s))):
        said = "sigmoid_grad takes s = sigmoid(x), but treats it as x and applies sigmoid again"
        raise Finding("input", said)
    close("sigmoid_grad", given, s * (1 - s))


def check_softmax(claims: Claims) -> None:
    rows, row = inputs(claims.draw)["softmax"]
    given = result(claims["softmax"])
    if given.shape == rows.shape and np.isclose(given.sum(), 1):
        raise Finding("rows", "the softmax is over the whole matrix, not over each row")
    close("softmax of a matrix", given, softmax(rows))
    close("softmax of a vector", result(claims["softmax"], 1), softmax(row))


def check_large(claims: Claims) -> None:
    for number, rows in enumerate(inputs(claims.draw)["large"]):
        given = result(claims["large"], number)
        if not np.isfinite(given).all():
            said = f"softmax of {rows[0].tolist()} is {given.ravel().tolist()[:2]}"
            raise Finding("overflow", f"{said}: take the maximum off")
        close("softmax of large numbers", given, softmax(rows))


def check_gradcheck(claims: Claims) -> None:
    passed = claims["gradcheck"].value("passed", list)
    found = list(zip(gradients(claims.draw), passed, strict=False))
    for case, let_pass in found:
        if case["function"] == "noisy" or let_pass is case["right"]:
            continue
        if case["right"]:
            raise Finding("right", f"a right gradient is refused at {case['at']}")
        off = "in its last place" if "last" in case else "by a factor"
        raise Finding("wrong", f"a gradient that is wrong {off} passes at {case['at']}")
    if len(found) < len(gradients(claims.draw)):
        raise Finding("form", "not every gradient was checked")
    if not all(let_pass for case, let_pass in found if case["function"] == "noisy"):
        said = "f draws random numbers, and the state is not set back before each call"
        raise Finding("random", said)


def check_descent(claims: Claims) -> None:
    claim, down = claims["descent"], np.array(slope(claims.draw))
    moved = result(claim, 1)
    if _same(moved, 1.5 * down):
        raise Finding("sign", "it goes up the gradient instead of down")
    close("three steps of 0.5 down a slope", moved, -1.5 * down)
    reached = result(claim)
    if not np.abs(reached).max() <= 1e-6:
        raise Finding("value", f"1000 steps down x squared end at {reached.tolist()[:2]}")
    close("two steps with a postprocessing that halves", result(claim, 2), down / 4)


def check_saves(claims: Claims) -> None:
    """It saves every so many steps, halves its rate, and goes on from what it saved."""
    claim, down = claims["saves"], np.array(slope(claims.draw))
    reached = claim.array("reached").numpy() / down  # in steps; which way it goes is another test
    if not np.allclose(np.abs(reached), 20_000.5):
        said = f"20,001 steps of 1 go as far as {abs(float(reached.ravel()[0]))}, not 20000.5"
        raise Finding("rate", f"{said}: the rate is halved after 20,000 steps")
    saved = claim.value("files", list)
    if saved != ["saved_params_10.npy", "saved_params_20.npy"]:
        said = ", ".join(map(str, saved)) or "nothing"
        raise Finding("unsaved", f"25 steps, saved every 10, leave {said} behind")
    kept = np.abs(claim.array("kept").numpy() / down)
    close("how far the parameters saved after 20 steps of 1 went", kept, np.full(2, 20.0))
    again = np.abs(claim.array("again").numpy() / down)
    if not np.allclose(again, 30, atol=0.1):
        said = f"with a save after 20 steps, 30 steps go as far as {again.tolist()}, not 30"
        raise Finding("resume", said)


def check_forward(claims: Claims) -> None:
    data, labels, params = example(claims.draw)
    wanted = (probabilities(data, params) * labels).sum(1)
    for number, row in enumerate(_ROWS):
        given = result(claims["forward"], number)
        if given.size != 1:
            said = f"forward() gives {given.size} numbers; the probability of one label is one"
            raise Finding("form", said)
        if np.isclose(given.item(), np.log(wanted[row])):
            raise Finding("value", "forward() gives the logarithm, not the probability")
        close("forward()", given.item(), wanted[row])


def check_cost(claims: Claims) -> None:
    data, labels, params = example(claims.draw)
    wanted, cost = forward_backward_prop(data, labels, params)[0], result(claims["passes"])
    if np.isclose(cost, wanted / len(data)).all():
        raise Finding("mean", "the cost is the mean over the rows; the homework's is the sum")
    if np.isclose(cost, wanted / np.log(2)).all():
        raise Finding("base", "the cost is in bits: the logarithm is the natural one")
    close("the cost", cost, wanted)


def check_gradient(claims: Claims) -> None:
    data, labels, params = example(claims.draw)
    wanted, given = forward_backward_prop(data, labels, params)[1], result(claims["passes"], 0, 1)
    if given.shape != wanted.shape:
        raise Finding("form", f"the gradient is {given.shape}, not {wanted.shape}")
    if np.allclose(given * len(data), wanted, rtol=1e-5):
        raise Finding("mean", "the gradient is that of the mean over the rows, not the sum")
    for name, mine, right in zip(BLOCKS, unpack(given), unpack(wanted), strict=True):
        if np.allclose(mine, right, rtol=1e-5, atol=1e-8):
            continue
        if right.ndim == 2 and np.allclose(mine.ravel(), right.T.ravel(), rtol=1e-5):
            raise Finding("transposed", f"the gradient of {name} lies transposed")
        raise Finding("gradient", f"the gradient of {name} is not that of the cost")


def _same(given: Any, wanted: Any) -> bool:
    return given.shape == wanted.shape and np.allclose(given, wanted, rtol=1e-5, atol=1e-8)


def close(what: str, given: Any, wanted: Any) -> None:
    shown, wanted = np.asarray(given, dtype=float), np.asarray(wanted, dtype=float)
    if shown.shape != wanted.shape and shown.size == wanted.size:
        shown = shown.reshape(wanted.shape)
    if not _same(shown, wanted):
        first, right = shown.ravel()[:1].tolist(), wanted.ravel()[:1].tolist()
        raise Finding("value", f"{what} is {first} ..., not {right} ...")
