"""The report of a run that answers questions: everything that the template shows of it."""

from typing import Any

from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.core.config import to_json
from wherefrom.memorisation.labelled_answers import LABELS, read_labelled
from wherefrom.runs.opened_run import Run
from wherefrom.show.page import pictures, sections
from wherefrom.show.page.engine_data import embed_engine
from wherefrom.show.page.judged_answers import JudgedAnswers, collect_answers
from wherefrom.show.page.learning import draw_answering, draw_learning
from wherefrom.show.page.page_layout import lay_out
from wherefrom.show.page.risk import offer_risks
from wherefrom.show.page.summary_sentences import count_subjects, summarise
from wherefrom.show.terminal.audit_text import audit_table

_COLUMNS = (
    ("s", "who"), ("a", "it says"), ("g", "right is"), ("c", "sure"), ("e", "evidence"),
    ("o", "source"),
)  # fmt: skip
PRINTED = 60  # answers that stand in the file itself; the page's script shows the others


def describe_questions(run: Run, precision: str) -> dict[str, Any]:
    """The values of the template, for a run with questions."""
    inspector = open_inspector(run)
    engine = embed_engine(run, precision, inspector)  # first: it reads about everybody at once
    answers = collect_answers(inspector)
    risks = offer_risks(answers, inspector.policy)
    drawn = [
        pictures.draw_accuracy(run),
        draw_learning(run),
        draw_answering(run),
        pictures.draw_reliability(answers),
        pictures.draw_risk(answers),
    ]
    held, relations = answers.held_out, sorted({row.reply.relation for row in answers.held_out})
    labels = run.folder.locate(LABELS)
    left_out = sections.measure_left_out(read_labelled(labels)) if labels.exists() else {}
    listed = sections.list_answers(held, left_out)
    words = sections.tell_stops(risks) if risks else []
    slider = risks and to_json(risks)
    for stop, said in zip(slider["stops"] if slider else (), words, strict=True):
        stop |= said
    return lay_out(
        run,
        engine,
        "asking.html",
        title=_title(inspector),
        sentences=summarise(run, inspector.policy is not None),
        slider=risks,
        slider_words=words,
        pictures=[each for each in drawn if each is not None],
        two_way=sections.cross(held),
        not_yet=_not_yet(answers),
        audit=audit_table(answers.audit) if answers.audit is not None else None,
        answers=listed,
        printed=PRINTED,
        columns=[each for each in _COLUMNS if each[0] != "o" or any(row["o"] for row in listed)],
        relations=relations,
        notes=[*inspector.notes(), *([engine.why_not] if engine.why_not else [])],
        data={"answers": listed, "relations": relations, "risk": slider},
    )


def _title(inspector: Inspector) -> str:
    """The question that the run is about, or what its questions ask for."""
    forms = inspector.model.parser.forms
    if len(inspector.model.relations) == 1:
        return f"Ask a small model: “{forms[0].fill('…')}”"
    kinds = len(inspector.model.relations)
    names = count_subjects(inspector.run.dataset)
    return f"Ask a small model: {kinds} kinds of questions about {names:,} names"


def _not_yet(answers: JudgedAnswers) -> list[dict[str, str]]:
    """What only an audit computes, and the command that does."""
    audit: Any = answers.audit or {}
    wanted = {
        "": "Tests of the calibration, a certified bound on the risk, decoys",
        " --pairs 8": "What was recalled, measured by training again without some of the text",
    }
    there = (answers.audit is not None, bool((audit.get("source") or {}).get("measured")))
    return [
        {"what": what, "command": f"wherefrom audit RUN{option}"}
        for (option, what), done in zip(wanted.items(), there, strict=True)
        if not done
    ]
