"""`wherefrom examples`: right answers beside wrong ones."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, DrawSeed, ModelName, Threads
from wherefrom.cli.output import print_json


def examples(
    source: Annotated[
        str,
        typer.Argument(
            metavar="RUN|FILE", help="A finished run folder, or a file of the course's predictions."
        ),
    ],
    number: Annotated[int, typer.Option(metavar="N", min=1, help="How many of each.")] = 5,
    seed: DrawSeed = 0,
    relation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only questions of this relation.")
    ] = None,
    model: ModelName = "",
    task: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Which of the run's tasks.", show_default="the first"),
    ] = None,
    questions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE.tsv",
            help="Questions and answers that a file of predictions is about, line by line.",
            show_default="the course's dev questions",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="The course's data, to show what the text says beside a file's predictions.",
            show_default="the folder of --questions",
        ),
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """List right answers beside wrong ones: can you tell them apart by looking at them?

    Each example has the question, the model's answer, the right one, how sure the model is, and
    what the text says about the answer.

    Example: wherefrom examples people-0 --number 3
    """
    from wherefrom import api
    from wherefrom.show.terminal.messages import note
    from wherefrom.show.terminal.reply_text import describe_examples

    found = api.examples(
        source,
        number=number,
        seed=seed,
        relation=relation,
        model=model or None,
        task=task,
        questions=questions,
        data=data,
        threads=threads,
    )
    if as_json:
        print_json(found)
        return
    print("\n".join(describe_examples(found)))
    for line in found.notes:
        note(line)
