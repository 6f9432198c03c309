"""The homework's bigram language model: trains, prints the dev perplexity, saves its parameters.

    python q1d_neural_lm.py --data FOLDER [--steps 40000] [--out FOLDER] [--seed 0]

FOLDER has the text in language/ and the word vectors in embeddings/. Without one the text is a
generated one, to try things out. `sgd` with `lm_wrapper` trains, one step after the other, and
the same command goes on from the latest save. `wherefrom run bigram` trains the same network.
"""

import random
import sys
from pathlib import Path

import numpy as np
from q1c_neural import forward, forward_backward_prop, unpack  # noqa: F401
from sgd import find_saved, save_params, sgd
from sigmoid import sigmoid
from softmax import softmax

from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.core.words import BEGIN, END, WordVocabulary
from wherefrom.course.classroom.spoken_errors import run_program
from wherefrom.data.embeddings import load_vectors, read_npy
from wherefrom.data.treebank import (
    TreebankConfig,
    find,
    load,
    read_sentences,
    read_vocabulary,
    survey,
)
from wherefrom.data.word_forms import HOMEWORK

BATCH_SIZE, HIDDEN, WIDTH = 50, 50, 50
LEARNING_RATE = 0.3


def lm_wrapper(in_words, out_words, embeddings, dimensions, params):
    """Mean cost and gradient of a random batch of bigrams: the `f` of the homework's `sgd`.

    in_words, out_words: numbers of each bigram's words; embeddings: (words, Dx).
    """
    ### START_CODE_HERE ###
    drawn = np.random.randint(len(in_words), size=BATCH_SIZE)
    data = np.asarray(embeddings)[np.asarray(in_words)[drawn]]
    labels = np.zeros((BATCH_SIZE, dimensions[2]))
    labels[np.arange(BATCH_SIZE), np.asarray(out_words)[drawn]] = 1
    cost, gradient = forward_backward_prop(data, labels, params, dimensions)
    return cost / BATCH_SIZE, gradient / BATCH_SIZE
    ### END_CODE_HERE ###


def perplexity(in_words, out_words, embeddings, dimensions, params) -> float:
    """The perplexity of bigrams under the parameters."""
    ### START_CODE_HERE ###
    W1, b1, W2, b2 = unpack(params, dimensions)
    known, rows = np.unique(in_words, return_inverse=True)  # a word says the same each time
    guessed = softmax(sigmoid(np.asarray(embeddings)[known] @ W1 + b1) @ W2 + b2)
    return float(np.exp(-np.log(guessed[rows, out_words]).mean()))
    ### END_CODE_HERE ###


def eval_neural_lm(eval_data_path, saved=None, words=2000) -> float:
    """The perplexity of a tagged text under parameters that were saved, by default the latest here.

    The vocabulary and the word vectors are those of the folder in which the text lies.
    """
    path = Path(eval_data_path)
    home = path.parent.parent if path.parent.name == "language" else path.parent
    config = TreebankConfig(folder=str(home), words=words)
    listed = read_vocabulary(find(config, "vocabulary"), words)
    vectors = load_vectors(find(config, "embeddings"), listed).array
    dimensions = vectors.shape[1], HIDDEN, words
    latest = find_saved()
    if not saved and not latest:
        raise MissingInput(
            ".: expected saved_params_N.npy here, found none; train first, or name a file"
        )
    params = read_params(Path(saved or latest[max(latest)]), dimensions)
    return perplexity(*bigrams(listed, path).T, vectors, dimensions, params)


def bigrams(listed, path) -> np.ndarray:
    """Numbers of the words of every bigram of a tagged text, in two columns."""
    known = frozenset(listed) - {BEGIN, END}
    texts = [" ".join(HOMEWORK.canonical(word, known) for word in s) for s in read_sentences(path)]
    return WordVocabulary(tuple(listed)).bigrams(texts)


def count(dimensions: tuple[int, int, int]) -> int:
    """How many parameters a network of that size has."""
    width, hidden, words = dimensions
    return (width + 1) * hidden + (hidden + 1) * words


def read_params(path: Path, dimensions: tuple[int, int, int]) -> np.ndarray:
    """Flat parameters of a network of that size, as `sgd` saves them."""
    params, size = read_npy(path), count(dimensions)
    if params.dtype.kind not in "fiu" or params.shape != (size,) or not np.isfinite(params).all():
        raise BadData(
            f"{path}: expected {size} finite numbers in a row, found {params.dtype}"
            f"{list(params.shape)} or ones that are not finite; name a saved_params_N.npy"
        )
    return params


def train(data: str, steps: int, out: Path, seed: int) -> None:
    """Train as the homework does, save into `out`, and print the dev perplexity."""
    config = TreebankConfig(folder=str(Path(data).resolve()) if data else "")
    print("\n".join(survey(config)))
    out.mkdir(parents=True, exist_ok=True)
    if (latest := max(find_saved(out), default=0)) > steps:
        raise UsageError(f"--steps: expected {latest} or more, as {out} has, found {steps}")
    dataset = load(config, 0)
    vocabulary: WordVocabulary = dataset.vocabulary  # pyright: ignore
    documents = dataset.training_documents, dataset.held_out_documents
    text, dev = (vocabulary.bigrams([d.text for d in part]).T for part in documents)
    random.seed(31415 + seed)
    np.random.seed(9265 + seed)
    vectors = vocabulary.vectors
    if vectors is None:  # the generated text's words have none
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), WIDTH))
    dimensions = vectors.shape[1], HIDDEN, len(vectors)
    params = sgd(
        lambda p: lm_wrapper(*text, vectors, dimensions, p), np.random.randn(count(dimensions)),
        LEARNING_RATE, steps, None, True, 1000, out,
    )  # fmt: skip
    save_params(steps, params, out)
    print(f"dev perplexity : {perplexity(*dev, vectors, dimensions, params)}")


def main(arguments: list[str] | None = None) -> int:
    options = {"data": "", "steps": 40_000, "out": Path(), "seed": 0}
    return run_program(__doc__ or "", train, arguments, **options)


if __name__ == "__main__":
    sys.exit(main())
