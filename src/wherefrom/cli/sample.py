"""`wherefrom sample`: a run's language model goes on with a text."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.core.errors import UsageError
from wherefrom.report.tables import printable


def sample(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    prompt: Annotated[str, typer.Option(metavar="TEXT", help="What to go on from.")] = "Wh",
    length: Annotated[int, typer.Option(metavar="N", min=1, help="Characters to add.")] = 200,
    temperature: Annotated[
        float, typer.Option(min=0, help="Below 1 the likely gets likelier; 0: the likeliest.")
    ] = 0.8,
    top_k: Annotated[
        int, typer.Option(metavar="K", min=0, help="Choose among the K likeliest; 0: all.")
    ] = 0,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Another seed, another text.")] = 0,
    model: Annotated[
        str,
        typer.Option(metavar="NAME", help="One of the run's models.", show_default="its main one"),
    ] = "",
) -> None:
    """Let a run's character model write, shown as it is written."""
    from wherefrom.generation.texts import TextScorer, go_on
    from wherefrom.runs.run import open_run

    opened = open_run(run)
    opened.require_finished()
    predictor = opened.predictor(model)
    if not isinstance(predictor, TextScorer):
        kind = opened.recipe.model.kind
        raise UsageError(f"{run}: expected a run of a character model, found one of '{kind}'")
    vocabulary = predictor.vocabulary
    found = go_on(
        predictor.model, vocabulary.encode(prompt), length,
        temperature=temperature, top_k=top_k, seed=seed,
    )  # fmt: skip
    print(_shown(prompt), end="", flush=True)
    for token in found:
        print(_shown(vocabulary.decode([token])), end="", flush=True)
    print()


def _shown(text: str) -> str:
    """Lines stay lines; what else a terminal would obey is escaped."""
    return "\n".join(printable(line) for line in text.split("\n"))
