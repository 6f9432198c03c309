"""Where answers come from: figures by hand, and over whom each of them is."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wherefrom.auditing import origin_sections as origins
from wherefrom.auditing.inspector import Examined, Witness, open_witness
from wherefrom.core.contracts import Answer, Dataset, Question
from wherefrom.core.errors import BadData
from wherefrom.core.replies import Verdict
from wherefrom.memorisation.counterfactual import Influence
from wherefrom.memorisation.exposures import KINDS, count_exposures
from wherefrom.memorisation.predictor import SOURCE_FEATURES, Source, SourcePredictor, learn_source
from wherefrom.runs.run import open_run

WIDTH = len(SOURCE_FEATURES)
SUPPORTED, CONTRADICTED = (Verdict(label, "Oslo", 0, None, 0.9) for label in
                           ("supported", "contradicted"))  # fmt: skip


def person(i: int, split: str, support: str = "stated", relation: str = "r") -> Question:
    return Question(f"Where was A{i} born?", f"A{i}", relation, "Oslo", split, support)


def examined(questions: list[Question], right: list[bool]) -> Examined:
    answers = tuple(Answer("Oslo" if good else "Rome", 0.5) for good in right)
    features = np.random.default_rng(0).normal(size=(len(right), WIDTH))
    return Examined(tuple(questions), answers, features[:, :5], features, np.array(right))


@dataclass
class Teller:
    """Stands for a witness with a reader that knows some relations and has one label for all."""

    reader: Any

    def judge(self, subject: str, answer: str, relation: str) -> Verdict:
        return SUPPORTED if answer == "Oslo" else CONTRADICTED


class Knows:
    def __init__(self, *relations: str) -> None:
        self.extractors = dict.fromkeys(relations)


# --- evidence --------------------------------------------------------------------------------


def test_evidence_is_counted_over_held_out_answers_alone(monkeypatch: pytest.MonkeyPatch):
    people = [person(0, "calibration"), *(person(i, "held-out") for i in range(1, 5))]
    found = examined(people, [True, True, False, False, True])
    asked: list[Question] = []

    def report(_reader: Any, questions: list[Question]) -> dict[str, Any]:
        asked.extend(questions)
        return {}

    monkeypatch.setattr(origins, "measure_verdicts", report)
    teller: Any = Teller(Knows("r"))
    labels = origins.judge_evidence(teller, found)
    assert labels == [SUPPORTED, SUPPORTED, CONTRADICTED, CONTRADICTED, SUPPORTED]
    told = origins.report_evidence(teller, found, labels)
    assert told is not None
    assert told["held_out_answers"] == {
        "supported": {"answers": 2, "right": 2}, "contradicted": {"answers": 2, "right": 0},
        "silent": {"answers": 0, "right": 0}, "no text": {"answers": 0, "right": 0},
    }  # fmt: skip
    assert asked == [people[0]], "the reader is judged on calibration people"


def test_a_relation_that_was_not_learnt_is_left_out(monkeypatch: pytest.MonkeyPatch):
    people = [person(0, "calibration"), person(1, "calibration", relation="other")]
    asked: list[Question] = []
    monkeypatch.setattr(
        origins, "measure_verdicts", lambda _, questions: asked.extend(questions) or {}
    )
    teller: Any = Teller(Knows("r"))
    origins.report_evidence(teller, examined(people, [True, True]), [SUPPORTED, None])
    assert asked == people[:1]


def test_without_a_reader_there_is_no_evidence():
    teller: Any = Teller(None)
    assert origins.report_evidence(teller, examined([person(0, "held-out")], [True]), []) is None


# --- source ----------------------------------------------------------------------------------


def world(n: int = 40) -> tuple[Examined, CounterfactualMemorisation]:
    """Half calibration, half held-out; m is high where the first feature is."""
    people = [person(i, "calibration" if i % 2 else "held-out") for i in range(n)]
    found = examined(people, [True] * n)
    with_text = np.where(found.source_features[:, 0] > 0, 0.95, 0.2)
    return found, CounterfactualMemorisation(with_text, np.full(n, 0.1), 4, np.zeros((0, n)))


def test_the_predictor_is_learnt_on_calibration_people_alone():
    found, influence = world()
    learnt = origins.learn_predictor(found, influence)
    assert not learnt.borrowed
    assert learnt.models == 4
    held = found.select("held-out")
    features, with_text = found.source_features.copy(), influence.with_text.copy()
    features[held], with_text[held] = 99.0, 1.0
    other = origins.learn_predictor(
        replace(found, source_features=features), replace(influence, with_text=with_text)
    )
    assert other == learnt
    here = ~held
    assert learnt == learn_source(found.source_features[here], influence.m[here], 4)


def test_a_predictor_needs_calibration_people_whose_m_is_a_number():
    found, influence = world()
    nobody = replace(found, questions=tuple(replace(q, split="held-out") for q in found.questions))
    unknown = replace(influence, with_text=np.full(40, np.nan))
    for people, measured in ((nobody, influence), (found, unknown)):
        with pytest.raises(BadData, match="source: expected calibration people whose recall"):
            origins.learn_predictor(people, measured)


def test_the_source_report_by_hand():
    """Of the held-out: told 0.9 and 0.6 recalled and 0.7 guessed; 0.2 untold; one unknown."""
    supports = ("stated", "stated", "stated", "stated", "none", "omitted")
    splits = ("calibration", *("held-out",) * 5)
    people = [person(i, split, support)
              for i, (split, support) in enumerate(zip(splits, supports, strict=True))]  # fmt: skip
    found = examined(people, [True, True, False, True, False, False])
    chances = (0.01, 0.9, 0.7, 0.6, 0.2, 0.4)
    sources = [Source("recalled" if p > 0.5 else "guessed", p) for p in chances]
    with_text = np.array([0.9, 0.9, 0.3, 0.8, 0.1, np.nan])
    without = np.array([0.1, 0.1, 0.3, 0.0, 0.1, 0.1])
    predictor: Any = SourcePredictor(None, 8)  # pyright: ignore
    # Two pairs of models: of the three with text and an m, they agree about the first two.
    by_pair = np.array([[0.8, 0.7, 0.1, 0.9, 0.0, np.nan], [0.8, 0.9, 0.4, 0.2, 0.0, np.nan]])
    influence = CounterfactualMemorisation(with_text, without, 6, by_pair)
    told = origins.report_source(found, sources, predictor, influence)
    assert told["pairs_agree"]["accuracy"] == pytest.approx(2 / 3)
    assert told["auroc_of_borrowed"]["n"] == 4
    assert told["held_out_answers"] == {
        "recalled": {"answers": 3, "right": 2}, "guessed": {"answers": 2, "right": 0},
    }  # fmt: skip
    assert (told["borrowed"], told["models"]) == (False, 6)
    assert told["auroc"]["auroc"] == pytest.approx(3 / 4)  # 0.6 stands below 0.7
    assert told["auroc"]["n"] == 4
    assert told["auroc_with_text"]["auroc"] == pytest.approx(1 / 2)
    assert told["auroc_with_text"]["n"] == 3
    assert told["agreement"]["accuracy"] == pytest.approx(3 / 4)
    assert told["recalled_share"]["share"] == pytest.approx(2 / 4)
    assert (told["m"]["least"], told["m"]["most"]) == pytest.approx((0.0, 0.8))
    assert told["m"]["median"] == pytest.approx(0.4)


def test_without_retraining_there_are_labels_and_nothing_to_judge_them_by():
    found, influence = world(4)
    sources = [Source("guessed", 0.1)] * 4
    predictor: Any = SourcePredictor(None, 8, borrowed=True)  # pyright: ignore
    unknown = replace(influence, with_text=np.full(4, np.nan))
    for measured in (None, unknown):
        told = origins.report_source(found, sources, predictor, measured)
        assert told.keys() == {"borrowed", "models", "held_out_answers"}
        assert told["borrowed"] is True


# --- exposures and names ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def witness(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Witness:
    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("origins") / "people-0")
    return open_witness(open_run(path))


def test_exposures_are_those_of_held_out_people(witness: Witness):
    dataset = witness.run.dataset
    every = ("stated", "omitted", "none")
    held = dataset.select("held-out", every)
    people = [*dataset.select("calibration", every), *held]
    found = witness.examine(people)
    told = origins.report_exposures(witness.run, found)
    counted = count_exposures(witness.run)
    stated = dataset.select("held-out")
    assert told["examples"] == counted.examples
    assert told["mean"].keys() == set(KINDS)
    assert told["mean"]["read"] == pytest.approx(counted.about(stated, "read").mean())
    assert told["mean"]["asked"] == 0
    assert sum(row["n"] for row in told["dose"]) == len(held)
    assert told["never_exposed"]["model"]["n"] == len(held) - len(stated)
    assert sum(row["n"] for row in told["dose_by_position"]) == len(stated)


def test_what_a_name_says_is_told_by_part(witness: Witness):
    told = origins.report_names(witness.run.dataset)
    assert told["parts"].keys() == {"characters", "ending", "first", "last"}
    assert told["whole"]["n"] == 8 + 2 + 4
    assert "bits" in told["summary"]


def test_too_few_people_say_nothing_about_names():
    with pytest.raises(BadData, match="what a name says: expected at least"):
        origins.report_names(Dataset((), (), (person(0, "asked"), person(1, "held-out"))))
