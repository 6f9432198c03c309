"""Run folders that the first version wrote: they are asked, audited and disputed as any other.

The files beside the tiny run are rewritten by hand as that version had them.
"""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import wherefrom
from wherefrom.auditing import audit
from wherefrom.auditing.inspector import OpenedRun
from wherefrom.evidence.fitted import open_fact_checker
from wherefrom.memorisation.swap import SwapFindings
from wherefrom.runs.run import open_run

HALF = {"people": 1, "share": 0.5, "interval": [0.09, 0.91]}
NONE = {"people": 0, "share": 0.0, "interval": [0.0, 0.66]}
SWAP = {
    "people": 2,
    "swapped": {"flips": HALF, "stays": NONE, "other": HALF},
    "churn": {"flips": NONE, "stays": HALF, "other": HALF},
    "before": {"flips": NONE, "stays": HALF, "other": HALF},
}


def write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value))


def judged(path: Path) -> list[Any]:
    return [q for q in open_run(path).dataset.questions if q.split != "asked"]


@pytest.fixture(scope="module")
def old_run(
    tiny_run: Path, tmp_path_factory: pytest.TempPathFactory, unseal: Callable[[Path], Path]
) -> Path:
    path = Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("first") / "people-0"))
    unseal(path)
    folder = path / "audit"
    policy = json.loads((folder / "confidence.json").read_text())
    write(folder / "confidence.json", {k: policy[k] for k in ("calibration", "threshold", "names")})
    open_fact_checker(open_run(path))  # writes the file
    kept = json.loads((folder / "evidence.json").read_text())
    relations = {name: {"shape": {}, "weights": [1.0]} for name in kept["relations"]}
    write(folder / "evidence.json", {"sha256": kept["sha256"], "relations": relations})
    none = dict.fromkeys(("confidence", "abstention", "nonexistent", "evidence", "name_alone"))
    write(folder / "audit.json", {"format_version": 1, **none, "swap": SWAP, "notes": []})
    row = {"question": "Where was A born?", "probability": 0.5, "features": [-0.1, 2.0, 0.1, 0.2]}
    write(folder / "answers.jsonl", row)
    write_memorisation(path)
    return path


def write_memorisation(path: Path) -> None:
    """Two models, each with the text of every other person: P 0.9 with it and 0.2 without."""
    people, run = judged(path), open_run(path)
    answers = [a.text for a in run.predictor().answer([q.text for q in people])]
    with_text = np.array([q.support != "none" for q in people])
    first = with_text & (np.arange(len(people)) % 2 == 0)
    lines = [
        {
            "model": f"without-0-{half}",
            "questions": [q.text for q in people],
            "answers": answers,
            "told": told.tolist(),
            "p": np.where(told, 0.9, 0.2).tolist(),
        }
        for half, told in (("first", first), ("second", with_text & ~first))
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (path / "audit" / "influence.jsonl").write_text(text)


@pytest.fixture
def own(old_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(old_run, tmp_path / "run"))


def test_the_policy_is_read_and_its_reference_is_measured_again(own: Path, tiny_run: Path):
    before, now = (OpenedRun(open_run(path)) for path in (own, tiny_run))
    assert before.policy is not None
    assert before.policy.reference is None
    assert now.policy is not None
    assert before.policy.threshold == now.policy.threshold
    measured, stored = before.model.reference, now.policy.reference
    assert stored is not None
    assert measured.mean == pytest.approx(stored.mean, rel=1e-4)
    assert measured.spread == pytest.approx(stored.spread, rel=1e-3, abs=1e-5)


def test_it_is_asked_as_the_new_one(own: Path, tiny_run: Path):
    questions = [q.text for q in judged(own)]
    before, now = (wherefrom.ask(path, questions) for path in (own, tiny_run))
    for one, other in zip(before, now, strict=True):
        assert (one.question, one.answered, one.answer) == (
            other.question, other.answered, other.answer,
        )  # fmt: skip
        assert one.evidence == other.evidence
        assert (one.confidence is None) == (other.confidence is None)
        if one.confidence is not None:
            assert one.confidence == pytest.approx(other.confidence, rel=1e-3)
    fitted = json.loads((own / "audit" / "evidence.json").read_text())
    assert "format_version" in fitted, "extractors of another version are fitted again"


def test_it_is_audited_with_the_earlier_swap_and_memorisation(
    own: Path,
):
    found = wherefrom.audit(own)
    assert isinstance(found.swap, SwapFindings)
    assert wherefrom.to_json(found.swap) == SWAP
    assert (found.source.borrowed, found.source.models) == (False, 2)
    written = json.loads((own / "audit" / "audit.json").read_text())
    assert (written["format_version"], written["swap"]) == (2, SWAP)
    assert not written.keys() & {"nonexistent", "name_alone"}
    rows = [json.loads(r) for r in (own / "audit" / "answers.jsonl").read_text().splitlines()]
    m = {row["support"]: row["m"] for row in rows}
    assert m == pytest.approx({"stated": 0.7, "omitted": 0.7, "none": 0.0})
    assert audit._earlier_swap(open_run(own)) == found.swap, "what it wrote it reads again"


def test_a_swap_that_cannot_be_read_is_left_out(own: Path):
    for swap in (None, {}, {"people": 3}, [1], "x", {**SWAP, "people": "2"}):
        write(own / "audit" / "audit.json", {"format_version": 1, "swap": swap})
        assert audit._earlier_swap(open_run(own)) is None


def test_an_answer_is_disputed(own: Path):
    question = open_run(own).dataset.select("held-out")[0]
    assert question.answer
    found = wherefrom.dispute(own, question.text, question.answer)
    assert found.claim.evidence is not None
    assert found.claim.evidence.label == "supported"
    assert found.recommendation.startswith("the corpus says so: ")
