"""The network's forward and backward pass under the homework's names."""

import numpy as np
from gradcheck import grad_check
from sigmoid import sigmoid, sigmoid_grad
from softmax import softmax


def unpack(params, dimensions):
    """W1 (Dx, H), b1 (1, H), W2 (H, Dy) and b2 (1, Dy), which lie in one row in this order."""
    width, hidden, classes = dimensions
    shapes = (width, hidden), (1, hidden), (hidden, classes), (1, classes)
    ends = np.cumsum([rows * columns for rows, columns in shapes])
    pieces = np.split(np.asarray(params)[: ends[-1]], ends[:-1])
    return tuple(piece.reshape(shape) for piece, shape in zip(pieces, shapes, strict=True))


def forward(data, label, params, dimensions) -> float:
    """The probability of the class numbered `label`, given one row of data."""
    ### START_CODE_HERE ###
    W1, b1, W2, b2 = unpack(params, dimensions)
    hidden = sigmoid(np.atleast_2d(data) @ W1 + b1)
    return float(softmax(hidden @ W2 + b2)[0, label])
    ### END_CODE_HERE ###


def forward_backward_prop(data, labels, params, dimensions):
    """The cross-entropy summed over the rows, and its gradient by the flat parameters.

    data: (M, Dx); labels: (M, Dy), rows that are one-hot; params: W1, b1, W2, b2 in one row. The
    gradient lies in the same order.
    """
    ### START_CODE_HERE ###
    W1, b1, W2, b2 = unpack(params, dimensions)
    hidden = sigmoid(data @ W1 + b1)
    guessed = softmax(hidden @ W2 + b2)
    cost = -float(np.log(guessed[np.asarray(labels) > 0]).sum())
    by_scores = guessed - labels
    by_hidden = by_scores @ W2.T * sigmoid_grad(hidden)
    blocks = data.T @ by_hidden, by_hidden.sum(0), hidden.T @ by_scores, by_scores.sum(0)
    return cost, np.concatenate([block.ravel() for block in blocks])
    ### END_CODE_HERE ###


def sanity_check() -> None:
    """The gradient of a small random network against central differences."""
    print("Running sanity check...")
    rows, dimensions = 20, (10, 5, 10)
    data = np.random.randn(rows, dimensions[0])
    labels = np.eye(dimensions[2])[np.random.randint(0, dimensions[2], rows)]
    width, hidden, classes = dimensions
    params = np.random.randn((width + 1) * hidden + (hidden + 1) * classes)
    assert grad_check(lambda p: forward_backward_prop(data, labels, p, dimensions), params)
    cost, _ = forward_backward_prop(data, labels, params, dimensions)
    each = [forward(x, y.argmax(), params, dimensions) for x, y in zip(data, labels, strict=True)]
    assert np.isclose(cost, -np.log(each).sum())


if __name__ == "__main__":
    sanity_check()
