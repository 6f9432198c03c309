"""`wherefrom course`: what a teacher needs to give an assignment in a term."""

from pathlib import Path
from typing import Annotated

import typer

from wherefrom.cli.help import Command, make_group
from wherefrom.course.doctor.years import YEARS

course = make_group("Give one of the assignments as a course.")


@course.command("new", cls=Command)
def new(
    year: Annotated[
        str, typer.Option(metavar="NAME", help=f"The hand-out: {', '.join(YEARS)}, or hw2.")
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where everything is written.")],
    data: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The course's data.", show_default="registered data"),
    ] = None,
    solution: Annotated[
        bool, typer.Option("--solution", help="Also write the solved assignment.")
    ] = False,
    rubric: Annotated[
        bool,
        typer.Option(
            "--rubric", help="Also write the written parts with points, model and wrong answers."
        ),
    ] = False,
    gradescope: Annotated[
        bool, typer.Option("--gradescope", help="Also write an autograder for Gradescope.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that differ.")] = False,
) -> None:
    """Make an assignment for a term: what students get, and what the teacher needs.

    FOLDER/student has the hand-out, the code to fill in, data, the grader with the visible tests,
    a form for written answers, an environment file and a notebook. FOLDER/teacher has what
    --solution, --rubric and --gradescope ask for: keep it from students.

    Example: wherefrom course new --year xcs2025 --out term --data birthplaces --rubric
    """
    from wherefrom import api

    wanted = {"solution": solution, "rubric": rubric, "gradescope": gradescope}
    for path, text in api.new_course(year, out, data=data, force=force, **wanted).items():
        print(f"{path}: {text}")
