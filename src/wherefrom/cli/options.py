"""Options that several commands have."""

from typing import Annotated

import typer

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
