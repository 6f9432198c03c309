"""The findings of audit.json: only what JSON can hold, and read back as it was written."""

import json
from dataclasses import replace

import pytest

from tests.support.audited import Audited
from tests.support.made_up import make_reply
from wherefrom.auditing.audit_findings import Audit, AuditedAnswer
from wherefrom.core.config import from_json, to_json
from wherefrom.core.contracts import Question


def test_findings_read_back_as_they_were_written(audited: Audited, audited_relations: Audited):
    for found in (audited.findings, audited_relations.findings):
        written = json.loads(json.dumps(to_json(found), allow_nan=False))
        assert written == to_json(found)
        assert to_json(from_json(Audit, written, "audit")) == written


@pytest.mark.parametrize(("gold", "right"), [("Oslo", True), ("Rome", False), (None, False)])
def test_an_audited_answer_is_right_where_it_is_the_gold_one(gold: str | None, right: bool):
    question = Question("Where was A born?", "A", "birthplace", gold, "held-out", "omitted")
    reply = make_reply()
    row = AuditedAnswer.of(reply, question, {"margin": 1.0}, None)
    assert (row.gold, row.right) == (gold or "", right)
    assert (row.split, row.support, row.m) == ("held-out", "omitted", None)
    assert to_json(row)["reply"]["answer"] == "Oslo"
    assert (row.id, row.accepted) == ("", ())
    named = AuditedAnswer.of(reply, replace(question, accepted=("Oslo",), id="q1"), {}, None)
    assert (named.right, named.id, named.accepted) == (True, "q1", ("Oslo",))
