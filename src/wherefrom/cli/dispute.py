"""`wherefrom dispute`: somebody says that an answer is wrong; what can be said to that."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wherefrom.cli.output import note, print_json
from wherefrom.report.tables import printable, show_value

if TYPE_CHECKING:
    from wherefrom.auditing.dispute import Dispute


def dispute(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A finished run folder.")],
    question: Annotated[str, typer.Argument(metavar="QUESTION", help="As the run was asked.")],
    claim: Annotated[str, typer.Argument(metavar="ANSWER", help="What you say is right.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on standard output.")
    ] = False,
) -> None:
    """Weigh a claimed answer against the model's: the text, the source, and a recommendation."""
    from wherefrom.auditing.dispute import settle
    from wherefrom.auditing.inspector import open_witness
    from wherefrom.runs.run import open_run

    opened = open_run(run)
    found = settle(open_witness(opened), question, claim)
    if changed := opened.changed_source():
        note(changed)
    if as_json:
        print_json({"run": str(run), **found.as_json()})
    else:
        print("\n".join(_in_words(found)))


def _in_words(found: "Dispute") -> list[str]:
    reply = found.testimony.reply
    says = "says" if reply.known else "would say, did it not refuse"
    if reply.stranger:
        says = "does not know the name; it would say"
    sure = "" if reply.confidence is None else f"{show_value('precision', reply.confidence)} sure, "
    source = found.testimony.source
    by = ", by a borrowed predictor" if source.borrowed else ""
    chance = found.claim_probability
    gives = "cannot write it" if chance is None else f"gives it {show_value('precision', chance)}"
    lines = [
        printable(reply.question),
        f"  the model {says}: {printable(reply.answer.text) or 'nothing'} ({sure}{source.label}, "
        f"{show_value('precision', source.probability)} that it was recalled{by})",
        f"  you say: {printable(found.claim)} (the model {gives})",
    ]
    for who, evidence, quote in found.readings:
        if evidence is not None:
            stated = f", the text has '{printable(evidence.stated)}'" if evidence.stated else ""
            lines.append(f"  the text on {who}: {evidence.label}{stated}")
            if quote:
                lines.append(f'    "{printable(quote)}"')
    lines.append(f"  shown in training: {printable(found.shown_in_words)}")
    lines.append(f"  {printable(found.recommendation)}")
    return lines
