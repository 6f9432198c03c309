"""`wherefrom sample`: a run's language model continues a text."""

from typing import Annotated

import typer

from wherefrom.cli.options import DrawSeed, FinishedRun, ModelName, Threads
from wherefrom.cli.output import note
from wherefrom.show.terminal.messages import printable

# The model's own markers, in the rows that it was trained on.
MARKS = (
    "is a marker of the model's: it stands before and after an answer, where a piece of text "
    "is missing, and before and after the missing piece",
    "is a marker of the model's: it fills a row after its end",
)


def sample(
    run: FinishedRun,
    prompt: Annotated[str, typer.Option(metavar="TEXT", help="The text to continue.")] = "Wh",
    length: Annotated[
        int, typer.Option(metavar="N", min=1, help="How many characters to write.")
    ] = 200,
    temperature: Annotated[
        float,
        typer.Option(
            min=0,
            help="Below 1, likely characters get likelier; at 0, the likeliest is always chosen.",
        ),
    ] = 0.8,
    top_k: Annotated[
        int,
        typer.Option(
            metavar="K", min=0, help="Choose among the K likeliest characters; 0 means all."
        ),
    ] = 0,
    seed: DrawSeed = 0,
    model: ModelName = "",
    threads: Threads = None,
) -> None:
    """Let a run's character model continue a text; characters are shown as they are written.

    A model that was trained on questions also writes its markers: ⁇ around an answer or a missing
    piece of text, and □ after the end of a row.

    Example: wherefrom sample shakespeare-gru-0 --prompt "To be"
    """
    from wherefrom import api
    from wherefrom.runs.opened_run import open_run

    pieces = api.sample(run, prompt, length, temperature, top_k, seed, model, threads)
    print(_shown(prompt), end="", flush=True)
    written = set[str]()
    for piece in pieces:
        print(_shown(piece), end="", flush=True)
        written.update(piece)
    print()
    pad_and_mask = getattr(open_run(run).vocabulary, "marks", ())
    for mark, meaning in zip(pad_and_mask[::-1], MARKS, strict=False):
        if mark in written:
            note(f"{mark} {meaning}")


def _shown(text: str) -> str:
    """The text with its line breaks; other control characters are escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))
