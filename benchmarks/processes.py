"""Steps a second of several processes against one process with as many threads.

Both take the same steps of a recipe, in turns, in one run of this program; the processes that do
not take part in a turn sleep. What one process with one thread does is measured too: it says how
much either gains. `--wide` adds a wider model, whose steps have more arithmetic.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from measure import Watch, finish, machine, parser, ratio, report, take_turns

from wherefrom.core.contracts import Learner
from wherefrom.core.recipe import Recipe
from wherefrom.experiments.processes.company import company
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.runs.opened_run import count_parameters
from wherefrom.runs.threads import count_cores
from wherefrom.runs.workshop import Workshop

CHUNK = 20  # steps, as in training


def contestant(learner: Learner, threads: int, steps: int) -> Callable[[int], float]:
    """Takes steps, always further ones, with a number of threads in each process."""
    taken = 0

    def work(_turn: int) -> float:
        nonlocal taken
        torch.set_num_threads(threads)
        for _ in range(0, steps, CHUNK):
            learner.advance(taken, min(CHUNK, steps))
            taken += min(CHUNK, steps)
        return steps

    return work


def build(recipe: Recipe) -> tuple[Learner, int]:
    workshop, stage = Workshop(recipe), recipe.stages[0]
    model = workshop.new_model(stage)
    return workshop.learner(stage, model), count_parameters(model)


def measure(recipe: Recipe, count: int, turns: int, steps: int) -> dict[str, Any]:
    alone, several = f"one process, {count} threads", f"{count} processes, one thread each"
    watch = Watch()
    ours, parameters = build(recipe)
    single, _ = build(recipe)
    with company(recipe, count):
        torch.set_num_threads(1)  # what the others compute with, too
        shared, _ = build(recipe)
        work = {
            several: contestant(shared, 1, steps),
            alone: contestant(ours, count, steps),
            "one process, one thread": contestant(single, 1, steps),
        }
        speeds = take_turns(work, turns)
    ratios = [ratio(speeds, several, alone)]
    ratios += [ratio(speeds, name, "one process, one thread") for name in (several, alone)]
    batch = recipe.stages[0].batch
    title = f"{steps} steps of {batch} rows, {parameters / 1e6:.2f} million parameters"
    return report(title, "steps/s", speeds, ratios, watch)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    options = parser(__doc__)
    options.add_argument("--processes", type=int, default=count_cores(), help="one for each core")
    options.add_argument("--steps", type=int, default=60, help="of each turn")
    options.add_argument("--wide", action="store_true", help="a wider model too")
    given = options.parse_args(arguments)
    recipe = replace(people(), device="cpu")
    recipes = [recipe]
    if given.wide:
        recipes.append(replace(recipe, model=replace(recipe.model, n_embd=256, n_head=8)))
    turns, steps = (1, 2) if given.tiny else (given.turns, given.steps)
    found = [measure(each, given.processes, turns, steps) for each in recipes]
    disturbed = [reason for each in found for reason in each["disturbed"]]
    result = {"title": "processes", "measured": found, "disturbed": disturbed}
    return finish(given, result | {"machine": machine()})


if __name__ == "__main__":
    main()
