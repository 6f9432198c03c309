"""The part of docs/RESULTS.md about trust, from the audits kept in docs/results/."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from wherefrom.answering.decoys import TIERS
from wherefrom.answering.perturbed_names import PERTURBED

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "results"
# Curves and diagrams are for pictures, not for a page of figures.
LEFT_OUT = {"diagram", "risk_coverage", "risk_coverage_raw", "dose_by_position"}


def take_audits(folders: Sequence[Path]) -> None:
    """The findings of audited runs, one file a run folder, by its name."""
    for folder in folders:
        found = json.loads((folder / "audit" / "audit.json").read_text("utf-8"))
        name = f"audit.{folder.resolve().name}.json"
        found |= json.loads((folder / "audit" / "timing.json").read_text("utf-8"))
        text = json.dumps(_without(found), indent=1, ensure_ascii=False)
        (RESULTS / name).write_text(text + "\n", "utf-8")


def _without(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {k: _without(v) for k, v in value.items() if k not in LEFT_OUT}


def read_audit(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def trust() -> str:
    """One column an audited run, one row a figure."""
    paths = sorted(RESULTS.glob("audit.*.json"))
    audits = [read_audit(path) for path in paths]
    if not audits:
        return ""
    rows: dict[str, Callable[[Any], str]] = {
        "calibration slope": _slope,
        "right among answered, the threshold in use": _in_use,
        "the same, threshold for 90 %": lambda a: _threshold(a, "0.9"),
        "the same for 95 %": lambda a: _threshold(a, "0.95"),
        "the model's own probability, for 95 %": _raw,
        "certified threshold": _certificate,
        "wrong among answered, text omits it": lambda a: _support(a, "omitted"),
        "answers new to training, held-out and calibration": _new,
        "evidence labels that are right, calibration people": _labels,
        "source (recalled or guessed), AUROC": lambda a: _source(a, "auroc"),
        "the same among people with text": lambda a: _source(a, "auroc_with_text"),
        "the same by the borrowed predictor": _borrowed,
        "two pairs of retrained models agree on what was recalled": _pairs,
        **{
            f"{tier}: refused": lambda a, t=tier: _tier(a, t, "refused")
            for tier in (*TIERS, *PERTURBED)
        },
        **{
            f"{tier}: refused by the model alone": lambda a, t=tier: _tier(
                a, t, "refused_closed_book"
            )
            for tier in PERTURBED
        },
        **{
            f"{tier}: refused at the bound": lambda a, t=tier: _tier(a, t, "refused_at_bound")
            for tier in TIERS
        },
        **{
            f"{tier}: AUROC against people whose text states the answer": lambda a, t=tier: _area(
                a, t
            )
            for tier in TIERS
        },
        "name bias, bits": _name,
        "seconds of the audit, without training": _seconds,
        "swap test: the answer follows the new text": lambda a: _swap(a, "swapped", "flips"),
        "text unchanged, another seed: the answer follows the text": lambda a: _swap(
            a, "churn", "stays"
        ),
    }
    head = ["", *(f"`{path.name.split('.')[1]}`" for path in paths)]
    lines = [head, ["---"] * len(head)]
    lines += [[name, *(show(a) for a in audits)] for name, show in rows.items()]
    return "\n".join((
        "## Trust", "",
        "What `wherefrom audit` found on held-out people (of birthplaces, the course's dev), with",
        "95 % intervals; thresholds are set on calibration people. docs/TRUST.md explains them.",
        "", *(f"| {' | '.join(line)} |" for line in lines), "", readings(),
    ))  # fmt: skip


def readings() -> str:
    """How far evidence labels and two blind readings of the same answers agree."""
    path = RESULTS / "evidence-readings.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    labels, first, second = ([r["label"] for r in rows], *zip(*(r["readings"] for r in rows),
                                                              strict=True))  # fmt: skip
    same = sum(a == b for a, b in zip(labels, first, strict=True))
    return (
        f"Of {len(rows)} evidence labels of dev answers, drawn by label and read blind twice "
        f"(`evidence-readings.jsonl`), the\nfirst reading agrees with {same} (kappa "
        f"{kappa(labels, first):.2f}) and the two readings with each other: kappa "
        f"{kappa(first, second):.2f}."
    )


def kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Cohen's: agreement beyond what the two would have by chance."""
    n, names = len(one), set(one) | set(other)
    seen = sum(a == b for a, b in zip(one, other, strict=True)) / n
    chance = sum(one.count(name) * other.count(name) for name in names) / n**2
    return 1.0 if chance == 1 else (seen - chance) / (1 - chance)


def _share(score: Mapping[str, Any] | None) -> str:
    if score is None:
        return "-"
    low, high = score["interval"]
    return f"{100 * next(iter(score.values())):.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _number(value: float, ends: Sequence[float] | None) -> str:
    return f"{value:.2f}" + (f" [{ends[0]:.2f}, {ends[1]:.2f}]" if ends else "")


def _slope(audit: Any) -> str:
    line = _at(audit, "confidence", "calibrated", "line")
    if not line or line["slope"] is None:
        return "-"
    return _number(line["slope"], line["slope_interval"])


def _answered(row: Mapping[str, Any] | None) -> str:
    if not row:
        return "-"
    if not row.get("precision"):
        return "nothing is answered"
    share = row["answered_share"]["answered_share"]
    return f"{_share(row['precision'])}, answers {100 * share:.1f}"


def _in_use(audit: Any) -> str:
    return _answered(_at(audit, "abstention", "in_use"))


def _threshold(audit: Any, target: str) -> str:
    return _answered(_at(audit, "abstention", "thresholds", target))


def _raw(audit: Any) -> str:
    return _answered(_at(audit, "abstention", "raw_probability", "0.95"))


def _certificate(audit: Any) -> str:
    bound = _at(audit, "abstention", "certificate")
    if not bound:
        return "-"
    applied = audit["abstention"]["certified"]
    asked = f"at most {100 * bound['alpha']:g} % wrong"
    return f"{asked}: {_answered(applied) if bound['certified'] else 'none'}"


def _support(audit: Any, kind: str) -> str:
    """The risk of the threshold in use among people with this kind of support."""
    found = _at(audit, "abstention", "in_use", "by_support", kind)
    if not found:
        return "-"
    share = found["answered_share"]
    answered = f"answers {100 * share['answered_share']:.1f} of {share['n']}"
    return f"{_share(found['risk'])}, {answered}" if found["risk"] else f"none, {answered}"


def _new(audit: Any) -> str:
    found = _at(audit, "populations", "held-out", "measures", "answers new to training")
    if not found:
        return "-"
    return f"{100 * found['asked']:.1f} and {100 * found['calibration']:.1f}"


def _labels(audit: Any) -> str:
    return _share(_at(audit, "evidence", "accuracy", "overall"))


def _source(audit: Any, which: str) -> str:
    area = _at(audit, "source", "measured", which)
    if not area:
        return "-"
    return f"{_number(area['auroc'], area['interval'])}, {audit['source']['models']} models"


def _borrowed(audit: Any) -> str:
    """The borrowed predictor was fitted on `people`, seed 0."""
    found = _source(audit, "auroc_of_borrowed")
    own = found != "-" and (audit["recipe"], audit["seed"]) == ("people", 0)
    return "its own" if own else found


def _pairs(audit: Any) -> str:
    return _share(_at(audit, "source", "measured", "pairs_agree"))


def _tier(audit: Any, tier: str, which: str) -> str:
    return _share(_at(audit, "decoys", tier, which))


def _area(audit: Any, tier: str) -> str:
    found = _at(audit, "decoys", tier, "auroc")
    return "-" if not found else _number(found["auroc"], found["interval"])


def _name(audit: Any) -> str:
    whole = _at(audit, "name_bias", "whole")
    return "-" if not whole else _number(whole["bits"], whole["interval"])


def _seconds(audit: Any) -> str:
    return f"{audit['seconds']:.0f}" if "seconds" in audit else "-"


def _swap(audit: Any, which: str, outcome: str) -> str:
    row = _at(audit, "swap", which, outcome)
    if not row:
        return "-"
    low, high = row["interval"]
    return f"{100 * row['share']:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def _at(found: Any, *names: str) -> Any:
    """What stands under these names, one below the other; None where one of them is missing."""
    for name in names:
        found = (found or {}).get(name)
    return found
