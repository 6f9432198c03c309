"""Every figure of the project that needs a GPU: train, time, answer, one JSON line a run.

    python benchmarks/gpu.py --data FOLDER --language FOLDER        # all of it
    python benchmarks/gpu.py --data FOLDER --only speed,knowledge --seeds 0
    python benchmarks/gpu.py --language FOLDER --only shakespeare --seeds 0

Runs that stand in the file already are not done again, so a call that was cut short goes on.
Answers go into predictions.jsonl beside the file. It needs torch and numpy and nothing else.
`benchmarks/results.py` makes docs/research/RESULTS.md of it.
"""

import argparse
import json
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import torch
from measure import judge_spread
from msgspec.structs import replace
from program import launch

from wherefrom.core.recipe import Recipe, Stage, Task
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.evaluator import Score
from wherefrom.experiments.one_run.run_evaluation import put_task, put_text, reach
from wherefrom.experiments.one_run.stage_training import train_stage
from wherefrom.experiments.recipes import birthplaces_recipe as birthplaces
from wherefrom.experiments.recipes import shakespeare_recipe as shakespeare
from wherefrom.runs.workshop import Workshop
from wherefrom.training.weights import copy_weights

VARIANTS = ("causal", "synthesizer", "perceiver", "rope")
TIMED_STEPS = 600
_TRIED = 100


def jobs(data: str, language: str = "") -> dict[str, Recipe]:
    """Every run by name; `--only` chooses by what a name begins with."""
    course, knowledge = birthplaces.course(), birthplaces.knowledge()
    chosen = {
        "knowledge.rope": knowledge,
        **{f"course.{v}": with_variant(course, v) for v in VARIANTS},
        "knowledge.synthesizer": with_variant(knowledge, "synthesizer"),
        "calibrated": birthplaces.calibrated(),
    }
    texts = {"shakespeare.gru": shakespeare.gru_gpu(), "shakespeare.gpt": shakespeare.gpt_gpu()}
    return {
        **{n: replace(r, data=replace(r.data, folder=data)) for n, r in chosen.items()},
        **{n: replace(r, data=replace(r.data, folder=language)) for n, r in texts.items()},
    }


def with_variant(recipe: Recipe, variant: str) -> Recipe:
    return replace(recipe, model=replace(recipe.model, attention=variant))


class Quiet:
    """An observer that keeps the losses."""

    def __init__(self) -> None:
        self.losses: list[tuple[int, float]] = []

    def started(self, *_: Any) -> None: ...

    def advanced(self, name: str, step: int, steps: int, metrics: Any, seconds: float) -> None:
        if step % 1000 == 0 or step == steps:
            self.losses.append((step, round(float(metrics["loss"].mean()), 4)))

    def finished(self, *_: Any) -> None: ...


def run(recipe: Recipe) -> dict[str, Any]:
    """Train every stage and put every model to every task, all in memory."""
    workshop = Workshop(recipe)
    weights: dict[str, Any] = {}
    models: dict[str, Any] = {}
    stages: dict[str, Any] = {}
    for stage in recipe.stages:
        observer = Quiet()
        start = weights.get(stage.start_from or "")
        trained = train_stage(workshop, stage, start, observers=[observer])
        weights[stage.name] = copy_weights(workshop.family.weights(trained.model))
        models[stage.name] = trained.model.eval()
        seconds = trained.finished.seconds
        stages[stage.name] = {
            "steps": stage.steps, "seconds": round(seconds, 2),
            "ms_a_step": round(1000 * seconds / stage.steps, 3),
            "preparing_seconds": round(trained.preparing, 1), "losses": observer.losses,
        }  # fmt: skip
    return report(recipe, workshop, models, stages)


def report(
    recipe: Recipe, workshop: Workshop, models: dict[str, Any], stages: dict[str, Any]
) -> dict[str, Any]:
    tasks: dict[str, Any] = {}
    for task, name, predictor in predictors(recipe, workshop, models):
        began = time.monotonic()
        answers, scores = put(task, predictor, recipe, workshop)
        tasks[f"{task.name}.{name}"] = {
            "seconds": round(time.monotonic() - began, 2), "answers": answers,
            "scores": {k or "strict": s.as_json() for k, s in scores.items()},
        }  # fmt: skip
    model = next(iter(models.values()))
    count = sum(p.numel() for p in model.parameters())
    return {"variant": built(model), "parameters": count, "stages": stages, "tasks": tasks}


def put(
    task: Task, predictor: Any, recipe: Recipe, workshop: Workshop
) -> tuple[list[str], dict[str, Score]]:
    """What was answered, if that is the task, and the scores by name."""
    if task.measure == "perplexity":
        text = workshop.dataset, workshop.vocabulary
        return [], {"": put_text(task, predictor, workshop.family, *text)}
    found = put_task(task, predictor, workshop.dataset, reach(recipe.model))
    return found.answers, found.scores


def built(model: Any) -> str:
    """The class that mixes, as it was built: a name alone proves nothing."""
    if not hasattr(model, "blocks"):
        return type(model).__name__
    first = getattr(model, "down_block", model.blocks[0])
    return type(first.attn).__name__


def predictors(
    recipe: Recipe, workshop: Workshop, models: dict[str, Any]
) -> Iterator[tuple[Any, str, Any]]:
    entries = {entry.name: entry.stage for entry in recipe.models}
    for task in recipe.tasks:
        for name in task.predictors if task.measure != "samples" else ():
            if name in entries:
                yield task, name, workshop.predictor(models[entries[name]])
            else:
                yield task, name, BASELINES[name](workshop.dataset, workshop.vocabulary)


def speed(data: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Milliseconds a step of the course's model, after everything is compiled."""
    course, knowledge = (jobs(data)[name] for name in ("course.causal", "knowledge.rope"))
    pretrain, taught = course.stage("pretrain"), knowledge.stage("pretrain")
    trials: dict[str, tuple[Recipe, Stage]] = {
        "adamw, bf16": (course, replace(pretrain, arithmetic="bf16")),
        "adamw, tf32": (course, replace(pretrain, arithmetic="tf32")),
        "adamw, fp32": (course, replace(pretrain, arithmetic="fp32")),
        "muon, bf16": (course, replace(pretrain, arithmetic="bf16", optimiser=taught.optimiser)),
        "knowledge recipe": (knowledge, taught),
    }
    for name, (recipe, stage) in trials.items():
        stages = tuple(stage if s.name == stage.name else s for s in recipe.stages)
        recipe = replace(recipe, stages=stages)
        yield name, time_steps(recipe, stage)


def time_steps(recipe: Recipe, stage: Stage) -> dict[str, Any]:
    workshop = Workshop(recipe)
    learner: Any = workshop.learner(stage, workshop.new_model(stage))
    began = time.monotonic()
    learner.prepare(_TRIED)
    preparing = time.monotonic() - began
    learner.advance(0, _TRIED)
    spent = []
    for first in range(_TRIED, _TRIED + TIMED_STEPS, _TRIED):
        began = time.monotonic()
        learner.advance(first, _TRIED)
        spent.append(1000 * (time.monotonic() - began) / _TRIED)
    return {
        "ms_a_step": round(sorted(spent)[len(spent) // 2], 3), "least": round(min(spent), 3),
        "most": round(max(spent), 3), "preparing_seconds": round(preparing, 1),
        "disturbed": judge_spread({"steps": [1 / each for each in spent]}),
        "packed": learner.captured._capacity if learner.captured else 0,
        "notes": learner.captured.notes if learner.captured else [],
    }  # fmt: skip


def append(path: Path, row: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row, ensure_ascii=False) + "\n")


def machine() -> dict[str, str]:
    name = torch.cuda.get_device_name() if torch.cuda.is_available() else platform.machine()
    return {"device": name, "torch": torch.__version__, "python": platform.python_version()}


def parse_seeds(text: str) -> list[int]:
    first, _, last = text.partition("-")
    return list(range(int(first), int(last or first) + 1))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", default="", help="the folder with the course's files")
    parser.add_argument("--language", default="", help="the folder with language/shakespeare.txt")
    parser.add_argument("--out", type=Path, default=Path("runs/gpu/gpu.jsonl"))
    parser.add_argument("--only", default="", help="names begin so: speed,course.rope,why")
    parser.add_argument("--seeds", default="0-2")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after that")
    given = parser.parse_args(arguments)
    if not torch.cuda.is_available():
        print("gpu.py: expected a CUDA GPU, found none; nothing was run", file=sys.stderr)
        return 2
    given.out.parent.mkdir(parents=True, exist_ok=True)
    lines = given.out.read_text(encoding="utf-8").splitlines() if given.out.exists() else []
    done = {(row["job"], row["seed"]) for row in map(json.loads, lines)}
    wanted = [w for w in given.only.split(",") if w]
    began = time.monotonic()

    def write(job: str, seed: int, found: dict[str, Any]) -> None:
        for task, put in found.get("tasks", {}).items():
            answers = {"job": job, "seed": seed, "task": task, "answers": put.pop("answers")}
            if task.split(".")[1] not in BASELINES and answers["answers"]:
                append(given.out.with_name("predictions.jsonl"), answers)
        append(given.out, {"job": job, "seed": seed, **machine(), **found})

    if (not wanted or "speed" in wanted) and ("speed.adamw, bf16", 0) not in done:
        for name, found in speed(given.data):
            write(f"speed.{name}", 0, found)
            print(f"{name}: {found}", flush=True)
    seeds = parse_seeds(given.seeds)
    if not given.language:
        print("shakespeare: no --language FOLDER was named; left out", flush=True)
    for (name, recipe), seed in product(jobs(given.data, given.language).items(), seeds):
        skip = wanted and not any(name.startswith(w) for w in wanted)
        skip = skip or (name.startswith("shakespeare") and not given.language)
        if skip or (name, seed) in done or time.monotonic() - began > given.seconds:
            continue
        found = run(replace(recipe, seed=seed))
        write(name, seed, found)
        print(summary(name, seed, found), flush=True)
    return 0


def summary(name: str, seed: int, found: dict[str, Any]) -> str:
    spent = ", ".join(
        f"{n} {s['seconds']:.1f} s ({s['ms_a_step']:.2f} ms, {s['preparing_seconds']:.0f} s before)"
        f" loss {s['losses'][-1][1]}"
        for n, s in found["stages"].items()
    )
    scores = ", ".join(
        f"{n}{'' if k == 'strict' else k} {shown(s)} in {t['seconds']:.2f} s"
        for n, t in found["tasks"].items()
        for k, s in t["scores"].items()
    )
    return f"{name} seed {seed} [{found['variant']}, {found['parameters']:,}]: {spent}; {scores}"


def shown(score: dict[str, Any]) -> str:
    if "nats_per_target" in score:
        return f"{score['nats_per_target']:.4f} nats"
    return f"{100 * score['accuracy']:.1f}"


if __name__ == "__main__":
    launch(main)
