"""`wherefrom ask`: questions to a finished run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wherefrom.cli.output import complain, note, print_json
from wherefrom.core.errors import BadData, UsageError
from wherefrom.report.tables import printable, show_value

if TYPE_CHECKING:
    from wherefrom.answering.features import Asker
    from wherefrom.auditing.inspector import Testimony

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
            metavar="ALPHA", min=0.001, max=0.999,
            help="Give only answers of which at most this share is wrong, by a promise.",
        ),
    ] = None,
    delta: Annotated[
        float | None,
        typer.Option(
            metavar="DELTA", min=0.001, max=0.999, show_default="0.1",
            help="Chance that --risk fails.",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:  # fmt: skip
    """Ask a run questions, closed-book.

    Each gets an answer with the calibrated probability that it is right, and the next best with
    the model's own probabilities; or "I don't know", where the first probability is too low.
    Then what the text says of the answer, and whether the model recalled or guessed it.
    With --risk, an answer is given only above a threshold that calibration people certified.
    """
    from wherefrom.auditing.inspector import open_witness
    from wherefrom.runs.run import open_run

    if delta is not None and risk is None:
        raise UsageError("--delta: expected --risk beside it, found none; it is the risk's chance")
    opened = open_run(run)
    witness = open_witness(opened)
    if changed := opened.changed_source():
        note(changed)
    certificate = None if risk is None else witness.certify(risk, delta or 0.1)
    if certificate is not None:
        note(certificate.explain())
    elif witness.doubt is None:
        note("the run has no calibration people: how sure to be is not known")
    numbered = _given(questions) if questions else _read()
    good, bad = _sort_out(witness.asker, numbered)
    found = witness.testify(good)
    if as_json:
        bound = {} if certificate is None else {"certificate": certificate.as_json()}
        print_json({"run": str(run), **bound, "answers": [_as_json(each) for each in found]})
    else:
        print("\n\n".join(_in_words(each) for each in found), end="\n" if found else "")
    sys.stdout.flush()
    _report(bad, len(numbered))


def _given(questions: list[str]) -> list[tuple[str, str]]:
    places = [f"question {i}: " for i in range(1, len(questions) + 1)]
    return list(zip(places if len(questions) > 1 else [""], questions, strict=True))


def _read() -> list[tuple[str, str]]:
    """Questions from standard input, and where each stands; lines end at \\n alone."""
    if sys.stdin.isatty():
        note("questions, one a line; Ctrl-D ends them")
    data = sys.stdin.buffer.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadData(f"stdin:{line}: expected UTF-8 text, found other bytes") from None
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    found = [(f"stdin:{i}: ", line) for i, line in enumerate(lines, 1) if line.strip(" \t")]
    if not found:
        raise UsageError("ask: expected a question as an argument or on standard input, found none")
    return found


def _sort_out(asker: "Asker", numbered: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The questions that can be asked, and what is wrong with the others."""
    good, bad = [], []
    for place, question in numbered:
        try:
            asker.check(question)
            good.append(question)
        except BadData as error:
            bad.append(f"{place}{error}")
    return good, bad


def _report(bad: list[str], count: int) -> None:
    if len(bad) == 1:
        raise BadData(bad[0])
    for text in bad[:SHOWN]:
        complain(text)
    if bad:
        raise BadData(f"{len(bad)} of {count} questions could not be asked; see above")


def _in_words(found: "Testimony") -> str:
    reply = found.reply
    best = printable(reply.answer.text) or "nothing"
    sure = "" if reply.confidence is None else f"{show_value('precision', reply.confidence)} sure"
    if reply.stranger:
        said = f"I don't know: the name is not known to the model (would have said {best})"
    elif not reply.known:
        said = f"I don't know (would have said {best}, {sure})"
    else:
        said = f"{best} ({sure})" if sure else best
    others = (f"{printable(o.text) or 'nothing'} {show_value('precision', o.probability)}"
              for o in reply.answer.others)  # fmt: skip
    lines = [printable(reply.question), f"  {said}"]
    if reply.answer.others:
        lines.append(f"  next best: {', '.join(others)}")
    if (evidence := found.evidence) is not None:
        stated = f": the text has '{printable(evidence.stated)}'" if evidence.stated else ""
        lines.append(f"  evidence: {evidence.label}{stated}")
    source = found.source
    recalled = show_value("precision", source.probability)
    by = ", by a borrowed predictor" if source.borrowed else ""
    lines.append(f"  source: {source.label}{by} ({recalled} that it was recalled)")
    if found.taught:
        lines.append("  trained on this very question: the figures are for people it was not asked")
    return "\n".join(lines)


def _as_json(found: "Testimony") -> dict[str, Any]:
    """`probability` is calibrated, and null for a name that is not known; the candidates have the
    model's own, the best one first."""
    reply = found.reply
    answer = reply.answer
    first = {"text": answer.text, "probability": answer.probability}
    others = [{"text": o.text, "probability": o.probability} for o in answer.others]
    return {
        "question": reply.question,
        "known": reply.known,
        "answer": answer.text if reply.known else None,
        "would_have_said": None if reply.known else answer.text,
        "probability": reply.confidence,
        "name_known": None if reply.stranger is None else not reply.stranger,
        "candidates": [first, *others],
        **found.as_json(),
    }
