"""How fast training is replayed to count every fact's exposures, in rows per second.

The bar is 200,000 rows per second on two cores, planning included. It replays the pretraining of
`people` and, if their folder is given, of the course's birthplaces; the peer renders the rows and
searches them. Rows per second of one core's CPU time are printed too: other work on the machine
hardly changes them.
"""

from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import torch
from measure import Watch, finish, parser, ratio, report, take_turns
from msgspec.structs import replace
from program import launch

from wherefrom.core.recipe import Recipe
from wherefrom.experiments.recipes.birthplaces_recipe import course
from wherefrom.experiments.recipes.people_recipe import people
from wherefrom.memorisation.exposures import ExposureCounter
from wherefrom.runs.workshop import Workshop

BAR = 200_000


def contestants(recipe: Recipe, rows: int, searched: int) -> dict[str, Any]:
    workshop, stage = Workshop(recipe), recipe.stage("pretrain")
    dataset, mix = workshop.dataset, workshop.objective(stage)
    counter = ExposureCounter(dataset.facts, dataset.documents, dataset.asked)
    steps = max(1, min(stage.steps, rows // stage.batch))
    chunk, few = (1 << 16) // stage.batch, max(1, searched // stage.batch)
    values = [fact.value for fact in dataset.facts]

    def count(_: int) -> float:
        return counter.count(mix, steps).examples

    def plan(_: int) -> float:
        for first in range(0, steps, chunk):
            mix.plan(first, min(chunk, steps - first))
        return steps * stage.batch

    def search(_: int) -> float:
        planned = mix.plan(0, few)
        for step in range(few):
            for row in mix.render(planned, step).inputs.tolist():
                text = workshop.vocabulary.decode(row)
                [text.find(value) for value in values]
        return few * stage.batch

    return {
        f"{recipe.name}: planned and counted": count,
        f"{recipe.name}: planned only": plan,
        f"{recipe.name}: rendered and searched": search,
    }


def own_speed(work: Callable[[int], float]) -> float:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    start = process_time()
    done = work(0)
    torch.set_num_threads(threads)
    return done / (process_time() - start)


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("--birthplaces", type=Path, help="the folder of the course's files")
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads or torch.get_num_threads())
    rows, searched = (200, 16) if given.tiny else (1_000_000, 1024)
    recipes = [people()]
    if given.birthplaces:
        recipe = course()
        recipes.append(replace(recipe, data=replace(recipe.data, folder=str(given.birthplaces))))
    works: dict[str, Any] = {}
    for recipe in recipes:
        works |= contestants(replace(recipe, device="cpu"), rows, searched)
    watch = Watch()
    speeds = take_turns(works, given.turns)
    own = {name: own_speed(work) for name, work in works.items() if "searched" not in name}
    ratios = [
        ratio(speeds, f"{r.name}: planned and counted", f"{r.name}: rendered and searched")
        for r in recipes
    ]
    result = report("exposures by replay", "rows/s", speeds, ratios, watch)
    for name, speed in own.items():
        print(f"  {name}: {speed:,.0f} rows a second of one core's time")
    return finish(given, result | {"bar": BAR, "one_core": own})


if __name__ == "__main__":
    launch(main)
