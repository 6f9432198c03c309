"""The homework's bigram language model: trains, prints the dev perplexity, saves its parameters.

    python q1d_neural_lm.py --data FOLDER [--steps 40000] [--out FOLDER] [--seed 0]
    python q1d_neural_lm.py --data FOLDER --own         # by the functions in this folder
    python q1d_neural_lm.py --data FOLDER --saved saved_params_40000.npy

FOLDER has the text in language/ and the word vectors in embeddings/. Without one the text is a
generated one, to try things out. The run and the training loop are the library's, so Ctrl-C
saves, and the same command goes on; with `--own` they are the homework's: `sgd` with
`lm_wrapper`, one step after the other.
"""

import argparse
import random
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from q1c_neural import forward, forward_backward_prop  # noqa: F401
from sgd import params_file, saved_numbers, sgd

from wherefrom.core.errors import BadData, MissingInput, UsageError, WherefromError
from wherefrom.core.npy import read_npy
from wherefrom.core.recipe import Recipe
from wherefrom.core.words import BEGIN, END, WordVocabulary
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

### SOLUTION_ONLY ###
from wherefrom.evaluation.evaluator import evaluate_text
from wherefrom.experiments.execute import execute
from wherefrom.models.bigram import Bigram, pack
from wherefrom.recipes.bigram import bigram
from wherefrom.runs.run import open_run
from wherefrom.runs.workshop import Workshop
from wherefrom.show.terminal.progress import watch

### END_SOLUTION_ONLY ###

BATCH_SIZE, HIDDEN, WIDTH = 50, 50, 50
LEARNING_RATE = 0.3
_LARGEST = 1e30  # of a number that float32 can go on with


def lm_wrapper(in_words, out_words, embeddings, dimensions, params):
    """Mean cost and gradient of a random batch of bigrams: the `f` of the homework's `sgd`.

    in_words, out_words: numbers of each bigram's words; embeddings: (words, Dx).
    """
    ### START_CODE_HERE ###
    short = len(in_words) < BATCH_SIZE  # of so few, some are drawn twice
    drawn = np.random.choice(len(in_words), BATCH_SIZE, replace=short)
    data = np.asarray(embeddings)[np.asarray(in_words)[drawn]]
    labels = np.eye(dimensions[2])[np.asarray(out_words)[drawn]]
    cost, gradient = forward_backward_prop(data, labels, params, dimensions)
    return cost / BATCH_SIZE, gradient / BATCH_SIZE
    ### END_CODE_HERE ###


def perplexity(in_words, out_words, embeddings, dimensions, params) -> float:
    """The perplexity of bigrams under the parameters."""
    ### START_CODE_HERE ###
    vectors = np.asarray(embeddings)
    network = Bigram(vectors, np.asarray(params).astype(vectors.dtype), tuple(dimensions))
    return evaluate_text(network, np.stack([in_words, out_words], 1)).value
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
    known = frozenset(listed) - {BEGIN, END}
    texts = [" ".join(HOMEWORK.canonical(word, known) for word in s) for s in read_sentences(path)]
    params = read_params(Path(saved) if saved else latest_params())
    before, after = WordVocabulary(listed).bigrams(texts).T
    return perplexity(before, after, vectors, (vectors.shape[1], HIDDEN, words), params)


@dataclass(frozen=True)
class Text:
    """Bigrams to train on and of dev (two columns each), and every word's vector.

    `given` says which words have a vector of GloVe; marks and shapes of numbers have none.
    """

    train: np.ndarray
    dev: np.ndarray
    vectors: np.ndarray
    given: np.ndarray

    @property
    def dimensions(self) -> tuple[int, int, int]:
        return self.vectors.shape[1], HIDDEN, len(self.vectors)


def load_text(folder: str) -> Text:
    """The homework's text, or a generated one without a folder."""
    config = TreebankConfig(folder=str(Path(folder).resolve()) if folder else "")
    dataset = load(config, 0)
    vocabulary: WordVocabulary = dataset.vocabulary  # pyright: ignore
    made_up: tuple[str, ...] = vocabulary.words
    vectors = vocabulary.vectors
    if vectors is None:
        vectors = np.random.default_rng(0).normal(size=(len(vocabulary), WIDTH))
    else:
        made_up = load_vectors(find(config, "embeddings"), vocabulary.words).made_up
    train = vocabulary.bigrams([d.text for d in dataset.training_documents])
    dev = vocabulary.bigrams([d.text for d in dataset.held_out_documents])
    return Text(train, dev, vectors, ~np.isin(vocabulary.words, made_up))


def latest_params(folder=".") -> Path:
    """The saved parameters after the most steps."""
    if not (numbers := saved_numbers(folder)):
        raise MissingInput(
            f"{folder}: expected saved_params_N.npy in it, found none; train first, or name a file"
        )
    return params_file(max(numbers), folder)


def read_params(path: Path) -> np.ndarray:
    """Flat parameters, as `sgd` saves them."""
    params = read_npy(path)
    if params.ndim != 1 or params.dtype.kind not in "fiu":
        raise BadData(
            f"{path}: expected real numbers in a row, found {params.dtype}{list(params.shape)}; "
            "name a saved_params_N.npy"
        )
    if not np.isfinite(params).all() or np.abs(params).max(initial=0) > _LARGEST:
        raise BadData(f"{path}: expected parameters of a network, found ones over {_LARGEST:g}")
    return params


def train_own(folder: str, steps: int, out: Path, seed: int) -> float:
    """Train by the functions of this folder, as the homework does, and save into `out`."""
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
    keep_params(params_file(steps, out), params)
    return perplexity(*text.dev.T, text.vectors, text.dimensions, params)


def keep_params(path: Path, params: np.ndarray) -> None:
    """Parameters of another training are not overwritten."""
    if path.exists() and not np.array_equal(read_params(path), params):
        raise UsageError(
            f"{path}: expected no file, or these parameters, found others; move it away and give "
            "the command again, which trains no more"
        )
    np.save(path, params)


### SOLUTION_ONLY ###
def homework(folder: str = "", steps: int = 40_000, seed: int = 0) -> Recipe:
    """The recipe `bigram` with the homework's own model alone."""
    recipe = bigram()
    task = replace(recipe.tasks[0], predictors=("homework",))
    return replace(
        recipe,
        data=replace(recipe.data, folder=str(Path(folder).resolve()) if folder else ""),
        stages=(replace(recipe.stage("homework"), steps=steps),),
        models=recipe.models[:1],
        primary="homework",
        tasks=(task,),
        seed=seed,
    )


def train_neural_lm(folder: str, steps: int, out: Path, seed: int) -> float:
    """Train into `out` by the library and save the flat parameters there; the dev perplexity."""
    recipe = homework(folder, steps, seed)
    with watch([stage.name for stage in recipe.stages], "") as observer:
        outcome = execute(recipe, out / "run", [observer])
    model = open_run(out / "run").model("homework")
    keep_params(params_file(steps, out), pack(model.parameters))
    return outcome.results["homework"]["perplexity"]


### END_SOLUTION_ONLY ###
def score_saved(folder: str, saved: Path) -> list[str]:
    """The dev perplexity of parameters that were saved.

    Parameters that were trained with other vectors for marks and numbers, such as the hand-out's,
    can only be compared where the word before has a vector of GloVe.
    """
    text, params = load_text(folder), read_params(saved)
    ### SOLUTION_ONLY ###
    if not folder:  # the generated text has other vectors in a run of the library
        workshop = Workshop(homework())
        fresh = workshop.new_model(workshop.recipe.stages[0])
        text = replace(text, vectors=fresh.vectors)
    ### END_SOLUTION_ONLY ###
    before, after = text.dev.T
    real = text.given[before]
    lines: list[str] = []
    if real.any():
        found = perplexity(before[real], after[real], text.vectors, text.dimensions, params)
        share = f"{100 * real.mean():.1f} % of the bigrams"
        lines.append(f"dev perplexity where the word before has a GloVe vector ({share}): {found}")
    whole = perplexity(before, after, text.vectors, text.dimensions, params)
    return [*lines, f"dev perplexity : {whole}"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", metavar="FOLDER")
    parser.add_argument("--steps", type=int, default=40_000, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--own", action="store_true", help="train by sgd.py and lm_wrapper")
    parser.add_argument("--saved", type=Path, metavar="FILE.npy", help="score it; train nothing")
    given = parser.parse_args(arguments)
    train = train_own
    ### SOLUTION_ONLY ###
    if not given.own:
        train = train_neural_lm
    ### END_SOLUTION_ONLY ###
    try:
        config = TreebankConfig(folder=str(Path(given.data).resolve()) if given.data else "")
        print("\n".join(survey(config)))
        if given.saved:
            print("\n".join(score_saved(given.data, given.saved)))
            return 0
        given.out.mkdir(parents=True, exist_ok=True)
        found = train(given.data, given.steps, given.out, given.seed)
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except NotImplementedError:
        print("error: a function of this folder is not written yet; 'python grader.py' says which",
              file=sys.stderr)  # fmt: skip
        return 1
    print(f"dev perplexity : {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
