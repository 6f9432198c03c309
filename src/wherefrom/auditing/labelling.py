"""The audited answers together with what retrained models make of them."""

import numpy as np

from wherefrom.auditing.inspector import Examined, Inspector
from wherefrom.data.people import PeopleConfig
from wherefrom.memorisation.counterfactual import align_rows, read_rows
from wherefrom.memorisation.labelled_answers import LabelledAnswers
from wherefrom.runs.run import Run


def label_answers(
    inspector: Inspector, examined: Examined, confidence: np.ndarray | None
) -> LabelledAnswers:
    """All that figures about the source rest on, for `labelled_answers.write_labelled`."""
    run = inspector.run
    answers = tuple(answer.text for answer in examined.answers)
    rows = read_rows(run.folder)
    p_KN, has_text_KN = align_rows(rows, examined.questions, answers)
    return LabelledAnswers(
        run=run.path.resolve().name,
        by_construction=knows_by_construction(run),
        questions=tuple(q.text for q in examined.questions),
        relations=examined.relations,
        splits=tuple(q.split for q in examined.questions),
        supports=tuple(q.support for q in examined.questions),
        answers=answers,
        right=examined.right,
        probability=np.array([answer.probability for answer in examined.answers]),
        confidence=np.full(len(answers), np.nan) if confidence is None else confidence,
        probability_read=inspector.probability_read(examined.features),
        features=examined.features,
        models=tuple(row.model for row in rows),
        p_KN=p_KN,
        has_text_KN=has_text_KN,
    )


def knows_by_construction(run: Run) -> bool:
    """Whether the data set is generated, so that it knows what its text states of everybody."""
    return isinstance(run.recipe.data, PeopleConfig)
