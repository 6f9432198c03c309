"""The section of an audit about decoys and perturbed names: who is declined, and by which rule.

Every name goes the way of a question to `ask`. A name is answered only if the model can read it,
if the text has no other name that was probably meant, and if name gate and threshold let it pass.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wherefrom.answering.abstention import report_declined
from wherefrom.answering.decoys import make_tiers
from wherefrom.answering.fitting import CertifiedPolicy
from wherefrom.answering.inspector import Inspector
from wherefrom.answering.name_gate import find_novel
from wherefrom.answering.perturbed_names import PERTURBED, make_perturbed
from wherefrom.answering.policy import AnswerPolicy
from wherefrom.answering.question_parser import QuestionParser
from wherefrom.auditing.audit_findings import AuditedDecoy, DecoyFindings
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.selective import auroc

TIER = 200  # names in each tier
_LAST = 1e-9  # so small that it only breaks ties


@dataclass(frozen=True)
class AskedTier:
    """The names of one tier, asked: `read` are the places of those that the model can read.

    `features` are those of the names in `read`. `offered` has the names of the text that are
    offered instead of each, `meant` says whether such an offer withholds the answer.
    """

    questions: tuple[ParsedQuestion, ...]
    read: tuple[int, ...]
    features: FeatureTable
    offered: tuple[tuple[str, ...], ...]
    meant: np.ndarray

    @property
    def relations(self) -> list[str]:
        return [question.relation for question in self.questions]

    def score(self, policy: AnswerPolicy) -> np.ndarray:
        """The score that a threshold is applied to; 0 for a name that the model cannot read."""
        found = np.zeros(len(self.questions))
        relations = [self.questions[i].relation for i in self.read]
        found[list(self.read)] = policy.score(self.features, relations)
        return found

    def passes(self, policy: AnswerPolicy) -> np.ndarray:
        """The names that would be answered closed-book: without a look at the names in the text."""
        return policy.thresholds.answers(self.score(policy), self.relations)

    def answered(self, policy: AnswerPolicy) -> np.ndarray:
        return self.passes(policy) & ~self.meant


def ask_tiers(inspector: Inspector) -> dict[str, AskedTier]:
    """Ask about every name of every tier; with several relations, about one of them in turn."""
    forms = _form_of_each_relation(inspector.model.parser)
    novel = find_novel(inspector.model, inspector.run.dataset)
    tiers = make_tiers(novel, inspector.model.likelihood, TIER) | make_perturbed(novel, TIER)
    return {tier: _ask(inspector, names, forms) for tier, names in tiers.items() if names}


def _ask(inspector: Inspector, names: Sequence[str], forms: Sequence[Form]) -> AskedTier:
    model = inspector.model
    asked = [model.parser.fill(forms[i % len(forms)], name) for i, name in enumerate(names)]
    read = tuple(i for i, q in enumerate(asked) if not model.unseen(q))
    features = model.answer([asked[i] for i in read]).features
    meant = [bool(model.find_meant(name)) for name in names]
    offered = tuple(model.parser.suggest(name) for name in names)
    return AskedTier(tuple(asked), read, features, offered, np.array(meant))


def report_decoys(
    tiers: Mapping[str, AskedTier],
    examined: AnswerTable,
    policy: AnswerPolicy,
    bound: CertifiedPolicy | None,
) -> dict[str, DecoyFindings]:
    """For each tier: the share declined, and how well the score separates decoys from people."""
    held = np.flatnonzero(examined.select("held-out", ("stated",)))
    relations = [examined.relations[i] for i in held]
    features = examined.features.rows(held)
    # The score that the threshold is applied to; the confidence breaks ties at 0.
    people = policy.score(features, relations) + _LAST * policy.confidence(features, relations)
    certified = bound.policy if bound is not None and bound.certificate.certified else None
    found: dict[str, DecoyFindings] = {}
    for name, tier in tiers.items():
        several = tier.relations if policy.thresholds.several else None
        ranked = tier.score(policy)
        asked = [tier.questions[i].relation for i in tier.read]
        ranked[list(tier.read)] += _LAST * policy.confidence(tier.features, asked)
        found[name] = DecoyFindings(
            n=len(tier.questions),
            refused=report_declined(tier.answered(policy), several),
            # A misspelt name may be as familiar as the right one: the text's names tell them apart.
            auroc=None if name in PERTURBED else _separation(people, ranked),
            refused_at_bound=certified and report_declined(tier.answered(certified), several),
            refused_closed_book=report_declined(tier.passes(policy), several),
            offered=Score.of_share(
                "offered_share", sum(map(bool, tier.offered)), len(tier.questions)
            ),
        )
    return found


def list_decoys(
    tiers: Mapping[str, AskedTier], policy: AnswerPolicy, bound: CertifiedPolicy | None
) -> list[AuditedDecoy]:
    """One row for each name, from which the shares can be counted again."""
    rows: list[AuditedDecoy] = []
    for name, tier in tiers.items():
        score, passes, answered = tier.score(policy), tier.passes(policy), tier.answered(policy)
        at_bound = None if bound is None else tier.answered(bound.policy)
        read = set(tier.read)
        for i, question in enumerate(tier.questions):
            rows.append(
                AuditedDecoy(
                    tier=name,
                    name=question.subject,
                    relation=question.relation,
                    read=i in read,
                    score=float(score[i]),
                    passes=bool(passes[i]),
                    did_you_mean=tier.offered[i],
                    answered=bool(answered[i]),
                    answered_at_bound=None if at_bound is None else bool(at_bound[i]),
                )
            )
    return rows


def _form_of_each_relation(parser: QuestionParser) -> list[Form]:
    """The commonest form of each relation, in which decoys are asked about."""
    found: dict[str, Form] = {}
    for form in parser.forms:
        found.setdefault(parser.fill(form, "").relation, form)
    if len(found) > 1:
        found.pop("", None)  # a form whose questions all have a closer one
    return list(found.values())


def _separation(people: np.ndarray, decoys: np.ndarray) -> Score | None:
    """AUROC of a score that should rank people above decoys."""
    if not people.size:
        return None
    is_person = np.repeat((True, False), (people.size, decoys.size))
    return auroc(np.append(people, decoys), is_person)
