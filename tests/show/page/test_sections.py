"""Evidence by source, and the rows of the table, from answers made by hand."""

from dataclasses import replace

import numpy as np

from tests.support.made_up import make_reply
from wherefrom.auditing.audit_findings import AuditedAnswer
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.replies import Source, Verdict
from wherefrom.memorisation.labelled_answers import LabelledAnswers
from wherefrom.show.page.sections import cross, list_answers, measure_left_out
from wherefrom.show.page.summary_sentences import confidence


def answer(subject, said, gold, given=True, label="supported", source="recalled"):
    reply = make_reply(
        question=f"Where was {subject} born?",
        subject=subject,
        answered=given,
        answer=said,
        confidence=0.75,
        evidence=Verdict(label, None, None, None, 0.0),
        source=Source(source, 0.9),
    )
    return AuditedAnswer(reply, gold, said == gold, "held-out", "stated", {}, None)


ROWS = [
    answer("Ada Lund", "Oslo", "Oslo"),
    answer("Bo Falk", "Rome", "Lima", label="contradicted"),
    answer("Cy Roth", "Bonn", "Cork", label="contradicted", source="guessed", given=False),
    answer("Di Holm", "Oslo", "Cork", label="silent", source="guessed"),
    answer("Ed Lund", "Oslo", "Cork", label="no text", source="guessed", given=False),
]


def test_the_two_way_table_counts_every_answer_once():
    found = cross(ROWS)
    cells = {
        (row["label"], cell["source"]): (cell["count"], cell["right"])
        for row in found["rows"]
        for cell in row["cells"]
    }
    assert cells["supported", "recalled"] == (1, 1)
    assert cells["contradicted", "recalled"] == (1, 0)
    assert cells["contradicted", "guessed"] == (1, 0)
    assert sum(count for count, _ in cells.values()) == len(ROWS)
    assert found["footnote"].endswith("fitted the predictor.")
    assert cross([]) is None
    # Without retrained models, answers are counted by evidence alone.
    found = cross([replace(row, reply=replace(row.reply, source=None)) for row in ROWS])
    cells = {row["label"]: [cell["count"] for cell in row["cells"]] for row in found["rows"]}
    assert cells == {"supported": [1], "contradicted": [2], "silent": [1], "no text": [1]}
    assert "was not measured: “wherefrom audit RUN --pairs 8”" in found["footnote"]


def test_support_that_is_only_as_read_is_counted_apart():
    first, *others = ROWS
    evidence = replace(first.reply.evidence, as_read=True)
    read = replace(first, reply=replace(first.reply, evidence=evidence))
    found = cross([read, first, *others])
    labels = {row["label"]: sum(cell["count"] for cell in row["cells"]) for row in found["rows"]}
    assert (labels["supported"], labels["as read"]) == (1, 1)
    assert "The text supports 2 of 6 answers" in found["sentence"]
    assert "1 of them are only as read" in found["sentence"]
    assert [row["e"] for row in list_answers([read, first], {})] == ["as read", "supported"]
    # The rows of the table say what the replies say.
    (first, *_) = list_answers(ROWS, {"Where was Ada Lund born?": [0.9, 0.2, 4]})
    assert first == {
        "q": "Where was Ada Lund born?", "s": "Ada Lund", "r": "birthplace", "a": "Oslo",
        "g": "Oslo", "ok": True, "given": True, "c": 0.75, "u": False, "e": "supported",
        "o": "recalled", "t": "stated", "w": [0.9, 0.2, 4],
    }  # fmt: skip


def test_only_a_certainty_is_called_certain():
    shares = (1.0, 0.999999, 0.00001, 0.0)
    rows = [replace(ROWS[0], reply=replace(ROWS[0].reply, confidence=c)) for c in shares]
    assert [row["c"] for row in list_answers(rows, {})] == [1.0, 0.9999, 0.0001, 0.0]
    told = [confidence(share) for share in (0, 0.0002, 0.004, 0.25, 0.994, 0.9999, 1)]
    assert [each.replace("\u00a0", " ") for each in told] == [
        "0.0 %", "<0.1 %", "0.4 %", "25 %", "99.4 %", ">99.9 %", "100 %",
    ]  # fmt: skip


def test_answers_of_models_that_lacked_the_text_are_averaged_apart():
    """Of three models, one read about Ada; all read about Bo; Cy has no text to leave out."""
    supports = {"Ada?": "stated", "Bo?": "stated", "Cy?": "none"}
    known = [Question(text, "", "", None, "held-out", each) for text, each in supports.items()]
    columns = {
        "p": np.array([[0.9, 0.2, 0.4], [0.5, 0.5, 0.5], [0.1, 0.1, 0.1]]),
        "with": np.array([[1, 0, 0], [1, 1, 1], [0, 1, 0]], dtype=bool),
    }
    table = replace(AnswerTable.of(known, [Answer("Oslo", 0.5)] * 3), columns=columns)
    found = LabelledAnswers("people-0", ("a", "b", "c"), table)
    assert measure_left_out(found) == {"Ada?": [0.9, 0.3, 3]}
