import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-np.asarray(x, dtype=float)))


def sigmoid_grad(s):
    return s * (1 - s)
