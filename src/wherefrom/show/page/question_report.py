"""The report of a run that answers questions: everything that the template shows of it."""

from collections.abc import Sequence
from typing import Any

from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.answering.kept_answers import RememberingModel, read_kept
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData
from wherefrom.memorisation.labelled_answers import LABELS, read_labelled
from wherefrom.runs.opened_run import Run
from wherefrom.show.page import pictures, sections
from wherefrom.show.page.charts import Dot, dots
from wherefrom.show.page.exposure_counts import count_cheap
from wherefrom.show.page.judged_answers import JudgedAnswers, collect_answers
from wherefrom.show.page.learning import draw_answering, draw_learning
from wherefrom.show.page.page_layout import embed_models, lay_out
from wherefrom.show.page.risk import AcceptedRisk, offer_risks
from wherefrom.show.page.summary_sentences import count_subjects, percent, summarise
from wherefrom.show.terminal.audit_text import audit_table

_COLUMNS = (
    ("s", "who"), ("a", "it says"), ("g", "right is"), ("c", "sure"), ("e", "evidence"),
    ("o", "source"),
)  # fmt: skip
PRINTED = 60  # answers that stand in the file itself; the page's script shows the others


def describe_questions(run: Run, others: Sequence[Run], precision: str) -> dict[str, Any]:
    """The values of the template, for a run with questions."""
    inspector = open_remembering(run)
    engine = embed_models(run, precision, inspector)  # first: it reads about everybody at once
    answers = collect_answers(inspector)
    risks = offer_risks(answers, inspector.policy)
    exposures = count_cheap(inspector.run)
    drawn = [
        pictures.draw_accuracy(run),
        draw_learning(run),
        draw_answering(run),
        pictures.draw_reliability(answers),
        pictures.draw_risk(answers),
        pictures.draw_dose(run, answers, exposures),
    ]
    held, relations = answers.held_out, sorted({row.reply.relation for row in answers.held_out})
    labels = run.folder.locate(LABELS)
    left_out = sections.measure_left_out(read_labelled(labels)) if labels.exists() else {}
    listed = sections.list_answers(held, left_out)
    return lay_out(
        run,
        engine,
        "asking.html",
        title=_title(inspector),
        sentences=summarise(run, inspector.policy is not None),
        slider=risks,
        slider_words=sections.tell_stops(risks) if risks else [],
        pictures=[each for each in drawn if each is not None],
        two_way=sections.cross(held),
        not_yet=_not_yet(run, answers, exposures is not None),
        audit=audit_table(answers.audit) if answers.audit is not None else None,
        answers=listed,
        printed=PRINTED,
        columns=[each for each in _COLUMNS if each[0] != "o" or any(row["o"] for row in listed)],
        relations=relations,
        beside=compare_runs([run, *others]) if others else None,
        notes=[*inspector.notes(), *([engine.why_not] if engine.why_not else [])],
        data=_page_data(listed, risks, relations),
    )


def open_remembering(run: Run) -> Inspector:
    """An inspector that knows what the evaluation computed."""
    inspector = open_inspector(run)
    opened = inspector.opened_run
    opened.model = RememberingModel.of(opened.model, opened.decoded(), read_kept(run.folder))
    return inspector


def _title(inspector: Inspector) -> str:
    """The question that the run is about, or what its questions ask for."""
    forms = inspector.model.parser.forms
    if len(inspector.model.relations) == 1:
        return f"Ask a small model: “{forms[0].fill('…')}”"
    kinds = len(inspector.model.relations)
    names = count_subjects(inspector.run.dataset)
    return f"Ask a small model: {kinds} kinds of questions about {names:,} names"


def _not_yet(run: Run, answers: JudgedAnswers, counted: bool) -> list[dict[str, str]]:
    """What only an audit computes, and the command that does."""
    audit: Any = answers.audit or {}
    dose = "" if counted or not run.dataset.facts else ", how often training showed each fact"
    wanted = {
        "": f"Tests of the calibration, a certified bound on the risk, decoys, name bias{dose}",
        " --pairs 8": "What was recalled, measured by training again without some of the text",
        " --swap 8": "Whether answers follow the text when the text is changed",
    }
    there = (
        answers.audit is not None,
        bool((audit.get("source") or {}).get("measured")),
        bool(audit.get("swap")),
    )
    return [
        {"what": what, "command": f"wherefrom audit RUN{option}"}
        for (option, what), done in zip(wanted.items(), there, strict=True)
        if not done
    ]


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
            "stops": [
                stop | words
                for stop, words in zip(
                    to_json(list(risks.stops)), sections.tell_stops(risks), strict=True
                )
            ],
        },
    }


# -- several runs beside each other: the same question, answered by models that differ -----


def compare_runs(runs: Sequence[Run]) -> dict[str, Any]:
    """Every run's models with their intervals, the primary one first; the best run is named."""
    groups = [(run.path.resolve().name, _rows(run)) for run in runs]
    (name, (best, *_)), *others = sorted(groups, key=lambda group: -group[1][0].value)
    said = "These runs were asked different questions, so none of them is called the best."
    if _comparable(runs):
        said = _say_best(name, best, [rows[0] for _, rows in others])
    return {"sentence": said, "chart": dots(groups, said)}


def _say_best(name: str, best: Dot, others: Sequence[Dot]) -> str:
    """Which run answers most questions right, and how many others may be as good."""
    if all(other.value == best.value for other in others):
        every = "Both" if len(others) == 1 else f"All {1 + len(others)}"
        return f"{every} runs answer {percent(best.value)} of the questions right."
    said = f"{name} answers most questions right, {percent(best.value)}"
    close = sum(other.high >= best.low for other in others)
    if not close:
        return f"{said}; no other run’s interval overlaps with its own."
    if len(others) == 1:
        return f"{said}; the other run’s interval overlaps with its own."
    one = close == 1
    return (
        f"{said}; the {'interval' if one else 'intervals'} of {close} of the {len(others)} others "
        f"{'overlaps' if one else 'overlap'} with its own."
    )


def _comparable(runs: Sequence[Run]) -> bool:
    """Whether all were asked the same questions, or questions drawn in the same way."""
    first, *others = (run.recipe.data for run in runs)
    if all(data == first for data in others):
        return True
    asked = [{q.text for q in run.questions(run.recipe.tasks[0])} for run in runs]
    return all(texts == asked[0] for texts in asked)


def _rows(run: Run) -> list[Dot]:
    results, primary = run.results, run.recipe.primary
    if "accuracy" not in results.get(primary, {}):
        raise BadData(
            f"{run.path}: expected a run that answers questions, as the first one does, found "
            f"a run of '{run.recipe.name}'; leave it out"
        )
    names = [primary, *(m.name for m in run.recipe.models if m.name != primary)]
    found = ((name, results.get(name, {})) for name in names)
    return [pictures.make_dot(run, name, each) for name, each in found if "accuracy" in each]
