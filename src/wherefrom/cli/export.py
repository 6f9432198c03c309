"""`wherefrom export`: a run's model as a folder that transformers loads."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, FinishedRun, ModelName, Threads
from wherefrom.cli.output import print_json


def export(
    run: FinishedRun,
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="The folder to write: a new or an empty one.")
    ],
    model: ModelName = "",
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Load the folder back with transformers, and compare logits and answers with the "
            "run's.",
        ),
    ] = False,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Export a model for transformers and lm-evaluation-harness.

    AutoModelForCausalLM and AutoTokenizer load the folder without code of ours. It also has a model
    card, example.py, and the held-out questions as a task. Models that read n-grams cannot be
    exported; docs/EXPORT.md says what can.

    Example: wherefrom export people-0 --out exported --check
    """
    from wherefrom.show.export.exporting import export_run

    found = export_run(run, out, model=model, check=check, threads=threads)
    if as_json:
        print_json(found)
        return
    print(f"{found.path}: {found.model} as {found.architecture}, {found.parameters:,} parameters")
    if found.accuracy:
        right, n = found.accuracy.details["correct"], found.accuracy.n
        print(f"asked as example.py asks, it answers {right} of {n} held-out questions right")
    if found.check:
        print(found.check)
