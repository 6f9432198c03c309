"""What several commands take, each defined once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.help import ADVANCED
from wherefrom.core.errors import UsageError
from wherefrom.core.sample_size import DELTA
from wherefrom.runs.layout import RUNS, list_folders


def complete_run(incomplete: str) -> list[str]:
    """The names of runs that begin so, for the shell."""
    names = (path.relative_to(RUNS).as_posix() for path in list_folders(Path(RUNS)))
    return [name for name in names if name.startswith(incomplete)]


FinishedRun = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A finished run: its folder, or its name under runs/.",
        autocompletion=complete_run,
    ),
]
FinishedRuns = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN",
        help="Finished runs: their folders, or their names under runs/.",
        autocompletion=complete_run,
    ),
]
ModelName = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Which of the run's models.", show_default="the primary model"
    ),
]
DrawSeed = Annotated[
    int, typer.Option(metavar="N", min=0, help="The random seed; another seed draws others.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]

# A risk bound.
Risk = Annotated[
    list[float] | None,
    typer.Option(
        metavar="ALPHA",
        min=0.001,
        max=0.999,
        help="Largest share of wrong answers that the certified threshold may give, for people "
        "like the calibration people. Not to be repeated.",
    ),
]
Delta = Annotated[
    float | None,
    typer.Option(
        metavar="DELTA",
        min=0.001,
        max=0.999,
        show_default="0.1",
        help="Largest probability with which the guarantee of --risk may fail.",
    ),
]

# A text and questions of the user's own.
Documents = Annotated[
    str | None,
    typer.Option(
        metavar="lines|paragraphs|files",
        help="What a document of the text is: a line, a paragraph between blank lines, or a file "
        "of a folder.",
        show_default="lines; files of a folder",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN,...",
        help="Columns of a table of facts: the subject's, then those that are asked about.",
        show_default="the first column of names; all others with short values",
    ),
]
Questions = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Your own questions: a question<TAB>answer on each line (.tsv), or the columns or "
        "fields question, answer or answers, split, relation and id (.tsv or .csv with a header, "
        ".jsonl).",
    ),
]
HeldOut = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Questions to report on; by default a share of --questions is kept for this.",
    ),
]
Calibration = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Questions to set the threshold on; by default a share of --questions is kept for "
        "this.",
    ),
]

# What only the time depends on, and no result.
Together = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Train up to N models in parallel on one device; results are unchanged.",
        show_default="as many as fit on a GPU, 1 on a CPU",
        rich_help_panel=ADVANCED,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=0,
        help="How many CPU threads; 0 means OMP_NUM_THREADS, or one per core if it is not set.",
        show_default="the recipe's",
        rich_help_panel=ADVANCED,
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Divide the work among N processes on this machine. Under torchrun, leave it out.",
        show_default="1",
        rich_help_panel=ADVANCED,
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        metavar="SECONDS",
        help="How long to wait for a process that does not come, or does not answer.",
        rich_help_panel=ADVANCED,
    ),
]


def one_risk(given: Sequence[float] | None, delta: float | None) -> float | None:
    """The value of --risk; several at once are refused, since each would need a part of delta."""
    values = list(dict.fromkeys(given or ()))
    if len(values) > 1:
        delta = DELTA if delta is None else delta
        each = delta / len(values)
        raise UsageError(
            f"--risk: expected one value, found {len(values)} "
            f"({', '.join(f'{value:g}' for value in values)}); a bound fails with probability "
            f"{delta:g} by itself: to choose among {len(values)}, ask for each of them with "
            f"--delta {each:.3g}"
        )
    return values[0] if values else None
