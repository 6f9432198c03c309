"""docs/research/RESULTS.md: figures from docs/results/, words and others' figures in templates/.

    python benchmarks/results.py [--gpu FILE.jsonl] [--laptop RUN ...] [--audits RUN ...]

With `--gpu`, new rows are first taken over into docs/results/gpu.jsonl, and the answers of the
headline models into docs/results/, where those of the test questions can be scored by who has
their answers; with `--laptop`, the figures of finished runs of birthplaces-laptop; with
`--audits`, the findings of audited runs; with `--homework` and `--reviews`, those of runs of
`bigram` (one a seed) and of `sentiment`.
"""

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pages
from pages import DOCS, RESULTS, read_lines
from program import ROOT, launch

from wherefrom.evaluation.intervals import mean_interval, student_quantile
from wherefrom.evaluation.mistakes import KINDS
from wherefrom.evaluation.two_levels import mean_over_seeds
from wherefrom.experiments.recipes.birthplaces_recipe import knowledge

PAGE = DOCS / "research" / "RESULTS.md"
HEADLINE = ("course.", "knowledge.", "calibrated")
MODELS = ("with_pretraining", "model")
# The stage without pretraining is the same in every variant but for the attention: one is kept.
WITHOUT = {("course.causal", "without_pretraining"): "course.nopretrain"}
# Of the committed predictions of the 437 test questions, scored by those who keep their answers.
OUTSIDE = {
    "course.causal": "24.0", "course.rope": "36.0", "knowledge.rope": "86.9 (86.3 to 87.4)",
    "knowledge.synthesizer": "63.2", "calibrated": "85.8",
}  # fmt: skip
# Runs that each differ in one thing from those of the first.
COMPARED = {
    "without": ("why.mixing", "letters answers salient windows decay optimiser architecture"),
    "added": ("course.causal", "optimiser architecture salient windows mixing"),
}
# Curves and diagrams are for pictures, not for a page of figures.
LEFT_OUT = {"diagram", "risk_coverage", "risk_coverage_raw"}

Rows = list[dict[str, Any]]


# -- the page's figures -----------------------------------------------------------------------


def collect() -> dict[str, Any]:
    """Every figure of the page, by the names that the template has for them."""
    rows = read_lines(RESULTS / "gpu.jsonl")
    by_job: dict[str, Rows] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        by_job.setdefault(row["job"], []).append(row)
    trained = {job: own for job, own in by_job.items() if "tasks" in own[0]}
    jobs = {job: describe(job, own) for job, own in trained.items()}
    course = trained["course.causal"]
    strict = {job: jobs[job]["strict"] for job in jobs}
    return {
        "jobs": jobs,
        "machines": sorted({(r["device"], r["torch"], r["python"]) for r in rows}),
        "steps": {row["job"].removeprefix("speed."): row for row in begin_with(rows, "speed.")},
        "knowledge_steps": knowledge().stages[0].steps,
        "vanilla": {
            "without_pretraining": accuracies(course, ("without_pretraining",)),
            **{name: accuracies(course[:1], (name,)) for name in ("london", "nearest_name")},
        },
        "commands": {
            row["job"].removeprefix("course-commands."): row
            for row in begin_with(rows, "course-commands.")
        },
        "interval": find_intervals("knowledge.rope"),
        "chance": {
            kind: by_chance([strict[first], *(strict[f"{kind}.{name}"] for name in names.split())])
            for kind, (first, names) in COMPARED.items()
        },
        "mistakes": count_mistakes(trained["knowledge.rope"]),
        "laptop": sorted(read_lines(RESULTS / "laptop.jsonl"), key=lambda row: row["seconds"]),
        "audits": pages.read_audits(),
        "homework": read_homework(),
    }


def begin_with(rows: Rows, begin: str) -> Rows:
    return [row for row in rows if row["job"].startswith(begin)]


def describe(job: str, runs: Rows) -> dict[str, Any]:
    """What the seeds of a job reached, a value for each."""
    tasks = [(name, task) for run in runs for name, task in run["tasks"].items()]
    nats = {
        kind: [
            task["scores"]["strict"]["nats_per_target"]
            for name, task in tasks
            if name.startswith(f"{kind}.") and "nats_per_target" in task["scores"]["strict"]
        ]
        for kind in ("held-out", "blocks")
    }
    return {
        "parameters": runs[0]["parameters"],
        "seeds": len(runs),
        "strict": accuracies(runs),
        "aware": accuracies(runs, kind=", place-aware"),
        "outside": OUTSIDE.get(job, "-"),
        "seconds": {
            name: [run["stages"][name]["seconds"] for run in runs] for name in runs[0]["stages"]
        },
        "answering": [
            task["seconds"] for name, task in tasks if name in [f"dev.{model}" for model in MODELS]
        ],
        "nats": nats,
    }


def accuracies(runs: Rows, models: Sequence[str] = MODELS, kind: str = "strict") -> list[float]:
    keys = [f"dev.{model}" for model in models]
    tasks = (run["tasks"][key] for run in runs for key in keys if key in run["tasks"])
    return [100 * task["scores"][kind]["accuracy"] for task in tasks]


def find_intervals(job: str) -> dict[str, Any]:
    """Of a mean over seeds that answered the same dev questions: for other seeds and questions,
    and for other seeds alone."""
    found = json.loads((RESULTS / "dev-right.json").read_text("utf-8"))[job]
    right = np.array([[letter == "1" for letter in row] for _, row in sorted(found.items())])
    low, high = mean_interval(right.mean(1))
    return {"both": mean_over_seeds(right)[1], "seeds": (low, min(high, 1.0))}


def by_chance(values: Sequence[Sequence[float]]) -> dict[str, float]:
    """How large differences to the first line are by chance, when many lines are compared.

    The spread of the seeds is pooled over all lines. The questions are the same in all of them.
    """
    several = [v for v in values if len(v) > 1]
    freedom = sum(len(v) - 1 for v in several)
    compared = len(values) - 1
    spread = (sum(sum((x - mean(v)) ** 2 for x in v) for v in several) / freedom) ** 0.5
    error = spread * (2 / mean(len(v) for v in values)) ** 0.5
    return {
        "compared": compared,
        "spread": spread,
        "one": student_quantile(0.975, freedom) * error,
        "every": student_quantile(1 - 0.025 / compared, freedom) * error,
    }


def count_mistakes(runs: Rows) -> dict[str, Any]:
    found = [run["tasks"]["dev.model"]["scores"]["strict"]["mistakes"] for run in runs]
    kinds = {kind: [each["kinds"][kind] for each in found] for kind in KINDS}
    return {"seeds": len(found), "kinds": kinds, "reach": found[0]["reach"]}


def read_homework() -> dict[str, Any]:
    kept = json.loads((RESULTS / "homework.json").read_text("utf-8"))
    trainable = [
        100 * row["accuracy"]
        for name, row in kept["sentiment"].items()
        if name.startswith("trainable-") and "." not in name and "mean" not in name
    ]
    return kept | {"trainable": trainable}


# -- what is taken over -----------------------------------------------------------------------


def take_over(source: Path) -> None:
    """Rows replace those of the same job and seed; headline answers become text files."""
    rows = [*read_lines(RESULTS / "gpu.jsonl"), *read_lines(source)]
    write_lines("gpu.jsonl", list({(row["job"], row["seed"]): row for row in rows}.values()))
    for row in read_lines(source.with_name("predictions.jsonl")):
        task, _, model = row["task"].partition(".")
        job = WITHOUT.get((row["job"], model), row["job"] if model in MODELS else "")
        if job.startswith(HEADLINE):
            name = f"{job}.{row['seed']}.{task}.predictions"
            (RESULTS / name).write_text("".join(f"{a}\n" for a in row["answers"]), "utf-8")


def write_lines(name: str, rows: Rows) -> None:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (RESULTS / name).write_text(text, "utf-8")


def take_right(questions: Path) -> None:
    """Which dev answers of each headline model and seed are right, a 1 or a 0 for each question;
    the questions' answers are not kept."""
    gold = [line.split("\t")[1] for line in questions.read_text("utf-8").split("\n") if line]
    found: dict[str, dict[str, str]] = {}
    for path in sorted(RESULTS.glob("*.dev.predictions")):
        job, seed = path.name.removesuffix(".dev.predictions").rsplit(".", 1)
        answers = path.read_text("utf-8").split("\n")[: len(gold)]
        found.setdefault(job, {})[seed] = "".join(
            str(int(answer == right)) for answer, right in zip(answers, gold, strict=True)
        )
    (RESULTS / "dev-right.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def take_laptop(folders: Sequence[Path]) -> None:
    """What finished run folders say; runs of as many steps replace each other."""
    rows = {row["steps"]: row for row in read_lines(RESULTS / "laptop.jsonl")}
    for folder in folders:
        made, status = (json.loads((folder / f).read_text()) for f in ("run.json", "status.json"))
        steps, results = made["recipe"]["stages"]["pretrain"]["steps"], status["results"]
        rows[steps] = {
            "steps": steps,
            "seconds": status["seconds"],
            "strict": results["model"]["accuracy"],
            "place_aware": results["model, place-aware"]["accuracy"],
            **made["versions"],
            "cores": os.cpu_count(),
        }
    write_lines("laptop.jsonl", [row for _, row in sorted(rows.items())])
    draw_laptop(sorted(rows.values(), key=lambda row: row["seconds"]))


def draw_laptop(rows: Rows) -> None:
    """Accuracy against time; each point is a run of its own."""
    from wherefrom.show.drawing.figures import OTHER, RIGHT, dress, panels, to_svg

    figure, (axes,) = panels()
    minutes = [r["seconds"] / 60 for r in rows]
    for field, name, colour in (("place_aware", "place-aware", OTHER), ("strict", "exact", RIGHT)):
        axes.plot(minutes, [100 * r[field] for r in rows], "o-", color=colour, label=name)
    axes.set(xscale="log", ylim=(0, 100))
    axes.set_xticks(minutes, [f"{m:.0f}" for m in minutes], minor=False)
    axes.set_xticks([], minor=True)
    dress(axes, "accuracy by minutes on two cores", "minutes of training", "dev, % right", True)
    (DOCS / "pictures" / "laptop.svg").write_bytes(to_svg(figure))


def take_audits(folders: Sequence[Path]) -> None:
    """The findings of audited runs, one file a run folder, by its name."""
    for folder in folders:
        parts = [(folder / "audit" / f"{name}.json").read_text("utf-8") for name in
                 ("audit", "timing")]  # fmt: skip
        found = without_curves(json.loads(parts[0]) | json.loads(parts[1]))
        text = json.dumps(found, indent=1, ensure_ascii=False)
        (RESULTS / f"audit.{folder.resolve().name}.json").write_text(text + "\n", "utf-8")


def without_curves(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {k: without_curves(v) for k, v in value.items() if k not in LEFT_OUT}


def take_homework(runs: Sequence[Path], reviews: Path | None) -> None:
    """Put new figures of `bigram` and `sentiment` beside those that are there."""
    file = RESULTS / "homework.json"
    kept = json.loads(file.read_text("utf-8"))
    if runs:
        kept["bigram"] = [read_bigram(run) for run in runs]
    if reviews is not None:
        kept["sentiment"] = json.loads((reviews / "status.json").read_text("utf-8"))["results"]
    if runs or reviews:
        file.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


def read_bigram(path: Path) -> dict[str, Any]:
    """A run's dev perplexities; the homework's also where the word before has a vector of GloVe."""
    from wherefrom.data.embeddings import load_vectors
    from wherefrom.data.treebank import find
    from wherefrom.runs.opened_run import open_run

    run = open_run(path)
    words = run.vocabulary.words
    made_up = set(load_vectors(find(run.recipe.data, "embeddings"), words).made_up)
    numbers = [i for i, word in enumerate(words) if word in made_up]
    pairs = run.vocabulary.bigrams([d.text for d in run.dataset.held_out_documents])
    real = ~np.isin(pairs[:, 0], numbers)
    losses = -run.model("homework").log_probabilities(pairs[real])
    return {
        "seed": run.recipe.seed,
        "steps": {stage.name: stage.steps for stage in run.recipe.stages},
        "real": {"perplexity": float(np.exp(losses.mean())), "share": float(real.mean())},
        "training_bigrams": sum(len(d.text.split()) + 1 for d in run.dataset.training_documents),
        "results": {name: row for name, row in run.results.items() if "perplexity" in row},
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--gpu", type=Path, help="the file that gpu.py wrote")
    parser.add_argument("--laptop", type=Path, nargs="+", default=[], help="finished runs")
    parser.add_argument("--dev", type=Path, help="birth_dev.tsv, to score the predictions again")
    parser.add_argument("--audits", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--homework", type=Path, nargs="+", default=[], help="runs of bigram")
    parser.add_argument("--reviews", type=Path, help="a run of sentiment")
    given = parser.parse_args(arguments)
    if given.gpu is not None:
        take_over(given.gpu)
    if given.laptop:
        take_laptop(given.laptop)
    if given.dev is not None:
        take_right(given.dev)
    take_audits(given.audits)
    take_homework(given.homework, given.reviews)
    PAGE.write_text(pages.render("results.md.jinja", collect()), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    launch(main)
