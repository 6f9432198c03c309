"""docs/RESULTS.md from what the programs here have measured; others' figures are constants below.

    python benchmarks/results.py [--gpu FILE.jsonl] [--laptop RUN ...] [--audits RUN ...]

With `--gpu`, new rows are first taken over into docs/results/gpu.jsonl, and the answers of the
headline models into docs/results/, where those of the test questions can be scored by who has
their answers; with `--laptop`, the figures of finished runs of birthplaces-laptop; with
`--audits`, the findings of audited runs; with `--homework`, `--units` and `--reviews`, what
homework.py says.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import mean
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks")]

import numpy as np  # noqa: E402
from homework import homework, take_homework  # noqa: E402
from labels import labels  # noqa: E402
from trust import take_audits, trust  # noqa: E402
from why import ADDED, ROWS, WITHOUT, Row  # noqa: E402

from wherefrom.evaluation.intervals import mean_interval, student_quantile  # noqa: E402
from wherefrom.evaluation.mistakes import KINDS  # noqa: E402
from wherefrom.evaluation.two_levels import mean_over_seeds  # noqa: E402
from wherefrom.recipes.birthplaces import knowledge as knowledge_recipe  # noqa: E402

RESULTS = ROOT / "docs" / "results"
PAGE = ROOT / "docs" / "RESULTS.md"
HEADLINE = ("course.", "knowledge.", "calibrated")
MODELS = ("with_pretraining", "model")
VARIANTS = {"causal": "vanilla", "synthesizer": "synthesizer", "perceiver": "perceiver, m=64",
            "rope": "rope"}  # fmt: skip
# Of 93 public runs of the course's code, scored exactly: dev, median.
OTHERS = {"causal": "23.0", "synthesizer": "9.5", "perceiver": "6.8", "rope": "31.8"}
NANOGPT = "1.4697"  # its README, for train_shakespeare_char
COURSE_SECONDS = {"pretraining": 378, "answering": 45}  # the course's own code on the same chip

# Of the committed predictions of the 437 test questions, scored by those who keep their answers.
OUTSIDE = {
    "course.causal": (24.0,), "course.rope": (36.0,), "knowledge.rope": (86.3, 87.0, 87.4),
    "knowledge.synthesizer": (63.2,), "calibrated": (85.8,),
}  # fmt: skip
OUTSIDE_MEANS = {"knowledge.rope": 86.9}  # of exact shares, which the three figures round

Rows = list[dict[str, Any]]


def read(path: Path) -> Rows:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]


def take_over(source: Path) -> None:
    """Rows replace those of the same job and seed; headline answers become text files."""
    kept = {(r["job"], r["seed"]): r for r in [*read(RESULTS / "gpu.jsonl"), *read(source)]}
    RESULTS.mkdir(exist_ok=True)
    text = "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in kept.values())
    (RESULTS / "gpu.jsonl").write_text(text, "utf-8")
    for row in read(source.with_name("predictions.jsonl")):
        task, _, model = row["task"].partition(".")
        if row["job"].startswith(HEADLINE) and model in MODELS:
            name = f"{row['job']}.{row['seed']}.{task}.predictions"
            (RESULTS / name).write_text("".join(f"{a}\n" for a in row["answers"]), "utf-8")


def page(rows: Rows) -> str:
    parts = [INTRODUCTION, machines(rows), speed(rows), course(rows), commands(rows),
             knowledge(rows), why(rows), mistakes(rows), laptop(), trust(), labels(),
             characters(rows), homework()]  # fmt: skip
    return "\n\n".join(part for part in parts if part) + "\n"


INTRODUCTION = """# Results

Made by `benchmarks/results.py` from `docs/results/`: `make gpu` measures what needs a GPU, and
finished runs and audits are taken over with `--laptop`, `--audits` and `--homework`.
Accuracies are exact matches in per cent on the course's 500 dev questions unless said otherwise; a
mean is over seeds, with their range. *Place-aware* also takes a place of the person's own line that
contains the right one or lies in it. Settings were chosen inside the 2,000 training questions (400
of them, chosen by hash, kept out of training for that); dev was looked at along the way, so read
its figures as exploratory. The answers to the test questions are not known here: each headline
model's predictions for them are in `docs/results/`, one a line. *Test, measured outside*: those
predictions, scored by others who have the answers. Test is harder than dev: 13.7 % of its right
answers never occur among the training answers, 7.8 % of dev's."""


def machines(rows: Rows) -> str:
    found = {(r["device"], r["torch"], r["python"]) for r in rows}
    return "\n".join(f"GPU figures: {d}, torch {t}, Python {p}." for d, t, p in sorted(found))


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    cells = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def of(rows: Rows, job: str) -> Rows:
    return sorted((r for r in rows if r["job"] == job), key=lambda r: r["seed"])


def spread(values: Sequence[float], digits: int = 1) -> str:
    """A mean with the range of its seeds."""
    if not values:
        return "not run"
    middle = f"{mean(values):.{digits}f}"
    if len(values) == 1:
        return f"{middle} (one seed)"
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def accuracies(rows: Rows, models: Sequence[str] = MODELS, kind: str = "strict") -> list[float]:
    keys = [f"dev.{model}" for model in models]
    tasks = (r["tasks"][k] for r in rows for k in keys if k in r["tasks"])
    return [100 * task["scores"][kind]["accuracy"] for task in tasks]


def both(rows: Rows) -> list[str]:
    return [spread(accuracies(rows)), spread(accuracies(rows, kind=", place-aware"))]


def stage(rows: Rows, name: str, field: str) -> list[float]:
    return [r["stages"][name][field] for r in rows if name in r["stages"]]


def answering(rows: Rows) -> list[float]:
    return [t["seconds"] for r in rows for k, t in r["tasks"].items() if k[4:] in MODELS and
            k.startswith("dev.")]  # fmt: skip


def speed(rows: Rows) -> str:
    found = [r for r in rows if r["job"].startswith("speed.")]
    if not found:
        return ""
    lines = [
        [r["job"].removeprefix("speed."), f"{r['ms_a_step']:.2f}", str(r["packed"])] for r in found
    ]
    return "\n".join((
        "## A training step", "",
        "The course's model (3,323,392 parameters, 128 rows of up to 128 characters, dropout 0.1),",
        "and our recipe; the step is compiled and captured, rows go through without their padding.",
        "The course's recipe itself runs in TF32, since in bf16 it diverges at its rate",
        "(docs/LOG.md); the same model and optimiser with a gentler rate, the second row under",
        "*Why it works*, train in bf16.",
        "", table(("optimiser, arithmetic", "ms a step", "characters"), lines), "",
        "The trainings below were timed with an earlier, slower step (docs/LOG.md)" + _today(found),
    ))  # fmt: skip


def _today(timed: Rows) -> str:
    """What the knowledge recipe's steps take with the step that was timed last."""
    ms = {r["job"]: r["ms_a_step"] for r in timed}.get("speed.knowledge recipe")
    if ms is None:
        return "."
    steps = knowledge_recipe().stages[0].steps
    return f":\nthe {steps:,} steps of the knowledge recipe take {steps * ms / 1000:.1f} s now."


def course(rows: Rows) -> str:
    lines = []
    for variant, name in VARIANTS.items():
        runs = of(rows, f"course.{variant}")
        lines.append([
            name, f"{runs[0]['parameters']:,}" if runs else "-", str(len(runs)), *both(runs),
            outside(f"course.{variant}"), OTHERS[variant],
            spread(stage(runs, "pretrain", "seconds")), spread(answering(runs), 2),
        ])  # fmt: skip
    plain = accuracies(of(rows, "course.causal"), ("without_pretraining",))
    base = of(rows, "course.causal")
    known = [accuracies(base[:1], (name,)) for name in ("london", "nearest_name")]
    london, nearest = (f"{v[0]:.1f}" if v else "not run" for v in known)
    head = ("variant", "parameters", "seeds", "dev", "place-aware", "test, measured outside",
            "others' median", "pretraining, s", "500 answers, s")  # fmt: skip
    return "\n".join((
        "## The course's recipe, to the letter", "", table(head, lines), "",
        f"Vanilla without pretraining: {spread(plain)}. Always London: {london}; the place of the",
        f"most similar training name: {nearest}. Others' medians are of 93 public runs of the",
        f"course's code; its pretraining takes {COURSE_SECONDS['pretraining']} s on the same chip,",
        f"its 500 answers {COURSE_SECONDS['answering']} s.",
    ))  # fmt: skip


def commands(rows: Rows) -> str:
    """What `course/a5/run.sh` took, command by command, and what it scored."""
    found = {r["job"].removeprefix("course-commands."): r for r in rows
             if r["job"].startswith("course-commands.")}  # fmt: skip
    if not found:
        return ""
    seconds = sum(r["seconds"] for r in found.values())
    lines = [[f"`{name}`", f"{r['seconds']:.0f}",
              f"{100 * r['accuracy']:.1f}" if "accuracy" in r else "-"]
             for name, r in found.items()]  # fmt: skip
    return "\n".join((
        "## The hand-out's commands", "",
        f"`./run.sh COMMAND` from nothing on, one process each, seed 42: {seconds:.0f} s together.",
        "", table(("command", "seconds", "dev"), lines),
    ))  # fmt: skip


def knowledge(rows: Rows) -> str:
    names = {"knowledge.rope": "birthplaces-knowledge",
             "knowledge.synthesizer": "the same with synthesizer attention",
             "calibrated": "the same, trained without 400 of the questions"}  # fmt: skip
    lines = []
    for job, name in names.items():
        runs = of(rows, job)
        lines.append([
            name, f"{runs[0]['parameters']:,}" if runs else "-", str(len(runs)), *both(runs),
            outside(job), spread(stage(runs, "pretrain", "seconds")),
        ])  # fmt: skip
    head = ("recipe", "parameters", "seeds", "dev", "place-aware", "test, measured outside",
            "training, s")  # fmt: skip
    note = interval("knowledge.rope")
    return "\n".join(("## The knowledge recipe", "", table(head, lines), *(["", note] if note else
                     [])))  # fmt: skip


def outside(job: str) -> str:
    """What others measured on the test questions."""
    values = OUTSIDE.get(job, ())
    if len(values) < 2:
        return f"{values[0]:.1f}" if values else "-"
    return f"{OUTSIDE_MEANS[job]:.1f} ({min(values):.1f} to {max(values):.1f})"


def interval(job: str) -> str:
    """Of a mean over seeds that answered the same dev questions: it counts both."""
    found = read_right().get(job, {})
    if len(found) < 2:
        return ""
    right = np.array([[letter == "1" for letter in row] for _, row in sorted(found.items())])
    _, (low, high) = mean_over_seeds(right)
    alone = mean_interval(right.mean(1))
    return "\n".join((
        f"95 % interval of the first mean, for other seeds and other questions: {100 * low:.1f} to "
        f"{100 * high:.1f}",
        f"(from `dev-right.json`; for other seeds on these questions {100 * alone[0]:.1f} to "
        f"{min(100 * alone[1], 100):.1f}, by their three scores alone).",
    ))  # fmt: skip


def read_right() -> dict[str, dict[str, str]]:
    """Which dev answers of each headline model and seed are right, a 1 or a 0 for each question."""
    path = RESULTS / "dev-right.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else {}


def take_right(questions: Path) -> None:
    """Score the committed predictions of dev; the questions' answers are not kept."""
    gold = [line.split("\t")[1] for line in questions.read_text("utf-8").split("\n") if line]
    found: dict[str, dict[str, str]] = {}
    for path in sorted(RESULTS.glob("*.dev.predictions")):
        job, seed = path.name.removesuffix(".dev.predictions").rsplit(".", 1)
        answers = path.read_text("utf-8").split("\n")[: len(gold)]
        found.setdefault(job, {})[seed] = "".join(
            str(int(answer == right)) for answer, right in zip(answers, gold, strict=True)
        )
    (RESULTS / "dev-right.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def why(rows: Rows) -> str:
    jobs = [
        ("course.causal", "the course's recipe"),
        *((f"why.{row.name}", f"+ {row.label}") for row in ROWS),
        ("knowledge.rope", "+ 20,700 steps, the best of 4 beams: `birthplaces-knowledge`"),
    ]
    lines = [[label, *_cells(of(rows, job))] for job, label in jobs]
    return "\n".join((
        "## Why it works", "",
        "One step a row, on top of those above it, with 14,950 steps of 128 rows; the last line is",
        "our recipe as it is.", "",
        table(("row", "seeds", "dev", "place-aware"), lines), single(rows),
    )).rstrip()  # fmt: skip


def single(rows: Rows) -> str:
    """One thing changed at a time; nothing before any of it was run."""
    ours = ("why.mixing", "the row with questions in every batch")
    course = ("course.causal", "the course's recipe")
    tables = {
        f"One thing alone taken out of {ours[1]}:": changes(rows, ours, "without", WITHOUT),
        f"One thing alone put into {course[1]}:": changes(rows, course, "added", ADDED),
    }
    return "\n".join(f"\n{title}\n\n{made}" for title, made in tables.items() if made)


def changes(rows: Rows, beside: tuple[str, str], kind: str, tried: Sequence[Row]) -> str:
    """A table of runs that each differ in one thing from those of the first line."""
    found = [(row, of(rows, f"{kind}.{row.name}")) for row in tried]
    if not any(runs for _, runs in found):
        return ""
    job, label = beside
    lines = [[label, *_cells(of(rows, job))], *([row.label, *_cells(runs)] for row, runs in found)]
    made = table(("change", "seeds", "dev", "place-aware"), lines)
    values = [accuracies(of(rows, job)), *(accuracies(runs) for _, runs in found)]
    return f"{made}\n\n{by_chance(values)}"


def by_chance(values: Sequence[Sequence[float]]) -> str:
    """How large differences to the first line are by chance, when many lines are compared.

    The spread of the seeds is pooled over all lines. The questions are the same in all of them.
    """
    several = [v for v in values if len(v) > 1]
    freedom = sum(len(v) - 1 for v in several)
    compared = len(values) - 1
    if not freedom or compared < 1:
        return ""
    spread_of = (sum(sum((x - mean(v)) ** 2 for x in v) for v in several) / freedom) ** 0.5
    error = spread_of * (2 / mean(len(v) for v in values)) ** 0.5
    one = student_quantile(0.975, freedom) * error
    every = student_quantile(1 - 0.025 / compared, freedom) * error
    return "\n".join((
        f"These are {compared} comparisons with the first line. The seeds of a line vary by"
        f" {spread_of:.1f} points (standard",
        f"deviation), so a single difference counts from {one:.1f} points on; of {compared} changes"
        f" without any effect, {0.05 * compared:.1f}",
        f"would reach that by chance. From {every:.1f} points on, a difference counts although "
        f"{compared} were looked at (Bonferroni).",
    ))  # fmt: skip


def _cells(runs: Rows) -> list[str]:
    return [str(len(runs)), *both(runs)]


def mistakes(rows: Rows) -> str:
    runs = of(rows, "knowledge.rope")
    found = [r["tasks"]["dev.model"]["scores"]["strict"].get("mistakes") for r in runs]
    found = [f for f in found if f]
    if not found:
        return ""
    lines = [[kind, spread([f["kinds"][kind] for f in found])] for kind in KINDS]
    return "\n".join((
        "## What the best model gets wrong", "",
        f"Of 500 dev questions, by kind, {len(found)} seeds; a kind excludes those above it.", "",
        table(("kind", "questions"), lines), "",
        "*Gold absent*: the person's line lacks the right place. *Another place of the line*: it",
        "is named there, but not as the birthplace, or not at the grain that is asked for. *Beyond",
        f"the window*: the right place stands past the first {found[0]['reach']} characters.",
    ))  # fmt: skip


def laptop() -> str:
    found = sorted(read(RESULTS / "laptop.jsonl"), key=lambda r: r["seconds"])
    if not found:
        return ""
    lines = [
        [f"{r['seconds'] / 60:.1f}", f"{r['steps']:,}", f"{100 * r['strict']:.1f}",
         f"{100 * r['place_aware']:.1f}"]
        for r in found
    ]  # fmt: skip
    return "\n".join((
        "## What a laptop buys", "",
        f"`birthplaces-laptop` on {found[0]['cores']} cores of {found[0]['machine']}, torch",
        f"{found[0]['torch']}, one seed each:", "",
        table(("minutes", "steps", "dev", "place-aware"), lines), "",
        "![Right answers against minutes of training](pictures/laptop.svg)",
    ))  # fmt: skip


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
    dress(axes, "what minutes on two cores buy", "minutes of training", "dev, % right", True)
    (PAGE.parent / "pictures" / "laptop.svg").write_bytes(to_svg(figure))


def characters(rows: Rows) -> str:
    lines = []
    for job, recipe in (("shakespeare.gru", "shakespeare-gru-gpu"),
                        ("shakespeare.gpt", "shakespeare-gpt-gpu")):  # fmt: skip
        runs = of(rows, job)
        lines.append([
            recipe, f"{runs[0]['parameters']:,}" if runs else "-", str(len(runs)),
            spread(nats(runs, "held-out"), 4),
            spread(nats(runs, "blocks"), 4) if job.endswith("gpt") else "-",
            spread(stage(runs, "train", "seconds")),
        ])  # fmt: skip
    lines.append(["nanoGPT, as published", "-", "-", "-", NANOGPT, "about 180, on an A100"])
    head = ("recipe", "parameters", "seeds", "held-out", "in blocks", "training, s")
    return "\n".join((
        "## Shakespeare, character by character", "",
        "Nats per character of the last tenth of tiny Shakespeare, all of it; the first nine",
        "tenths are trained on. *Held-out*: read in windows of which half is only read again, so",
        "that every character has half a window before it. *In blocks*: windows side by side, as",
        "nanoGPT reads, whose figure is the lowest that it met while training.", "",
        table(head, lines),
    ))  # fmt: skip


def nats(rows: Rows, task: str) -> list[float]:
    return [t["scores"]["strict"]["nats_per_target"] for r in rows
            for k, t in r["tasks"].items() if k.startswith(f"{task}.")]  # fmt: skip


def take_laptop(folders: Sequence[Path]) -> None:
    """What finished run folders say; runs of as many steps replace each other."""
    rows = {r["steps"]: r for r in read(RESULTS / "laptop.jsonl")}
    for folder in folders:
        made, status = (json.loads((folder / f).read_text()) for f in ("run.json", "status.json"))
        stage = made["recipe"]["stages"]["pretrain"]
        results = status["results"]
        rows[stage["steps"]] = {
            "steps": stage["steps"], "seconds": status["seconds"],
            "strict": results["model"]["accuracy"],
            "place_aware": results["model, place-aware"]["accuracy"], **made["versions"],
            "cores": os.cpu_count(),
        }  # fmt: skip
    ordered = [row for _, row in sorted(rows.items())]
    (RESULTS / "laptop.jsonl").write_text("".join(json.dumps(r) + "\n" for r in ordered), "utf-8")
    draw_laptop(sorted(ordered, key=lambda r: r["seconds"]))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--gpu", type=Path, help="the file that gpu.py wrote")
    parser.add_argument("--laptop", type=Path, nargs="+", default=[], help="finished runs")
    parser.add_argument("--dev", type=Path, help="birth_dev.tsv, to score the predictions again")
    parser.add_argument("--audits", type=Path, nargs="+", default=[], help="audited runs")
    parser.add_argument("--homework", type=Path, nargs="+", default=[], help="runs of bigram")
    parser.add_argument("--units", type=Path, help="the file that units.py wrote")
    parser.add_argument("--reviews", type=Path, help="a run of sentiment")
    given = parser.parse_args(arguments)
    if given.gpu is not None:
        take_over(given.gpu)
    if given.laptop:
        take_laptop(given.laptop)
    if given.dev is not None:
        take_right(given.dev)
    take_audits(given.audits)
    take_homework(given.homework, given.units, given.reviews)
    PAGE.write_text(page(read(RESULTS / "gpu.jsonl")), "utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
