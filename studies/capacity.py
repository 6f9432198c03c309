"""How many facts fit into how many parameters, and which of them can be asked for.

    python studies/capacity.py                    # a small form on a CPU, the full on a GPU
    python studies/capacity.py --arms FILE.toml   # sizes of your own: a table for each arm

The text is about generated people. What was drawn evenly among M texts carries log2 M bits: a model
that knows the language but not the person loses all of them, one that has stored the person none.
docs/research/CAPACITY.md says more, and what was found.

Every model has a run folder of its own (OUT/ARM-width-W/seed-S), so the same command continues a
study that was stopped: finished runs are only read. OUT/study.json has the findings, study.md and
study.svg show them.
"""

import argparse
import json
import multiprocessing
import os
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from itertools import groupby, repeat
from math import log, log2, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any

import matplotlib
import numpy as np
import torch
import torch.nn.functional as F
from jinja2 import Template
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter, LogLocator
from msgspec.structs import replace

import wherefrom

ASKING, START = 0.25, 0.5  # the share of rows that are questions, from a share of the steps on
BITS = "bits_per_parameter"

# A word is two syllables. A value is one word, a name two.
LETTERS = "bdfghjklmnprstvz"
SYLLABLES = [consonant + vowel for consonant in LETTERS for vowel in "aeio"]
WORDS = len(SYLLABLES) ** 2
NAMES = WORDS**2
# The clauses about a relation in each wording, and the question about it.
RELATIONS = (
    (("born {}", "from {}", "{} native", "cradle {}", "{} by birth"), "place of birth?"),
    (("home {}", "in {} now", "{} flat", "moved to {}", "{} dweller"), "place of living?"),
    (("firm {}", "paid by {}", "{} staff", "works at {}", "{} clerk"), "place of work?"),
    (("wed {}", "spouse {}", "{} is dear", "married {}", "{} at heart"), "who is the partner?"),
)
DRAWN_BITS = np.array([log2(NAMES), len(RELATIONS) * log2(WORDS)])  # of a name, of all facts
HALF_STRING = 12  # letters of a random string, of which the second half is asked for
# In each wording the relations stand in another order, and each comes first in some wording.
ORDERS = ((0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0), (1, 3, 0, 2), (0, 3, 2, 1))
BATCH = 1000  # biographies that a model reads at once


@dataclass(frozen=True)
class Arm:
    """A text, and the widths of the models that are filled with it.

    Each of `items`, people, is shown `exposures` times, over all `wordings`. `questions` is the
    share of people whose questions are trained on in the second half, to ask for what the text
    says about the others; 0 asks nothing. Every model is trained with this number of `seeds`.
    `strings` has random letters in place of people.
    """

    name: str
    items: int = 1000
    exposures: int = 100
    wordings: int = 1
    widths: Sequence[int] = (16,)
    batch: int = 8
    questions: float = 0.0
    seeds: int = 1
    strings: bool = False

    def __post_init__(self) -> None:
        limits = {"items": (3, 1_000_000), "wordings": (1, len(ORDERS)), "questions": (0, 0.8)}
        for name, (low, high) in limits.items():
            if not low <= (found := getattr(self, name)) <= high:
                raise ValueError(f"{self.name}.{name}: expected {low} to {high}, found {found}")

    @property
    def asked(self) -> int:
        """How many people's questions are trained on: the first of the text."""
        return round(self.items * self.questions)

    @property
    def drawn_bits(self) -> np.ndarray:
        """Of a name, and of all facts about it."""
        return np.full(2, HALF_STRING * log2(len(LETTERS))) if self.strings else DRAWN_BITS

    @property
    def steps(self) -> int:
        """Enough to show every item so often, beside the rows that questions take."""
        rows = self.batch * (1 - ASKING * (1 - START)) if self.asked else self.batch
        return max(1, round(self.items * self.exposures / rows))


SMALL, MEDIUM, LARGE = (8, 16, 24, 32, 40), (16, 24, 32, 48, 64), (64, 96, 128, 192, 256)
HALF: dict[str, Any] = {"items": 100, "exposures": 600, "widths": (40,), "batch": 32}
GPU: dict[str, Any] = {"batch": 64, "seeds": 3}  # one batch: exposures are all that differs
FORMS: dict[str, tuple[Arm, ...]] = {
    "small": (
        Arm("people-200", items=200, widths=SMALL, batch=16),
        Arm("one-wording", questions=0.5, **HALF),
        Arm("five-wordings", questions=0.5, wordings=5, **HALF),
    ),
    "gpu": (
        Arm("people-1000", widths=MEDIUM, **GPU),
        Arm("people-1000-300", widths=MEDIUM, exposures=300, **GPU),
        Arm("people-1000-1000", widths=MEDIUM, exposures=1000, **GPU),
        Arm("people-10000", items=10_000, widths=LARGE, **GPU),
        Arm("strings-1000", widths=MEDIUM, exposures=1000, strings=True, **GPU),
        Arm("one-wording", widths=(128,), exposures=1000, questions=0.5, **GPU),
        Arm("five-wordings", widths=(128,), exposures=1000, questions=0.5, wordings=5, **GPU),
    ),
}


# -- the text ---------------------------------------------------------------------------


def write_text(arm: Arm, out: Path) -> None:
    """A line for every biography, those of one person together, and the questions."""
    drawn = np.random.default_rng(0)
    names = drawn.choice(NAMES, arm.items, replace=False)
    values = drawn.integers(WORDS, size=(arm.items, len(RELATIONS)))
    text, asked = list[str](), ["question\tanswer\tsplit"]
    letters = drawn.choice([*LETTERS], (arm.items, 2, HALF_STRING))
    for number, (name, own) in enumerate(zip(names, values, strict=True)):
        person, said = f"{spell(name // WORDS)} {spell(name % WORDS)}", [spell(v) for v in own]
        if arm.strings:
            person, *said = ("".join(half) for half in letters[number])
        text += [describe(arm, person, said, wording) for wording in range(arm.wordings)]
        # Without a question that is trained on there would be none to tell their form by.
        split = "asked" if number < max(arm.asked, 1) else "held-out"
        for (_, form), value in zip(RELATIONS, said, strict=False):
            asked.append(f"On {person} - {form}\t{value}\t{split}")
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{arm.name}.txt").write_text("\n".join(text) + "\n")
    (out / f"{arm.name}.tsv").write_text("\n".join(asked) + "\n")


def describe(arm: Arm, name: str, values: Sequence[str], wording: int) -> str:
    """A biography begins as a question does, so that a small model has to look in one place."""
    if not arm.strings:
        values = [RELATIONS[nth][0][wording].format(values[nth]) for nth in ORDERS[wording]]
    return f"On {name} - {', '.join(values)}."


def spell(word: int) -> str:
    first, second = divmod(word, len(SYLLABLES))
    return (SYLLABLES[first] + SYLLABLES[second]).capitalize()


# -- training ---------------------------------------------------------------------------


def make_recipe(arm: Arm, width: int, out: Path, device: str = "cpu") -> wherefrom.Recipe:
    """A GPT of two layers that reads the text, and questions later on if the arm has them.

    Nothing but storing is asked of it: no dropout, no decay, every character weighs the same.
    """
    objective = "stages.train.mix.text.objective.kind=next-character"
    kinds = ["data.kind=facts", "stages.train.optimiser.kind=muon", objective]
    place: Any = {"device": device, "threads": 1 if device == "cpu" else 0}
    base = wherefrom.build_recipe("shakespeare-gpt", settings=kinds, **place)
    assert isinstance(base, wherefrom.Recipe)
    files = {"corpus": str(out / f"{arm.name}.txt"), "questions": str(out / f"{arm.name}.tsv")}
    data = replace(base.data, calibration_share=0.0, **files)
    heads = min(8, width // 8)
    model = replace(base.model, block_size=96, n_layer=2, n_head=heads, n_embd=width, ngrams=0)
    extraction = replace(base.tasks[0], name="extraction", measure="accuracy", beams=1)
    tasks = (extraction, replace(extraction, name="taught", split="asked"))
    (stage,), mix = base.stages, base.stages[0].mix
    if arm.asked:
        teach = wherefrom.get_recipe("people").stages[-1].mix[0]  # questions with their answers
        mix = (replace(mix[0], share=1 - ASKING), replace(teach, share=ASKING, start=START))
    stage = replace(
        stage,
        mix=mix,
        optimiser=replace(stage.optimiser, rate=0.01, adam_rate=0.032 / sqrt(width), decay=0.0),
        steps=arm.steps,
        batch=arm.batch,
        packed=True,
        arithmetic="tf32",
    )
    return replace(base, name="capacity", data=data, model=model, stages=(stage,), tasks=tasks)


def train(arm: Arm, width: int, out: Path, device: str) -> wherefrom.SeedsOutcome:
    """Every seed of a width of an arm; on a GPU they are trained together."""
    recipe = make_recipe(arm, width, out, device)
    return wherefrom.run_seeds(recipe, range(arm.seeds), out=out / f"{arm.name}-width-{width}")


def train_all(arms: Sequence[Arm], out: Path, device: str) -> list[wherefrom.SeedsOutcome]:
    """The models of all arms, one process for each core: a small model keeps no machine busy."""
    for arm in arms:
        write_text(arm, out)
    planned = [(arm, width) for arm in arms for width in arm.widths]
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
    rows = [measure(*each, outcome) for each, outcome in zip(widths, outcomes, strict=True)]
    run = json.loads((Path(outcomes[0].runs[0]) / "run.json").read_text())
    return {
        "device": device,
        "seconds": round(sum(outcome.seconds for outcome in outcomes), 2),
        "versions": run["versions"],
        "fillings": [row for row in rows if not row["asked"]],
        "extractions": [row for row in rows if row["asked"]],
    }


def measure(arm: Arm, width: int, outcome: Any) -> dict[str, Any]:
    """What a width of an arm holds of the people whose questions were not trained on, and answers.

    `storable` are the bits that any model could hold, `names` and `facts` the shares of them that
    are stored. `extraction` is the share of right answers about these people, with its interval,
    `taught` that about the others. The interval of the bits is over people; of several seeds, it
    reaches from the lowest end to the highest.
    """
    runs = [wherefrom.open_run(path) for path in outcome.runs]
    parameters = sum(p.numel() for p in runs[0].model().parameters())
    people = arm.items - arm.asked
    saved = np.array([count_bits(run, arm)[arm.asked :] for run in runs])  # (seeds, people, 2)
    # Nothing can foretell which of the people a text is about.
    storable = people * (arm.drawn_bits - (log2(arm.items), 0.0))
    bits = saved.sum(2) * people / parameters
    half = NormalDist().inv_cdf(0.975) * bits.std(1) / sqrt(people)
    stored = saved.mean(0).sum(0)
    names, facts = (stored / storable).tolist()
    answers = outcome.results if len(runs) > 1 else runs[0].results
    return asdict(arm) | {
        "asked": arm.asked,
        "width": width,
        "seeds": len(runs),
        "parameters": parameters,
        "stored": float(stored.sum()),
        "storable": float(storable.sum()),
        BITS: float(bits.mean()),
        "facts_alone": float(stored[1] / parameters),
        "interval": [float((bits.mean(1) - half).min()), float((bits.mean(1) + half).max())],
        "names": names,
        "facts": facts,
        "extraction": [answers["gpt"][name] for name in ("accuracy", "interval")],
        "taught": answers["taught.gpt"]["accuracy"],
    }


def count_bits(run: wherefrom.Run, arm: Arm) -> np.ndarray:
    """The bits of each person's name and facts that a model does not lose, (people, 2).

    A model that is sure of something wrong has negative bits. Wordings count by their mean.
    """
    model, documents, lost = run.model(), list(run.dataset.documents), np.zeros((arm.items, 2))
    device = next(model.parameters()).device
    for wording in range(arm.wordings):
        # Names and values have the same places in all biographies of a wording.
        halves = ("#" * HALF_STRING, ["*" * HALF_STRING])
        parts = halves if arm.strings else ("#" * 9, ["*" * 4] * len(RELATIONS))
        pattern = np.array([*describe(arm, *parts, wording)])
        own = [run.vocabulary.encode(d.text) for d in documents[wording :: arm.wordings]]
        for first in range(0, arm.items, BATCH):
            rows = torch.tensor(own[first : first + BATCH], device=device)
            with torch.inference_mode():
                logits = model(rows[:, :-1]).double().transpose(1, 2)
            bits = F.cross_entropy(logits, rows[:, 1:], reduction="none").cpu().numpy() / log(2)
            for part, mark in enumerate("#*"):
                cost = bits[:, pattern[1:] == mark].sum(1)
                lost[first : first + BATCH, part] += cost / arm.wordings
    return arm.drawn_bits - lost


# -- picture, page and commands -----------------------------------------------------------


def draw(found: dict[str, Any], path: Path) -> None:
    # Text stays text, and the same numbers give the same bytes.
    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "wherefrom", "font.size": 9}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(5.2, 3.9), layout="constrained")
        axes = figure.subplots()
        for _, group in groupby(found["fillings"], key=lambda row: row["name"]):
            rows = list(group)
            sizes, at = [row["parameters"] for row in rows], np.array([row[BITS] for row in rows])
            low, high = np.transpose([row["interval"] for row in rows])
            kind = "strings" if rows[0]["strings"] else "people"
            label = f"{rows[0]['items']:,} {kind}, {rows[0]['exposures']:,} exposures"
            axes.errorbar(sizes, at, [at - low, high - at], label=label, marker="o", markersize=3)
        axes.axhline(2, color="#9aa3ad", linestyle=":", label="literature, 1,000 exposures: 2")
        axes.set(xscale="log", xlabel="parameters", title="bits per parameter")
        axes.set_ylim(bottom=0)
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.minorticks_off()
        figure.legend(frameon=False, loc="outside lower center", ncols=2)
        figure.savefig(path, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))


def run(arms: Sequence[Arm], out: Path, device: str) -> None:
    machine = f"cpu, {os.cpu_count()} cores" if device == "cpu" else torch.cuda.get_device_name()
    found = find(arms, train_all(arms, out, device), machine)
    (out / "study.json").write_text(json.dumps(found, indent=1) + "\n")
    draw(found, out / "study.svg")
    # Which sizes were run, where, how long it took, and both tables.
    text = Path(__file__).with_suffix(".md.jinja").read_text()
    page = Template(text, trim_blocks=True, lstrip_blocks=True).render(found)
    (out / "study.md").write_text(page)
    print(f"{out / 'study.md'}: the tables and the picture")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("runs/capacity"))
    parser.add_argument("--form", choices=FORMS, help="default: gpu if there is one, else small")
    parser.add_argument("--arms", type=Path, metavar="FILE.toml", help="sizes of your own")
    given = parser.parse_args(arguments)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    arms = FORMS[given.form or ("gpu" if device == "cuda" else "small")]
    try:
        if given.arms:
            arms = [Arm(n, **own) for n, own in tomllib.loads(given.arms.read_text()).items()]
        run(arms, given.out, device)
    except (TypeError, ValueError, wherefrom.WherefromError) as error:
        parser.exit(getattr(error, "exit_code", 2), f"{error}\n")


if __name__ == "__main__":
    main()
