"""The sections about sources: figures by hand, and over whom each of them is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from wherefrom.answering.closed_book import Answered
from wherefrom.answering.feature_table import FeatureTable
from wherefrom.auditing import source_sections as sections
from wherefrom.auditing.findings import LabelCount
from wherefrom.auditing.inspector import Examined, Inspector
from wherefrom.core.contracts import Answer, Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.core.replies import Source, Verdict
from wherefrom.evidence.accuracy import VerdictAccuracy
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation
from wherefrom.memorisation.exposures import KINDS, count_exposures
from wherefrom.memorisation.predictor import (
    COLUMNS,
    SourcePredictor,
    borrowed_predictor,
    fit_source_predictor,
)

FORM = Form("Where was ", " born?")
SUPPORTED, CONTRADICTED = (
    Verdict(label, "Oslo", 0, None, 0.9) for label in ("supported", "contradicted")
)


def person(i: int, split: str, support: str = "stated", relation: str = "r") -> Question:
    return Question(FORM.fill(f"A{i}"), f"A{i}", relation, "Oslo", split, support)


def examined(questions: list[Question], right: list[bool]) -> Examined:
    answers = tuple(Answer("Oslo" if good else "Rome", 0.5) for good in right)
    values = np.random.default_rng(0).normal(size=(len(right), len(COLUMNS)))
    features = FeatureTable.from_matrix(values, COLUMNS)
    parsed = tuple(ParsedQuestion(q.text, FORM, q.subject, q.relation) for q in questions)
    answered = Answered(parsed, answers, features)
    return Examined(tuple(questions), answered, features, np.array(right))


class Knows:
    """Stands for a fact checker that has extractors for some relations."""

    def __init__(self, *relations: str) -> None:
        self.extractors = dict.fromkeys(relations)


# --- evidence --------------------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """The questions that the labels are measured on."""
    asked: list[Question] = []

    def measure(_checker: Any, questions: list[Question]) -> VerdictAccuracy:
        asked.extend(questions)
        return VerdictAccuracy({}, None, None)

    monkeypatch.setattr(sections, "measure_verdicts", measure)
    return asked


def test_evidence_is_counted_over_held_out_answers_alone(measured: list[Question]):
    people = [person(0, "calibration"), *(person(i, "held-out") for i in range(1, 5))]
    answers = examined(people, [True, True, False, False, True])
    verdicts = [SUPPORTED, SUPPORTED, CONTRADICTED, CONTRADICTED, SUPPORTED]
    checker: Any = Knows("r")
    found = sections.report_evidence(checker, answers, verdicts)
    assert found is not None
    assert found.held_out_answers == {
        "supported": LabelCount(answers=2, right=2),
        "contradicted": LabelCount(answers=2, right=0),
        "silent": LabelCount(answers=0, right=0),
        "no text": LabelCount(answers=0, right=0),
    }
    assert measured == [people[0]], "the labels are measured on calibration people"


def test_a_relation_that_has_no_extractor_is_left_out(measured: list[Question]):
    people = [person(0, "calibration"), person(1, "calibration", relation="other")]
    checker: Any = Knows("r")
    found = sections.report_evidence(checker, examined(people, [True, True]), [SUPPORTED, None])
    assert measured == [people[0]] * 2, "once for its relation, and once over all"
    assert found is not None
    assert list(found.by_relation) == ["other", "r"]


def test_evidence_is_counted_for_each_relation(measured: list[Question]):
    people = [person(i, "held-out", relation="rs"[i % 2]) for i in range(4)]
    checker: Any = Knows("r", "s")
    verdicts = [SUPPORTED, CONTRADICTED, SUPPORTED, SUPPORTED]
    found = sections.report_evidence(
        checker, examined(people, [True, False, False, True]), verdicts
    )
    assert found is not None
    one, other = (found.by_relation[name].held_out_answers for name in "rs")
    assert (one["supported"], one["contradicted"]) == (LabelCount(2, 1), LabelCount(0, 0))
    assert (other["supported"], other["contradicted"]) == (LabelCount(1, 1), LabelCount(1, 0))
    assert found.held_out_answers["supported"] == LabelCount(3, 2)


def test_without_a_fact_checker_there_is_no_evidence():
    people = examined([person(0, "held-out")], [True])
    assert sections.report_evidence(None, people, [None]) is None


# --- source ----------------------------------------------------------------------------------


def world(n: int = 40) -> tuple[Examined, CounterfactualMemorisation]:
    """Half calibration, half held-out; m is high where the first feature is."""
    people = [person(i, "calibration" if i % 2 else "held-out") for i in range(n)]
    found = examined(people, [True] * n)
    with_text = np.where(found.features[COLUMNS[0]] > 0, 0.95, 0.2)
    return found, CounterfactualMemorisation(with_text, np.full(n, 0.1), 4, np.zeros((0, n)))


def test_the_predictor_is_fitted_on_calibration_people_alone():
    found, memorisation = world()
    fitted = sections.fit_own_predictor(found, memorisation)
    assert not fitted.borrowed
    assert fitted.models == 4
    held = found.select("held-out")
    columns = {
        name: np.where(held, 99.0, column) for name, column in found.features.columns.items()
    }
    other = sections.fit_own_predictor(
        replace(found, features=FeatureTable(columns)),
        replace(memorisation, with_text=np.where(held, 1.0, memorisation.with_text)),
    )
    assert other == fitted
    here = ~held
    assert fitted == fit_source_predictor(found.features.rows(here), memorisation.m[here], 4)


def test_a_predictor_needs_calibration_people_whose_m_is_a_number():
    found, memorisation = world()
    nobody = replace(found, questions=tuple(replace(q, split="held-out") for q in found.questions))
    unknown = replace(memorisation, with_text=np.full(40, np.nan))
    for people, measured in ((nobody, memorisation), (found, unknown)):
        with pytest.raises(BadData, match="source: expected calibration people with text and a"):
            sections.fit_own_predictor(people, measured)


def test_the_source_report_by_hand():
    """Held-out people: three with text, called 0.9, 0.7 and 0.6; one without; one whose m is
    not known. The first and the third were recalled."""
    supports = ("stated", "stated", "stated", "stated", "none", "omitted")
    splits = ("calibration", *("held-out",) * 5)
    people = [person(i, *pair) for i, pair in enumerate(zip(splits, supports, strict=True))]
    answers = examined(people, [True, True, False, True, False, False])
    chances = (0.01, 0.9, 0.7, 0.6, 0.2, 0.4)
    sources = [Source("recalled" if p > 0.5 else "guessed", p) for p in chances]
    with_text = np.array([0.9, 0.9, 0.3, 0.8, 0.1, np.nan])
    without = np.array([0.1, 0.1, 0.3, 0.0, 0.1, 0.1])
    # Two pairs of models: of the three with text and an m, they agree about the first two.
    by_pair = np.array([[0.8, 0.7, 0.1, 0.9, 0.0, np.nan], [0.8, 0.9, 0.4, 0.2, 0.0, np.nan]])
    memorisation = CounterfactualMemorisation(with_text, without, 6, by_pair)
    own = replace(borrowed_predictor(), models=8, borrowed=False)
    found = sections.report_source(answers, sources, own, memorisation)
    assert found.held_out_answers == {
        "recalled": LabelCount(answers=3, right=2),
        "guessed": LabelCount(answers=2, right=0),
    }
    assert (found.borrowed, found.models) == (False, 6)
    measured = found.measured
    assert measured is not None
    assert measured.models == 6
    assert measured.auroc is not None
    assert measured.auroc.value == pytest.approx(3 / 4)  # 0.6 stands below 0.7
    assert measured.auroc.n == 4
    assert measured.auroc_with_text is not None
    assert measured.auroc_with_text.value == pytest.approx(1 / 2)
    assert measured.auroc_with_text.n == 3
    assert measured.auroc_of_borrowed is not None
    assert measured.auroc_of_borrowed.n == 4
    assert measured.agreement.value == pytest.approx(3 / 4)
    assert measured.recalled_share.value == pytest.approx(2 / 4)
    assert (measured.m.least, measured.m.most) == pytest.approx((0.0, 0.8))
    assert measured.m.median == pytest.approx(0.4)
    assert measured.pairs_agree is not None
    assert measured.pairs_agree.value == pytest.approx(2 / 3)


def test_a_data_set_that_knows_its_text_labels_right_answers_that_it_states():
    supports = ("stated", "omitted", "stated", "none")
    people = [person(i, "held-out", support) for i, support in enumerate(supports)]
    memorisation = CounterfactualMemorisation(np.full(4, 0.9), np.full(4, 0.1), 4, np.zeros((0, 4)))
    found = sections.report_source(
        examined(people, [True, True, False, False]), [Source("guessed", 0.1)] * 4,
        borrowed_predictor(), memorisation, by_construction=True,
    )  # fmt: skip
    assert found.measured is not None
    assert found.measured.by_construction is not None
    assert found.measured.by_construction.details["right"] == 1


def test_without_retraining_there_are_labels_and_nothing_to_judge_them_by():
    found, memorisation = world(4)
    sources = [Source("guessed", 0.1)] * 4
    predictor: SourcePredictor = borrowed_predictor()
    unknown = replace(memorisation, with_text=np.full(4, np.nan))
    for measured in (None, unknown):
        report = sections.report_source(found, sources, predictor, measured)
        assert report.measured is None
        assert report.borrowed is True
        assert report.models == predictor.models
        assert report.held_out_answers["guessed"] == LabelCount(answers=2, right=2)


# --- exposures and names ---------------------------------------------------------------------


def test_exposures_are_those_of_held_out_people(inspector: Inspector):
    dataset = inspector.run.dataset
    every = ("stated", "omitted", "none")
    held = dataset.select("held-out", every)
    people = [*dataset.select("calibration", every), *held]
    answers = inspector.examine([(q, inspector.parse(q.text)) for q in people])
    found = sections.report_exposures(inspector.run, answers)
    counted = count_exposures(inspector.run)
    stated = dataset.select("held-out")
    assert found.examples == counted.examples
    assert found.mean.keys() == set(KINDS)
    assert found.mean["read"] == pytest.approx(counted.about(stated, "read").mean())
    assert found.mean["asked"] == 0
    assert sum(row.n for row in found.dose) == len(held)
    assert found.never_exposed is not None
    assert found.never_exposed.model.n == len(held) - len(stated)
    assert sum(row.n for row in found.dose_by_position) == len(stated)
    assert found.randomised is False


def test_name_bias_is_reported_by_part(inspector: Inspector):
    found = sections.report_name_bias(inspector.run.dataset)
    assert found.parts.keys() == {"characters", "ending", "first", "last"}
    assert found.whole.n == 8 + 2 + 4
    assert "bits" in found.summary


def test_too_few_people_show_no_name_bias():
    with pytest.raises(BadData, match="expected at least 5 asked and 2 held-out people"):
        sections.report_name_bias(Dataset((), (), (person(0, "asked"), person(1, "held-out"))))
