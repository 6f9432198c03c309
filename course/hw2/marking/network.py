"""Looks at question 1c: the parts of the network, its passes, the gradient check, the descent.

A mistake costs its own part alone: what a function takes from another file is first taken from the
submission, and then, if the outcome is wrong, from here.
"""

import contextlib
import io
import os
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from marking.loading import module, own
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

DIMENSIONS = (6, 4, 5)
BLOCKS = ("W1", "b1", "W2", "b2")


def sigmoid(x: Any) -> Any:
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(x, dtype=float)))


def softmax(x: Any) -> Any:
    x = np.asarray(x, dtype=float)
    p = np.exp(x - x.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def unpack(params: Any) -> list[Any]:
    width, hidden, classes = DIMENSIONS
    sizes = np.cumsum([width * hidden, hidden, hidden * classes])
    W1, b1, W2, b2 = np.split(np.asarray(params, dtype=float), sizes)
    return [W1.reshape(width, hidden), b1, W2.reshape(hidden, classes), b2]


def probabilities(data: Any, params: Any) -> Any:
    W1, b1, W2, b2 = unpack(params)
    return softmax(sigmoid(data @ W1 + b1) @ W2 + b2)


def passes(data: Any, labels: Any, params: Any, dimensions: Any = None) -> tuple[float, Any]:
    """The summed cross-entropy and its flat gradient."""
    W1, b1, W2, b2 = unpack(params)
    h = sigmoid(data @ W1 + b1)
    p = softmax(h @ W2 + b2)
    d_theta = p - labels
    d_z = (d_theta @ W2.T) * h * (1 - h)
    blocks = data.T @ d_z, d_z.sum(0), h.T @ d_theta, d_theta.sum(0)
    return float(-(labels * np.log(p)).sum()), np.concatenate([b.ravel() for b in blocks])


RIGHT = {"sigmoid": sigmoid, "softmax": softmax, "sigmoid_grad": lambda s: s * (1 - s)}


def example() -> tuple[Any, Any, Any]:
    draw = np.random.default_rng(1)
    width, hidden, classes = DIMENSIONS
    data, labels = draw.normal(size=(8, width)), np.eye(classes)[draw.integers(0, classes, 8)]
    return data, labels, draw.normal(size=(width + 1) * hidden + (hidden + 1) * classes)


@contextlib.contextmanager
def quiet(folder: Path | None = None) -> Iterator[io.StringIO]:
    """In a folder of its own, with what is printed kept."""
    before, said = Path.cwd(), io.StringIO()
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        os.chdir(folder)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            yield said
    finally:
        os.chdir(before)


@contextlib.contextmanager
def replaced(held: ModuleType, values: dict[str, Any]) -> Iterator[None]:
    """Those of the names that the module has, replaced for a while."""
    kept = {name: getattr(held, name) for name in values if hasattr(held, name)}
    vars(held).update({name: values[name] for name in kept})
    try:
        yield
    finally:
        vars(held).update(kept)


def either(held: ModuleType, right: dict[str, Any], check: Callable[[], str | None]) -> str | None:
    """The check with the submission's own other files, or else with right ones in their place."""
    try:
        return check()
    except NotImplementedError as error:
        first: Exception = error
    except Exception as error:
        first = error
    with replaced(held, right):
        try:
            return check()
        except Exception:
            raise first from None


def check_imports(submission: Submission) -> None:
    for name in ("sigmoid", "softmax", "gradcheck", "sgd", "q1c_neural"):
        module(submission, name)


def check_sigmoid(submission: Submission) -> None:
    found = own(submission, "sigmoid", "sigmoid")
    x = np.array([[1.0, 2.0], [-1.0, -2.0], [0.0, 30.0]])
    _close("sigmoid", found(x.copy()), sigmoid(x))
    _close("sigmoid", found(0.0), 0.5)


def check_slope(submission: Submission) -> None:
    found = own(submission, "sigmoid", "sigmoid_grad")
    s = sigmoid(np.linspace(-3, 3, 7))
    given = np.asarray(found(s.copy()), dtype=float)
    if _same(given, sigmoid(s) * (1 - sigmoid(s))):
        said = "sigmoid_grad takes s = sigmoid(x), but treats it as x and applies sigmoid again"
        raise Finding("input", said)
    _close("sigmoid_grad", given, s * (1 - s))


def check_softmax(submission: Submission) -> None:
    found = own(submission, "softmax", "softmax")
    rows = np.array([[1.0, 2.0, 0.5], [3.0, 4.0, -1.0]])
    given = found(rows.copy())
    whole = np.asarray(given, dtype=float)
    if whole.shape == rows.shape and np.isclose(whole.sum(), 1):
        raise Finding("rows", "the softmax is over the whole matrix, not over each row")
    _close("softmax of a matrix", given, softmax(rows))
    _close("softmax of a vector", found(rows[0].copy()), softmax(rows[0]))


def check_large(submission: Submission) -> None:
    found = own(submission, "softmax", "softmax")
    for rows in (np.array([[1001.0, 1002.0]]), np.array([[-1001.0, -1002.0]])):
        with np.errstate(all="ignore"):
            given = np.asarray(found(rows.copy()), dtype=float)
        if not np.isfinite(given).all():
            said = f"softmax of {rows[0].tolist()} is {given[0].tolist()}: take the maximum off"
            raise Finding("overflow", said)
        _close("softmax of large numbers", given, softmax(rows))


def check_gradcheck(submission: Submission) -> None:
    found = own(submission, "gradcheck", "gradcheck_naive", "grad_check")

    def passes_it(f: Callable[[Any], Any], x: Any) -> bool:
        with quiet() as said:
            try:
                answer = found(f, x)
            except NotImplementedError:
                raise
            except AssertionError:
                return False
        return answer is not False and "fail" not in said.getvalue().lower()

    def noisy(x: Any) -> Any:
        factor = 1 + random.random()
        return factor * np.sum(x**2), 2 * factor * x

    for x in (np.array(3.5), np.array([0.5, -1.0, 2.0]), np.arange(1.0, 7.0).reshape(2, 3)):
        if not passes_it(lambda x: (np.sum(x**2), 2 * x), x.copy()):
            raise Finding("right", f"a right gradient is refused at {x.tolist()}")
        if passes_it(lambda x: (np.sum(x**2), 2.2 * x), x.copy()):
            raise Finding("wrong", f"a gradient that is a tenth too large passes at {x.tolist()}")
    if passes_it(lambda x: (np.sum(x**2), 2 * x + np.array([0, 0, 0.1])), np.ones(3)):
        raise Finding("wrong", "a gradient that is wrong in its last place passes")
    if not passes_it(noisy, np.ones(3)):
        said = "f draws random numbers, and the state is not set back before each call"
        raise Finding("random", said)


def check_descent(submission: Submission) -> None:
    found = own(submission, "sgd", "sgd")
    with quiet(submission.scratch / "descent"):
        reached = found(lambda x: (np.sum(x**2), 2 * x), np.array([0.5, -1.5]), 0.01, 1000)
        moved = found(lambda x: (0.0, np.ones(2)), np.zeros(2), 0.5, 3)
        after = found(lambda x: (0.0, np.zeros(2)), np.ones(2), 1.0, 2, lambda x: x / 2)
    if _same(moved, np.array([1.5, 1.5])):
        raise Finding("sign", "it goes up the gradient instead of down")
    _close("three steps of 0.5 down a slope of 1", moved, np.array([-1.5, -1.5]))
    if not np.abs(reached).max() <= 1e-6:
        raise Finding("value", f"1000 steps down x squared end at {np.asarray(reached).tolist()}")
    _close("two steps with a postprocessing that halves", after, np.full(2, 0.25))


def check_saves(submission: Submission) -> None:
    """It saves every so many steps, halves its rate, and goes on from what it saved."""
    held, found = module(submission, "sgd"), own(submission, "sgd", "sgd")

    def slope(x: Any) -> Any:
        return 0.0, np.ones(2)

    with quiet(submission.scratch / "annealed"):
        reached = found(slope, np.zeros(2), 1.0, 20_001, None, False, 100_000)
    if not np.allclose(np.abs(reached), 20_000.5):  # which way it goes is another test
        said = f"20,001 steps of 1 go as far as {abs(float(np.asarray(reached)[0]))}, not 20000.5"
        raise Finding("rate", f"{said}: the rate is halved after 20,000 steps")
    with (
        quiet(submission.scratch / "saved") as _,
        replaced(held, {"SAVE_PARAMS_EVERY": 10}),
    ):
        found(slope, np.zeros(2), 1.0, 25, None, True, 1000)
        saved = sorted(p.name for p in Path().glob("saved_params_*.npy"))
        if saved != ["saved_params_10.npy", "saved_params_20.npy"]:
            said = ", ".join(saved) or "nothing"
            raise Finding("unsaved", f"25 steps, saved every 10, leave {said} behind")
        kept = np.load("saved_params_20.npy", allow_pickle=False)
        _close(
            "how far the parameters saved after 20 steps of 1 went", np.abs(kept), np.full(2, 20.0)
        )
        again = np.asarray(found(slope, np.full(2, 100.0), 1.0, 30, None, True, 1000))
    if not np.allclose(np.abs(again), 30, atol=0.1):
        said = f"with a save after 20 steps, 30 steps go as far as {np.abs(again).tolist()}, not 30"
        raise Finding("resume", said)


def check_forward(submission: Submission) -> None:
    held = module(submission, "q1c_neural")
    found, (data, _, params) = own(submission, "q1c_neural", "forward"), example()
    wanted = probabilities(data, params)

    def check() -> None:
        for row, label in ((3, 2), (5, 0)):
            given = np.asarray(found(data[row : row + 1], label, params.copy(), DIMENSIONS))
            if given.size != 1:
                said = f"forward() gives {given.size} numbers; the probability of one label is one"
                raise Finding("form", said)
            if np.isclose(given.item(), np.log(wanted[row, label])):
                raise Finding("value", "forward() gives the logarithm, not the probability")
            _close("forward()", given.item(), wanted[row, label])

    either(held, RIGHT, check)


def check_cost(submission: Submission) -> None:
    held = module(submission, "q1c_neural")
    found = own(submission, "q1c_neural", "forward_backward_prop")
    data, labels, params = example()
    wanted = passes(data, labels, params)[0]

    def check() -> None:
        cost = float(found(data.copy(), labels.copy(), params.copy(), DIMENSIONS)[0])
        if np.isclose(cost, wanted / len(data)):
            raise Finding("mean", "the cost is the mean over the rows; the homework's is the sum")
        if np.isclose(cost, wanted / np.log(2)):
            raise Finding("base", "the cost is in bits: the logarithm is the natural one")
        _close("the cost", cost, wanted)

    either(held, RIGHT, check)


def check_gradient(submission: Submission) -> None:
    held = module(submission, "q1c_neural")
    found = own(submission, "q1c_neural", "forward_backward_prop")
    data, labels, params = example()
    wanted = passes(data, labels, params)[1]

    def check() -> None:
        given = np.asarray(found(data.copy(), labels.copy(), params.copy(), DIMENSIONS)[1], float)
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

    either(held, RIGHT, check)


def _same(given: Any, wanted: Any) -> bool:
    given, wanted = np.asarray(given, dtype=float), np.asarray(wanted)
    return given.shape == wanted.shape and np.allclose(given, wanted, rtol=1e-5, atol=1e-8)


def _close(what: str, given: Any, wanted: Any) -> None:
    try:
        shown = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise Finding("form", f"{what} is {type(given).__name__}, not numbers") from None
    wanted = np.asarray(wanted, dtype=float)
    if shown.shape != wanted.shape and shown.size == wanted.size:
        shown = shown.reshape(wanted.shape)
    if not _same(shown, wanted):
        first, right = shown.ravel()[:1].tolist(), wanted.ravel()[:1].tolist()
        raise Finding("value", f"{what} is {first} ..., not {right} ...")
