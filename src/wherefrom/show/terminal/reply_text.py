"""Replies, claims and examples in words. Nothing is computed here."""

from collections.abc import Sequence
from math import floor
from typing import TYPE_CHECKING

from wherefrom.core.measures import NOT_SHOWN
from wherefrom.core.notebook import percent
from wherefrom.core.replies import (
    NO_TEXT,
    OTHER_SPELLING,
    SILENT,
    UNKNOWN_NAME,
    Claim,
    NotedValue,
    RankedAnswer,
    Reply,
    Source,
    Verdict,
)
from wherefrom.show.terminal.messages import printable

if TYPE_CHECKING:
    from wherefrom.auditing.answer_examples import Example, Examples

_WITHOUT_STATEMENT = {
    SILENT: "the text about this name does not state it",
    NO_TEXT: "nothing in the text is about this name",
}


def describe_reply(reply: Reply) -> list[str]:
    """A reply, line by line."""
    lines = [printable(reply.question), f"  {_answer(reply)}"]
    if reply.why_not is not None and reply.reason not in (UNKNOWN_NAME, OTHER_SPELLING):
        lines.append(f"  why not: {printable(reply.why_not)}")
    if reply.did_you_mean:
        names = " or ".join(map(printable, reply.did_you_mean))
        lines.append(f"  did you mean {names}?")
    if len(reply.candidates) > 1:
        lines.append(f"  the model's own ranking: {_ranking(reply.candidates)}")
    if reply.evidence is not None:
        lines.append(f"  evidence: {describe_evidence(reply.evidence)}")
        lines += _also(reply.evidence)
    if reply.took_notes:
        lines.append(f"  note: {_note(reply.note)}")
    lines += _source(reply.source)
    if reply.trained_on:
        lines.append(
            "  the model was trained on this very question; "
            "confidence and source are meant for questions that it was not trained on"
        )
    return lines


def describe_claim(reply: Reply, claim: Claim) -> list[str]:
    """A claim against a reply, line by line."""
    own = "the model cannot write it"
    if claim.model_probability is not None:
        own = f"the model's own probability of it is {percent(claim.model_probability)}"
    lines = [
        printable(reply.question),
        f"  the model says: {_answer(reply)}",
        *_source(reply.source),
        f"  you say: {printable(claim.text)} ({own})",
    ]
    verdicts = {"the model's answer": reply.evidence}
    if claim.text != reply.answer:
        verdicts["your answer"] = claim.evidence
    found = {who: verdict for who, verdict in verdicts.items() if verdict is not None}
    for who, verdict in found.items():
        lines.append(f"  evidence on {who}: {describe_evidence(verdict)}")
    both = next((verdict for verdict in found.values() if verdict.also), None)
    lines += _also(both) if both else []
    shown = ", ".join(f"'{answer}' {count:,} times" for answer, count in claim.shown.items())
    taught = " and ".join(f"'{answer}'" for answer in claim.taught)
    asked = f"; a training question taught {taught}" if taught else ""
    lines.append(f"  shown in training: {printable(shown + asked)}")
    lines.append(f"  {printable(claim.recommendation)}")
    return lines


def _answer(reply: Reply) -> str:
    best = printable(reply.answer) or "nothing"
    sure = "" if reply.certainty is None else percent(reply.certainty)
    if reply.answered and reply.unverified:
        return f"{best} (unverified: {NOT_SHOWN}; {sure} by the model's own probability)"
    if reply.answered:
        return f"{best} ({sure} sure)" if sure else best
    if reply.reason == UNKNOWN_NAME and not reply.candidates and reply.why_not:
        # The model cannot read the name.
        return f"I don't know: {printable(reply.why_not)}"
    if reply.reason == OTHER_SPELLING:  # its guess would be an answer about somebody else
        return "I don't know: the text has no such name"
    if reply.reason == UNKNOWN_NAME:
        return f"I don't know: the model does not know the name (its best guess is {best})"
    return f"I don't know; best guess {best}, {_guessed(reply, sure)}"


def _guessed(reply: Reply, sure: str) -> str:
    """The confidence of a guess that is not given, and what it needs."""
    own = " by the model's own probability" if reply.unverified else ""
    if reply.needs is None or reply.certainty is None:
        return f"{sure}{own}"
    # Rounded down: what is below the threshold must not look as if it had reached it.
    below = percent(floor(1000 * reply.certainty) / 1000)
    return f"{below}{own}, needs {percent(reply.needs)}"


def _ranking(candidates: Sequence[RankedAnswer]) -> str:
    """The answers with the model's own probabilities, which are not calibrated.

    They have a line of their own, so that nobody compares them with the confidence.
    """
    each = (f"{printable(c.text) or 'nothing'} {percent(c.model_probability)}" for c in candidates)
    return ", ".join(each)


def describe_evidence(verdict: Verdict) -> str:
    """What the text says, in one line."""
    if verdict.quote is None:
        return f"{verdict.label} ({_WITHOUT_STATEMENT[verdict.label]})"
    if verdict.as_read:
        same = "the reader reads the sentence of its own note again: this confirms nothing"
        return f'{verdict.shown} in "{printable(verdict.quote)}" ({same})'
    return f'{verdict.label} by "{printable(verdict.quote)}"'


def _note(note: NotedValue | None) -> str:
    """What the reader noted, how sure it was, and the sentence."""
    if note is None:
        return "no note"
    agrees = "as the model answers" if note.agrees else "the model answers otherwise"
    named = f" of {printable(note.document_id)}" if note.document_id else ""
    value, sure = printable(note.value), percent(note.score)
    return f'{value} (score {sure}; {agrees}) from "{printable(note.sentence)}"{named}'


def _also(verdict: Verdict) -> list[str]:
    """What else the text states, line by line, and what that may mean."""
    lines: list[str] = []
    for other in verdict.also:
        same = other.document == verdict.document
        why = "the text contradicts itself" if same else "another document: two of one name?"
        lines.append(
            f'  also stated: {printable(other.text)} by "{printable(other.quote)}" ({why})'
        )
    return lines


def _source(source: Source | None) -> list[str]:
    """Nothing is said where no model was retrained to measure it."""
    if source is None:
        return []
    return [
        f"  source: {source.label} (probability of recall {percent(source.probability_recalled)})"
    ]


def describe_examples(found: "Examples") -> list[str]:
    """A heading, the right ones, the wrong ones, and what could tell them apart."""
    parts = [found.of, found.model, found.task, found.relation]
    where = ", ".join(printable(part) for part in parts if part)
    share = percent(found.right_questions / found.questions)
    lines = [f"{where}: {found.right_questions:,} of {found.questions:,} right ({share})"]
    for word, shown in (("right", found.right), ("wrong", found.wrong)):
        lines += [
            "",
            f"{word}, {len(shown)} drawn by seed {found.seed}" if shown else f"none {word}",
        ]
        for each in shown:
            lines += _example(each)
    medians = found.right_probability, found.wrong_probability
    if medians[0] is not None and medians[1] is not None:
        lines += [
            "",
            f"the model's own probability, median of all: {percent(medians[0])} where it is right, "
            f"{percent(medians[1])} where it is wrong",
        ]
    return lines


def _example(each: "Example") -> list[str]:
    said = printable(each.prediction) or "nothing"
    known = "" if each.right else f"; it is {printable(each.answer)}"
    lines = [f"  {printable(each.question)}", f"    {said}{_sure(each)}{known}"]
    if each.evidence is not None:
        lines.append(f"    evidence: {describe_evidence(each.evidence)}")
    return lines


def _sure(each: "Example") -> str:
    if each.confidence is not None:
        return f" ({percent(each.confidence)} sure)"
    if each.model_probability is not None:
        return f" (own probability {percent(each.model_probability)})"
    return ""
