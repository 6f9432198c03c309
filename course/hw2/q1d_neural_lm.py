"""The homework's bigram language model: trains, prints the dev perplexity, saves its parameters.

    python q1d_neural_lm.py --data FOLDER [--steps 40000] [--out FOLDER] [--seed 0]
    python q1d_neural_lm.py --data FOLDER --saved saved_params_40000.npy

FOLDER has the text in language/ and the word vectors in embeddings/. Without one the text is a
generated one, to try things out. The run and the training loop are the library's, so Ctrl-C
saves, and the same command goes on. `lm_wrapper` and `eval_neural_lm` are the homework's own
functions, for those who train with its `sgd`.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from q1c_neural import forward_backward_prop
from sgd import params_file, saved_numbers

from wherefrom.core.errors import BadData, MissingInput, UsageError, WherefromError
from wherefrom.core.npy import read_npy
from wherefrom.core.recipe import Recipe
from wherefrom.core.words import BEGIN, END, WordVocabulary
from wherefrom.data.embeddings import load_vectors
from wherefrom.data.treebank import TreebankConfig, find, read_sentences, read_vocabulary, survey
from wherefrom.data.word_forms import HOMEWORK
from wherefrom.evaluation.evaluator import evaluate_text
from wherefrom.experiments.execute import execute
from wherefrom.models.bigram import Bigram, pack
from wherefrom.recipes.bigram import bigram
from wherefrom.report.progress import watch
from wherefrom.runs.run import open_run
from wherefrom.runs.workshop import Workshop

BATCH_SIZE, HIDDEN = 50, 50
_LARGEST = 1e30  # of a number that float32 can go on with


def lm_wrapper(in_words, out_words, embeddings, dimensions, params):
    """Mean cost and gradient of a random batch of bigrams: the `f` of the homework's `sgd`.

    in_words, out_words: numbers of each bigram's words; embeddings: (words, Dx).
    """
    short = len(in_words) < BATCH_SIZE  # of so few, some are drawn twice
    drawn = np.random.choice(len(in_words), BATCH_SIZE, replace=short)
    data = np.asarray(embeddings)[np.asarray(in_words)[drawn]]
    labels = np.eye(dimensions[2])[np.asarray(out_words)[drawn]]
    cost, gradient = forward_backward_prop(data, labels, params, dimensions)
    return cost / BATCH_SIZE, gradient / BATCH_SIZE


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
    network = Bigram(vectors, params.astype(vectors.dtype), (vectors.shape[1], HIDDEN, words))
    return evaluate_text(network, WordVocabulary(listed).bigrams(texts)).value


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


def train_neural_lm(recipe: Recipe, out: Path) -> float:
    """Train into `out` and save the flat parameters there; the dev perplexity."""
    with watch([stage.name for stage in recipe.stages], "") as observer:
        outcome = execute(recipe, out / "run", [observer])
    model = open_run(out / "run").model("homework")
    keep_params(params_file(recipe.stages[0].steps, out), pack(model.parameters))
    return outcome.results["homework"]["perplexity"]


def keep_params(path: Path, params: np.ndarray) -> None:
    """Parameters of another training are not overwritten."""
    if path.exists() and not np.array_equal(read_params(path), params):
        raise UsageError(
            f"{path}: expected no file, or these parameters, found others; move it away and give "
            "the command again, which trains no more"
        )
    np.save(path, params)


def score_saved(recipe: Recipe, saved: Path) -> float:
    """The dev perplexity of parameters that were saved."""
    workshop = Workshop(recipe)
    fresh = workshop.new_model(recipe.stages[0])
    params = read_params(saved).astype(fresh.flat.dtype)
    read = workshop.family.held_out_text
    assert read is not None
    text = read(workshop.dataset, workshop.vocabulary)
    return evaluate_text(Bigram(fresh.vectors, params, fresh.dimensions), text).value


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", default="", metavar="FOLDER")
    parser.add_argument("--steps", type=int, default=40_000, metavar="N")
    parser.add_argument("--out", type=Path, default=Path("."), metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--saved", type=Path, metavar="FILE.npy", help="score it; train nothing")
    given = parser.parse_args(arguments)
    try:
        recipe = homework(given.data, given.steps, given.seed)
        print("\n".join(survey(recipe.data).lines()))
        if given.saved:
            perplexity = score_saved(recipe, given.saved)
        else:
            perplexity = train_neural_lm(recipe, given.out)
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"dev perplexity : {perplexity}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
