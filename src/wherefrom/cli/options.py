"""Options that several commands have."""

from collections.abc import Sequence
from typing import Annotated

import typer

from wherefrom.core.errors import UsageError

FinishedRun = Annotated[
    str, typer.Argument(metavar="RUN", help="A finished run: its folder, or its name under runs/.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Together = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Train up to N models in parallel on one device; results are unchanged.",
        show_default="as many as fit on a GPU, 1 on a CPU",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        metavar="N",
        min=0,
        help="How many CPU threads; 0 means OMP_NUM_THREADS, or one per core if it is not set.",
        show_default="the recipe's",
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        "--processes",
        metavar="N",
        help="Train with N processes on this machine, which take every step together; several "
        "seeds are trained N at a time. Under torchrun, leave it out.",
        show_default="1",
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        help="How long to wait for a process that does not come, or does not answer.",
    ),
]


def one_risk(given: Sequence[float] | None, delta: float) -> float | None:
    """The value of --risk; several at once are refused, since each would need a part of delta."""
    values = list(dict.fromkeys(given or ()))
    if len(values) > 1:
        each = delta / len(values)
        raise UsageError(
            f"--risk: expected one value, found {len(values)} "
            f"({', '.join(f'{value:g}' for value in values)}); a bound fails with probability "
            f"{delta:g} by itself: to choose among {len(values)}, ask for each of them with "
            f"--delta {each:.3g}"
        )
    return values[0] if values else None
