"""`wherefrom explain`: which words made an averaging network say what it says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import print_json
from wherefrom.report.tables import printable

if TYPE_CHECKING:
    from wherefrom.api import Explanation


def explain(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run of 'sentiment'.")],
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="A review, or several.")
    ] = None,
    errors: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Explain the model's N surest errors instead."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Rank the words of a review by what leaving each out does to the logit.

    The network knows nothing of the order of words: that shuffling them changes nothing is
    checked and reported too.
    """
    from wherefrom import api
    from wherefrom.core.config import to_json

    found = api.explain(run, texts or (), errors=errors)
    if as_json:
        print_json({"run": str(run), "explanations": to_json(found)})
    elif found:
        print("\n\n".join(_in_words(each) for each in found))
    else:
        print("no errors: the model's answer to every review of the run's task is right")


def _in_words(found: "Explanation") -> str:
    title, *lines = found.in_words()
    return "\n".join([printable(title), *(f"  {printable(line)}" for line in lines)])
