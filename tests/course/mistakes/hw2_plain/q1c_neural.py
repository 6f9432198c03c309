import numpy as np
from sigmoid import sigmoid, sigmoid_grad
from softmax import softmax


def unpack(params, dimensions):
    width, hidden, classes = dimensions
    W1, b1, W2, b2 = np.split(params, np.cumsum([width * hidden, hidden, hidden * classes]))
    return W1.reshape(width, hidden), b1, W2.reshape(hidden, classes), b2


def forward(data, label, params, dimensions):
    W1, b1, W2, b2 = unpack(params, dimensions)
    hidden = sigmoid(np.dot(np.reshape(data, (1, -1)), W1) + b1)
    return softmax(hidden @ W2 + b2)[0, label]


def forward_backward_prop(data, labels, params, dimensions):
    W1, b1, W2, b2 = unpack(params, dimensions)
    hidden = sigmoid(data @ W1 + b1)
    guess = softmax(hidden @ W2 + b2)
    cost = -np.sum(labels * np.log(guess))
    upper = guess - labels
    lower = upper @ W2.T * sigmoid_grad(hidden)
    gradW1 = data.T @ lower
    gradW2 = hidden.T @ upper
    flat = gradW1.ravel(), lower.sum(0), gradW2.ravel(), upper.sum(0)
    return cost, np.concatenate(flat)
