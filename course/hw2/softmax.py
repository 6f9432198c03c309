"""The softmax of each row, under the homework's name."""

import numpy as np


def softmax(x):
    """Rows that sum to 1, for one row (N,) or several (M, N); a shift of a row changes nothing."""
    ### START_CODE_HERE ###
    x = np.asarray(x, dtype=np.float64)
    p = np.exp(x - x.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True)
    ### END_CODE_HERE ###


def test_softmax() -> None:
    assert np.allclose(softmax([1.0, 2.0]), [0.26894142, 0.73105858], atol=1e-8)
    assert np.allclose(softmax([[1001.0, 1002.0], [3.0, 4.0]]), [[0.26894142, 0.73105858]] * 2)
    assert np.allclose(softmax([[-1001.0, -1002.0]]), [[0.73105858, 0.26894142]])


if __name__ == "__main__":
    test_softmax()
    print("softmax: as computed by hand")
