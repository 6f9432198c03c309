"""Right functions of the homework's files: what is judged is computed with them.

Where a function of a submission builds on one that is wrong, it is called again with these in that
one's place. Then those that it may build on are given to the process of that one call.
"""

from typing import Any

import numpy as np

DIMENSIONS = (6, 4, 5)


def sigmoid(x: Any) -> Any:
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(x, dtype=float)))


def sigmoid_grad(s: Any) -> Any:
    return s * (1 - s)


def softmax(x: Any) -> Any:
    x = np.asarray(x, dtype=float)
    p = np.exp(x - x.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def unpack(params: Any, dimensions: Any = DIMENSIONS) -> list[Any]:
    width, hidden, classes = dimensions
    sizes = np.cumsum([width * hidden, hidden, hidden * classes])
    W1, b1, W2, b2 = np.split(np.asarray(params, dtype=float), sizes)
    return [W1.reshape(width, hidden), b1, W2.reshape(hidden, classes), b2]


def probabilities(data: Any, params: Any, dimensions: Any = DIMENSIONS) -> Any:
    W1, b1, W2, b2 = unpack(params, dimensions)
    return softmax(sigmoid(data @ W1 + b1) @ W2 + b2)


def forward(data: Any, label: int, params: Any, dimensions: Any) -> float:
    return float(probabilities(np.atleast_2d(data), params, dimensions)[0, label])


def forward_backward_prop(
    data: Any, labels: Any, params: Any, dimensions: Any = DIMENSIONS
) -> tuple[float, Any]:
    """The summed cross-entropy and its flat gradient."""
    W1, b1, W2, b2 = unpack(params, dimensions)
    h = sigmoid(data @ W1 + b1)
    p = softmax(h @ W2 + b2)
    d_theta = p - labels
    d_z = (d_theta @ W2.T) * h * (1 - h)
    blocks = data.T @ d_z, d_z.sum(0), h.T @ d_theta, d_theta.sum(0)
    return float(-(labels * np.log(p)).sum()), np.concatenate([b.ravel() for b in blocks])


def sgd(f: Any, x: Any, step: float, iterations: int, postprocess: Any = lambda x: x) -> Any:
    for _ in range(iterations):
        x = postprocess(x - step * f(x)[1])
    return x


def lm_wrapper(before: Any, after: Any, vectors: Any, dimensions: Any, params: Any) -> Any:
    """Mean cost and gradient of bigrams that are all the same: those of one."""
    data, labels = np.array(vectors)[before[:1]], np.eye(dimensions[2])[after[:1]]
    return forward_backward_prop(data, labels, params, dimensions)
