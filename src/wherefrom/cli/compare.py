"""`wherefrom compare`: runs side by side, and question by question where they had the same."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import print_json
from wherefrom.core.errors import Mismatch, UsageError

if TYPE_CHECKING:
    from wherefrom.runs.run import Run


def compare(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN", help="Two finished run folders or more.")
    ],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Show runs side by side.

    The primary models are compared with the first run's on the same questions, which says more
    than two intervals do. Runs that were asked other questions stand side by side only. A word
    is not a character: perplexities of the two have rows of their own, bits per character share
    theirs.
    """
    from wherefrom.evaluation.compare import bits_per_character
    from wherefrom.report.tables import draw, pairs_table, printable, runs_table
    from wherefrom.runs.run import open_run

    if len(runs) < 2:
        raise UsageError(f"compare: expected at least two runs, found only {runs[0]}")
    trained = [path for path in runs if not _demonstrates(path)]
    opened = [open_run(path) for path in (trained or runs)]
    for run in opened:
        run.require_finished()
    pairs, notes = _pair(opened)
    notes += _how_words_are_compared(opened)
    notes += [f"{path}: left out: demonstrations have no scores" for path in runs
              if path not in trained]  # fmt: skip
    if as_json:
        shown = [
            {"run": str(r.path), "recipe": r.recipe.name, "primary": r.recipe.primary}
            | r.cost()
            | {"results": r.results | bits_per_character(r.results)}
            for r in opened
        ]
        print_json({"runs": shown, "paired": pairs, "notes": notes})
        return
    names = [_name(i, opened) for i in range(len(opened))]
    draw(
        runs_table(
            {
                name: run.results | bits_per_character(run.results)
                for name, run in zip(names, opened, strict=True)
            },
            [{"model": run.recipe.primary} | run.cost() for run in opened],
        )
    )
    if pairs:
        print()
        draw(pairs_table(pairs, str(opened[0].path)))
    for text in notes:
        print(f"\n{printable(text)}")


def _demonstrates(path: Path) -> bool:
    from wherefrom.core.recipe import Demonstrations
    from wherefrom.runs.folder import RunFolder

    return isinstance(RunFolder(path).read_recipe(), Demonstrations)


def _pair(runs: "list[Run]") -> tuple[list[dict[str, Any]], list[str]]:
    """The paired differences to the first run, and why there is none where there is none."""
    from wherefrom.evaluation.compare import compare as compare_predictions

    first, *others = runs
    pairs, notes = [], []
    tasks = _tasks(first)
    for run in others:
        shared = [task for task in _tasks(run) if task in tasks]
        if not shared:
            notes.append(f"{run.path}: not paired with {first.path}: no task with answers in both")
        for task in shared:
            mine, theirs = (r.predictions(r.recipe.primary, task) for r in (run, first))
            try:
                found = compare_predictions(mine, theirs)
            except Mismatch as error:
                notes.append(f"{run.path}: {task} not paired with {first.path}: {error}")
                continue
            pair = {"run": str(run.path), "with": str(first.path), "task": task}
            models = {"model": run.recipe.primary, "with_model": first.recipe.primary}
            pairs.append(pair | models | found.as_json())
    return pairs, notes


def _how_words_are_compared(runs: "list[Run]") -> list[str]:
    """What bits per character hold of word models, and how to have them of one text."""
    from wherefrom.evaluation.compare import bits_per_character

    words = [run for run in runs if any(r.get("unsaid_nats") for r in run.results.values())]
    if not words:
        return []
    known = [*words, *(r for r in runs if bits_per_character(r.results))]
    paths = " ".join(dict.fromkeys(str(run.path) for run in known))
    return [
        "bits per character are of each run's own held-out text; a word model's are with its "
        "unknown words spelt by bytes, a cost that its interval takes as given, but without the "
        "capitals it loses: "
        f"'wherefrom perplexity {paths} --text FILE' reads one text with all of them"
    ]


def _tasks(run: "Run") -> list[str]:
    """The tasks for which the primary model's answers are in the folder."""
    primary = run.recipe.primary
    return [
        task.name
        for task in run.recipe.tasks
        if task.measure == "accuracy" and primary in task.predictors
    ]


def _name(index: int, runs: "list[Run]") -> str:
    """A run's path as a column's heading; a run given twice has two."""
    paths = [str(run.path) for run in runs]
    twice = paths.count(paths[index]) > 1
    return f"{paths[index]} ({index + 1})" if twice else paths[index]
