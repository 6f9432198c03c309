"""`wherefrom dispute`: somebody claims that another answer is right; what supports the claim."""

from typing import Annotated

import typer

from wherefrom.cli.options import AsJson, FinishedRun, Threads
from wherefrom.cli.output import note, print_json


def dispute(
    run: FinishedRun,
    question: Annotated[
        str, typer.Argument(metavar="QUESTION", help="The question, as for 'wherefrom ask'.")
    ],
    claim: Annotated[
        str, typer.Argument(metavar="ANSWER", help="The answer that you say is right.")
    ],
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Weigh an answer that you claim against the model's, and recommend what to do.

    The command prints what the training text says about each answer, whether the model recalled or
    guessed its own, how often training showed each answer, and a recommendation.
    """
    import wherefrom
    from wherefrom.show.terminal.replies import describe_dispute

    found = wherefrom.dispute(run, question, claim, threads=threads)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    else:
        print("\n".join(describe_dispute(found)))
