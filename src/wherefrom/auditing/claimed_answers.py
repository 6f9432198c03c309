"""Somebody claims that another answer is right; the text, the training and the model are consulted.

The recommendation follows the text first. A model's answer is never evidence for itself.
"""

from collections.abc import Sequence
from dataclasses import replace

from wherefrom.answering.asking import Replies
from wherefrom.answering.inspector import Inspector
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData
from wherefrom.core.forms import ParsedQuestion
from wherefrom.core.replies import CONTRADICTED, SUPPORTED, Claim, Reply, Verdict
from wherefrom.generation.answerer import answer_probabilities
from wherefrom.memorisation.exposures import SHOWN, claims, count_exposures


def weigh_claims(inspector: Inspector, found: Replies, claim: str) -> Replies:
    """The replies with a claim that is weighed against each of them."""
    asked = [(inspector.parse(reply.question), reply) for reply in found]
    claims = tuple(weigh_claim(inspector, question, reply, claim) for question, reply in asked)
    return replace(found, claims=claims)


def weigh_claim(inspector: Inspector, question: ParsedQuestion, reply: Reply, claim: str) -> Claim:
    """Weigh a claimed answer to a question against the model's reply."""
    claim = claim.strip()
    if not claim:
        raise BadData("claim: expected an answer, found nothing; say what is right")
    inspector.run.vocabulary.refuse_marks(claim)
    if claim.casefold() == reply.answer.casefold():  # the same answer, spelt differently
        claim = reply.answer
    verdict = inspector.judge_answer(question, claim)
    answers = [answer for answer in dict.fromkeys((reply.answer, claim)) if answer]
    taught = _taught_answers(inspector, question)
    return Claim(
        text=claim,
        model_probability=claim_probability(inspector, question, claim),
        evidence=verdict,
        shown=count_shown(inspector, question, answers),
        taught=taught,
        recommendation=recommend(reply, claim, verdict, taught),
    )


def _taught_answers(inspector: Inspector, question: ParsedQuestion) -> tuple[str, ...]:
    """The answers that training questions about this subject and relation taught, each once."""
    topic = (question.subject, question.relation)
    asked = (q for q in inspector.run.dataset.asked if (q.subject, q.relation) == topic)
    return tuple(dict.fromkeys(q.answer for q in asked if q.answer))


def claim_probability(inspector: Inspector, question: ParsedQuestion, claim: str) -> float | None:
    """The model's probability of the claim; None if the model lacks a letter or it is too long."""
    answerer = inspector.model.answerer
    if answerer.vocabulary.missing(question.text + claim):
        return None
    if len(question.text) + 1 + len(claim) > answerer.model.max_input:
        return None
    asked = answerer.asking(inspector.model.find_wordings([question]))
    return float(answer_probabilities(asked, [question.text], [claim])[0])


def count_shown(
    inspector: Inspector, question: ParsedQuestion, answers: Sequence[str]
) -> dict[str, int]:
    """For each answer, how many training rows of the subject's text, or of notes, contained it."""
    dataset, checker = inspector.run.dataset, inspector.opened.fact_checker
    asked = [
        Question("", question.subject, question.relation, answer, "held-out") for answer in answers
    ]
    facts = claims(asked, dataset.documents, checker.index.passages if checker else None)
    if not facts:
        return dict.fromkeys(answers, 0)
    counted = count_exposures(inspector.run, facts)
    return {
        answer: int(sum(counted.about([q], kind)[0] for kind in SHOWN))
        for answer, q in zip(answers, asked, strict=True)
    }


def recommend(reply: Reply, claim: str, verdict: Verdict | None, taught: Sequence[str] = ()) -> str:
    """One plain sentence, which follows from what the text says about both answers."""
    said, own = reply.answer, reply.evidence
    if own is None or verdict is None:
        why = "the text could not be checked for this question"
        return _without_text(reply, why, said in taught)
    if claim == said and own.label == SUPPORTED:
        agrees = "and the model agrees with you"
        return f"the corpus says so: the text supports '{claim}', {agrees}{_also(own)}"
    if verdict.label == own.label == SUPPORTED:
        return f"the corpus says so: it supports both '{said}' and '{claim}'{_why_both(own)}"
    if verdict.label == SUPPORTED:
        correct = "correct the model's answer"
        return f"the corpus says so: the text supports '{claim}'; {correct}{_also(verdict)}"
    if own.label == SUPPORTED:
        return (
            f"the corpus says otherwise: it states '{own.stated}'; if '{claim}' is right, correct "
            f"the text and train the model again{_also(own)}"
        )
    if CONTRADICTED in (own.label, verdict.label):
        shown = own if own.stated else verdict
        neither = f"not '{claim}'" if said in ("", claim) else f"neither '{said}' nor '{claim}'"
        return f"the corpus says otherwise: it states '{shown.stated}', {neither}{_also(shown)}"
    return _without_text(reply, f"the corpus does not say ({own.label})", said in taught)


def _also(verdict: Verdict) -> str:
    """What else the text states, and how it was read, as the end of a sentence."""
    others = " and ".join(f"'{other.text}'" for other in verdict.also)
    also = f"; but it also states {others}{_why_both(verdict)}" if others else ""
    read = "; as read: the model was taught this very reading, so look at the sentence yourself"
    return f"{also}{read}" if verdict.as_read else also


def _why_both(verdict: Verdict) -> str:
    """Why a text may state two answers: one document, or two people of one name."""
    if not verdict.also:
        return ""
    if any(other.document == verdict.document for other in verdict.also):
        return ": the text contradicts itself"
    return ": two documents differ, perhaps about two of one name"


def _without_text(reply: Reply, why: str, taught: bool) -> str:
    if taught:
        return (
            f"{why}, but a training question taught the model its answer: "
            "if the answer is wrong, correct the question"
        )
    return f"{why}: do not rely on the model's answer"
