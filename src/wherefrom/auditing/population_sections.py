"""Whom the promises hold for: calibration people compared with those of other splits, or a batch.

The questions whose right answers are not known here are another population too: their replies are
written to a file, so that the audit's promise can be checked once the right answers are known.
"""

from collections.abc import Iterator

from wherefrom.answering.fitting import CertifiedPolicy
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.populations import (
    People,
    PopulationCheck,
    check_batch,
    check_population,
    describe_people,
)
from wherefrom.auditing.audit_findings import UnansweredQuestion
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Question
from wherefrom.core.forms import ParsedQuestion

UNANSWERED = "unanswered"


def compare_splits(inspector: Inspector, examined: AnswerTable) -> dict[str, PopulationCheck]:
    """The calibration people against held-out people and people with unanswered questions.

    Which answers are new to training is known from the right answers of held-out people; for the
    others it is taken from what the text states, of the calibration people as well.
    """
    calibration, held = (_judged(inspector, examined, s) for s in ("calibration", "held-out"))
    found = {
        "held-out": check_population(calibration, held),
        UNANSWERED: check_batch(inspector, [parsed for _, parsed in find_unanswered(inspector)]),
    }
    return {name: check for name, check in found.items() if check is not None}


def _judged(inspector: Inspector, examined: AnswerTable, split: str) -> People:
    here = examined.rows(examined.select(split))
    return describe_people(
        inspector, here.asked, here.features, [q.answer or None for q in here.known]
    )


def find_unanswered(inspector: Inspector) -> list[tuple[Question, ParsedQuestion]]:
    """The run's questions whose right answers are not known here."""
    asked = (q for q in inspector.run.dataset.questions if q.split == UNANSWERED)
    return [(q, parsed) for q in asked if (parsed := inspector.model.try_parse(q.text))]


def reply_to_unanswered(
    inspector: Inspector, bound: CertifiedPolicy | None
) -> Iterator[UnansweredQuestion]:
    found = find_unanswered(inspector)
    if not found:
        return
    answered = inspector.model.answer([parsed for _, parsed in found])
    replies, features = inspector.compose(answered), answered.features
    given = None if bound is None else bound.policy.answers(features, answered.relations)
    for i, (reply, (question, _)) in enumerate(zip(replies, found, strict=True)):
        certified = None if given is None else bool(given[i])
        yield UnansweredQuestion(reply, features.row(i), certified, question.id)
