"""`wherefrom ask`: questions to a finished run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import complain, note, print_json
from wherefrom.core.errors import BadData, UsageError

if TYPE_CHECKING:
    from wherefrom.auditing.asking import Problem

SHOWN = 5  # bad questions that are described; the others are counted


def ask(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    questions: Annotated[
        list[str] | None,
        typer.Argument(metavar="QUESTION", help="Without any: one a line from standard input."),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            metavar="ALPHA",
            min=0.001,
            max=0.999,
            help="Give only answers of which at most this share is wrong, by a certified bound.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA",
            min=0.001,
            max=0.999,
            show_default="0.1",
            help="Probability that the bound of --risk fails.",
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(metavar="FILE.svg", help="Draw the first reply into this file, too."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Ask a run questions, closed-book.

    Each question gets the model's answer with its confidence, the calibrated probability that the
    answer is right; or "I don't know", where the confidence is too low or the name is unknown.
    Then what the text says of the answer, and whether the model recalled or guessed it.
    With --risk, only answers above a threshold that calibration people certified are given.
    """
    import wherefrom
    from wherefrom.report.replies import describe_reply

    places, texts = _given(questions) if questions else _read()
    found = wherefrom.ask(run, texts, risk=risk, delta=delta, strict=False)
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    elif found.replies:
        print("\n\n".join("\n".join(describe_reply(reply)) for reply in found))
    if picture is not None and found.replies:
        from wherefrom.report.answer_picture import draw_reply

        draw_reply(found[0], picture)
    sys.stdout.flush()
    _report(found.problems, places)


def _given(questions: list[str]) -> tuple[list[str], list[str]]:
    """Where each question stands, for errors, and the questions."""
    places = [f"question {i}: " for i in range(1, len(questions) + 1)]
    return (places if len(questions) > 1 else [""]), questions


def _read() -> tuple[list[str], list[str]]:
    """Questions from standard input; lines end at \\n alone."""
    if sys.stdin.isatty():
        note("questions, one a line; Ctrl-D ends them")
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadData(f"stdin:{line}: expected UTF-8 text, found other bytes") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = {f"stdin:{i}: ": line for i, line in enumerate(lines, 1) if line.strip(" \t")}
    if not found:
        raise UsageError("ask: expected a question as an argument or on standard input, found none")
    return list(found), list(found.values())


def _report(problems: "tuple[Problem, ...]", places: list[str]) -> None:
    texts = [f"{places[problem.index]}{problem.message}" for problem in problems]
    if len(texts) == 1:
        raise BadData(texts[0])
    for text in texts[:SHOWN]:
        complain(text)
    if texts:
        raise BadData(f"{len(texts)} of {len(places)} questions could not be asked; see above")
