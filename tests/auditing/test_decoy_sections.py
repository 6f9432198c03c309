"""Decoys and perturbed names: made for a run, asked as `ask` does, and counted."""

from functools import partial

import numpy as np
import pytest

from tests.support.policies import set_threshold
from wherefrom.answering.certificate import Certificate
from wherefrom.answering.fitting import CertifiedPolicy, judge
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.perturbed_names import PERTURBED, UNSEEN
from wherefrom.answering.policy import DECLINE_ALL
from wherefrom.auditing import decoy_sections as sections
from wherefrom.auditing.decoy_sections import AskedTier
from wherefrom.core.answer_table import AnswerTable

FIRST = ["recombined", "absent", "invented", "gibberish", "shortened"]


policy = partial(set_threshold, relation="birthplace")


def bound(value: float, certified: bool) -> CertifiedPolicy:
    certificate = Certificate(value, 0.1, 0.1, certified, 9, 0, 0.9, 10, (), None)
    return CertifiedPolicy(policy(value), certificate, policy(value))


@pytest.fixture(scope="module")
def people(inspector: Inspector) -> AnswerTable:
    asked = inspector.run.dataset.select("held-out")
    return judge(inspector.model, asked)


@pytest.fixture(scope="module")
def tiers(inspector: Inspector) -> dict[str, AskedTier]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sections, "TIER", 6)
        return sections.ask_tiers(inspector)


def test_decoys_are_nobody_in_the_run(inspector: Inspector, tiers: dict[str, AskedTier]):
    people = {q.subject for q in inspector.run.dataset.questions}
    assert list(tiers) == [*FIRST, *PERTURBED]
    for tier, asked in tiers.items():
        names = [question.subject for question in asked.questions]
        assert (len(names), people & set(names)) == (6, set()), tier
        spelt = [inspector.model.spells(name) for name in names]
        # The made-up people have plain English names, so every accent is new to the model.
        assert set(spelt) == {tier not in ("accented", UNSEEN)}, tier


def test_closed_book_the_threshold_alone_decides(
    inspector: Inspector, tiers: dict[str, AskedTier], people: AnswerTable
):
    for value, expected in ((0.0, 0.0), (DECLINE_ALL, 1.0)):
        found = sections.report_decoys(tiers, people, policy(value), None)
        read = {t: row.refused_closed_book for t, row in found.items() if len(tiers[t].read)}
        assert {score.value for score in read.values() if score} == {expected}
        assert {row.n for row in found.values()} == {6}
        for tier, row in found.items():
            assert (row.auroc is None) == (tier in PERTURBED)
            assert row.auroc is None or 0 <= row.auroc.value <= 1
        assert {row.refused_at_bound for row in found.values()} == {None}
    # Decoys are ranked against people whose text states the answer.
    everybody = inspector.run.dataset.select("held-out", ("stated", "omitted", "none"))
    examined = judge(inspector.model, everybody)
    found = sections.report_decoys(tiers, examined, policy(0.0), None)
    assert {row.auroc.n for row in found.values() if row.auroc} == {8 + 6}


def test_a_name_like_one_of_the_text_is_refused_however_sure_the_model_is(
    tiers: dict[str, AskedTier], people: AnswerTable
):
    found = sections.report_decoys(tiers, people, policy(0.0), None)
    for tier in ("misspelt", "accented", "swapped", "titled", "initials", UNSEEN):
        assert found[tier].refused.value == 1.0, tier
        assert found[tier].offered.value == 1.0, tier
    assert found["gibberish"].refused.value == 0.0, "nobody is spelt like it"


def test_the_tiers_are_answered_as_ask_answers_them(
    inspector: Inspector, tiers: dict[str, AskedTier]
):
    for tier in tiers.values():
        replies = inspector.reply([inspector.parse(q.text) for q in tier.questions])
        assert [r.answered for r in replies] == tier.answered(inspector.policy).tolist()
        assert [r.did_you_mean for r in replies] == list(tier.offered)


def test_refusal_at_the_bound_is_reported_where_something_is_certified(
    tiers: dict[str, AskedTier], people: AnswerTable
):
    """Refusing all because nothing could be certified is no merit."""
    for certified, refused in ((True, {1.0}), (False, {None})):
        found = sections.report_decoys(tiers, people, policy(0.5), bound(DECLINE_ALL, certified))
        rows = [row.refused_at_bound for row in found.values()]
        assert {row and row.value for row in rows} == refused


def test_the_rows_say_the_same_as_the_shares(tiers: dict[str, AskedTier], people: AnswerTable):
    rows = sections.list_decoys(tiers, policy(0.5), bound(0.9, True))
    found = sections.report_decoys(tiers, people, policy(0.5), bound(0.9, True))
    for tier, row in found.items():
        own = [r for r in rows if r.tier == tier]
        assert len(own) == row.n
        assert np.mean([not r.answered for r in own]) == row.refused.value
        assert np.mean([not r.passes for r in own]) == row.refused_closed_book.value
        assert np.mean([not r.answered_at_bound for r in own]) == row.refused_at_bound.value
        assert all(r.answered == (r.passes and not r.did_you_mean) for r in own)
