"""The homework's bigram language model: trains, prints the dev perplexity, saves its parameters.

    python q1d_neural_lm.py --data FOLDER [--steps 40000] [--out FOLDER] [--seed 0]
    python q1d_neural_lm.py --data FOLDER --saved saved_params_40000.npy

FOLDER has the text in language/ and the word vectors in embeddings/. Without one the text is a
generated one, to try things out. The run and the training loop are the library's, so Ctrl-C
saves, and the same command goes on.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from wherefrom.core.errors import BadData, WherefromError
from wherefrom.core.files import reading
from wherefrom.core.recipe import Recipe
from wherefrom.data.treebank import survey
from wherefrom.evaluation.evaluator import evaluate_text
from wherefrom.models.bigram import Bigram, pack
from wherefrom.recipes.bigram import bigram
from wherefrom.recipes.execute import execute
from wherefrom.report.progress import watch
from wherefrom.runs.run import open_run
from wherefrom.runs.workshop import Workshop


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
    np.save(out / f"saved_params_{recipe.stages[0].steps}.npy", pack(model.parameters))
    return outcome.results["homework"]["perplexity"]


def eval_neural_lm(recipe: Recipe, saved: Path) -> float:
    """The dev perplexity of parameters that were saved."""
    workshop = Workshop(recipe)
    fresh = workshop.new_model(recipe.stages[0])
    try:
        with reading(saved):
            params = np.load(saved, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise BadData(f"{saved}: expected an array as numpy saves it, found: {error}") from None
    network = Bigram(fresh.vectors, params.astype(fresh.flat.dtype), fresh.dimensions)
    read = workshop.family.held_out_text
    assert read is not None
    return evaluate_text(network, read(workshop.dataset, workshop.vocabulary)).value


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
            perplexity = eval_neural_lm(recipe, given.saved)
        else:
            perplexity = train_neural_lm(recipe, given.out)
    except WherefromError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    print(f"dev perplexity : {perplexity}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
