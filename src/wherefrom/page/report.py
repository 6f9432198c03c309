"""A run's report: one HTML file in which the trained model itself answers.

Everything is computed from the run folder. The same run gives the same bytes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wherefrom.answering.kept_answers import RememberingModel, read_kept
from wherefrom.auditing.inspector import Inspector, open_inspector
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.files import write_bytes
from wherefrom.page import pictures, sections
from wherefrom.page.answers import JudgedAnswers, collect_answers
from wherefrom.page.comparison import compare_runs
from wherefrom.page.document import render
from wherefrom.page.engine_data import EngineData, embed_engine
from wherefrom.page.making import describe_making
from wherefrom.page.risk import AcceptedRisk, offer_risks
from wherefrom.page.sentences import summarise
from wherefrom.runs.folder import versions
from wherefrom.runs.run import Run

FILE = "report.html"  # in a run's folder
PRECISIONS = ("auto", "int8", "fp16", "fp32")
PRINTED = 60  # answers that stand in the file itself; the page's script shows the others


@dataclass(frozen=True)
class Report:
    """Where a report was written, how large it is, and what it had to leave out."""

    path: str
    bytes: int
    models: tuple[str, ...]
    notes: tuple[str, ...] = ()


def write_report(runs: Sequence[Run], out: Path | None = None, precision: str = "auto") -> Report:
    """Write the report of the first run, beside which the others are shown."""
    if precision not in PRECISIONS:
        raise UsageError(f"--precision: expected {' or '.join(PRECISIONS[1:])}, found {precision}")
    first, *others = runs
    for run in runs:
        run.require_finished()
    values = describe_run(first, others, precision)
    page = render("report.html", values)
    path = out or first.path / FILE
    write_bytes(path, page)
    return Report(str(path), len(page), tuple(values["engine_weights"]), tuple(values["notes"]))


def describe_run(run: Run, others: Sequence[Run] = (), precision: str = "auto") -> dict[str, Any]:
    """Everything that the template shows of a run that answers questions."""
    inspector = _open(run)
    answers = collect_answers(inspector)
    risks = offer_risks(answers, inspector.policy)
    engine, why_not = _embed(run, precision, inspector)
    drawn = [
        pictures.draw_accuracy(run),
        pictures.draw_learning(run),
        pictures.draw_reliability(answers),
        pictures.draw_risk(answers),
        pictures.draw_dose(run, answers, inspector.opened.exposures),
    ]
    held, relations = answers.held_out, sorted({row.reply.relation for row in answers.held_out})
    listed = sections.list_answers(held)
    mistakes = sections.list_mistakes(held, run.dataset)
    return {
        "title": _title(inspector),
        "run_name": f"{run.recipe.name}, seed {run.recipe.seed}",
        "version": versions()["wherefrom"],
        "sentences": summarise(run),
        "form_hint": "Type a name",
        "embedded": engine is not None,
        "not_embedded": why_not,
        "engine_data": engine.data if engine else {},
        "engine_weights": engine.weights if engine else {},
        "slider": risks,
        "slider_words": sections.tell_stops(risks) if risks else [],
        "slider_chart": pictures.draw_slider(risks) if risks else "",
        "pictures": [each for each in drawn if each is not None],
        "mistakes": mistakes,
        "mistakes_sentence": sections.tell_mistakes(held),
        "two_way": sections.cross(held),
        "not_yet": _not_yet(run, answers),
        "answers": listed,
        "printed": PRINTED,
        "columns": _columns(relations),
        "relations": relations,
        "beside": compare_runs([run, *others]) if others else None,
        "made": describe_making(run, engine_words(engine)),
        "notes": _notes(run, inspector, why_not),
        "data": _page_data(listed, risks, relations),
    }


def _open(run: Run) -> Inspector:
    """An inspector that knows what the evaluation computed."""
    inspector = open_inspector(run)
    opened = inspector.opened
    opened.model = RememberingModel.of(opened.model, read_kept(run.path))
    return inspector


def _title(inspector: Inspector) -> str:
    """The question that the run is about, or what its questions ask for."""
    forms = inspector.model.parser.forms
    if len(inspector.model.relations) == 1:
        return forms[0].fill("…")
    names = [name.replace("_", " ") for name in sorted(inspector.model.relations) if name]
    return (
        f"{', '.join(names[:-1])} and {names[-1]}" if len(names) <= 5 else f"{len(names)} relations"
    )


def _embed(run: Run, precision: str, inspector: Inspector) -> tuple[EngineData | None, str]:
    """The model for the page, or why it cannot be there, in one line."""
    try:
        return embed_engine(run, precision, inspector), ""
    except BadData as error:
        return None, f"The model is not in this page: {error}"


def engine_words(engine: EngineData | None) -> str:
    if engine is None:
        return ""
    each = (f"{m['name'].replace('_', ' ')} as {m['precision']}" for m in engine.data["models"])
    return ", ".join(each)


def _columns(relations: Sequence[str]) -> list[tuple[str, str]]:
    several = [("r", "asked for")] if len(relations) > 1 else []
    return [
        ("s", "who"), *several, ("a", "it says"), ("g", "right is"), ("c", "sure"),
        ("e", "evidence"), ("o", "source"),
    ]  # fmt: skip


def _not_yet(run: Run, answers: JudgedAnswers) -> list[dict[str, str]]:
    """What only an audit computes, and the command that does."""
    audit: Any = answers.audit or {}
    wanted = {
        "": "Tests of the calibration, a certified bound on the risk, decoys, name bias",
        " --budget 10": "What was recalled, measured by training again without people’s text",
        " --swap 8": "Whether answers follow the text when the text is changed",
    }
    there = (
        answers.audit is not None,
        bool((audit.get("source") or {}).get("measured")),
        bool(audit.get("swap")),
    )
    return [
        {"what": what, "command": f"wherefrom audit {run.path.name}{option}"}
        for (option, what), done in zip(wanted.items(), there, strict=True)
        if not done
    ]


def _notes(run: Run, inspector: Inspector, why_not: str) -> list[str]:
    notes = [line for line in inspector.notes() if line]
    return [*notes, why_not] if why_not else notes


def _page_data(
    answers: list[dict[str, Any]], risks: AcceptedRisk | None, relations: Sequence[str]
) -> dict[str, Any]:
    """What the page's own script reads; the engine has data of its own."""
    return {
        "answers": answers,
        "relations": list(relations),
        "risk": None
        if risks is None
        else {
            "usual": risks.usual,
            "top": pictures.risk_top(risks.risk),
            "stops": [
                stop | words
                for stop, words in zip(
                    to_json(list(risks.stops)), sections.tell_stops(risks), strict=True
                )
            ],
        },
    }
