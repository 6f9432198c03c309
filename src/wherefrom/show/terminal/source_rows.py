"""The rows of an audit about the source predictor: how far it can be trusted, against what."""

from collections.abc import Mapping
from typing import Any

from wherefrom.show.terminal.cells import area, ends, percent, share

Findings = Mapping[str, Any]


def measured_source(found: Findings, relations: Mapping[str, Findings]) -> list[tuple[str, ...]]:
    """The predictor against the labels of retrained models, and what it must be compared with."""
    judges = f"against {found['models']} retrained models"
    rows: list[tuple[str, ...]] = []
    for label, which in (
        ("AUROC of the predictor", "auroc"),
        ("  among people with text", "auroc_with_text"),
    ):
        if score := found[which]:
            rows.append((label, area(score), ends(score["interval"]), judges))
            judges = ""
    for label, which in (
        ("    the model's own probability", "probability_alone"),
        ("    the confidence alone", "confidence_alone"),
    ):
        if alone := found.get(which):
            gain = alone["gain"]
            added = f"the predictor adds {gain['difference']:+.3f} {ends(gain['interval'])}"
            rows.append((label, area(alone["auroc"]), ends(alone["auroc"]["interval"]), added))
    if reliability := found.get("reliability"):
        rows += _reliability(reliability)
    if stated := found.get("by_construction"):
        beside = "against what the text states, by construction"
        rows.append(("    the predictor", area(stated), ends(stated["interval"]), beside))
    if rank := found.get("spearman"):
        beside = "predicted probability and measured m"
        rows.append(
            ("    rank correlation", f"{rank['spearman']:.3f}", ends(rank["interval"]), beside)
        )
    if found.get("constant"):
        rows.append(_labels_right("labels that are right", found))
    for relation, part in relations.items():
        if (own := part["measured"]) and own.get("constant"):
            rows.append(_labels_right(f"  {relation}", own))
    return rows


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


def _reliability(found: Findings) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    if top := found["ceiling"]:
        beside = f"what the true m would reach with labels of {found['pairs']} pairs"
        rows.append(("    ceiling", area(top), ends(top["interval"]), beside))
    for label, which, beside in (
        ("    kappa of the labels", "kappa_of_halves", "half of the pairs against the other"),
        ("    kappa of single pairs", "kappa_of_pairs", "one pair against another"),
    ):
        kappa = found[which]
        rows.append((label, f"{kappa['kappa']:.2f}", ends(kappa["interval"]), beside))
    return rows


def _labels_right(label: str, found: Findings) -> tuple[str, ...]:
    constant = found["constant"]
    beside = f"'{constant['label']}' for all: {percent(constant)}"
    return (label, *share(found["agreement"]), beside)
