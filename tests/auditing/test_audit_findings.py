"""The findings of audit.json: every key that is documented, and only numbers that JSON can hold."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.support.audited import Audited
from tests.support.made_up import make_reply
from wherefrom.auditing.audit_findings import Audit, AuditedAnswer
from wherefrom.core.config import from_json, to_json
from wherefrom.core.contracts import Question
from wherefrom.core.errors import Mismatch
from wherefrom.memorisation.reliability import measure_reliability

THRESHOLD = {
    "threshold", "target", "answered_share", "precision", "why_not", "by_relation", "by_support",
    "pooled", "unverified",
}  # fmt: skip
SCORES = {"brier", "log", "line", "error", "cumulative", "diagram"}
COUNT = {"answers", "right"}
# The keys of audit.json, as docs/AUDIT-JSON.md has them; a dot is a step down.
KEYS = {
    "": {
        "format_version", "recipe", "seed", "model", "people", "confidence", "abstention",
        "decoys", "evidence", "source", "exposures", "name_bias", "swap", "not_retrained", "notes",
        "populations",
    },
    "people": {"calibration", "held-out"},
    "people.held-out": {"stated", "omitted", "none"},
    "confidence": {
        "calibrated", "raw", "risk_coverage", "risk_coverage_raw", "area_difference",
        "by_relation",
    },
    "confidence.calibrated": SCORES,
    "confidence.raw": SCORES,
    "abstention": {
        "in_use", "thresholds", "raw_probability", "certificate", "certified", "uncertified",
        "advice",
    },
    "abstention.in_use": THRESHOLD,
    "abstention.in_use.by_support": {"stated", "omitted", "none"},
    "abstention.in_use.by_support.none": {"answered_share", "risk"},
    "abstention.thresholds": {"0.9", "0.95"},
    "abstention.thresholds.0.9": THRESHOLD,
    "abstention.raw_probability": {"0.95"},
    "abstention.raw_probability.0.95": THRESHOLD,
    "abstention.certified": THRESHOLD,
    "abstention.uncertified": THRESHOLD,
    "abstention.certificate": {
        "threshold", "alpha", "delta", "certified", "n_answered", "wrong", "coverage", "n",
        "sequence", "more_people", "by_relation", "enough_to_tell", "refused",
        "fewest_more",
    },
    "decoys": {
        "recombined", "absent", "invented", "gibberish", "shortened", "misspelt", "accented",
        "swapped", "merged", "initials", "titled", "unseen letter",
    },
    "decoys.absent": {
        "n", "refused", "auroc", "refused_at_bound", "refused_closed_book", "offered",
    },
    "evidence": {"accuracy", "held_out_answers", "as_read", "notes", "by_relation"},
    "evidence.accuracy": {"probes", "overall", "extraction"},
    "evidence.held_out_answers": {"supported", "contradicted", "silent", "no text"},
    "evidence.held_out_answers.silent": COUNT,
    "source": {"models", "held_out_answers", "measured", "by_relation"},
    "source.held_out_answers": {"recalled", "guessed"},
    "source.held_out_answers.guessed": COUNT,
    "source.measured": {
        "models", "auroc", "auroc_with_text", "agreement", "m",
        "pairs_agree", "recalled_share", "reliability", "spearman", "probability_alone",
        "confidence_alone", "constant", "gain", "evidence",
        "in_words",
    },
    "source.measured.reliability": {
        "pairs", "pairs_agree", "kappa_of_pairs", "kappa_of_halves", "auroc_of_halves",
        "spearman_of_halves", "ceiling",
    },
    "source.measured.gain": {"difference", "interval", "n"},
    "source.measured.m": {"least", "lower", "median", "upper", "most"},
    "exposures": {
        "examples", "randomised", "mean", "dose", "dose_by_position", "never_exposed",
        "by_relation",
    },
    "exposures.never_exposed": {"model", "baseline", "difference"},
    "name_bias": {"whole", "parts", "summary", "by_relation"},
}  # fmt: skip


def look_up(written: Any, dotted: str) -> Any:
    """What stands at a dotted place; a key may have a dot itself."""
    if not dotted:
        return written
    for name in written:
        if dotted == name or dotted.startswith(f"{name}."):
            return look_up(written[name], dotted[len(name) + 1 :])
    raise AssertionError(f"nothing stands at {dotted}")


def test_every_documented_key_is_written_and_no_other(audited: Audited):
    written = to_json(audited.findings)
    # Takes two pairs of models.
    written["source"]["measured"]["reliability"] = to_json(measure_reliability(np.eye(2, 14)))
    found = {place: set(look_up(written, place)) for place in KEYS}
    assert found == KEYS


def test_findings_read_back_as_they_were_written(audited: Audited, audited_relations: Audited):
    for found in (audited.findings, audited_relations.findings):
        written = json.loads(json.dumps(to_json(found), allow_nan=False))
        assert written == to_json(found)
        assert to_json(from_json(Audit, written, "audit")) == written


def test_why_nothing_was_retrained_is_written_in_words(audited: Audited):
    found = audited.findings
    changed = replace(found, not_retrained=Mismatch("corpus.txt: expected the text as it was"))
    assert to_json(changed)["not_retrained"] == "corpus.txt: expected the text as it was"
    assert to_json(found)["not_retrained"] is None


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
