"""The sections of an audit about where answers come from: the text, the model's memory, names."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from wherefrom.auditing.findings import (
    EvidenceFindings,
    ExposureFindings,
    LabelCount,
    MeasuredSource,
    NameBiasFindings,
    Quartiles,
    SourceFindings,
)
from wherefrom.auditing.inspector import Examined
from wherefrom.auditing.name_bias import NameBias, average_name_bias, measure_name_bias
from wherefrom.core.contracts import WITH_TEXT, Dataset
from wherefrom.core.errors import BadData
from wherefrom.core.replies import RECALLED, SOURCES, VERDICTS, Source, Verdict
from wherefrom.evaluation.baselines import BASELINES
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.relations import divide
from wherefrom.evaluation.selective import auroc
from wherefrom.evidence.accuracy import measure_verdicts
from wherefrom.evidence.verdict import FactChecker
from wherefrom.memorisation.counterfactual import RECALLED_ABOVE, CounterfactualMemorisation
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
    """The run's own source predictor, fitted on calibration people alone."""
    people = examined.select("calibration")
    here = people & np.isfinite(memorisation.m)
    if not here.any():
        raise BadData(
            "source: expected calibration people with a measured m for their answers, found none "
            f"among {people.sum()}; the audit uses the run's earlier predictor or the borrowed one"
        )
    m = memorisation.m[here]
    return fit_source_predictor(examined.features.rows(here), m, memorisation.models)


def report_source(
    examined: Examined,
    sources: Sequence[Source],
    predictor: SourcePredictor,
    memorisation: CounterfactualMemorisation | None,
    probability_read: np.ndarray | float = 1.0,
) -> SourceFindings:
    """The sources of held-out answers and, if m was measured, how well they are predicted.

    `probability_read` is the probability that the model has read each name; the borrowed predictor
    needs it.
    """
    labels = [source.label for source in sources]
    borrowed: Sequence[Source] = ()
    if memorisation is not None:
        borrowed = borrowed_predictor().predict(examined.features, probability_read)

    def report(places: np.ndarray) -> SourceFindings:
        counts = _count_labels(labels, SOURCES, examined, places.tolist())
        measured, models = None, predictor.models
        if memorisation is not None:
            here = np.zeros(len(labels), dtype=bool)
            here[places] = True
            if (judged := here & _judged(examined, memorisation)).any():
                measured = _measure(examined, sources, borrowed, memorisation, judged)
                models = memorisation.models
        return SourceFindings(predictor.borrowed, models, counts, measured)

    each = {relation: report(at) for relation, at in divide(examined.relations).items()}
    return replace(report(np.arange(len(labels))), by_relation=each)


def _judged(examined: Examined, memorisation: CounterfactualMemorisation) -> np.ndarray:
    """Held-out answers whose m is known."""
    return examined.select("held-out") & np.isfinite(memorisation.m)


def _measure(
    examined: Examined,
    sources: Sequence[Source],
    borrowed: Sequence[Source],
    memorisation: CounterfactualMemorisation,
    judged: np.ndarray,
) -> MeasuredSource:
    with_text = judged & examined.select("held-out", WITH_TEXT)
    recalled, n = memorisation.recalled, int(judged.sum())

    def area(found: Sequence[Source], which: np.ndarray) -> Score | None:
        p = np.array([source.probability_recalled for source in found])
        return auroc(p[which], recalled[which]) if which.any() else None

    said = np.array([source.label == RECALLED for source in sources])
    agree = int((said == recalled)[judged].sum())
    return MeasuredSource(
        models=memorisation.models,
        auroc=area(sources, judged),
        auroc_with_text=area(sources, with_text),
        auroc_of_borrowed=area(borrowed, judged),
        agreement=Score.of_share("accuracy", agree, n),
        m=Quartiles(*map(float, np.quantile(memorisation.m[judged], (0, 0.25, 0.5, 0.75, 1)))),
        pairs_agree=_pair_agreement(memorisation, with_text),
        recalled_share=Score.of_share("share", int(recalled[judged].sum()), n),
    )


def _pair_agreement(memorisation: CounterfactualMemorisation, which: np.ndarray) -> Score | None:
    """How often the first two pairs of retrained models give an answer the same label."""
    if len(memorisation.m_by_pair) < 2:
        return None
    one, other = memorisation.m_by_pair[:2, which]
    both = np.isfinite(one) & np.isfinite(other)
    same = ((one > RECALLED_ABOVE) == (other > RECALLED_ABOVE))[both]
    return Score.of_share("accuracy", int(same.sum()), same.size) if same.size else None


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
