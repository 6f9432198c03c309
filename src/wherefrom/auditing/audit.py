"""`wherefrom audit`: what a run's answers are worth, on people it was never asked about.

The findings go into audit/audit.json, one row an answer into audit/answers.jsonl, the pictures
beside them; `docs/TRUST.md` has the schema.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from wherefrom.auditing import confidence_sections as trust
from wherefrom.auditing import origin_sections as origins
from wherefrom.auditing.inspector import Examined, Witness
from wherefrom.auditing.pictures import draw_dose_response, draw_reliability, draw_risk_coverage
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.files import cannot_write, read_json, write_json, write_jsonl
from wherefrom.evaluation.calibration import reliability_diagram
from wherefrom.evaluation.selective import risk_coverage
from wherefrom.evidence.verdict import Evidence
from wherefrom.memorisation.counterfactual import CounterfactualMemorisation, find_memorisation
from wherefrom.memorisation.dose_response import Dose, exposure_is_randomised
from wherefrom.memorisation.predictor import Source, write_source
from wherefrom.runs.run import Run

FORMAT_VERSION = 1
FINDINGS, ANSWERS, TIMING = "audit.json", "answers.jsonl", "timing.json"
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Risk:
    """An answer is wrong with a probability of at most alpha, but for a chance of delta."""

    alpha: float = 0.1
    delta: float = 0.1


@dataclass
class Case:
    """A run under audit, and what is known of it so far."""

    witness: Witness
    risk: Risk
    examined: Examined
    evidence: list[Evidence | None]
    sources: list[Source]
    influence: CounterfactualMemorisation | None
    read: np.ndarray  # the probability that each name was read
    notes: list[str] = field(default_factory=list)

    @property
    def run(self) -> Run:
        return self.witness.run


def audit_run(
    run: Run,
    risk: Risk | None = None,
    retrained: Sequence[Run] = (),
    swap: dict[str, Any] | None = None,
    tell: Tell = lambda _: None,
) -> dict[str, Any]:
    """All findings about a run; they are written into its folder."""
    began = monotonic()
    case = open_case(run, risk or Risk(), retrained, tell)
    findings: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "recipe": run.recipe.name,
        "seed": run.recipe.seed,
        "model": run.recipe.primary,
        "people": _count(case.examined),
    }
    tell("confidence and the bound on the risk")
    findings |= trust.report_trust(case)
    tell("evidence, source, exposures, names")
    findings["evidence"] = origins.report_evidence(case.witness, case.examined, case.evidence)
    if findings["evidence"] is None:
        case.notes.append(
            "evidence: too few asked people's answers stand in the text to learn from"
        )
    findings["source"] = origins.report_source(
        case.examined, case.sources, case.witness.predictor, case.influence, case.read
    )
    findings["exposures"] = _if_there(case, lambda: origins.report_exposures(run, case.examined))
    findings["name_alone"] = _if_there(case, lambda: origins.report_names(run.dataset))
    swap = swap if swap is not None else _earlier(run, "swap")
    if swap is not None:
        findings["swap"] = swap
    findings["notes"] = case.notes
    write_audit(case, findings)
    # Apart, since the same audit writes the same bytes; what was trained again is not in it.
    write_json(run.path / "audit" / TIMING, {"seconds": round(monotonic() - began, 1)})
    return findings


def _earlier(run: Run, part: str) -> dict[str, Any] | None:
    """A part of the run's last audit that this one does not do again: the model is the same."""
    path, found = run.path / "audit" / FINDINGS, None
    with suppress(Damaged):
        found = read_json(path) if path.exists() else None
    return found.get(part) if isinstance(found, dict) else None


def _if_there(case: Case, report: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """A part of the findings; where the data set has nothing for it, a note instead."""
    try:
        return report()
    except BadData as error:
        case.notes.append(str(error))
        return None


def open_case(run: Run, risk: Risk, retrained: Sequence[Run], tell: Tell = lambda _: None) -> Case:
    """Ask everyone who can be judged; learn the source predictor where models were retrained."""
    witness, notes = Witness(run), [line] if (line := run.changed_source()) else []
    people = find_judged(run)
    askable = [q for q in people if witness.asker.can_ask(q.text)]
    require_held_out(run, askable)
    if len(askable) < len(people):
        notes.append(
            f"people: {len(people) - len(askable)} of {len(people)} questions are left out: the "
            "model was not taught their form, or cannot read them"
        )
    if len({q.subject for q in askable}) < len(askable):
        notes.append(
            f"people: {len(askable)} questions are about fewer people; intervals take them for "
            "independent, and are somewhat too narrow"
        )
    tell(f"asking about {len(askable)} people")
    examined = witness.examine(askable)
    if retrained:
        tell(f"comparing with {len(retrained)} models trained without people's text")
    said = [answer.text for answer in examined.answers]
    influence = find_memorisation(run.path / "audit", retrained, examined.questions, said)
    if influence is not None:
        try:
            witness.predictor = origins.learn_predictor(examined, influence)
            write_source(run.path / "audit", witness.predictor)
        except BadData as error:
            notes.append(str(error))
    read = witness.read(examined.features)
    sources = witness.predictor.predict(examined.source_features, read)
    evidence = origins.judge_evidence(witness, examined)
    return Case(witness, risk, examined, evidence, sources, influence, read, notes)


def find_judged(run: Run) -> list[Question]:
    """Questions about people that were not trained on and whose answers are known."""
    found = [q for q in run.dataset.questions if q.split in origins.NOT_ASKED and q.answer]
    require_held_out(run, found)
    return found


def require_held_out(run: Run, people: Sequence[Question]) -> None:
    if not any(q.split == "held-out" for q in people):
        raise BadData(
            f"{run.path}: expected held-out people to report on, found none; the data set needs "
            "questions that are neither trained on nor calibrated on"
        )


def _count(examined: Examined) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for question in examined.questions:
        row = table.setdefault(question.split, {})
        row[question.support] = row.get(question.support, 0) + 1
    return table


def write_audit(case: Case, findings: dict[str, Any]) -> None:
    folder = case.run.path / "audit"
    with cannot_write(folder):
        folder.mkdir(exist_ok=True)
    write_jsonl(folder / ANSWERS, answer_rows(case))
    draw_audit(case, findings, folder)
    write_json(folder / FINDINGS, findings)


def draw_audit(case: Case, findings: dict[str, Any], folder: Path) -> None:
    """The pictures of what there is: reliability, risk and coverage, dose and response."""
    if (doubt := case.witness.doubt) is not None:
        held = case.examined.select("held-out")
        right = case.examined.right[held]
        sure = doubt.probability(case.examined.features[held])
        raw = np.array([a.probability for a in case.examined.answers])[held]
        draw_reliability(reliability_diagram(sure, right), folder / "reliability.svg")
        curves = {"calibrated": risk_coverage(sure, right),
                  "the model's own": risk_coverage(raw, right)}  # fmt: skip
        draw_risk_coverage(curves, folder / "risk-coverage.svg")
    if exposures := findings["exposures"]:
        path, baseline = folder / "dose-response.svg", _guessing(exposures)
        if exposure_is_randomised(case.run.recipe) or not _stretches(exposures):
            title = "what seeing a fact more often does"
            draw_dose_response({"": _doses(exposures["dose"])}, path, title, baseline)
        else:
            title = "right, by how often it was seen and where it stands"
            draw_dose_response(_stretches(exposures), path, title, baseline)


def _doses(rows: Sequence[dict[str, Any]]) -> list[Dose]:
    return [
        Dose(r["low"], r["high"], r["n"], r["right"], r["accuracy"], tuple(r["interval"]))
        for r in rows
    ]


def _stretches(exposures: dict[str, Any]) -> dict[str, list[Dose]]:
    """The doses by where in the line the value stands: what stands early is seen oftener."""
    table: dict[str, list[Dose]] = {}
    for row in exposures["dose_by_position"]:
        end = f"up to {row['end']}" if row["end"] is not None else "on"
        table.setdefault(f"from character {row['start']} {end}", []).extend(_doses([row]))
    return table


def _guessing(exposures: dict[str, Any]) -> float | None:
    """What the most similar name's answer gets of the facts that were never shown."""
    never = exposures["never_exposed"]
    return float(next(iter(never["baseline"].values()))) if never else None


def answer_rows(case: Case) -> list[dict[str, Any]]:
    """One row an answer: what was said, how sure, what the text says, where it came from."""
    examined = case.examined
    doubt = case.witness.doubt
    sure = None if doubt is None else doubt.probability(examined.features)
    rows = []
    for i, (question, answer) in enumerate(zip(examined.questions, examined.answers, strict=True)):
        evidence, influence = case.evidence[i], case.influence
        rows.append({
            "question": question.text, "subject": question.subject, "split": question.split,
            "support": question.support, "answer": answer.text, "gold": question.answer,
            "right": bool(examined.right[i]), "raw_probability": answer.probability,
            "probability": None if sure is None else float(sure[i]),
            "features": [float(x) for x in examined.features[i]],
            "evidence": None if evidence is None else evidence.as_json(),
            "source": case.sources[i].as_json(),
            "m": None if influence is None or not np.isfinite(influence.m[i])
            else float(influence.m[i]),
        })  # fmt: skip
    return rows
