import random

import numpy as np


def gradcheck_naive(f, x, gradient_text=""):
    state = random.getstate()
    _, gradient = f(x)
    for place in np.ndindex(x.shape):
        kept, costs = x[place], []
        for step in (1e-4, -1e-4):
            x[place] = kept + step
            random.setstate(state)
            costs.append(f(x)[0])
        x[place] = kept
        measured = (costs[0] - costs[1]) / 2e-4
        np.testing.assert_allclose(measured, gradient[place], rtol=1e-5, atol=1e-7)
    print("passed")
