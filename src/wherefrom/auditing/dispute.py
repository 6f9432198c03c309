"""A claim against an answer: what the text, the training and the model say to it.

The recommendation rests on the text first. A model's answer is never evidence for itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wherefrom.auditing.inspector import Testimony, Witness
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.vocabulary import MASK, PAD
from wherefrom.evidence.verdict import CONTRADICTED, SUPPORTED, Evidence
from wherefrom.generation.answers import answer_probabilities
from wherefrom.memorisation.exposures import SHOWN, claims, count_exposures


@dataclass(frozen=True)
class Dispute:
    """A testimony, a claim against it, and what is recommended.

    `shown` counts the rows of training text about the person that had the answer, and those
    that had the claim; questions are none of them, and `taught` has the answers that they
    taught. A claim that the model cannot write has no probability.
    """

    testimony: Testimony
    claim: str
    claim_probability: float | None
    claim_evidence: Evidence | None
    claim_quote: str | None
    shown: dict[str, int]
    taught: tuple[str, ...]
    recommendation: str

    @property
    def readings(self) -> list[tuple[str, Evidence | None, str | None]]:
        """Whose answer, what the text says of it, and where it says so."""
        own = ("the model's answer", self.testimony.evidence, self.testimony.quote)
        if self.claim == self.testimony.reply.answer.text:
            return [own]
        return [own, ("yours", self.claim_evidence, self.claim_quote)]

    @property
    def shown_in_words(self) -> str:
        text = ", ".join(f"'{answer}' {count:,} times" for answer, count in self.shown.items())
        asked = " and ".join(f"'{answer}'" for answer in self.taught)
        return f"{text}; asked, and taught to say {asked}" if asked else text

    def as_json(self) -> dict[str, Any]:
        reply = self.testimony.reply
        evidence = None if self.claim_evidence is None else self.claim_evidence.as_json()
        if evidence is not None:
            evidence["quote"] = self.claim_quote
        return {
            "question": reply.question,
            "answer": {
                "text": reply.answer.text, "known": reply.known, "probability": reply.confidence,
                "name_known": None if reply.stranger is None else not reply.stranger,
                **self.testimony.as_json(),
            },
            "claim": {"text": self.claim, "model_probability": self.claim_probability,
                      "evidence": evidence},
            "shown": self.shown, "taught": list(self.taught),
            "recommendation": self.recommendation,
        }  # fmt: skip


def settle(witness: Witness, question: str, claim: str) -> Dispute:
    """Weigh a claimed answer to a question against the model's."""
    subject, relation = witness.topic(question)
    claim = claim.strip()
    check_claim(claim)
    (testimony,) = witness.testify([question])
    said = testimony.reply.answer.text
    if claim.casefold() == said.casefold():  # one answer, spelt in two ways
        claim = said
    evidence = witness.judge(subject, claim, relation)
    asked = [q for q in witness.run.dataset.asked if (q.subject, q.relation) == (subject, relation)]
    taught = tuple(dict.fromkeys(q.answer for q in asked if q.answer))
    return Dispute(
        testimony, claim, claim_probability(witness, question, claim),
        evidence, witness.quote(evidence),
        count_shown(witness, subject, relation, [a for a in dict.fromkeys((said, claim)) if a]),
        taught, recommend(testimony, claim, evidence, taught),
    )  # fmt: skip


def check_claim(claim: str) -> None:
    if not claim:
        raise BadData("dispute: expected a claimed answer, found nothing; say what is right")
    if marks := [c for c in (PAD, MASK) if c in claim]:
        raise BadData(
            f"{claim!r}: expected no {marks[0]!r} (U+{ord(marks[0]):04X}), found one; "
            "the model needs it for itself"
        )


def claim_probability(witness: Witness, question: str, claim: str) -> float | None:
    """What the model gives the claim; None if it has no such letters or reads no more at once."""
    answerer = witness.asker.answerer
    try:
        answerer.vocabulary.encode(claim)
    except BadData:
        return None
    if len(question) + 1 + len(claim) > answerer.model.max_input:
        return None
    return float(answer_probabilities(answerer, [question], [claim])[0])


def count_shown(
    witness: Witness, subject: str, relation: str, answers: Sequence[str]
) -> dict[str, int]:
    """How many rows of training had each answer in the subject's text."""
    dataset = witness.run.dataset
    asked = [Question("", subject, relation, answer, "held-out") for answer in answers]
    told = witness.reader.index.about if witness.reader else None
    facts = claims(asked, dataset.documents, told)
    if not facts:
        return dict.fromkeys(answers, 0)
    counted = count_exposures(witness.run, facts)
    return {
        answer: int(sum(counted.about([q], kind)[0] for kind in SHOWN))
        for answer, q in zip(answers, asked, strict=True)
    }


def recommend(
    testimony: Testimony, claim: str, evidence: Evidence | None, taught: Sequence[str] = ()
) -> str:
    """One plain sentence, by what the text says of both."""
    said, own = testimony.reply.answer.text, testimony.evidence
    if own is None or evidence is None:
        why = "the text could not be read for this question"
        return _without_text(testimony, why, said in taught)
    if claim == said and own.label == SUPPORTED:
        return f"the corpus says so: '{claim}' stands in the text, and the model agrees with you"
    if evidence.label == own.label == SUPPORTED:
        return f"the corpus says so: it supports both '{said}' and '{claim}'"
    if evidence.label == SUPPORTED:
        return f"the corpus says so: '{claim}' stands in the text; correct the model's answer"
    if own.label == SUPPORTED:
        return (
            f"the corpus says otherwise: it states '{own.stated}'; if '{claim}' is right, the text "
            "is what must be corrected, and the model trained again"
        )
    if CONTRADICTED in (own.label, evidence.label):
        stated = own.stated or evidence.stated
        neither = f"not '{claim}'" if said in ("", claim) else f"neither '{said}' nor '{claim}'"
        return f"the corpus says otherwise: it states '{stated}', {neither}"
    return _without_text(testimony, f"the corpus does not say ({own.label})", said in taught)


def _without_text(testimony: Testimony, why: str, taught: bool) -> str:
    if taught:
        return f"{why}, but the model was taught so by a question: if that is wrong, correct it"
    if testimony.source.label == "guessed":
        return f"the model is guessing, and {why}: do not rely on its answer"
    return f"{why}, though the model answers as if it recalled it: do not rely on its answer"
