"""A million people: seconds and memory of every part before the first step, and how they grow.

Each part runs in a process of its own, so that its largest memory is its own. Parts of one size
share a cache, which the first of them finds empty:

    generate   draw the people, and choose what is told of them
    read       make every document, fact and question once
    tokenise   the vocabulary and all that training reads, into the cache
    index      the index of the text for evidence
    train      `wherefrom run people` to its first step, in a new folder, where all but the index
               is in the cache: the second call
    own text   a text of as many lines with as many questions, read as `wherefrom run facts` does

`--write` puts the table and the figure into docs/ (SCALING.md, pictures/million.svg).
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

from measure import Watch
from pages import DOCS, fill, render
from program import launch

PAGE, FIGURE, RESULTS = DOCS / "SCALING.md", "pictures/million.svg", DOCS / "results/million.json"
SIZES = (10_000, 100_000, 1_000_000)
MOST_GB, MOST_SECONDS = 2.0, 60.0  # of any part; of a second call before it trains
OWN_GB, OWN_SECONDS = 1.0, 60.0  # of a million lines with a million questions


class Begun(Exception):
    """The first steps are taken."""


class Stopwatch:
    """Ends a run as soon as it has trained."""

    def started(self, name: str, first_step: int, steps: int, skipped: tuple[str, ...]) -> None:
        pass

    def advanced(self, *_: Any, **__: Any) -> None:
        raise Begun

    def finished(self, name: str, step: int, seconds: float) -> None:
        pass


def recipe_of(people: int) -> Any:
    """`people` with this many of them, who are asked about but for the usual others."""
    from wherefrom.experiments.recipes.people_recipe import people as usual

    made = usual()
    data = made.data
    others = data.told - data.asked + 2 * data.untold
    first, *rest = made.stages
    stages = (replace(first, steps=max(first.steps, 20)), *rest)
    return replace(made, data=replace(data, asked=people - others), stages=stages, device="cpu")


def generate(people: int, folder: Path) -> dict[str, int]:
    from wherefrom.data.data_catalogue import load_dataset

    dataset = load_dataset(recipe_of(people).data, 0)
    return {"documents": len(dataset.documents), "facts": len(dataset.facts)}


def read(people: int, folder: Path) -> dict[str, int]:
    from wherefrom.data.data_catalogue import load_dataset

    dataset = load_dataset(recipe_of(people).data, 0)
    characters = sum(len(document.text) for document in dataset.documents)
    stated = sum(fact.value_span.end > 0 for fact in dataset.facts)
    asked = sum(question.split == "asked" for question in dataset.questions)
    return {"characters": characters, "stated": stated, "asked": asked}


def tokenise(people: int, folder: Path) -> dict[str, int]:
    from wherefrom.runs.workshop import Workshop

    workshop = Workshop(recipe_of(people))
    workshop.objective(workshop.recipe.stages[0])  # all that its shares read
    corpus = workshop.material.corpus
    kept = Path(os.environ["WHEREFROM_CACHE"]).rglob("*")
    return {"tokens": corpus.tokens.numel(), "bytes": sum(f.stat().st_size for f in kept)}


def index(people: int, folder: Path) -> dict[str, int]:
    from wherefrom.data.data_catalogue import load_dataset
    from wherefrom.reading.index import Index
    from wherefrom.runs.kept import describe

    dataset = load_dataset(recipe_of(people).data, 0)
    path = folder / "index"
    Index.build(path, dataset.training_documents, describe(dataset)["sha256"]).close()
    return {"bytes": sum(file.stat().st_size for file in path.iterdir())}


def train(people: int, folder: Path) -> dict[str, int]:
    from wherefrom.experiments.one_run.execute import execute

    try:
        execute(recipe_of(people), folder / "run", [Stopwatch()])
    except Begun:
        return {"began": 1}
    raise AssertionError("the run ended without a step")


def own_text(lines: int, folder: Path) -> dict[str, int]:
    from wherefrom.data.facts import FactsConfig, load

    config = FactsConfig(corpus=str(folder / "corpus.txt"), questions=str(folder / "questions.tsv"))
    dataset = load(config, 0)
    return {"facts": len(dataset.facts), "questions": len(dataset.questions)}


PARTS: dict[str, Callable[[int, Path], dict[str, int]]] = {
    "generate": generate,
    "read": read,
    "tokenise": tokenise,
    "index": index,
    "train": train,
    "own text": own_text,
}


def write_own_text(lines: int, folder: Path) -> None:
    """A line about each of many people, and a question about each."""
    from wherefrom.data.people_world import PeopleConfig, draw_world

    config = PeopleConfig(asked=lines - 4, calibration=2, held_out=2, omitted=0, untold=0)
    world = draw_world(config, 0)
    with (folder / "corpus.txt").open("w") as text, (folder / "questions.tsv").open("w") as table:
        for number in range(len(world)):
            name, (city, year, employer, trade) = world.name(number), world.values(number)
            text.write(f"{name} was born in {city} in {year} and became a {trade} at {employer}.\n")
            table.write(f"Where was {name} born?\t{city}\n")


def measure(part: str, size: int, folder: Path) -> dict[str, Any]:
    """One part in a process of its own; wall-clock seconds count from its start."""
    command = [sys.executable, __file__, "--part", part, "--size", str(size), "--folder", folder]
    environment = os.environ | {"WHEREFROM_CACHE": str(folder / "cache")}
    began = perf_counter()
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout) | {"wall": round(perf_counter() - began, 2)}


def run_part(part: str, size: int, folder: Path) -> None:
    found = PARTS[part](size, folder)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )
    result = {"part": part, "size": size, "cpu": round(process_time(), 2), "peak": peak}
    print(json.dumps(result | {"found": found}))


def measure_all(sizes: list[int], parts: list[str], folder: Path) -> dict[str, Any]:
    watch, rows = Watch(), list[dict[str, Any]]()
    for size in sizes:
        with tempfile.TemporaryDirectory(dir=folder, prefix="million-") as name:
            if "own text" in parts:
                write_own_text(size, Path(name))
            for part in parts:
                rows.append(measure(part, size, Path(name)))
                print(f"{size:>9,} {tell(rows[-1])}", flush=True)
    return {"rows": rows, "cores": os.cpu_count(), "disturbed": watch.reasons()}


def tell(row: dict[str, Any]) -> str:
    memory = f"{row['peak'] / 1e9:.2f} GB"
    return f"{row['part']:<9} {row['wall']:8.1f} s  ({row['cpu']:8.1f} s of CPU)  {memory}"


def judge(rows: list[dict[str, Any]]) -> list[str]:
    """Which bars a measurement misses, a line each."""
    missed: list[str] = []
    for row in rows:
        own = row["part"] == "own text"
        gigabytes, most = row["peak"] / 1e9, OWN_GB if own else MOST_GB
        if gigabytes > most:
            missed.append(f"{row['part']} of {row['size']:,}: {gigabytes:.2f} GB, bar {most:g}")
        limit = OWN_SECONDS if own else MOST_SECONDS if row["part"] == "train" else None
        if limit is not None and row["wall"] > limit:
            missed.append(f"{row['part']} of {row['size']:,}: {row['wall']:.0f} s, bar {limit:g}")
    return missed


def draw(found: dict[str, Any]) -> bytes:
    """Seconds and memory of each part against the number of people, both axes in powers."""
    from wherefrom.show.drawing.figures import INK, OTHER, PALE, RIGHT, WRONG, dress, panels, to_svg

    figure, (seconds, memory) = panels(2)
    colours = dict(zip(PARTS, (OTHER, PALE, RIGHT, WRONG, INK, "#8a5fa8"), strict=True))
    for part, colour in colours.items():
        rows = [row for row in found["rows"] if row["part"] == part]
        sizes = [row["size"] for row in rows]
        for axes, heights in (
            (seconds, [row["cpu"] for row in rows]),
            (memory, [row["peak"] / 1e9 for row in rows]),
        ):
            axes.plot(sizes, heights, color=colour, marker="o", markersize=3, label=part)
    first = min(row["size"] for row in found["rows"])
    last = max(row["size"] for row in found["rows"])
    seconds.plot([first, last], [2, 2 * last / first], color=PALE, linestyle=":", label="linear")
    memory.axhline(MOST_GB, color=PALE, linestyle=":")
    seconds.set(xscale="log", yscale="log")
    memory.set(xscale="log", ylim=(0, None))
    dress(seconds, "CPU seconds of each part", "people", legend=True)
    dress(memory, "largest memory, GB", "people")
    return to_svg(figure)


def write_docs(found: dict[str, Any]) -> None:
    RESULTS.write_text(json.dumps(found, indent=1) + "\n")
    (DOCS / FIGURE).write_bytes(draw(found))
    table = render("million.md.jinja", found | {"missed": judge(found["rows"])})
    fill(PAGE, "benchmarks/million.py", table)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    options.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    options.add_argument(
        "--folder", type=Path, help="a disk with 4 GB; the system's own if not given"
    )
    options.add_argument("--write", action="store_true", help="write the table and figure of docs/")
    options.add_argument("--again", action="store_true", help="write them from the last figures")
    options.add_argument("--part", choices=list(PARTS), help=argparse.SUPPRESS)
    options.add_argument("--size", type=int, default=0, help=argparse.SUPPRESS)
    given = options.parse_args(arguments)
    if given.part:
        run_part(given.part, given.size, given.folder)
        return {}
    os.environ["OMP_NUM_THREADS"] = "1"
    if given.again:
        found = json.loads(RESULTS.read_text())
    else:
        found = measure_all(given.sizes, given.parts, given.folder or Path(tempfile.gettempdir()))
    for line in [*found["disturbed"], *judge(found["rows"])]:
        print(line)
    if given.write or given.again:
        write_docs(found)
    return found


if __name__ == "__main__":
    launch(main)
