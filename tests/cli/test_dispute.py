"""`wherefrom dispute`: a claim, what the text says to it, and a recommendation."""

import pytest

from wherefrom.core.contracts import Answer, Candidate
from wherefrom.generation.answers import ModelAnswerer
from wherefrom.runs.run import open_run


def test_a_claim_that_the_text_supports(cli, tiny_run, monkeypatch):
    """On the screen and as JSON; the model says another place, which the text does not have."""
    dataset = open_run(tiny_run).dataset
    asked = dataset.select("held-out")[0]
    question, right = asked.text, asked.answer or ""
    text = "\n".join(d.text for d in dataset.documents if asked.subject in d.text)
    places = {q.answer for q in dataset.questions if q.answer}
    wrong = min(place for place in places if place not in text)
    said = Answer(wrong, 0.75, (Candidate("Nowhere", 0.25),))
    monkeypatch.setattr(ModelAnswerer, "answer", lambda _, texts: [said for _ in texts])
    result = cli("dispute", tiny_run, question, right)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == question
    assert lines[1].startswith("  the model says: ")
    assert wrong in lines[1]
    assert lines[3].startswith(f"  you say: {right} (the model's own probability of it is ")
    assert lines[4].startswith("  evidence on the model's answer: contradicted by \"")
    assert lines[5].startswith('  evidence on your answer: supported by "')
    assert lines[-1] == (
        f"  the corpus says so: the text supports '{right}'; correct the model's answer"
    )
    found = cli("dispute", tiny_run, question, right, "--json").json
    assert list(found) == [
        "format_version", "reply", "claim", "shown", "taught", "recommendation", "notes",
    ]  # fmt: skip
    assert (found["reply"]["question"], found["reply"]["answer"]) == (question, wrong)
    assert found["claim"]["evidence"]["label"] == "supported"
    assert found["shown"][right] > found["shown"][wrong] == 0


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        (" ", "expected a claimed answer, found nothing"),
        ("\u2047", "(U+2047), found one; leave it out: the model uses this character as a marker"),
    ],
)
def test_claims_that_cannot_be_weighed(cli, tiny_run, claim, message):
    result = cli("dispute", tiny_run, "Where was Ada Lund born?", claim)
    assert (result.code, result.out) == (65, "")
    assert message in result.complaint
