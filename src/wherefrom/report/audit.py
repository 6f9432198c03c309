"""An audit on one screen. Nothing is computed here: what is shown stands in audit.json."""

from collections.abc import Mapping
from typing import Any

from wherefrom.report.tables import NOTHING, Section, Table

Findings = Mapping[str, Any]


def audit_table(findings: Findings) -> Table:
    parts = (_confidence, _doubt, _evidence, _source, _strangers, _exposures, _names, _swap)
    sections = (section for part in parts if (section := part(findings)) is not None)
    return Table(("", "95 % interval", ""), tuple(sections))


def _confidence(findings: Findings) -> Section | None:
    found = findings.get("confidence")
    if found is None:
        return None
    sure, raw = found["calibrated"], found["raw"]
    line, error, less = sure["line"], sure["error"], found["area_difference"]
    rows = [
        ("Brier score", f"{sure['brier']['score']:.3f}", "",
         f"the model's own {raw['brier']['score']:.3f}"),
        ("calibration slope", _number(line["slope"]), _ends(line["slope_interval"]),
         "1 is honest"),
        ("calibration error", f"{error['value']:.3f}", "",
         f"honest ones have {error['null_mean']:.3f} here, p = {error['p_value']:.2f}"),
        ("area under risk and coverage", f"{found['risk_coverage']['area']:.4f}", "",
         f"the model's own {found['risk_coverage_raw']['area']:.4f}"),
        ("  less than the model's own by", f"{-less['difference']:.4f}",
         f"[{-less['interval'][1]:.4f}, {-less['interval'][0]:.4f}]", "paired bootstrap"),
    ]  # fmt: skip
    return Section("how honest its confidence is, on held-out people", tuple(rows))


def _doubt(findings: Findings) -> Section | None:
    found = findings.get("abstention")
    if found is None:
        return None
    title = 'when it says "I don\'t know" (right among answered'
    rows: list[tuple[str, ...]] = [("the threshold in use", *_answered(found["in_use"]))]
    for target, row in found["thresholds"].items():
        rows.append((f"threshold for {float(target):.0%} right", *_answered(row)))
    if (bound := found["certificate"]) is not None:
        alpha, delta = (f"{100 * bound[name]:g} %" for name in ("alpha", "delta"))
        title = f"{title}; the bound may fail in {delta}"
        none = ("none", "", _more(bound["more_people"]))
        label = f"certified: wrong at most {alpha}"
        rows.append((label, *(_answered(found["held_out"]) if bound["certified"] else none)))
        rows.append(("  the same uncertified", *_answered(found["uncertified"]["held_out"])))
    return Section(f"{title})", tuple(rows))


def _answered(row: Findings) -> tuple[str, str, str]:
    return (*_share(row.get("precision")), f"answers {_percent(row['answered_share'])} of them")


def _more(people: int | None) -> str:
    """What it would take to certify something; the whole advice stands in audit.json."""
    if people is None:
        return "more calibration people alone would hardly do"
    return f"{people} more calibration people may do"


def _evidence(findings: Findings) -> Section | None:
    found = findings.get("evidence")
    if found is None:
        return None
    rows = [_right_among(label, row) for label, row in found["held_out_answers"].items()
            if row["answers"]]  # fmt: skip
    reader = found["reader"] or {}
    if reader := reader.get("overall") or reader.get("evidence"):  # as older audits call it
        rows.append(
            ("labels that are true", *_share(reader), f"on calibration people, n={reader['n']}")
        )
    return Section("evidence: what the text says of its answers (how many are right)", tuple(rows))


def _source(findings: Findings) -> Section | None:
    found = findings.get("source")
    if found is None:
        return None
    rows = [_right_among(label, row) for label, row in found["held_out_answers"].items()]
    if found.get("auroc"):
        rows.append(("told apart (AUROC)", f"{found['auroc']['auroc']:.3f}",
                     _ends(found["auroc"]["interval"]),
                     f"by {found['models']} models without the text"))  # fmt: skip
    if found.get("auroc_with_text"):
        rows.append(("  among people with text", f"{found['auroc_with_text']['auroc']:.3f}",
                     _ends(found["auroc_with_text"]["interval"]), ""))  # fmt: skip
    title = "source: recalled or guessed (how many are right)"
    if found["borrowed"]:
        title += " (a borrowed predictor; --budget MINUTES measures it on this run)"
    return Section(title, tuple(rows))


def _strangers(findings: Findings) -> Section | None:
    found = findings.get("nonexistent")
    if found is None:
        return None
    rows = [
        (tier, *_share(row["refused"]), f"AUROC {_area(row['auroc'])}{_at_bound(row)}")
        for tier, row in found.items()
    ]
    return Section("names of nobody: refused", tuple(rows))


def _at_bound(row: Findings) -> str:
    found = row["refused_at_bound"]
    return "" if found is None else f", at the bound {_percent(found)}"


def _exposures(findings: Findings) -> Section | None:
    found = findings.get("exposures")
    if found is None:
        return None
    rows = [
        (_times(row), _percent(row["accuracy"]), _percents(row["interval"]), f"n={row['n']}")
        for row in found["dose"]
    ]
    if never := found["never_exposed"]:
        difference = next(iter(never["difference"].values()))
        rows.append(("never shown", *_share(never["model"]),
                     f"{100 * difference:+.1f} points against the most similar name"))  # fmt: skip
    return Section("exposures: right, by how often the name foretold the answer", tuple(rows))


def _names(findings: Findings) -> Section | None:
    found = findings.get("name_alone")
    if found is None:
        return None
    whole = found["whole"]
    biased = whole["interval"][0] > 0
    warning = "warning: names can bias its answers" if biased else "no bias from names is seen"
    rows = [("the whole name", f"{whole['bits']:.2f}", _ends(whole["interval"]), warning)]
    if biased:
        rows += [(f"  its {name}", f"{row['bits']:.2f}", _ends(row["interval"]), "")
                 for name, row in found["parts"].items()]  # fmt: skip
    return Section("bits that a name alone says about the answer", tuple(rows))


def _swap(findings: Findings) -> Section | None:
    found = findings.get("swap")
    if found is None:
        return None
    rows = [
        (f"{which}: {name}", _percent(row["share"]), _percents(row["interval"]),
         f"n={found['people']}")
        for which in ("swapped", "churn")
        for name, row in found[which].items()
    ]  # fmt: skip
    return Section("swap test: another answer in the text, trained again", tuple(rows))


def _right_among(label: str, row: Findings) -> tuple[str, ...]:
    right = _percent(row["right"] / row["answers"]) if row["answers"] else NOTHING
    return label, right, "", f"n={row['answers']}"


def _times(row: Findings) -> str:
    return (
        f"{row['low']} times" if row["low"] == row["high"] else f"{row['low']}-{row['high']} times"
    )


def _share(score: Findings | None) -> tuple[str, str]:
    """The value and the interval of a score, whose first entry is its value."""
    if score is None:
        return NOTHING, ""
    return _percent(next(iter(score.values()))), _percents(score["interval"])


def _percent(value: float | Findings) -> str:
    share = float(next(iter(value.values())) if isinstance(value, Mapping) else value)
    return f"{100 * share:.1f} %"


def _percents(ends: Any) -> str:
    return f"[{100 * ends[0]:.1f}, {100 * ends[1]:.1f}]"


def _ends(ends: Any) -> str:
    return "" if ends is None else f"[{ends[0]:.2f}, {ends[1]:.2f}]"


def _area(found: Findings | None) -> str:
    return NOTHING if found is None else f"{found['auroc']:.3f}"


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.2f}"
