"""Steps a second of several processes against one process with as many threads.

Both train the same model for a few chunks of steps, in turns, in one run of this program, and the
first chunk does not count. What one process with one thread does is measured too: it says how much
either gains. `--wide` adds a wider model, whose steps have more arithmetic.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

from measure import Watch, finish, machine, parser, ratio, report
from msgspec.structs import replace
from program import launch

from wherefrom import api
from wherefrom.core.recipe import ModelEntry, Recipe
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.experiments.resources import count_cores
from wherefrom.runs.opened_run import count_parameters
from wherefrom.runs.workshop import Workshop

CHUNK = 20  # steps, as in training


def train(recipe: Recipe, processes: int, threads: int) -> float:
    """Steps a second after the first chunk, with this number of threads in each process."""
    with tempfile.TemporaryDirectory() as folder:
        api.run(replace(recipe, threads=threads), out=f"{folder}/run", processes=processes)
        log = Path(folder, "run", "stages", recipe.stages[0].name, "metrics.jsonl")
        first, *_, last = map(json.loads, log.open())
    return (last["step"] - first["step"]) / (last["seconds"] - first["seconds"])


def measure(recipe: Recipe, count: int, turns: int) -> dict[str, Any]:
    single, alone = "one process, one thread", f"one process, {count} threads"
    several = f"{count} processes, one thread each"
    ways = {several: (count, 1), alone: (1, count), single: (1, 1)}
    watch, stage = Watch(), recipe.stages[0]
    speeds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            speeds[name].append(train(recipe, *way))
    ratios = [ratio(speeds, several, alone)]
    ratios += [ratio(speeds, name, single) for name in (several, alone)]
    parameters = count_parameters(Workshop(recipe).new_model(stage)) / 1e6
    title = f"{stage.steps} steps of {stage.batch} rows, {parameters:.2f} million parameters"
    return report(title, "steps/s", speeds, ratios, watch)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = parser(__doc__)
    options.add_argument("--processes", type=int, default=count_cores(), help="one for each core")
    options.add_argument("--steps", type=int, default=4 * CHUNK, help="of each turn")
    options.add_argument("--wide", action="store_true", help="a wider model too")
    given = options.parse_args(arguments)
    turns, steps = (1, CHUNK + 1) if given.tiny else (given.turns, given.steps)
    usual = people()
    stage = replace(usual.stages[0], steps=steps)
    models = (ModelEntry(usual.primary, stage.name),)
    recipe = replace(usual, device="cpu", stages=(stage,), models=models, tasks=(), abstain=False)
    recipes = [recipe]
    if given.wide:
        recipes.append(replace(recipe, model=replace(recipe.model, n_embd=256, n_head=8)))
    found = [measure(each, given.processes, turns) for each in recipes]
    disturbed = [reason for each in found for reason in each["disturbed"]]
    result = {"title": "processes", "measured": found, "disturbed": disturbed}
    return finish(given, result | {"machine": machine()})


if __name__ == "__main__":
    launch(main)
