"""An audit from end to end: every finding, one row an answer, and what is left out when."""

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from wherefrom.auditing import confidence_sections as trust
from wherefrom.auditing.audit import Risk, answer_rows, audit_run, find_judged, open_case
from wherefrom.core.contracts import Dataset, Question
from wherefrom.core.errors import BadData, CannotWrite
from wherefrom.experiments.retraining import retrain_pairs
from wherefrom.memorisation.counterfactual import compute_memorisation, measure_probabilities
from wherefrom.runs.run import Run, open_run

SECTIONS = [
    "format_version", "recipe", "seed", "model", "people", "confidence", "abstention",
    "nonexistent", "evidence", "source", "exposures", "name_alone", "notes",
]  # fmt: skip


@dataclass(frozen=True)
class Audited:
    run: Run
    retrained: list[Run]
    findings: dict[str, Any]

    @property
    def answers(self) -> list[dict[str, Any]]:
        lines = (self.run.path / "audit" / "answers.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def audited(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    """Audited beside one pair of models that were trained without half the people."""
    path = shutil.copytree(tiny_run, tmp_path_factory.mktemp("audit") / "people-0")
    run = open_run(path)
    pair = retrain_pairs(run, 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trust, "TIER", 10)
        return Audited(run, pair, audit_run(run, Risk(0.2, 0.05), pair))


def test_every_finding_is_there_and_written(audited: Audited):
    assert list(audited.findings) == SECTIONS
    assert all(audited.findings[name] is not None for name in SECTIONS)
    written = json.loads((audited.run.path / "audit" / "audit.json").read_text())
    assert written == json.loads(json.dumps(audited.findings))
    assert audited.findings["people"] == {
        "calibration": {"stated": 8, "omitted": 2, "none": 4},
        "held-out": {"stated": 8, "omitted": 2, "none": 4},
    }
    certificate = audited.findings["abstention"]["certificate"]
    assert (certificate["alpha"], certificate["delta"]) == (0.2, 0.05)


def test_figures_are_over_held_out_people(audited: Audited):
    found = audited.findings
    assert found["confidence"]["calibrated"]["brier"]["n"] == 14
    assert sum(row["n"] for row in found["exposures"]["dose"]) == 14
    for part in ("evidence", "source"):
        assert sum(row["answers"] for row in found[part]["held_out_answers"].values()) == 14
    assert found["source"]["agreement"]["n"] == 14
    assert found["evidence"]["reader"]["probes"]["without text"]["n"] == 4, (
        "calibration people without text"
    )


def test_one_row_an_answer_with_all_that_is_known_of_it(audited: Audited):
    rows = audited.answers
    people = [q for q in audited.run.dataset.questions if q.split != "asked"]
    assert [row["question"] for row in rows] == [q.text for q in people]
    said = audited.run.predictor().answer([q.text for q in people])
    for row, question, answer in zip(rows, people, said, strict=True):
        assert list(row) == [
            "question", "subject", "split", "support", "answer", "gold", "right",
            "raw_probability", "probability", "features", "evidence", "source", "m",
        ]  # fmt: skip
        assert row["gold"] == question.answer
        assert row["answer"] == answer.text
        assert row["right"] is (answer.text == question.answer)
        assert row["raw_probability"] == pytest.approx(answer.probability, rel=1e-3)
        assert 0 <= row["probability"] <= 1
        expected = {"none": ["no text"], "omitted": ["silent", "contradicted"]}
        labels = expected.get(question.support, ["supported", "contradicted"])
        assert row["evidence"]["label"] in labels


def test_m_is_what_the_retrained_models_say_and_nothing_without_text(audited: Audited):
    rows = audited.answers
    people = find_judged(audited.run)
    answers = [row["answer"] for row in rows]
    measured = measure_probabilities(audited.retrained, people, answers)
    m = compute_memorisation(measured, people, answers).m
    assert [row["m"] for row in rows] == pytest.approx(m.tolist())
    assert {row["m"] for row in rows if row["support"] == "none"} == {0.0}


def test_the_predictor_that_was_learnt_is_kept(audited: Audited):
    assert audited.findings["source"]["borrowed"] is False
    assert audited.findings["source"]["models"] == 2
    kept = json.loads((audited.run.path / "audit" / "source.json").read_text())
    assert kept["models"] == 2


def test_pictures_are_drawn(audited: Audited):
    names = {p.name for p in (audited.run.path / "audit").glob("*.svg")}
    assert names == {"reliability.svg", "risk-coverage.svg", "dose-response.svg"}


def test_the_same_audit_gives_the_same_bytes(audited: Audited, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(trust, "TIER", 10)
    folder = audited.run.path / "audit"
    made = [p for p in folder.iterdir() if p.suffix in (".json", ".jsonl", ".svg")]
    files = [p for p in made if p.name != "timing.json"]
    assert json.loads((folder / "timing.json").read_text())["seconds"] > 0
    before = {p.name: p.read_bytes() for p in files}
    audit_run(open_run(audited.run.path), Risk(0.2, 0.05), audited.retrained)
    assert {p.name: p.read_bytes() for p in files} == before


# --- what is left out ------------------------------------------------------------------------


def test_without_calibration_people_the_rest_is_found(own_facts: Path):
    run = open_run(own_facts / "run")
    found = audit_run(run, retrained=retrain_pairs(run, 0))
    assert [k for k, v in found.items() if v is None] == [
        "confidence", "abstention", "nonexistent",
    ]  # fmt: skip
    assert len(found["notes"]) == 2
    assert "expected calibration people" in " ".join(found["notes"])
    assert found["source"]["borrowed"] is True
    assert found["source"]["agreement"]["n"] == sum(found["people"]["held-out"].values())
    assert not (run.path / "audit" / "source.json").exists()
    rows = (run.path / "audit" / "answers.jsonl").read_text().splitlines()
    assert {json.loads(row)["probability"] for row in rows} == {None}
    assert [p.name for p in (run.path / "audit").glob("*.svg")] == ["dose-response.svg"]


class Fewer(Run):
    """A run whose data set was changed after it was checked."""

    def __init__(self, run: Run, questions: tuple[Question, ...]) -> None:
        super().__init__(run.folder, run.recipe)
        self.workshop.dataset = replace(run.dataset, questions=questions)


def test_questions_that_cannot_be_asked_are_left_out_and_counted(audited: Audited):
    questions = audited.run.dataset.questions
    other = Question("Who was Ada Lund?", "Ada Lund", "birthplace", "Oslo", "held-out", "none")
    case = open_case(Fewer(audited.run, (*questions, other)), Risk(), ())
    assert len(case.examined.questions) == 28
    assert case.notes == [
        "people: 1 of 29 questions are left out: the model was not taught their form, or cannot "
        "read them"
    ]


def test_a_text_that_states_nothing_has_no_exposures(own_facts: Path):
    run = open_run(own_facts / "run")
    dataset: Dataset = replace(run.dataset, facts=())
    run.workshop.dataset = dataset
    found = audit_run(run)
    assert found["exposures"] is None
    assert any("expected facts to count the exposures of" in text for text in found["notes"])
    assert not list((run.path / "audit").glob("*.svg"))


def test_a_run_without_held_out_people_cannot_be_audited(audited: Audited):
    questions = tuple(q for q in audited.run.dataset.questions if q.split != "held-out")
    for check in (find_judged, audit_run):
        with pytest.raises(BadData, match="expected held-out people to report on, found none"):
            check(Fewer(audited.run, questions))


def test_findings_that_cannot_be_written_are_told(own_facts: Path, read_only: None):
    run = open_run(own_facts / "run")
    before = sorted(run.path.rglob("*"))
    with pytest.raises(CannotWrite, match=r"answers\.jsonl: cannot write"):
        audit_run(run)
    assert sorted(run.path.rglob("*")) in (before, sorted([*before, run.path / "audit"]))


def test_an_answer_whose_influence_is_unknown_has_no_m(own_facts: Path):
    """Told to every model: nothing to compare with."""
    run = open_run(own_facts / "run")
    case = open_case(run, Risk(), [run])
    assert case.influence is not None
    assert np.isnan(case.influence.m[case.examined.select("held-out", ("stated",))]).all()
    assert {row["m"] for row in answer_rows(case)} == {None}
