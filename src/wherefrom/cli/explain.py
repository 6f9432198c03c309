"""`wherefrom explain`: which words made an averaging network say what it says."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import print_json
from wherefrom.core.errors import UsageError
from wherefrom.report.tables import printable

if TYPE_CHECKING:
    from wherefrom.experiments.explanation import Explanation


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
    tried out and reported too.
    """
    from wherefrom.experiments.explanation import explain_errors, open_explainer
    from wherefrom.runs.run import open_run

    if bool(texts) == (errors is not None):
        found = "both" if texts else "neither"
        raise UsageError(f"explain: expected a text or --errors N, found {found}")
    opened = open_run(run)
    explainer = open_explainer(opened)
    if errors is None:
        found = [explainer.explain(text) for text in texts or []]
    else:
        found = explain_errors(opened, explainer, errors)
    if as_json:
        shown = [each.as_json() for each in found]
        print_json({"run": str(run), "model": opened.recipe.primary, "explanations": shown})
    elif found:
        print("\n\n".join(_in_words(each) for each in found))
    else:
        print("no errors: every review of the run's task was answered rightly")


def _in_words(found: "Explanation") -> str:
    title, *lines = found.in_words()
    return "\n".join([printable(title), *(f"  {printable(line)}" for line in lines)])
