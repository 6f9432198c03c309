"""An audit of several relations: everything over all of them and for each."""

import pytest

from tests.support.audited import Audited
from wherefrom.auditing.audit_findings import Audit

PLACE, HAND = "Where was X born?", "Which hand does X write with?"
BOTH = [PLACE, HAND]


@pytest.fixture
def found(audited_relations: Audited) -> Audit:
    return audited_relations.findings


def test_every_section_has_both_relations_and_their_sum(found: Audit):
    held = sum(found.people["held-out"].values())
    for section in (found.confidence, found.evidence, found.source, found.exposures):
        assert list(section.by_relation) == BOTH
    sizes = [part.calibrated.brier.n for part in found.confidence.by_relation.values()]
    assert sum(sizes) == found.confidence.calibrated.brier.n == held
    used = found.abstention.in_use
    assert used.threshold is None, "each relation has its own"
    assert sum(part.answered_share.n for part in used.by_relation.values()) == held
    assert list(found.abstention.thresholds["0.9"].by_relation) == BOTH
    for counts in (found.source, found.evidence):
        for label, count in counts.held_out_answers.items():
            parts = [part.held_out_answers[label] for part in counts.by_relation.values()]
            assert sum(part.answers for part in parts) == count.answers
            assert sum(part.right for part in parts) == count.right
    # What was measured by retraining is divided, too.
    parts = [part.measured for part in found.source.by_relation.values()]
    assert all(part is not None for part in parts)
    assert sum(part.agreement.n for part in parts if part) == found.source.measured.agreement.n


def test_decoys_are_asked_about_each_relation_in_turn(found: Audit):
    for row in found.decoys.values():
        parts = row.refused.as_json()["by_relation"]
        assert {name: part["n"] for name, part in parts.items()} == dict.fromkeys(BOTH, row.n // 2)
