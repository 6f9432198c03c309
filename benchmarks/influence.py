"""Counterfactual memorisation of birthplaces: models trained with people's text and without it.

    python benchmarks/influence.py --data FOLDER --pairs 4 --out runs/gpu      # on a GPU
    python benchmarks/influence.py --data FOLDER --adopt runs/gpu --run runs/birthplaces

The first trains `birthplaces-calibrated`, then pairs of models, each without the text of half the
calibration and held-out people. It writes weights.npz and influence.jsonl, a line for each model;
it needs only torch and numpy, and does nothing twice. The second makes a run folder of these files,
as `wherefrom run` and `wherefrom audit --budget` would write it, for `wherefrom audit` to read.
"""

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

import numpy as np  # noqa: E402

from wherefrom.core.config import to_json  # noqa: E402
from wherefrom.core.contracts import Question  # noqa: E402
from wherefrom.core.recipe import Recipe  # noqa: E402
from wherefrom.experiments.execute import train_stage  # noqa: E402
from wherefrom.experiments.retraining import leave_out_half  # noqa: E402
from wherefrom.generation.answers import answer_probabilities  # noqa: E402
from wherefrom.memorisation.counterfactual import (  # noqa: E402
    INFLUENCE,
    RetrainedProbabilities,
    has_text,
)
from wherefrom.recipes import birthplaces  # noqa: E402
from wherefrom.runs.run import model_identity  # noqa: E402
from wherefrom.runs.workshop import Workshop  # noqa: E402
from wherefrom.training.weights import copy_weights, load_weights  # noqa: E402

WEIGHTS = "weights.npz"


def recipe_for(data: str, seed: int) -> Recipe:
    recipe = birthplaces.calibrated()
    return replace(recipe, data=replace(recipe.data, folder=data), seed=seed)


def judged(workshop: Workshop) -> list[Question]:
    """The people that an audit asks about, in its order."""
    return [q for q in workshop.dataset.questions if q.split in ("calibration", "held-out")]


def train(recipe: Recipe) -> tuple[Workshop, Any, float]:
    """The model of the recipe's only stage, in memory."""
    workshop = Workshop(recipe)
    (stage,) = recipe.stages
    trained = train_stage(workshop, stage)
    return workshop, trained.model.eval(), trained.finished.seconds


def load_or_train(recipe: Recipe, out: Path) -> tuple[Workshop, Any]:
    """The model whose answers are measured."""
    if not (out / WEIGHTS).exists():
        workshop, model, spent = train(recipe)
        np.savez(out / WEIGHTS, **copy_weights(workshop.family.weights(model)))
        print(f"the model itself: {spent:.1f} s", flush=True)
        return workshop, model
    workshop = Workshop(recipe)
    model = workshop.new_model(recipe.stages[0])
    with np.load(out / WEIGHTS) as arrays:
        load_weights(workshop.family.weights(model), dict(arrays))
    return workshop, model.eval()


def measure(recipe: Recipe, out: Path, pairs: int, seconds: float) -> None:
    """Train pairs of models and append to influence.jsonl what each makes of the answers."""
    began = time.monotonic()
    workshop, model = load_or_train(recipe, out)
    questions = judged(workshop)
    texts = [q.text for q in questions]
    answers = [a.text for a in workshop.predictor(model).answer(texts)]
    done = {(row["pair"], row["half"]) for row in read(out / INFLUENCE)}
    for pair in range(pairs):
        for half in ("first", "second"):
            if (pair, half) in done or time.monotonic() - began > seconds:
                continue
            other, again, spent = train(leave_out_half(recipe, pair, half))
            p = answer_probabilities(other.predictor(again), texts, answers)
            row = RetrainedProbabilities(
                f"without-{pair}-{half}",
                tuple(texts),
                tuple(answers),
                tuple(has_text(other.dataset, questions).tolist()),
                tuple(float(f"{x:.6g}") for x in p),
            )
            about = {"pair": pair, "half": half, "seconds": round(spent, 1)}
            with (out / INFLUENCE).open("a", encoding="utf-8") as file:
                file.write(json.dumps(about | to_json(row), ensure_ascii=False) + "\n")
            print(f"pair {pair}, {half} half: {spent:.1f} s, mean P {p.mean():.3f}", flush=True)


def read(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def adopt(recipe: Recipe, source: Path, path: Path) -> None:
    """A run folder with these weights: evaluated here, as if it had been trained here."""
    from wherefrom.core.files import write_jsonl
    from wherefrom.experiments.evaluate import evaluate
    from wherefrom.runs.folder import RunFolder
    from wherefrom.runs.run import Run, count_parameters

    folder, workshop = RunFolder(path), Workshop(recipe)
    (stage,) = recipe.stages
    folder.create()
    folder.write_recipe(recipe)
    folder.keep_data(workshop.dataset, workshop.vocabulary)
    model = workshop.new_model(stage)
    with np.load(source / WEIGHTS) as arrays:
        load_weights(workshop.family.weights(model), dict(arrays))
    facts = {
        "identity": model_identity(workshop.model_config, workshop.vocabulary),
        "stage": stage.name, "recipe": recipe.name, "parameters": count_parameters(model),
    }  # fmt: skip
    folder.write_model(recipe.primary, copy_weights(workshop.family.weights(model)), facts)
    results = evaluate(Run(folder, recipe, workshop))
    folder.write_status({"state": "finished", "seconds": 0.0, "results": results})
    (path / "audit").mkdir(exist_ok=True)
    write_jsonl(path / "audit" / INFLUENCE, read(source / INFLUENCE))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default="", help="the folder with the course's files")
    parser.add_argument("--out", type=Path, default=Path("runs/gpu"))
    parser.add_argument("--pairs", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9, help="start nothing after them")
    parser.add_argument("--adopt", type=Path, help="the folder that the first command wrote")
    parser.add_argument("--run", type=Path, default=Path("runs/birthplaces-calibrated-0"))
    given = parser.parse_args(arguments)
    recipe = recipe_for(given.data, given.seed)
    if given.adopt:
        adopt(recipe, given.adopt, given.run)
        return 0
    given.out.mkdir(parents=True, exist_ok=True)
    measure(recipe, given.out, given.pairs, given.seconds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
