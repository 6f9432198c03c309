"""Stochastic gradient descent under the homework's name, with saving and going on.

`saved_params_N.npy` holds the parameters after N steps, as the homework has them. Beside it,
`saved_state_N.json` holds the states of both random generators, Python's and numpy's: a run
that goes on from there is, to the bit, the one that was never stopped. The homework's own loop
leaves no such file; its parameters are gone on from with other random numbers.
"""

import json
import os
import random
import re
import sys
from pathlib import Path

import numpy as np

SAVE_PARAMS_EVERY = 5000
ANNEAL_EVERY = 20_000


def sgd(
    f,
    x0,
    step,
    iterations,
    postprocessing=None,
    use_saved=False,
    print_every=10,
    folder=".",
    PRINT_EVERY=None,
):
    """Take `iterations` steps down the gradient of `f(x)`, which gives (cost, gradient).

    `PRINT_EVERY` is the homework's name for `print_every`.
    """
    postprocess = postprocessing or (lambda x: x)
    every = print_every if PRINT_EVERY is None else PRINT_EVERY
    x, done = x0, 0
    if use_saved:
        saved = load_saved_params(folder)
        if saved is not None:
            done, x = saved
            step *= 0.5 ** (done // ANNEAL_EVERY)
    cost_mean = None
    for number in range(done + 1, iterations + 1):
        ### START_CODE_HERE ###
        cost, gradient = f(x)
        x = postprocess(x - step * gradient)
        ### END_CODE_HERE ###
        cost_mean = cost if cost_mean is None else 0.95 * cost_mean + 0.05 * cost
        if number % every == 0:
            print(f"iter {number}: {cost_mean:f}")
        if use_saved and number % SAVE_PARAMS_EVERY == 0:
            save_params(number, x, folder)
        if number % ANNEAL_EVERY == 0:
            step *= 0.5
    return x


def save_params(number: int, params, folder=".") -> None:
    """Write random states and parameters after a step; the parameters last, and all at once."""
    ### START_CODE_HERE ###
    name, keys, place, has_gauss, gauss = np.random.get_state()
    state = {
        "python": random.getstate(),
        "numpy": [name, [int(k) for k in keys], place, has_gauss, gauss],
    }
    state_file(number, folder).write_text(json.dumps(state), encoding="utf-8")
    path = params_file(number, folder)
    unfinished = path.with_name(f"unfinished_{path.name}")
    np.save(unfinished, params)
    os.replace(unfinished, path)
    ### END_CODE_HERE ###


def load_saved_params(folder="."):
    """(steps, parameters) of the latest save; both random states as they were then, if known."""
    ### START_CODE_HERE ###
    numbers = saved_numbers(folder)
    if not numbers:
        return None
    number = max(numbers)
    params = np.load(params_file(number, folder), allow_pickle=False)
    states = state_file(number, folder)
    if states.exists():
        restore(json.loads(states.read_text(encoding="utf-8")))
    else:
        print(
            f"{params_file(number, folder)}: going on from it without {states.name}, which would "
            "have the random states: not the steps that an unstopped run takes",
            file=sys.stderr,
        )
    return number, params
    ### END_CODE_HERE ###


def restore(state) -> None:
    """Both random generators as `save_params` found them."""
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = state["numpy"]
    np.random.set_state((name, np.array(keys, np.uint32), *rest))


def saved_numbers(folder=".") -> list[int]:
    found = (re.fullmatch(r"saved_params_(\d+)\.npy", p.name) for p in Path(folder).iterdir())
    return sorted(int(match[1]) for match in found if match)


def params_file(number: int, folder=".") -> Path:
    return Path(folder) / f"saved_params_{number}.npy"


def state_file(number: int, folder=".") -> Path:
    return Path(folder) / f"saved_state_{number}.json"


def sanity_check() -> None:
    def square(x):
        return np.sum(x**2), 2 * x

    for start in (0.5, 0.0, -1.5):
        reached = sgd(square, start, 0.01, 1000, print_every=100)
        print(f"from {start} to {reached}")
        assert abs(reached) <= 1e-6


if __name__ == "__main__":
    sanity_check()
