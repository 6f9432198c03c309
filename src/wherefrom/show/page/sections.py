"""The parts of the page that are tables and lists: evidence by source, every answer."""

from collections.abc import Mapping, Sequence
from typing import Any

from wherefrom.auditing.audit_findings import AuditedAnswer
from wherefrom.core.measures import NOT_SHOWN
from wherefrom.core.plurals import plural
from wherefrom.core.replies import AS_READ, GUESSED, RECALLED, SHOWN_VERDICTS, SUPPORTED
from wherefrom.memorisation.labelled_answers import LabelledAnswers
from wherefrom.show.page.risk import AcceptedRisk, Stop
from wherefrom.show.page.summary_sentences import interval, percent


def cross(rows: Sequence[AuditedAnswer]) -> dict[str, Any] | None:
    """Held-out answers by what the text says about them and, if measured, by their source."""
    known = [row for row in rows if row.reply.evidence is not None]
    if not known:
        return None
    labels = [(row, _evidence(row), _source(row)) for row in known]
    measured = any(source for _, _, source in labels)
    sources = (RECALLED, GUESSED) if measured else ("",)
    table = [
        {"label": verdict, "cells": [_cell(labels, verdict, source) for source in sources]}
        for verdict in SHOWN_VERDICTS
        if any(found == verdict for _, found, _ in labels)
    ]
    supported = [source for _, found, source in labels if found in (SUPPORTED, AS_READ)]
    read = sum(found == AS_READ for _, found, _ in labels)
    recalled = supported.count(RECALLED)
    said = f"The text supports {len(supported)} of {len(known)} answers"
    if measured:
        said += f", and the model recalled {recalled} of these rather than guessed them"
    said += f". {_tell_as_read(read)}" if read else ". "
    return {
        "title": "What the text says"
        + (", and whether the model recalled it" if measured else " about its answers"),
        "sources": sources,
        "rows": table,
        "sentence": f"{said}A number lists its answers below.",
        "footnote": "Evidence is a property of the text. Source is a property of the model, "
        + (
            "predicted from how it answers and from the evidence; models that were trained again "
            "without some of the text fitted the predictor."
            if measured
            else "and was not measured: “wherefrom audit RUN --pairs 8” trains models without some "
            "of the text, to see what is recalled from it."
        ),
    }


def _tell_as_read(count: int) -> str:
    return (
        f"{count} of them are only as read: the reader that noted the answer finds it again in the "
        "same sentence, which confirms nothing. "
    )


def _cell(labels: Sequence[Any], verdict: str, source: str) -> dict[str, Any]:
    here = [row for row, found, own in labels if found == verdict and own == source]
    return {"source": source, "count": len(here), "right": sum(row.right for row in here)}


def _evidence(row: AuditedAnswer) -> str:
    return row.reply.evidence.shown if row.reply.evidence else ""


def _source(row: AuditedAnswer) -> str:
    return row.reply.source.label if row.reply.source else ""


def list_answers(
    rows: Sequence[AuditedAnswer], left_out: Mapping[str, Sequence[float]]
) -> list[dict[str, Any]]:
    """Every answer for the page's table, with short names: there may be thousands.

    `left_out` has by question what `measure_left_out` found.
    """
    return [
        {
            "q": row.reply.question,
            "s": row.reply.subject,
            "r": row.reply.relation,
            "a": row.reply.answer,
            "g": row.gold or "no answer",
            "ok": row.right,
            "given": row.reply.answered,
            "c": _round(row.reply.certainty),
            "u": row.reply.unverified,
            "e": _evidence(row),
            "o": _source(row),
            "t": row.support,
            "w": left_out.get(row.reply.question),
        }
        for row in rows
    ]


def measure_left_out(found: LabelledAnswers) -> dict[str, Sequence[float]]:
    """By question, the mean probability of the answer with its subject's text and without it.

    From models that an audit trained again; only where there are models of both kinds.
    """
    kept, count = found.has_text_KN, len(found.models)
    both = kept.any(0) & ~kept.all(0) & found.in_corpus
    return {
        question.text: [
            round(float(found.p_KN[kept[:, i], i].mean()), 4),
            round(float(found.p_KN[~kept[:, i], i].mean()), 4),
            count,
        ]
        for i, question in enumerate(found.table.known)
        if both[i]
    }


def _round(confidence: float | None) -> float | None:
    """Four digits, but a confidence below 1 stays below it: the page does not call it certain."""
    if confidence is None:
        return None
    return confidence if confidence in (0, 1) else min(max(round(confidence, 4), 1e-4), 0.9999)


# -- the slider in words -----------------------------------------------------------------

_GROUPS = {
    "stated": "whose text tells",
    "omitted": "whose text leaves it out",
    "none": "without text",
}


def tell_stops(risks: AcceptedRisk) -> list[dict[str, str]]:
    """What each position of the slider does, in words."""
    return [
        {"risk": percent(stop.risk), "said": _tell(stop), "groups": _tell_groups(stop)}
        for stop in risks.stops
    ]


def _tell(stop: Stop) -> str:
    if not stop.answered or stop.interval is None:
        why = f": {stop.why_not}" if stop.why_not else ""
        return f"It then answers none of {stop.n} held-out questions{why}."
    share = percent(stop.right / stop.answered)
    return (
        f"It then answers {stop.answered} of {stop.n} held-out questions, and "
        f"{stop.right} of these {plural('answer', stop.answered)} are right "
        f"({share}, {interval(stop.interval)}).{_tell_unverified(stop)}"
    )


def _tell_unverified(stop: Stop) -> str:
    if not stop.unverified:
        return ""
    which = "They" if stop.unverified == stop.answered else f"{stop.unverified} of them"
    return f" {which} are unverified: {NOT_SHOWN}."


def _tell_groups(stop: Stop) -> str:
    """The groups that the held-out questions are about, and how many of each are answered."""
    parts = [
        f"{n} {_GROUPS.get(support, support)} ({answered} answered)"
        for support, (n, answered, _) in stop.groups.items()
    ]
    if len(parts) < 2:
        return ""
    asked = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"The {stop.n} are {asked}; the model was trained on no question about any of them."
