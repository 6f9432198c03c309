"""`wherefrom compare`: runs side by side, and paired where they answered the same questions."""

from wherefrom.cli.options import AsJson, FinishedRuns
from wherefrom.cli.output import print_json


def compare(
    runs: FinishedRuns,
    as_json: AsJson = False,
) -> None:
    """Show runs side by side.

    Where two runs answered the same questions, each run's primary model is also compared with the
    first run's, question by question: such a paired difference has a narrower interval than two
    separate scores. Perplexities per word and per character cannot be compared and have separate
    rows; bits per character can be compared and share a row.

    Example: wherefrom compare people-0 people-1
    """
    from wherefrom import api
    from wherefrom.core.config import to_json
    from wherefrom.show.terminal.messages import printable
    from wherefrom.show.terminal.result_tables import draw, pairs_table, runs_table

    found = to_json(api.compare(runs))
    if as_json:
        print_json(found)
        return
    names = _name_columns([run["run"] for run in found["runs"]])
    results = {name: run["results"] for name, run in zip(names, found["runs"], strict=True)}
    draw(runs_table(results, found["runs"]))
    if found["paired"]:
        print()
        draw(pairs_table(found["paired"], found["runs"][0]["run"]))
    for text in found["notes"]:
        print(f"\n{printable(text)}")


def _name_columns(paths: list[str]) -> list[str]:
    """The runs' paths as column headings; a run that is given twice gets a number."""
    return [f"{path} ({i + 1})" if paths.count(path) > 1 else path for i, path in enumerate(paths)]
