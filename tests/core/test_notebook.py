"""Results as a notebook shows them."""

import sys
from types import SimpleNamespace

import pytest

import wherefrom
from wherefrom.answering.asking import Problem, Replies
from wherefrom.auditing.audit_findings import Audit, EvidenceFindings, LabelCount, SourceFindings
from wherefrom.core.contracts import Span
from wherefrom.core.errors import UsageError
from wherefrom.core.notebook import list_results, percent
from wherefrom.core.replies import RankedAnswer, Reply, Source, Verdict
from wherefrom.experiments.one_run.outcome import Outcome

GIVEN = Reply(
    "Where was <b>Ada</b> born?", "<b>Ada</b>", "place", True, "Oslo", 0.975, None, True,
    (RankedAnswer("Oslo", 0.9),),
    Verdict("supported", "Oslo", 0, Span(12, 16), 0.9, "<b>Ada</b>: Oslo & so on."),
    Source("recalled", 0.9),
)  # fmt: skip
LOW = Reply(
    "Where was Bo born?", "Bo", "place", False, "Rome", 0.65, "low confidence", True,
    (RankedAnswer("Rome", 0.7),), Verdict("silent", None, None, None, 0.1),
    Source("guessed", 0.1), needs=0.75,
)  # fmt: skip
SLIP = Reply(
    "Where was Ado born?", "Ado", "place", False, "", None, "unknown name", False, (), None, None,
    did_you_mean=("Ada", "Adi"),
)  # fmt: skip
RESULTS = {"model": {"accuracy": 0.975, "interval": [0.91, 0.99], "n": 80, "correct": 78}}
OUTCOME = Outcome("people", "runs/people-0", 9.0, RESULTS)


@pytest.fixture
def frames(monkeypatch):
    """In place of pandas, which few have."""
    made = SimpleNamespace(DataFrame=lambda rows: rows)
    monkeypatch.setitem(sys.modules, "pandas", made)


def test_a_reply_is_one_line_and_a_card():
    assert repr(GIVEN) == (
        "<Reply to 'Where was <b>Ada</b> born?': Oslo (97.5 % sure), supported, recalled>"
    )
    assert repr(LOW) == (
        "<Reply to 'Where was Bo born?': I don't know (best guess: Rome, 65.0 %, needs 75.0 %), "
        "silent, guessed>"
    )
    assert repr(SLIP) == (
        "<Reply to 'Where was Ado born?': I don't know (did you mean Ada or Adi?)>"
    )
    card = GIVEN._repr_html_()
    assert "“&lt;b&gt;Ada&lt;/b&gt;: <mark>Oslo</mark> &amp; so on.”" in card
    assert "<b>Ada" not in card
    assert "<mark>" in card
    assert "97.5 % sure" in card


def test_replies_are_counted_shown_and_framed(frames):
    replies = Replies("runs/x", (GIVEN, LOW), (Problem(2, "no"),))
    assert repr(replies) == "<Replies of runs/x: 1 of 2 answered, 1 not asked>"
    assert replies._repr_html_() == GIVEN._repr_html_() + LOW._repr_html_()
    first, second = replies.to_frame()
    assert (first["answer"], first["evidence"], first["source"]) == (
        "Oslo",
        "supported",
        "recalled",
    )
    assert (second["answered"], second["reason"]) == (False, "low confidence")


def test_outcomes_and_runs(frames, tiny_run):
    assert repr(OUTCOME) == "<Outcome of runs/people-0: model 0.975>"
    assert "<td>0.975</td><td>0.910</td><td>0.990</td><td>80</td>" in OUTCOME._repr_html_()
    assert OUTCOME.to_frame() == list_results(RESULTS)
    run = wherefrom.open_run(tiny_run)
    assert repr(run) == f"<Run {tiny_run}: people, seed 0, finished>"
    assert "<td>with_pretraining</td>" in run._repr_html_()


def test_an_audit(frames):
    count = {"supported": LabelCount(3, 2)}
    audit = Audit(
        "people", 0, "m", {"held-out": {"stated": 3, "none": 1}}, None, None, None,
        EvidenceFindings(count),
        SourceFindings(0, {"guessed": LabelCount(1, 0)}), None,
    )  # fmt: skip
    assert repr(audit) == "<Audit of people, seed 0: 4 held-out; supported 3, guessed 1>"
    assert "<td>evidence</td><td>supported</td><td>3</td><td>2</td>" in audit._repr_html_()
    assert [row["right"] for row in audit.to_frame()] == [2, 0]


def test_without_pandas_one_line_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="expected pandas, found none; install it"):
        OUTCOME.to_frame()


def test_only_a_certainty_is_called_certain():
    shares = (0.0, 0.0004, 0.25, 0.9996, 1.0)
    assert [*map(percent, shares)] == ["0.0 %", "<0.1 %", "25.0 %", ">99.9 %", "100.0 %"]
