"""The benchmark of the risk bound: populations, and what it reads of an audit."""

import json
from pathlib import Path

import bound
import numpy as np
import pytest

from wherefrom.answering.features import FEATURES
from wherefrom.auditing.audit_findings import AuditedAnswer
from wherefrom.core.answer_table import FeatureTable
from wherefrom.core.config import to_json
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.files import format_jsonl
from wherefrom.core.replies import Reply


def answers(n: int, seed: int) -> list[AuditedAnswer]:
    """Half calibration people, half held-out ones; those with familiar names are right."""
    generator = np.random.default_rng(seed)
    found = []
    for i in range(n):
        familiar = float(generator.choice((0.0, -6.0), p=(0.6, 0.4)) + generator.normal())
        answer = "Oslo" if generator.random() < (0.98 if familiar > -3 else 0.03) else "Rome"
        name, split = f"p{i}", "calibration" if i < n // 2 else "held-out"
        question = Question(f"Where was {name} born?", name, "birthplace", "Oslo", split)
        reply = Reply(
            question.text, name, "birthplace", True, answer, 0.5, None, True, (), None, None
        )
        # Those of the source predictor are written too, and before them here.
        features = {"contrast": -familiar} | dict.fromkeys(FEATURES, 0.0)
        features |= {"familiarity": familiar, "margin": float(generator.random())}
        found.append(AuditedAnswer.of(reply, question, features, None))
    return found


def write(path: Path, rows: list[AuditedAnswer]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(format_jsonl([*to_json(rows), {"split": "asked", "right": True}]))
    return path


def test_it_reads_what_an_audit_writes(tmp_path, capsys):
    files = [
        write(tmp_path / f"people-{seed}" / "audit" / "answers.jsonl", answers(300, seed))
        for seed in range(2)
    ]
    figures = tmp_path / "bound.json"
    arguments = ["--times", "20", "--json", str(figures), *map(str, files)]
    found = bound.main(arguments)
    assert json.loads(figures.read_text()) == found
    assert list(found["models"]) == ["people-0", "people-1"]
    ours = found["models"]["people-0"]["certified"]
    assert ours["above"] <= 0.2
    assert 0 < ours["mean_coverage"] < 0.7
    assert "people-1" in capsys.readouterr().out
    files[0].write_text('{"split": "calibration", "right": true}\n' * 3)
    with pytest.raises(BadData, match="calibration and held-out"):
        bound.main(arguments)


def test_a_name_that_the_model_does_not_know_is_not_answered():
    """The gate of the audit is kept: an unknown name has no score, however sure the features."""
    n = 200
    known = np.arange(n) % 2 == 0
    sure = np.where(np.arange(n) % 4 < 2, 3.0, -3.0)
    features = FeatureTable({"sure": sure, "known": known.astype(float)})
    rules = bound.fit_rules((features, sure > 0), 0.1, 0.1, 0.3)
    for rule in rules.values():
        given = rule(features)
        assert given.any()
        assert not given[~known].any()


def test_conformal_risk_control_by_hand():
    """Of 19 answers the third and the fourth are wrong: 2 + 1 of 20 are allowed at 0.15."""
    score, right = np.linspace(0.95, 0.05, 19), np.ones(19, dtype=bool)
    right[[2, 3]] = False
    assert bound.control_risk(score, right, 0.15) == 0.0, "everything is answered"
    assert bound.control_risk(score, right, 0.14) == score[3], "what is above the second error"
    assert bound.control_risk(score, right, 0.05) == score[2]
    assert bound.control_risk(score, right, 0.04) == score[0], "nothing"
