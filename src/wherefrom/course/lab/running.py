"""Running demonstrations instead of training: claims computed, checked and drawn into a folder."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic

from wherefrom.core.artifact import lock_folder
from wherefrom.core.recipe import Demonstrations
from wherefrom.course.lab import attention, gradients, key_noise, self_attention
from wherefrom.course.lab.demonstration import Demonstration
from wherefrom.experiments.one_run.execute import find_stored
from wherefrom.experiments.one_run.outcome import Outcome
from wherefrom.runs.folder import RunFolder
from wherefrom.show.drawing.figures import to_svg
from wherefrom.show.page.lab_report import CLAIMS, FIGURES

# By name, in the order in which they are best read.
DEMONSTRATIONS: dict[str, Callable[[Demonstration, int], None]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        attention.categorical, attention.copying, attention.average_of_two, attention.projection,
        key_noise.small_noise_in_keys, key_noise.range_of_a_key, key_noise.one_head_is_fragile,
        key_noise.two_heads_are_robust, self_attention.key_query_value,
        self_attention.without_key_query_value, gradients.softmax_cross_entropy,
        self_attention.synthesizer,
    )
}  # fmt: skip


def demonstrate(name: str, seed: int) -> Demonstration:
    shown = Demonstration(name)
    DEMONSTRATIONS[name](shown, seed)
    return shown


def run_demonstrations(recipe: Demonstrations, path: Path) -> Outcome:
    """Compute and draw all demonstrations into a folder; those of a finished one are only read.

    The results are how many checks held in each.
    """
    folder = RunFolder(path)
    if outcome := find_stored(folder, recipe):
        return outcome
    with lock_folder(path):
        if outcome := find_stored(folder, recipe):  # another process has finished it meanwhile
            return outcome
        started = monotonic()
        if not folder.exists():
            folder.write_recipe(recipe)
        with folder.transaction():
            folder.clean_up()
            shown = [demonstrate(name, recipe.seed) for name in DEMONSTRATIONS]
            for each in shown:
                folder.write(f"{FIGURES}/{each.name}.svg", [to_svg(each.draw())])
            folder.write_json(CLAIMS, [each.as_json() for each in shown])
            results = {each.name: each.result() for each in shown}
            seconds = round(monotonic() - started, 2)
            folder.write_status({"state": "finished", "seconds": seconds, "results": results})
        return Outcome(recipe.name, str(folder.path), seconds, results)
