"""`wherefrom sample`: a run's language model continues a text."""

from typing import Annotated

import typer

from wherefrom.cli.options import DrawSeed, FinishedRun, ModelName, Threads
from wherefrom.show.terminal.messages import printable


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

    pieces = api.sample(run, prompt, length, temperature, top_k, seed, model, threads)
    print(_shown(prompt), end="", flush=True)
    for piece in pieces:
        print(_shown(piece), end="", flush=True)
    print()


def _shown(text: str) -> str:
    """The text with its line breaks; other control characters are escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))
