"""`wherefrom dispute`: a claim, what the text says to it, and a recommendation."""

import json
import shutil
from pathlib import Path

import pytest

from wherefrom.core.contracts import Answer, Candidate
from wherefrom.generation.answers import ModelAnswerer


@pytest.fixture(scope="module")
def run(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("dispute") / "people-0"))


@pytest.fixture(scope="module")
def people(run: Path) -> list[tuple[str, str, str]]:
    """Question, the answer that the text has, and one that it does not have."""
    from wherefrom.runs.run import open_run

    dataset = open_run(run).dataset
    places = sorted({q.answer for q in dataset.questions if q.answer})
    found = []
    for q in dataset.select("held-out"):
        text = "\n".join(d.text for d in dataset.documents if q.subject in d.text)
        found.append((q.text, q.answer or "", next(p for p in places if p not in text)))
    return found


@pytest.fixture
def says(monkeypatch: pytest.MonkeyPatch):
    """Put an answer into the model's mouth."""

    def say(text: str) -> None:
        answer = Answer(text, 0.75, (Candidate("Nowhere", 0.25),))
        monkeypatch.setattr(ModelAnswerer, "answer", lambda _, asked: [answer for _ in asked])

    return say


def lines_of(result) -> list[str]:
    assert result.code == 0
    assert result.err == ""
    return result.out.splitlines()


def test_a_claim_that_the_text_supports(cli, run, people, says):
    question, right, wrong = people[0]
    says(wrong)
    lines = lines_of(cli("dispute", run, question, right))
    assert lines[0] == question
    assert lines[1].startswith("  the model says: ")
    assert wrong in lines[1]
    assert lines[2].startswith("  source: ")
    assert lines[3].startswith(f"  you say: {right} (the model's own probability of it is ")
    assert lines[4].startswith("  evidence on the model's answer: contradicted by \"")
    assert lines[5].startswith('  evidence on your answer: supported by "')
    assert all(right in line for line in lines[4:6])
    assert lines[-1] == (
        f"  the corpus says so: the text supports '{right}'; correct the model's answer"
    )


def test_a_claim_that_the_text_contradicts(cli, run, people, says):
    question, right, wrong = people[0]
    says(right)
    lines = lines_of(cli("dispute", run, question, wrong))
    assert lines[-1].startswith(f"  the corpus says otherwise: it states '{right}'; if '{wrong}'")
    assert f"'{wrong}' 0 times" in lines[-2]
    says(wrong)
    lines = lines_of(cli("dispute", run, question, wrong))
    assert lines[-1] == f"  the corpus says otherwise: it states '{right}', not '{wrong}'"


def test_the_models_own_answer_is_no_dispute(cli, run, people, says):
    question, right, _ = people[0]
    says(right)
    lines = lines_of(cli("dispute", run, question, right))
    assert lines[-1] == (
        f"  the corpus says so: the text supports '{right}', and the model agrees with you"
    )
    assert sum("evidence on" in line for line in lines) == 1


def test_somebody_without_text(cli, run, tiny_run):
    splits = json.loads((tiny_run / "splits.json").read_text())
    name = splits["held-out"]["none"][0]
    lines = lines_of(cli("dispute", run, f"Where was {name} born?", "Oslo"))
    assert "the corpus does not say (no text)" in lines[-1]
    assert lines[-1].endswith("do not rely on its answer")


def test_json(cli, run, people, says):
    question, right, wrong = people[0]
    says(wrong)
    found = cli("dispute", run, question, right, "--json").json
    assert list(found) == [
        "format_version", "reply", "claim", "shown", "taught", "recommendation", "notes",
    ]  # fmt: skip
    assert list(found["claim"]) == ["text", "model_probability", "evidence"]
    assert (found["reply"]["question"], found["reply"]["answer"]) == (question, wrong)
    assert found["reply"]["evidence"]["label"] == "contradicted"
    assert found["reply"]["candidates"][0] == {"text": wrong, "model_probability": 0.75}
    assert found["claim"]["evidence"]["label"] == "supported"
    assert right in found["claim"]["evidence"]["quote"]
    assert 0 <= found["claim"]["model_probability"] <= 1
    assert found["shown"].keys() == {wrong, right}
    assert found["shown"][right] > found["shown"][wrong] == 0


def test_without_calibration_people_there_is_no_confidence(cli, facts_folder):
    question = "Where was Ada Lund born?"
    result = cli("dispute", facts_folder / "run", question, "Oslo", "--json")
    assert result.code == 0
    assert result.json["reply"]["confidence"] is None
    assert result.json["claim"]["evidence"]["label"] == "supported"
    assert " sure" not in cli("dispute", facts_folder / "run", question, "Oslo").out


@pytest.mark.parametrize("claim", ["Zürich", "\x1b[2J", "a" * 5000])
def test_claims_that_the_model_cannot_write(cli, run, people, claim):
    lines = lines_of(cli("dispute", run, people[0][0], claim))
    assert lines[3].endswith(" (the model cannot write it)")
    assert "the corpus says otherwise" in lines[-1]
    assert not any("\x1b" in line for line in lines)


def test_a_borrowed_predictor_is_called_so(cli, run, people):
    assert not (run / "audit" / "source.json").exists()
    assert "; the predictor is borrowed from another run)" in (
        cli("dispute", run, people[0][0], "Oslo").out
    )


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("", "expected a claimed answer, found nothing"),
        (" ", "expected a claimed answer, found nothing"),
        ("\u2047", "(U+2047), found one; leave it out: the model uses this character as a marker"),
    ],
)
def test_claims_that_cannot_be_weighed(cli, run, people, claim, message):
    result = cli("dispute", run, people[0][0], claim)
    assert result.code == 65
    assert message in result.complaint
    assert result.out == ""
    assert "\x1b" not in result.err
    assert len(result.complaint) < 700


@pytest.mark.parametrize("question", ["Who are you?", ""])
def test_questions_that_cannot_be_asked(cli, run, question):
    result = cli("dispute", run, question, "Oslo")
    assert result.code == 65
    assert "expected" in result.complaint
    assert result.out == ""


def test_a_name_that_the_model_cannot_read_is_unknown(cli, run):
    result = cli("dispute", run, "Where was Zoë born?", "Oslo")
    assert result.code == 0
    assert "the model says: I don't know: the model does not know the name" in result.out
    assert "the model cannot write it" in result.out
    assert "do not rely on its answer" in result.out


def test_a_folder_that_cannot_be_written(cli, own_run, people, read_only):
    result = cli("dispute", own_run, *people[0][:2])
    assert result.code == 0
    assert result.out.splitlines()[-1].startswith("  the corpus says so: ")
