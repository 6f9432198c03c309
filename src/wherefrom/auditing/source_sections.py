"""The sections of an audit about where answers come from: the text, the model's memory, names."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from wherefrom.auditing.findings import (
    EvidenceFindings,
    ExposureFindings,
    LabelCount,
    NameBiasFindings,
    SourceFindings,
)
from wherefrom.auditing.inspector import Examined
from wherefrom.auditing.name_bias import NameBias, average_name_bias, measure_name_bias
from wherefrom.core.contracts import WITH_TEXT, Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.replies import SOURCES, VERDICTS, Source, Verdict
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.relations import divide
from wherefrom.evidence.accuracy import measure_verdicts
from wherefrom.evidence.verdict import FactChecker
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation
from wherefrom.memorisation.dose_response import (
    bin_by_exposure,
    bin_by_position,
    exposure_is_randomised,
    score_never_exposed,
)
from wherefrom.memorisation.exposures import FROM_NAME, KINDS, count_exposures
from wherefrom.memorisation.predictor import (
    SourcePredictor,
    borrowed_predictor,
    fit_source_predictor,
)
from wherefrom.memorisation.source_measures import PredictedSources, measure_source
from wherefrom.runs.run import Run


def report_evidence(
    checker: FactChecker | None, examined: Examined, verdicts: Sequence[Verdict | None]
) -> EvidenceFindings | None:
    """The accuracy of the verdicts on calibration people, and the verdicts on held-out answers."""
    if checker is None:
        return None
    labels = [None if verdict is None else verdict.label for verdict in verdicts]

    def report(places: Sequence[int]) -> EvidenceFindings:
        questions = [examined.questions[i] for i in places]
        known = [q for q in questions if q.split == "calibration"]
        return EvidenceFindings(
            accuracy=measure_verdicts(
                checker, [q for q in known if q.relation in checker.extractors]
            ),
            held_out_answers=_count_labels(labels, VERDICTS, examined, places),
        )

    parts = divide(examined.relations)
    each = {relation: report(places.tolist()) for relation, places in parts.items()}
    return replace(report(range(len(labels))), by_relation=each)


def _count_labels(
    labels: Sequence[str | None], names: Sequence[str], examined: Examined, places: Iterable[int]
) -> dict[str, LabelCount]:
    """How many held-out answers among these have each label, and how many of them are right."""
    held = [
        (labels[i], bool(examined.right[i]))
        for i in places
        if examined.questions[i].split == "held-out"
    ]
    return {
        name: LabelCount(
            answers=sum(label == name for label, _ in held),
            right=sum(label == name and right for label, right in held),
        )
        for name in names
    }


def fit_own_predictor(
    examined: Examined, memorisation: CounterfactualMemorisation
) -> SourcePredictor:
    """The run's own source predictor, fitted on calibration people with text alone."""
    people = examined.select("calibration", WITH_TEXT)
    here = people & np.isfinite(memorisation.m)
    if not here.any():
        raise BadData(
            "source: expected calibration people with text and a measured m, found none among "
            f"{people.sum()}; the audit uses the run's earlier predictor or the borrowed one"
        )
    relations = [r for r, kept in zip(examined.relations, here, strict=True) if kept]
    return fit_source_predictor(
        examined.features.rows(here), memorisation.m[here], memorisation.models, relations
    )


def report_source(
    examined: Examined,
    sources: Sequence[Source],
    predictor: SourcePredictor,
    memorisation: CounterfactualMemorisation | None,
    probability_read: np.ndarray | float = 1.0,
    confidence: np.ndarray | None = None,
    by_construction: bool = False,
) -> SourceFindings:
    """The sources of held-out answers and, if m was measured, how well they are predicted.

    `probability_read` is the probability that the model has read each name; the borrowed predictor
    needs it. The `confidence` alone is what the predictor is compared with. `by_construction`: the
    data set knows what its text states.
    """
    labels, predicted = [source.label for source in sources], None
    if memorisation is not None:
        borrowed = borrowed_predictor().predict(
            examined.features, probability_read, examined.relations
        )
        states = np.array([q.support == "stated" for q in examined.questions]) & examined.right
        predicted = PredictedSources(
            memorisation=memorisation,
            has_text=np.array([q.support in WITH_TEXT for q in examined.questions]),
            predicted=np.array([source.probability_recalled for source in sources]),
            borrowed=np.array([source.probability_recalled for source in borrowed]),
            probability=np.array([answer.probability for answer in examined.answers]),
            confidence=confidence,
            states=states if by_construction else None,
        )

    def report(places: np.ndarray) -> SourceFindings:
        counts = _count_labels(labels, SOURCES, examined, places.tolist())
        measured = None
        if predicted is not None:
            here = np.zeros(len(labels), dtype=bool)
            here[places] = True
            measured = measure_source(predicted, here & examined.select("held-out"))
        models = predictor.models if measured is None else measured.models
        return SourceFindings(predictor.borrowed, models, counts, measured)

    each = {relation: report(at) for relation, at in divide(examined.relations).items()}
    return replace(report(np.arange(len(labels))), by_relation=each)


def report_exposures(run: Run, examined: Examined) -> ExposureFindings:
    """How often held-out facts were shown, and whether facts shown more often are known better."""
    counted = count_exposures(run)
    held = examined.where("held-out")
    questions = [examined.questions[i] for i in held]
    right = examined.right[held]
    baseline = BASELINES["nearest_name"](run.dataset, run.vocabulary)
    said = baseline.answer([q.text for q in questions])
    guessed = np.array([q.accepts(a.text) for a, q in zip(said, questions, strict=True)])
    seen = counted.seen(questions)
    shown = counted.about(questions, FROM_NAME)
    position = counted.positions(questions)
    by_kind = {kind: counted.about(questions, kind) for kind in KINDS}
    randomised = exposure_is_randomised(run.recipe)

    def report(at: np.ndarray) -> ExposureFindings:
        means = {kind: every[at][seen[at]] for kind, every in by_kind.items()}
        placed = (position[at] >= 0).any()
        by_position = bin_by_position(shown[at], position[at], right[at]) if placed else []
        return ExposureFindings(
            examples=counted.examples,
            randomised=randomised,
            mean={kind: float(each.mean()) if each.size else 0.0 for kind, each in means.items()},
            dose=tuple(bin_by_exposure(shown[at], right[at])),
            dose_by_position=tuple(by_position),
            never_exposed=score_never_exposed(seen[at], right[at], guessed[at]),
        )

    parts = divide([examined.relations[i] for i in held])
    each = {relation: report(at) for relation, at in parts.items()}
    return replace(report(np.arange(len(held))), by_relation=each)


def report_name_bias(dataset: Dataset) -> NameBiasFindings:
    """What a name alone says about the answer, over all relations and for each."""
    asked = dataset.asked
    held = [q for q in dataset.questions if q.split == "held-out" and q.answer]
    by_asked = divide([q.relation for q in asked])
    if not by_asked:
        return _name_bias(measure_name_bias(asked, held))
    found: dict[str, NameBias] = {}
    problem: BadData | None = None
    for relation, places in by_asked.items():
        about = [q for q in held if q.relation == relation]
        try:
            found[relation] = measure_name_bias([asked[int(i)] for i in places], about)
        except BadData as error:  # too few people
            problem = error
    if not found:
        raise problem or BadData("name bias: expected asked people, found none")
    each = {relation: _name_bias(bias) for relation, bias in found.items()}
    return replace(_name_bias(average_name_bias(list(found.values()))), by_relation=each)


def _name_bias(found: NameBias) -> NameBiasFindings:
    return NameBiasFindings(found.whole, found.parts, found.summary())
