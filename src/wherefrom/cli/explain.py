"""`wherefrom explain`: which words made an averaging network say what it says."""

from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.options import AsJson, DrawSeed, FinishedRun, Threads
from wherefrom.cli.output import print_json
from wherefrom.show.terminal.messages import printable

if TYPE_CHECKING:
    from wherefrom.api import Explanation


def explain(
    run: FinishedRun,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="One or more reviews, in quotes.")
    ] = None,
    errors: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Instead of a TEXT, explain the N wrong answers that the model is surest of.",
        ),
    ] = None,
    sampled: Annotated[
        bool,
        typer.Option("--sampled", help="With --errors: draw the wrong answers by --seed instead."),
    ] = False,
    seed: DrawSeed = 0,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Rank the words of a review by how much the logit changes when each is left out.

    The network of a run of 'sentiment' cannot see the order of the words. The command shuffles them
    to check this, and reports by how much the logit changes. With --errors it also tests what may
    have caused each error: it leaves out negations or marks of irony, replaces unseen words, cuts
    the text, and compares the new answer with what the same number of random changes does.

    Example: wherefrom explain sentiment-0 "not a good film"
    """
    from wherefrom import api
    from wherefrom.core.config import to_json
    from wherefrom.experiments.comparing.causes import count_causes

    found = api.explain(
        run, texts or (), errors=errors, sampled=sampled, seed=seed, threads=threads
    )
    if as_json:
        print_json({"run": str(run), "explanations": to_json(found)})
    elif found:
        print("\n\n".join(_in_words(each) for each in found))
        if len(found) > 1 and found[0].causes:
            print("\nall of them")
            for line in count_causes([each.causes for each in found]):
                print(f"  {line}")
    else:
        print("no errors: the model is right about every review of the run's task")


def _in_words(found: "Explanation") -> str:
    title, *lines = found.in_words()
    return "\n".join([printable(title), *(f"  {printable(line)}" for line in lines)])
