"""An audit on one screen. Nothing is computed here: every figure comes from audit.json.

The *model's own* probability and the *calibrated* probability are different figures, so every row
with the model's own says so.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from wherefrom.answering.certificate import say_more
from wherefrom.core.measures import BY_RELATION, POOLED, UNVERIFIED
from wherefrom.core.replies import AS_READ, SUPPORTED
from wherefrom.show.terminal.result_tables import (
    INTERVAL,
    NOTHING,
    Section,
    Table,
    area,
    ends,
    explain_threshold,
    percent,
    share,
)

Findings = Mapping[str, Any]

_SUPPORT = {"stated": "text states it", "omitted": "text omits it", "none": "no text"}
_OWN = "by the model's own probability"


def _confidence(found: Findings) -> Section:
    calibrated, raw = found["calibrated"], found["raw"]
    line, error, difference = calibrated["line"], calibrated["error"], found["area_difference"]
    low, high = difference["interval"]
    cumulative = calibrated["cumulative"]
    by_chance = f"{error['null_mean']:.3f} by chance if perfectly calibrated"
    rows = [
        ("Brier score", f"{calibrated['brier']['score']:.3f}", _fine(calibrated["brier"]),
         f"{raw['brier']['score']:.3f} {_OWN}"),
        ("calibration slope, ungated", _number(line["slope"]), ends(line["slope_interval"]),
         "1 if perfectly calibrated"),
        ("calibration error", f"{error['value']:.3f}", "",
         f"{by_chance}, p = {error['p_value']:.2f}"),
        ("  without bins (cumulative)", f"{cumulative['value']:.3f}", "",
         f"{cumulative['null_mean']:.3f} by chance, p = {cumulative['p_value']:.2f}"),
        ("area under risk-coverage curve", f"{found['risk_coverage']['area']:.4f}",
         _fine(found["risk_coverage"]),
         f"{found['risk_coverage_raw']['area']:.4f} {_OWN}"),
        ("  difference of the two", f"{difference['difference']:.4f}", f"[{low:.4f}, {high:.4f}]",
         "negative: calibration helps (paired bootstrap)"),
    ]  # fmt: skip
    for relation, part in _relations(found):
        own, error = part["calibrated"], part["calibrated"]["error"]
        beside = f"calibration error {error['value']:.3f}, p = {error['p_value']:.2f}"
        rows.append((f"Brier score, {relation}", f"{own['brier']['score']:.3f}", "", beside))
    return Section("confidence: the calibrated probability, on held-out people", tuple(rows))


def _fine(found: Findings) -> str:
    """The interval of a small figure."""
    ends = found["interval"]
    return "" if ends is None else f"[{ends[0]:.4f}, {ends[1]:.4f}]"


def _abstention(found: Findings) -> Section:
    title = "abstention: share right among answered"
    rows = _answered_rows("threshold in use", found["in_use"])
    rows += _support_rows(found["in_use"])
    for target, row in found["thresholds"].items():
        rows += _answered_rows(f"threshold set for {100 * float(target):g} % right", row)
    if (bound := found["certificate"]) is not None:
        alpha, delta = (f"{100 * bound[name]:g} %" for name in ("alpha", "delta"))
        title = f"{title} (the certificate fails with probability at most {delta})"
        rows += _certified_rows(f"certified: at most {alpha} wrong", bound, found["certified"])
        rows += _answered_rows("  the same risk, not certified", found["uncertified"])
    return Section(title, tuple(rows))


def _answered_rows(label: str, row: Findings) -> list[tuple[str, ...]]:
    """What a threshold does, over all relations and for each."""
    indent = " " * (len(label) - len(label.lstrip()) + 2)
    each = [(f"{indent}{name}", *_answered(part)) for name, part in _relations(row)]
    return [(label, *_answered(row)), *each]


def _support_rows(row: Findings) -> list[tuple[str, ...]]:
    """The share wrong among answered, where people's texts differ."""
    kinds = row.get("by_support", {})
    if len(kinds) < 2:
        return []
    return [
        (f"  {_SUPPORT[kind]}: wrong", *share(part["risk"]),
         f"answers {percent(part['answered_share'])} of {part['answered_share']['n']}")
        for kind, part in kinds.items()
    ]  # fmt: skip


def explain_audit_abstention(findings: Findings) -> list[str]:
    """Why nothing is answered or verified, one sentence for each relation where that is so."""
    found = findings.get("abstention")
    if found is None:
        return []
    rows = [("", found["in_use"]), *_relations(found["in_use"])]
    return [line for relation, row in rows for line in explain_threshold(relation, row)]


def _certified_rows(label: str, bound: Findings, row: Findings) -> list[tuple[str, ...]]:
    """The same for the certified threshold; if there is none, what would help."""

    def cells(certificate: Findings, found: Findings) -> tuple[str, ...]:
        if certificate["certified"]:
            return _answered(found)
        return "none", "", _advice(certificate)

    parts = dict(_relations(row))
    rows: list[tuple[str, ...]] = [(label, *cells(bound, row))]
    for name, certificate in _relations(bound):
        # Of a relation without held-out questions nothing else can be told.
        applied = parts.get(name)
        rows.append((f"  {name}", *(cells(certificate, applied) if applied else (NOTHING, "", ""))))
    return rows


def _relations(found: Findings) -> Iterable[tuple[str, Any]]:
    """A finding's parts by relation, where there are several."""
    return found.get(BY_RELATION, {}).items()


def _answered(row: Findings) -> tuple[str, str, str]:
    marks = [name for name in (UNVERIFIED, POOLED) if row.get(name)]
    said = ", ".join([f"answers {percent(row['answered_share'])} of questions", *marks])
    return (*share(row["precision"]), said)


def _advice(certificate: Findings) -> str:
    """What to do if nothing was certified; `advice` in audit.json has a longer form."""
    if certificate.get(BY_RELATION):  # what would help stands beside each of them
        return "no relation is certified"
    if (more := certificate["more_people"]) is not None:
        return say_more(more, certificate.get("fewest_more"))
    if not certificate.get("enough_to_tell", True):
        return "too few calibration questions to tell"
    return "more calibration questions would not help"


def _evidence(found: Findings) -> Section:
    rows: list[tuple[str, ...]] = []
    for label, row in found["held_out_answers"].items():
        if row["answers"]:
            rows += _right_rows(label, row, found)
            rows += _as_read(found) if label == SUPPORTED else []
    rows += _called_supported(found)
    return Section("evidence: what the text says about the answers (share right)", tuple(rows))


def _as_read(found: Findings) -> list[tuple[str, ...]]:
    """How many supported answers are only as read; no row if none are."""
    read = found.get("as_read")
    return [_right_among(f"  of which {AS_READ}", read)] if read and read["answers"] else []


def _called_supported(found: Findings) -> list[tuple[str, ...]]:
    """How many wrong and right notes their own reader calls supported."""
    notes = found.get("notes")
    return [_called("wrong", notes), _called("right", notes)] if notes else []


def _called(kind: str, notes: Findings) -> tuple[str, ...]:
    supported, n = notes[f"{kind}_supported"], notes[kind]
    beside = f"{supported} of {n}, by the reader that wrote them"
    return f"{kind} notes called {SUPPORTED}", percent(supported / n) if n else NOTHING, "", beside


def _source(found: Findings) -> Section:
    counts = found["held_out_answers"].items()
    rows = [each for label, row in counts for each in _right_rows(label, row, found)]
    if measured := found["measured"]:
        rows += _measured_source(measured, dict(_relations(found)))
    return Section("source: recalled or guessed (share right)", tuple(rows))


def _measured_source(found: Findings, relations: Mapping[str, Findings]) -> list[tuple[str, ...]]:
    """The predictor against the labels of retrained models, and what it must be compared with."""
    judges = f"against {found['models']} retrained models"
    rows = [
        *_area_row("AUROC of the predictor", found["auroc"], judges),
        *_area_row("  among people with text", found["auroc_with_text"], ""),
    ]
    for label, which in (
        ("    the model's own probability", "probability_alone"),
        ("    the confidence alone", "confidence_alone"),
    ):
        if alone := found[which]:
            gain = alone["gain"]
            added = f"the predictor adds {gain['difference']:+.3f} {ends(gain['interval'])}"
            rows += _area_row(label, alone["auroc"], added)
    rows.append(_labels_right("labels that are right", found))
    measured = {relation: part["measured"] for relation, part in relations.items()}
    return rows + [_labels_right(f"  {name}", own) for name, own in measured.items() if own]


def _area_row(label: str, found: Findings | None, beside: str) -> list[tuple[str, ...]]:
    """An area with its interval; no row if it could not be computed."""
    return [(label, area(found), ends(found["interval"]), beside)] if found else []


def _labels_right(label: str, found: Findings) -> tuple[str, ...]:
    constant = found["constant"]
    beside = f"'{constant['label']}' for all: {percent(constant)}"
    beside += f"; by the evidence: {percent(found['evidence'])}"
    return (label, *share(found["agreement"]), beside)


def explain_source(findings: Findings) -> list[str]:
    """What to make of the source predictor, in sentences, over all relations and for each."""
    found = findings.get("source")
    if found is None or not found["measured"]:
        return []
    parts = [("source", found), *((f"source, {r}", p) for r, p in found["by_relation"].items())]
    return [
        f"{about}: {line}"
        for about, part in parts
        if part["measured"]
        for line in part["measured"].get("in_words", ())
    ]


def _decoys(found: Findings) -> Section:
    rows = [(tier, *share(row["refused"]), _beside(row)) for tier, row in found.items()]
    return Section("decoys (out-of-corpus names): share declined", tuple(rows))


def _beside(row: Findings) -> str:
    """What the model alone does, without the list of names."""
    if row["auroc"] is None and (alone := row.get("refused_closed_book")) is not None:
        return f"{percent(alone)} by the model alone{_at_bound(row)}"
    return f"AUROC {area(row['auroc'])}{_at_bound(row)}"


def _at_bound(row: Findings) -> str:
    found = row["refused_at_bound"]
    return "" if found is None else f"; by the certified threshold {percent(found)}"


# -- cells ---------------------------------------------------------------------------


def _right_rows(label: str, row: Findings, found: Findings) -> list[tuple[str, ...]]:
    """Answers with a label that are right, over all relations and for each."""
    each = [
        _right_among(f"  {relation}", part["held_out_answers"][label])
        for relation, part in _relations(found)
        if part["held_out_answers"][label]["answers"]
    ]
    return [_right_among(label, row), *each]


def _right_among(label: str, row: Findings) -> tuple[str, ...]:
    right = percent(row["right"] / row["answers"]) if row["answers"] else NOTHING
    return label, right, "", f"n={row['answers']}"


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"


# What each part of the findings is told by, in the order of the screen.
_PARTS = {
    "confidence": _confidence,
    "abstention": _abstention,
    "evidence": _evidence,
    "source": _source,
    "decoys": _decoys,
}


def audit_table(findings: Findings) -> Table:
    """A table of the findings as `core/config.py` encodes them; null parts are left out."""
    found = ((tell, findings.get(name)) for name, tell in _PARTS.items())
    return Table(("", INTERVAL, ""), tuple(tell(part) for tell, part in found if part is not None))
