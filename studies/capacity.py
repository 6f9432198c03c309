"""How many facts fit into how many parameters, and which of them can be asked for.

    python studies/capacity.py                    # a small form on a CPU, the full on a GPU
    python studies/capacity.py --arms FILE.toml   # sizes of your own: a table for each arm
    python studies/capacity.py --page             # docs/CAPACITY.md, from docs/results

docs/CAPACITY.md says what is measured, and what was found. Every model has a run folder of its own
(OUT/ARM-width-W/seed-S), so the same command continues a study that was stopped: finished runs are
only read. OUT/study.json has the findings, study.md and study.svg show them.
"""

import argparse
import json
import multiprocessing
import os
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from itertools import repeat
from math import sqrt
from pathlib import Path
from statistics import NormalDist, fmean
from typing import Any

import matplotlib
import numpy as np
import torch
from jinja2 import Template
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator

import wherefrom

DOCS = Path(__file__).parents[1] / "docs"
BEGIN, END = "<!-- written by studies/capacity.py -->", "<!-- end of what it writes -->"
ASKING, START = 0.25, 0.5  # the share of rows that are questions, from a share of the steps on
BITS, NAME = "bits_per_parameter", "name"  # a result's figure; the part of a text that is no fact
FEW_SEEDS = 3  # fewer say too little about their spread, and the interval is over the people
FACTS_BITS, STRINGS_BITS = 2.0, 3.6  # for each parameter, in the literature


@dataclass(frozen=True)
class Arm:
    """A text, and the widths of the models that are filled with it.

    Each of `items` (people or strings) is shown `exposures` times. `questions` is the share of
    people whose questions are trained on in the second half, to ask for what the text says about
    the others; 0 asks nothing. Every model is trained with this number of `seeds`.
    """

    name: str
    text: str = "biographies"  # biographies, strings
    items: int = 1000
    exposures: int = 100
    wordings: int = 1
    widths: Sequence[int] = (16,)
    batch: int = 8
    questions: float = 0.0
    seeds: int = 1

    @property
    def steps(self) -> int:
        """Enough to show every item so often, beside the rows that questions take."""
        rows = self.batch * (1 - ASKING * (1 - START)) if self.questions else self.batch
        return max(1, round(self.items * self.exposures / rows))


SMALL, MEDIUM, LARGE = (8, 16, 24, 32, 40), (16, 24, 32, 48, 64), (64, 96, 128, 192, 256)
HALF: dict[str, Any] = {"items": 100, "exposures": 600, "widths": (40,), "batch": 32}
LONG: dict[str, Any] = {"exposures": 1000, "batch": 64}
FORMS: dict[str, tuple[Arm, ...]] = {
    "small": (
        Arm("people-200", items=200, widths=SMALL, batch=16),
        Arm("strings-100", "strings", items=100, exposures=300, widths=SMALL[:3], batch=16),
        Arm("one-wording", questions=0.5, **HALF),
        Arm("five-wordings", questions=0.5, wordings=5, **HALF),
    ),
    "thousand": (Arm("people-1000", widths=MEDIUM, batch=32),),
    "gpu": (
        Arm("people-1000", widths=MEDIUM, batch=16, seeds=3),
        Arm("people-10000", items=10_000, widths=LARGE, batch=128, seeds=3),
        Arm("people-1000-long", widths=MEDIUM, seeds=3, **LONG),
        Arm("strings-1000-long", "strings", widths=MEDIUM, **LONG),
        Arm("one-wording", widths=(128,), questions=0.5, seeds=3, **LONG),
        Arm("five-wordings", widths=(128,), questions=0.5, wordings=5, seeds=3, **LONG),
    ),
}
TITLES = {
    "small": "the small form, on a CPU (`--form small`)",
    "thousand": "one text of the full form at 32 rows a step, on a CPU (`--form thousand`)",
    "gpu": "the full form, on a GPU (`--form gpu`)",
}


# -- training ---------------------------------------------------------------------------


def make_recipe(arm: Arm, width: int, device: str = "auto", threads: int = 0) -> wherefrom.Recipe:
    """A GPT of two layers that reads the text, and questions later on if the arm has them.

    Nothing but storing is asked of it: no dropout, no decay, every character weighs the same.
    """
    kind = "biographies" if arm.text == "biographies" else "random-strings"
    kinds = [f"data.kind={kind}", "stages.train.optimiser.kind=muon"]
    kinds.append("stages.train.mix.text.objective.kind=next-character")
    base = wherefrom.build_recipe("shakespeare-gpt", settings=kinds, device=device, threads=threads)
    assert isinstance(base, wherefrom.Recipe)
    asked = round(arm.items * arm.questions)
    told = {"people": arm.items, "wordings": arm.wordings, "asked": asked}
    data = replace(base.data, **told if arm.text == "biographies" else {"strings": arm.items})
    heads = min(8, width // 8)
    model = replace(base.model, block_size=96, n_layer=2, n_head=heads, n_embd=width, ngrams=0)
    (stage,), task = base.stages, replace(base.tasks[0], name="storage", measure="storage")
    mix, tasks = stage.mix, [task]
    if asked:
        teach = wherefrom.get_recipe("people").stages[-1].mix[0]  # questions with their answers
        mix = (replace(mix[0], share=1 - ASKING), replace(teach, share=ASKING, start=START))
        extraction = replace(task, name="extraction", measure="accuracy", beams=1)
        tasks += [extraction, replace(extraction, name="taught", split="asked")]
    stage = replace(
        stage,
        mix=mix,
        optimiser=replace(stage.optimiser, rate=0.01, adam_rate=0.032 / sqrt(width), decay=0.0),
        steps=arm.steps,
        batch=arm.batch,
        packed=True,
        arithmetic="tf32",
    )
    return replace(
        base, name="capacity", data=data, model=model, stages=(stage,), tasks=tuple(tasks)
    )


def train(arm: Arm, width: int, out: Path, device: str) -> wherefrom.SeedsOutcome:
    """Every seed of a width of an arm; on a GPU they are trained together."""
    recipe = make_recipe(arm, width, device, threads=1 if device == "cpu" else 0)
    folder = out / f"{arm.name}-width-{width}"
    return wherefrom.run_seeds(recipe, range(arm.seeds), out=folder, progress=device != "cpu")


def train_all(arms: Sequence[Arm], out: Path, device: str) -> list[wherefrom.SeedsOutcome]:
    """The models of all arms; on a CPU one for each core, since they gain little from threads."""
    planned = [(arm, width) for arm in arms for width in arm.widths]
    if device != "cpu":
        return [train(arm, width, out, device) for arm, width in planned]
    spawn = multiprocessing.get_context("spawn")  # a process that has used torch cannot be forked
    found: list[wherefrom.SeedsOutcome] = []
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(planned)), spawn) as pool:
        for outcome in pool.map(train, *zip(*planned, strict=True), repeat(out), repeat(device)):
            found.append(outcome)
            print(f"{len(found)} of {len(planned)}: {Path(outcome.runs[0]).parent}", flush=True)
    return found


# -- findings ----------------------------------------------------------------------------


def find(arms: Sequence[Arm], outcomes: Sequence[Any], device: str) -> dict[str, Any]:
    """What a study found, from the outcomes of its arms and their widths, in this order."""
    widths = [(arm, width) for arm in arms for width in arm.widths]
    each = list(zip(widths, outcomes, strict=True))
    run = json.loads((Path(outcomes[0].runs[0]) / "run.json").read_text())
    return {
        "seed": 0,
        "device": device,
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 2),
        "versions": run["versions"],
        "fillings": [fill(arm, width, o) for (arm, width), o in each if not arm.questions],
        "extractions": [extract(arm, width, o) for (arm, width), o in each if arm.questions],
    }


def fill(arm: Arm, width: int, outcome: Any) -> dict[str, Any]:
    """How many bits a width of an arm holds, over its seeds.

    `storable` are the bits of the text that any model could hold; `facts` is the share of the
    facts' bits that is stored, `names` the share of the names' bits (strings have none).
    """
    rows = [find_storage(run.results) for run in outcome.outcomes]
    mean, ends = find_storage(outcome.results), [row["interval"] for row in rows]
    return describe_model(arm, width, rows) | {
        BITS: mean[BITS],
        "interval": np.mean(ends, 0).tolist() if len(rows) < FEW_SEEDS else mean["interval"],
        **{name: fmean(row[name] for row in rows) for name in ("stored", "storable")},
        "facts": share_stored(rows, names=False),
        "names": share_stored(rows, names=True) if NAME in rows[0]["parts"] else None,
    }


def extract(arm: Arm, width: int, outcome: Any) -> dict[str, Any]:
    """Questions about people whose own questions were not trained on, against what is stored.

    `people` are those of all seeds together; `taught` is the share of right answers about the
    people whose questions were trained on.
    """
    rows = [find_storage(run.results) for run in outcome.outcomes]
    accuracy, taught = (outcome.results[f"{name}.gpt"] for name in ("extraction", "taught"))
    answered = [share for run in outcome.runs for share in read_people(run)]
    return describe_model(arm, width, rows) | {
        "people": len(answered),
        "accuracy": accuracy["accuracy"],
        "interval": over_people(answered) if len(rows) < FEW_SEEDS else accuracy["interval"],
        "stored": share_stored(rows, names=False),
        "taught": taught["accuracy"],
    }


def describe_model(arm: Arm, width: int, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    told = {name: getattr(arm, name) for name in ("text", "items", "exposures", "wordings")}
    size = {name: rows[0][name] for name in ("parameters", "embeddings")}
    return {"arm": arm.name, **told, "width": width, **size, "seeds": len(rows)}


def find_storage(results: dict[str, Any]) -> dict[str, Any]:
    return next(row for row in results.values() if BITS in row)


def share_stored(rows: Sequence[dict[str, Any]], names: bool) -> float:
    """The share of the storable bits that is stored, of names or of everything else."""
    parts = [part for row in rows for n, part in row["parts"].items() if (n == NAME) == names]
    return sum(part["stored"] for part in parts) / sum(part["storable"] for part in parts)


def read_people(run: str) -> list[float]:
    """Each held-out person's share of right answers."""
    people: dict[str, list[bool]] = {}
    for prediction in wherefrom.open_run(run).predictions("gpt", "extraction"):
        people.setdefault(prediction.subject, []).append(prediction.correct)
    return [fmean(right) for right in people.values()]


def over_people(shares: Sequence[float]) -> list[float]:
    """The bootstrap's interval of a mean of people's shares.

    Where all are the same, drawing among them would leave no width: Wilson's interval then.
    """
    n, mean = len(shares), fmean(shares)
    if len(set(shares)) > 1:
        drawn = np.random.default_rng(0).choice(shares, (2000, n)).mean(axis=1)
        return np.quantile(drawn, (0.025, 0.975)).tolist()
    z = NormalDist().inv_cdf(0.975)
    centre, half = mean + z * z / 2 / n, z * sqrt(mean * (1 - mean) / n + (z / 2 / n) ** 2)
    return [(centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)]


# -- page and picture ---------------------------------------------------------------------


def describe(found: dict[str, Any], picture: str) -> str:
    """Which sizes were run, where, how long it took, and both tables: capacity.md.jinja."""
    fullest = [max(rows, key=lambda row: row[BITS]) for rows in by_arm(found["fillings"])]
    text = Path(__file__).with_suffix(".md.jinja").read_text()
    page = Template(text, trim_blocks=True, lstrip_blocks=True)
    return page.render(found, fullest=fullest, picture=picture, say_text=say_text)


def say_text(row: dict[str, Any]) -> str:
    return f"{row['items']:,} {'people' if row['text'] == 'biographies' else 'strings'}"


def by_arm(rows: Sequence[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    arms = dict.fromkeys(row["arm"] for row in rows)
    return [[row for row in rows if row["arm"] == arm] for arm in arms]


def draw(found: dict[str, Any], path: Path) -> None:
    # Text stays text, and the same numbers give the same bytes.
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "wherefrom", "font.size": 9}
    asked = found["extractions"]
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(3.9 * (3 if asked else 2), 3.5), layout="constrained")
        bits, share, *rest = figure.subplots(1, 3 if asked else 2)
        for rows in by_arm(found["fillings"]):
            sizes, at = [r["parameters"] for r in rows], np.array([r[BITS] for r in rows])
            low, high = np.transpose([row["interval"] for row in rows])
            label = f"{say_text(rows[0])}, {rows[0]['exposures']:,} exposures"
            spread = np.maximum([at - low, high - at], 0)
            bits.errorbar(sizes, at, spread, label=label, marker="o", markersize=3)
            stored = [100 * row["stored"] / row["storable"] for row in rows]
            share.plot(sizes, stored, marker="o", markersize=3)
        for value, name, line in ((FACTS_BITS, "facts", ":"), (STRINGS_BITS, "strings", "--")):
            label = f"literature: {value:g} ({name})"
            bits.axhline(value, color="#9aa3ad", linestyle=line, label=label)
        for axes, title in ((bits, "bits per parameter"), (share, "stored, % of the text's bits")):
            axes.set(xscale="log", xlabel="parameters", title=title)
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
            axes.xaxis.set_major_formatter(EngFormatter(sep=""))
            axes.minorticks_off()
        for axes in rest:
            places = np.arange(len(asked))
            stored, right = ([100 * r[name] for r in asked] for name in ("stored", "accuracy"))
            axes.bar(places - 0.2, stored, 0.36, label="facts stored, %")
            axes.bar(places + 0.2, right, 0.36, label="questions answered, %")
            axes.set_xticks(places, [f"wordings: {row['wordings']}" for row in asked])
            axes.set(title="people who were not asked about, %", ylim=(0, 105))
        figure.legend(frameon=False, loc="outside lower center", ncols=2)
        figure.savefig(path, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))


# -- commands ----------------------------------------------------------------------------


def run(arms: Sequence[Arm], out: Path, device: str) -> None:
    outcomes = train_all(arms, out, device)
    machine = f"cpu, {os.cpu_count()} cores" if device == "cpu" else torch.cuda.get_device_name()
    found = find(arms, outcomes, machine)
    (out / "study.json").write_text(json.dumps(found, indent=1) + "\n")
    draw(found, out / "study.svg")
    (out / "study.md").write_text(describe(found, "study.svg"))
    print(f"{out / 'study.md'}: the tables and the picture")


def write_page(docs: Path) -> None:
    """The part of docs/CAPACITY.md between two marks, and its pictures."""
    parts: list[str] = []
    for form, title in TITLES.items():
        found = json.loads((docs / f"results/capacity-{form}.json").read_text())
        picture = f"pictures/capacity-{form}.svg"
        draw(found, docs / picture)
        parts.append(f"## What was measured: {title}\n\n{describe(found, picture).strip()}\n")
    page = docs / "CAPACITY.md"
    head, _, rest = page.read_text().partition(BEGIN)
    tail = rest.partition(END)[2]
    page.write_text("\n".join([f"{head}{BEGIN}\n", *parts, f"{END}{tail}"]))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/capacity"))
    parser.add_argument("--form", choices=FORMS, help="default: gpu if there is one, else small")
    parser.add_argument("--arms", type=Path, metavar="FILE.toml", help="sizes of your own")
    parser.add_argument("--device", choices=("cpu", "cuda"))
    parser.add_argument("--page", action="store_true", help="write docs/CAPACITY.md again")
    given = parser.parse_args(arguments)
    if given.page:
        return write_page(DOCS)
    device = given.device or ("cuda" if torch.cuda.is_available() else "cpu")
    arms = FORMS[given.form or ("gpu" if device == "cuda" else "small")]
    try:
        if given.arms:
            arms = [Arm(n, **own) for n, own in tomllib.loads(given.arms.read_text()).items()]
        run(arms, given.out, device)
    except (TypeError, wherefrom.WherefromError) as error:
        parser.exit(getattr(error, "exit_code", 2), f"{error}\n")


if __name__ == "__main__":
    main()
