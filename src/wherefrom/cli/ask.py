"""`wherefrom ask`: put questions to a finished run, or to the report of one."""

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.options import AsJson, Delta, Risk, Threads, complete_run, one_risk
from wherefrom.cli.output import note, print_json
from wherefrom.core.errors import BadData, UsageError
from wherefrom.runs.layout import find_run
from wherefrom.show.terminal.messages import complain

if TYPE_CHECKING:
    from wherefrom.answering.asking import Problem

DESCRIBED = 5  # bad questions that are described; the others are counted


def ask(
    given: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN] QUESTION",
            help="A finished run, by its folder or its name under runs/, or the file of a report "
            "(default: the newest run, or else the report that comes with wherefrom); and "
            "questions, each in quotes. Without a question, questions are read from standard "
            "input, one per line; on a terminal, a conversation begins.",
            autocompletion=complete_run,
        ),
    ] = None,
    risk: Risk = None,
    delta: Delta = None,
    evidence: Annotated[
        str,
        typer.Option(
            metavar="shown|stated|required",
            help="What evidence is for: 'stated' withholds every answer that the text does not "
            "state; 'required' also those that are only as read.",
        ),
    ] = "shown",
    claim: Annotated[
        str | None,
        typer.Option(
            metavar="ANSWER",
            help="An answer that you say is right: weigh it against the model's, and recommend "
            "what to do.",
        ),
    ] = None,
    threads: Threads = None,
    as_json: AsJson = False,
) -> None:
    """Ask a run's model questions, closed-book: it answers from its weights alone.

    For each question the command prints the model's answer with its confidence, which is the
    calibrated probability that the answer is right. It prints "I don't know" where the confidence
    is too low or the model does not know the name. Where the calibration questions are too few to
    show a threshold, the answer is unverified and has the model's own probability. A line follows
    with the evidence, which is what the training text says about the answer. If the run took notes,
    a line names the note and its sentence, which the model did not look at. Where 'wherefrom audit
    RUN --pairs 8' measured it on this text, a line says the source: whether the model recalled the
    answer or guessed it. With --risk, the model answers only above a threshold that the calibration
    people certify. With --evidence stated, an answer that the text does not state is withheld as
    well; with --evidence required, also one that is only as read: stated nowhere but in the words
    of the note. With --claim, the command prints what the text says about both answers, how often
    training showed each, and a recommendation.

    Example: wherefrom ask people-0 "Where was Clara Whitfield born?"
    """
    import wherefrom
    from wherefrom.show.terminal.reply_text import describe_claim, describe_reply

    alpha = one_risk(risk, delta)
    run, questions = _take_run(given or [])
    if not (questions or as_json) and sys.stdin.isatty() and sys.stdout.isatty():
        _converse(run, alpha, delta, evidence, claim, threads)
        return
    places, texts = _given(questions) if questions else _read()
    found = wherefrom.ask(
        run,
        texts,
        risk=alpha,
        delta=delta,
        evidence=evidence,
        claim=claim,
        strict=False,
        threads=threads,
    )
    for line in found.notes:
        note(line)
    if as_json:
        print_json(found)
    elif found.replies:
        each = (
            map(describe_claim, found, found.claims) if found.claims else map(describe_reply, found)
        )
        print("\n\n".join("\n".join(lines) for lines in each))
    sys.stdout.flush()
    _report(found.problems, places)


def _take_run(given: list[str]) -> tuple[str, list[str]]:
    """The run and the questions; a note says which run is asked if none is named.

    One word that stands before questions, or has a slash, is meant as a run even if none is there.
    """
    import wherefrom
    from wherefrom.experiments.comparing.listing import newest_run

    first, *others = given or [""]
    misspelt = " " not in first and (others or os.sep in first)
    if first and (misspelt or os.path.exists(find_run(first))):
        return first, others
    if run := newest_run():
        note(f"{run}: the newest run is asked; to ask another, name it before the question")
        return run, given
    note(
        "no run here: the example that comes with wherefrom is asked, a model that read about "
        "invented people ('wherefrom run people' trains one)"
    )
    return str(wherefrom.example_report()), given


def _converse(
    run: str,
    risk: float | None,
    delta: float | None,
    evidence: str,
    claim: str | None,
    threads: int | None,
) -> None:
    """Open the run once, and answer whatever is typed."""
    from wherefrom.answering.asking import prepare, require_evidence
    from wherefrom.api import open_to_ask
    from wherefrom.cli.conversation import converse
    from wherefrom.core.replies import SHOWN

    if claim is not None:
        raise UsageError("--claim: expected a question beside it, found none; add the question")
    inspector, _, notes = prepare(open_to_ask(run, threads), risk, delta, evidence)
    for line in notes:
        note(line)
    converse(
        inspector,
        lambda reply: reply if evidence == SHOWN else require_evidence(reply, evidence),
    )


def _given(questions: list[str]) -> tuple[list[str], list[str]]:
    """The place of each question, for errors, and the questions."""
    places = [f"question {i}: " for i in range(1, len(questions) + 1)]
    return (places if len(questions) > 1 else [""]), questions


def _read() -> tuple[list[str], list[str]]:
    """Questions from standard input; lines end at \\n alone."""
    if sys.stdin.isatty():  # the answers go to a file or a pipe
        note("type one question per line, and Ctrl-D after the last")
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadData(
            f"stdin:{line}: expected UTF-8 text, found other bytes; save the questions as UTF-8"
        ) from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = {f"stdin:{i}: ": line for i, line in enumerate(lines, 1) if line.strip(" \t")}
    if not found:
        raise UsageError(
            "ask: expected a question as an argument or on standard input, found none; "
            "put a question in quotes after the run"
        )
    return list(found), list(found.values())


def _report(problems: "tuple[Problem, ...]", places: list[str]) -> None:
    texts = [f"{places[problem.index]}{problem.message}" for problem in problems]
    if len(texts) == 1:
        raise BadData(texts[0])
    for text in texts[:DESCRIBED]:
        complain(text)
    if texts:
        shown = "" if len(texts) <= DESCRIBED else f" of the first {DESCRIBED}"
        failed = f"{len(texts)} of {len(places)} questions could not be asked"
        raise BadData(f"{failed}; the lines above say why{shown}")
