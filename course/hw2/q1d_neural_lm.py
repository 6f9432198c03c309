"""The homework's bigram language model: trains, prints the dev perplexity, saves its parameters.

    python q1d_neural_lm.py --data FOLDER [--steps 40000] [--out FOLDER] [--seed 0]

FOLDER has the text in language/ and the word vectors in embeddings/. Without one the text is a
generated one, to try things out. `sgd` with `lm_wrapper` trains, one step after the other, and
the same command goes on from the latest save. `wherefrom run bigram` trains the same network.
"""

import argparse
import random
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from q1c_neural import forward, forward_backward_prop, unpack  # noqa: F401
from sgd import params_file, save_params, saved_numbers, sgd
from sigmoid import sigmoid
from softmax import softmax

from wherefrom.core.errors import BadData, MissingInput, UsageError
from wherefrom.core.npy import read_npy
from wherefrom.core.words import BEGIN, END, WordVocabulary
from wherefrom.course.classroom.spoken_errors import tell
from wherefrom.data.embeddings import load_vectors
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
_LARGEST = 1e30  # of a number that float32 can go on with


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
    params = read_params(Path(saved) if saved else latest_params(), dimensions)
    return perplexity(*bigrams(listed, path).T, vectors, dimensions, params)


def bigrams(listed, path) -> np.ndarray:
    """Numbers of the words of every bigram of a tagged text, in two columns."""
    known = frozenset(listed) - {BEGIN, END}
    texts = [" ".join(HOMEWORK.canonical(word, known) for word in s) for s in read_sentences(path)]
    return WordVocabulary(tuple(listed)).bigrams(texts)


@dataclass(frozen=True)
class Text:
    """Bigrams to train on and of dev (two columns each), and every word's vector."""

    train: np.ndarray
    dev: np.ndarray
    vectors: np.ndarray

    @property
    def dimensions(self) -> tuple[int, int, int]:
        return self.vectors.shape[1], HIDDEN, len(self.vectors)


def load_text(folder: str) -> Text:
    """The homework's text, or a generated one without a folder."""
    config = TreebankConfig(folder=str(Path(folder).resolve()) if folder else "")
    dataset = load(config, 0)
    vocabulary: WordVocabulary = dataset.vocabulary  # pyright: ignore
    vectors = vocabulary.vectors
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), WIDTH))
    train = vocabulary.bigrams([d.text for d in dataset.training_documents])
    dev = vocabulary.bigrams([d.text for d in dataset.held_out_documents])
    return Text(train, dev, vectors)


def latest_params(folder=".") -> Path:
    """The saved parameters after the most steps."""
    if not (numbers := saved_numbers(folder)):
        raise MissingInput(
            f"{folder}: expected saved_params_N.npy in it, found none; train first, or name a file"
        )
    return params_file(max(numbers), folder)


def read_params(path: Path, dimensions: tuple[int, int, int]) -> np.ndarray:
    """Flat parameters of a network of that size, as `sgd` saves them."""
    params, (width, hidden, words) = read_npy(path), dimensions
    size = (width + 1) * hidden + (hidden + 1) * words
    if params.ndim != 1 or params.dtype.kind not in "fiu":
        raise BadData(
            f"{path}: expected real numbers in a row, found {params.dtype}{list(params.shape)}; "
            "name a saved_params_N.npy"
        )
    if len(params) != size:
        raise BadData(f"{path}: expected {size} numbers, found {len(params)}; name another file")
    if not np.isfinite(params).all() or np.abs(params).max(initial=0) > _LARGEST:
        raise BadData(f"{path}: expected parameters of a network, found ones over {_LARGEST:g}")
    return params


def train(folder: str, steps: int, out: Path, seed: int) -> float:
    """Train as the homework does, save into `out`; the dev perplexity."""
    if (latest := max(saved_numbers(out), default=0)) > steps:
        raise UsageError(f"--steps: expected {latest} or more, as {out} has, found {steps}")
    text = load_text(folder)
    before, after = text.train.T
    random.seed(31415 + seed)
    np.random.seed(9265 + seed)
    width, hidden, words = text.dimensions
    params = np.random.randn((width + 1) * hidden + (hidden + 1) * words)
    params = sgd(
        lambda p: lm_wrapper(before, after, text.vectors, text.dimensions, p),
        params, LEARNING_RATE, steps, None, True, 1000, out,
    )  # fmt: skip
    save_params(steps, params, out)
    return perplexity(*text.dev.T, text.vectors, text.dimensions, params)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", metavar="FOLDER")
    parser.add_argument("--steps", type=int, default=40_000, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    given = parser.parse_args(arguments)

    def work() -> None:
        config = TreebankConfig(folder=str(Path(given.data).resolve()) if given.data else "")
        print("\n".join(survey(config)))
        given.out.mkdir(parents=True, exist_ok=True)
        print(f"dev perplexity : {train(given.data, given.steps, given.out, given.seed)}")

    return tell(work)


if __name__ == "__main__":
    sys.exit(main())
