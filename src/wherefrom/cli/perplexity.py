"""`wherefrom perplexity`: texts measured by runs, in units that can be compared."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wherefrom.cli.output import note, print_json

UNIFORM = "uniform"


def perplexity(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Finished runs of language models.")
    ],
    text: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A text; may be repeated, or given beside the runs."),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="A model of the runs, or counts.", show_default="a run's main one"
        ),
    ] = "",
    preprocess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="STEPS",
            help="lower,wrap40,drop-unseen,spell-numbers,ascii: reported after each; repeatable.",
        ),
    ] = None,
    temperature: Annotated[
        list[float] | None,
        typer.Option(metavar="T", help="As a diagnosis of confidence, never a score; repeatable."),
    ] = None,
    tokens: Annotated[
        str, typer.Option(metavar="treebank|one-a-line", help="How a word model finds words.")
    ] = "treebank",
    unknown: Annotated[
        str,
        typer.Option(metavar="uniform|RUN", help="Who spells the words a word model lacks."),
    ] = UNIFORM,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Measure texts: nats and bits per token and per original character, and where they come from.

    Only the last can be compared between a word model and a character model, and only with what
    is unknown charged. A note warns of a text that the run was trained on. A text or run that
    cannot be read does not keep the rest from being measured.
    """
    from wherefrom import api
    from wherefrom.core.config import to_json

    files = [*(text or []), *(path for path in runs if path.is_file())]
    report = api.perplexity(
        [path for path in runs if not path.is_file()],
        files,
        model=model,
        preprocess=preprocess or (),
        temperatures=temperature or (),
        tokens=tokens,
        unknown=unknown,
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
    from wherefrom.report.perplexity import perplexity_table
    from wherefrom.report.tables import draw

    for i, run in enumerate(report["runs"]):
        by_bytes = report["unknown"] == UNIFORM or run["unit"] == "character"
        spelt = f"spelt by {'bytes' if by_bytes else report['unknown']}"
        print(end="\n" if i else "")
        title = f"{run['run']} ({run['model']})"
        draw(perplexity_table(title, run["unit"], run["texts"], run["gaps"], spelt))
