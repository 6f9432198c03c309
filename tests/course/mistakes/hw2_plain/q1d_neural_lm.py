import random

import numpy as np
from data_utils import utils
from q1c_neural import forward, forward_backward_prop

BATCH_SIZE = 50


def convert_to_lm_dataset(S):
    pairs = [(s[i - 1], s[i]) for s in S for i in range(2, len(s))]
    return [a for a, _ in pairs], [b for _, b in pairs]


def lm_wrapper(in_word_index, out_word_index, num_to_word_embedding, dimensions, params):
    data = np.zeros([BATCH_SIZE, input_dim])  # noqa: F821
    labels = np.zeros([BATCH_SIZE, output_dim])  # noqa: F821
    for row in range(BATCH_SIZE):
        i = random.randrange(num_of_examples)  # noqa: F821
        data[row] = num_to_word_embedding[in_word_index[i]]
        labels[row, out_word_index[i]] = 1
    cost, grad = forward_backward_prop(data, labels, params, dimensions)
    cost /= BATCH_SIZE
    grad /= BATCH_SIZE
    return cost, grad


def eval_neural_lm(eval_data_path):
    docs = utils.load_dataset(eval_data_path)
    S = utils.docs_to_indices(docs, word_to_num)  # noqa: F821
    before, after = convert_to_lm_dataset(S)
    total = 0.0
    for a, b in zip(before, after, strict=True):
        p = forward(num_to_word_embedding[a], b, params, dimensions)  # noqa: F821
        total += np.log2(p)
    return 2 ** (-total / len(before))
