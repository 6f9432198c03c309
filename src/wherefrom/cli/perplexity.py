"""`wherefrom perplexity`: measure texts with the models of runs, in units that can be compared."""

import os
from typing import Annotated, Any

import typer

from wherefrom.cli.options import AsJson, FinishedRuns, ModelName, Threads
from wherefrom.cli.output import note, print_json

UNIFORM = "uniform"


def perplexity(
    runs: FinishedRuns,
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="A text file to measure; may be repeated. Text files may also be named among "
            "the runs.",
        ),
    ] = None,
    model: ModelName = "",
    preprocess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STEPS",
            help="Change the text first. Steps, joined by commas: lower, wrap40, drop-unseen, "
            "spell-numbers, ascii. The result is reported after each step; may be repeated.",
        ),
    ] = None,
    temperature: Annotated[
        list[float] | None,
        typer.Option(
            metavar="T",
            help="Also divide the logits by T: a diagnosis of the model's confidence, not a score; "
            "may be repeated.",
        ),
    ] = None,
    tokens: Annotated[
        str,
        typer.Option(
            metavar="treebank|one-a-line",
            help="How a text is split into words for a word model: as the Penn Treebank does, or "
            "one word per line.",
        ),
    ] = "treebank",
    unknown: Annotated[
        str,
        typer.Option(
            metavar="uniform|RUN",
            help="How the letters of an unknown word are charged: as uniform bytes, or by the "
            "character model of a RUN.",
        ),
    ] = UNIFORM,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Measure the perplexity of texts, and show where the loss comes from.

    The loss is given in nats and bits, per token and per original character. To compare a word
    model with a character model, use bits per original character with unknown words charged. A
    note warns of a text that the run was trained on. --model counts means plain bigram counts. If a
    text or a run cannot be read, the others
    are measured all the same.

    Example: wherefrom perplexity shakespeare-gru-0 --text letter.txt
    """
    from wherefrom import api
    from wherefrom.core.config import to_json

    files = [path for path in runs if os.path.isfile(path)]
    report = api.perplexity(
        [path for path in runs if path not in files],
        [*(text or []), *files],
        model=model,
        preprocess=preprocess or (),
        temperatures=temperature or (),
        tokens=tokens,
        unknown=unknown,
        threads=threads,
    )
    for line in report.notes:
        note(line)
    shown = to_json(report)
    if as_json and report.runs:
        print_json(shown)
    elif not as_json:
        _draw(shown)
    for error in report.failed[1:]:
        note(str(error))
    if report.failed:  # what could be measured is printed; the command fails all the same
        raise report.failed[0]


def _draw(report: dict[str, Any]) -> None:
    from wherefrom.show.terminal.perplexity_text import perplexity_table
    from wherefrom.show.terminal.result_tables import draw

    for i, run in enumerate(report["runs"]):
        by_bytes = report["unknown"] == UNIFORM or run["unit"] == "character"
        spelt = f"spelt by {'bytes' if by_bytes else report['unknown']}"
        print(end="\n" if i else "")
        title = f"{run['run']} ({run['model']})"
        draw(perplexity_table(title, run["unit"], run["texts"], run["gaps"], spelt))
