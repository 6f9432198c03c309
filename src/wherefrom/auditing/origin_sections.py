"""The parts of an audit that say where answers come from: the text, the model's memory, names.

Every function gives a part of audit.json; `docs/TRUST.md` says what its numbers mean.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from wherefrom.auditing.inspector import Examined, Witness
from wherefrom.auditing.name_bias import name_alone
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Dataset
from wherefrom.core.errors import BadData
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.selective import auroc
from wherefrom.evidence.verdict import LABELS, Evidence, report
from wherefrom.memorisation.counterfactual import RECALLED_ABOVE, CounterfactualMemorisation
from wherefrom.memorisation.dose_response import (
    bin_by_exposure,
    bin_by_position,
    score_never_exposed,
)
from wherefrom.memorisation.exposures import FROM_NAME, KINDS, count_exposures
from wherefrom.memorisation.predictor import Source, SourcePredictor, borrowed_source, learn_source
from wherefrom.runs.run import Run

NOT_ASKED = ("calibration", "held-out")


def share(measure_name: str, count: int, n: int) -> dict[str, Any]:
    return Score.of_share(measure_name, count, n).as_json()


def judge_evidence(witness: Witness, examined: Examined) -> list[Evidence | None]:
    """What the text says of every answer that was given."""
    return [
        witness.judge(q.subject, a.text, q.relation)
        for q, a in zip(examined.questions, examined.answers, strict=True)
    ]


def report_evidence(
    witness: Witness, examined: Examined, found: Sequence[Evidence | None]
) -> dict[str, Any] | None:
    """How well the reader reads, on calibration people; and the evidence of held-out answers."""
    if witness.reader is None:
        return None
    known = witness.reader.relations
    told = [q for q in examined.questions if q.split == "calibration" and q.relation in known]
    reader = {k: s.as_json() for k, s in report(witness.reader, told).items()} if told else {}
    labels = [None if one is None else one.label for one in found]
    return {"reader": reader, "held_out_answers": _right_by(labels, LABELS, examined)}


def _right_by(
    labels: Sequence[str | None], names: Sequence[str], examined: Examined
) -> dict[str, dict[str, int]]:
    """Of held-out answers: how many have each label, and how many of those are right."""
    held = [(labels[i], bool(examined.right[i])) for i in examined.where("held-out")]
    return {
        name: {
            "answers": sum(label == name for label, _ in held),
            "right": sum(label == name and right for label, right in held),
        }
        for name in names
    }


def learn_predictor(examined: Examined, influence: CounterfactualMemorisation) -> SourcePredictor:
    """A predictor of the run's own, learnt on calibration people alone."""
    people = examined.select("calibration")
    here = people & np.isfinite(influence.m)
    if not here.any():
        raise BadData(
            "source: expected calibration people whose recall of these answers was measured, "
            f"found none among {people.sum()}; the predictor that is there is judged instead"
        )
    return learn_source(examined.source_features[here], influence.m[here], influence.models)


def report_source(
    examined: Examined,
    sources: Sequence[Source],
    predictor: SourcePredictor,
    influence: CounterfactualMemorisation | None,
    read: np.ndarray | float = 1.0,
) -> dict[str, Any]:
    """The labels of held-out answers; if m was measured, how well they were told apart.

    Who has no text has an m of 0 and belongs to the guesses; `auroc_with_text` is without them.
    `read` is the probability that each name was read, for the borrowed predictor.
    """
    held = examined.select("held-out")
    labels = _right_by([s.label for s in sources], ("recalled", "guessed"), examined)
    found: dict[str, Any] = {
        "borrowed": predictor.borrowed, "models": predictor.models, "held_out_answers": labels,
    }  # fmt: skip
    if influence is None:
        return found
    known = held & np.isfinite(influence.m)
    if not known.any():
        return found
    p = np.array([s.probability for s in sources])
    area = auroc(p[known], influence.recalled[known])
    told_of = known & examined.select("held-out", ("stated", "omitted"))
    nearer = auroc(p[told_of], influence.recalled[told_of]) if told_of.any() else None
    lent = borrowed_source().predict(examined.source_features, read)
    borrowed = auroc(np.array([s.probability for s in lent])[known], influence.recalled[known])
    told = np.array([s.label == "recalled" for s in sources])
    agree = int((told == influence.recalled)[known].sum())
    return found | {
        "models": influence.models,
        "auroc": None if area is None else area.as_json(),
        "auroc_with_text": None if nearer is None else nearer.as_json(),
        "auroc_of_borrowed": None if borrowed is None else borrowed.as_json(),
        "agreement": share("accuracy", agree, int(known.sum())),
        "m": _quartiles(influence.m[known]),
        "pairs_agree": _agreement(influence, told_of),
        "recalled_share": share("share", int(influence.recalled[known].sum()), int(known.sum())),
    }


def _agreement(influence: CounterfactualMemorisation, read: np.ndarray) -> dict[str, Any] | None:
    """How often two models, one told and one not, call an answer as two others do.

    What the predictor is judged by is measured itself; this says how well, by two models.
    """
    if len(influence.m_by_pair) < 2:
        return None
    one, other = influence.m_by_pair[:2, read]
    both = np.isfinite(one) & np.isfinite(other)
    same = ((one > RECALLED_ABOVE) == (other > RECALLED_ABOVE))[both]
    return share("accuracy", int(same.sum()), same.size) if same.size else None


def _quartiles(values: np.ndarray) -> dict[str, float]:
    points = np.quantile(values, (0, 0.25, 0.5, 0.75, 1))
    return dict(zip(("least", "lower", "median", "upper", "most"), map(float, points), strict=True))


def report_exposures(run: Run, examined: Examined) -> dict[str, Any]:
    """How often held-out facts were shown, and whether more was known of what was shown more.

    `mean` is over the facts that were shown at all; the doses have the others, too.
    """
    counted = count_exposures(run)
    held = examined.where("held-out")
    questions = [examined.questions[i] for i in held]
    right = examined.right[held]
    baseline = BASELINES["nearest_name"](run.dataset, run.vocabulary)
    said = baseline.answer([q.text for q in questions])
    guessed = np.array([a.text == q.answer for a, q in zip(said, questions, strict=True)])
    seen = counted.seen(questions)
    shown = counted.about(questions, FROM_NAME)
    position = counted.positions(questions)
    return {
        "examples": counted.examples,
        "mean": {kind: float(counted.about(questions, kind)[seen].mean()) if seen.any() else 0.0
                 for kind in KINDS},
        "dose": to_json(bin_by_exposure(shown, right)),
        "dose_by_position": to_json(bin_by_position(shown, position, right)),
        "never_exposed": to_json(score_never_exposed(seen, right, guessed)),
    }  # fmt: skip


def report_names(dataset: Dataset) -> dict[str, Any]:
    """What a name alone says about the answer."""
    held = [q for q in dataset.questions if q.split == "held-out" and q.answer]
    found = name_alone(dataset.asked, held)
    parts = {part: score.as_json() for part, score in found.parts.items()}
    return {"whole": found.whole.as_json(), "parts": parts, "summary": found.summary()}
