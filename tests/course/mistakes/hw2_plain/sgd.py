import glob

import numpy as np

SAVE_PARAMS_EVERY = 5000


def sgd(f, x0, step, iterations, postprocessing=None, use_saved=False, print_every=10):
    first, x = 0, x0
    saved = [int(name.split("_")[2][:-4]) for name in glob.glob("saved_params_*.npy")]
    if use_saved and saved:
        first = max(saved)
        x = np.load(f"saved_params_{first}.npy")
        step = step * 0.5 ** (first // 20000)
    for number in range(first + 1, iterations + 1):
        _, gradient = f(x)
        x = x - step * gradient
        if postprocessing:
            x = postprocessing(x)
        if use_saved and number % SAVE_PARAMS_EVERY == 0:
            np.save(f"saved_params_{number}.npy", x)
        if number % 20000 == 0:
            step = step * 0.5
    return x
