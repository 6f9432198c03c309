"""The sigmoid and its slope, under the homework's names."""

import numpy as np

### SOLUTION_ONLY ###
# The grader knows this folder's own solution by this mark.
### END_SOLUTION_ONLY ###


def sigmoid(x):
    """1 / (1 + exp(-x)), for a number or an array of any shape."""
    ### START_CODE_HERE ###
    return 0.5 * (1 + np.tanh(0.5 * np.asarray(x, dtype=np.float64)))
    ### END_CODE_HERE ###


def sigmoid_grad(s):
    """The slope of the sigmoid at x, given s = sigmoid(x) and not x itself."""
    ### START_CODE_HERE ###
    return s * (1 - s)
    ### END_CODE_HERE ###


def test_sigmoid() -> None:
    x = np.array([[1.0, 2.0], [-1.0, -2.0]])
    s = sigmoid(x)
    assert np.allclose(s, [[0.73105858, 0.88079708], [0.26894142, 0.11920292]], atol=1e-8)
    assert np.allclose(sigmoid_grad(s), [[0.19661193, 0.10499359]] * 2, atol=1e-8)
    assert sigmoid(0.0) == 0.5
    assert sigmoid(-1e4) == 0
    assert sigmoid(1e4) == 1


if __name__ == "__main__":
    test_sigmoid()
    print("sigmoid: as computed by hand")
