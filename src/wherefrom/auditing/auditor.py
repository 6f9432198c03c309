"""An audit: how far a run's answers can be trusted, on questions that it was not trained on.

The findings are written to audit/audit.json, one line per answer to audit/answers.jsonl, and the
pictures beside them. docs/AUDIT-JSON.md has the schema; docs/TRUST.md explains the numbers.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic
from typing import TypeVar

import numpy as np
from msgspec import structs

from wherefrom.answering.fitting import CertifiedPolicy, certify_policy, judge
from wherefrom.answering.inspector import Inspector, open_inspector
from wherefrom.auditing import confidence_sections, decoy_sections, source_sections
from wherefrom.auditing.audit_findings import (
    ANSWERS,
    FINDINGS,
    Audit,
    AuditedAnswer,
    UnansweredQuestion,
)
from wherefrom.core.answer_table import AnswerTable
from wherefrom.core.artifact import lock_folder
from wherefrom.core.config import to_json
from wherefrom.core.contracts import NOT_TRAINED_ON, Question
from wherefrom.core.errors import BadData, UsageError, WherefromError
from wherefrom.core.replies import Verdict
from wherefrom.core.sample_size import ALPHA, DELTA
from wherefrom.experiments.many_runs.retraining import (
    MOST_PAIRS,
    Tell,
    Watch,
    find_retrained,
    retrain_pairs,
    why_not_retrainable,
)
from wherefrom.experiments.many_runs.stacked_runs import check_most
from wherefrom.experiments.resources import use_threads
from wherefrom.memorisation.counterfactual import find_memorisation
from wherefrom.memorisation.labelled_answers import LABELS, LabelledAnswers, pack_labelled
from wherefrom.memorisation.predictor import write_source_predictor
from wherefrom.runs.folder import RunFolder
from wherefrom.runs.opened_run import Run
from wherefrom.show.drawing.plots import draw_reliability, draw_risk_coverage

TIMING = "audit/timing.json"
DECOYS, REPLIES = "audit/decoys.jsonl", "audit/unanswered.jsonl"
UNANSWERED = "unanswered"  # the split of questions whose right answers are not known here
NO_CALIBRATION = (
    "confidence: expected calibration people, found none, so confidence, threshold and risk bound "
    "are left out; use a recipe with calibration people, such as birthplaces-calibrated"
)
NO_EVIDENCE = (
    "evidence: expected asked people whose answers are in the text, found too few to learn from, "
    "so evidence is left out"
)
NO_SOURCE = (
    "source: no model was retrained, so it is not known what was recalled; --pairs 8 measures it"
)
T = TypeVar("T")


@dataclass(frozen=True)
class Investigation:
    """A run under audit: its questions, answered and judged.

    `labelled` has the answers with the labels of retrained models; None without such models.
    """

    inspector: Inspector
    examined: AnswerTable
    verdicts: tuple[Verdict | None, ...]
    labelled: LabelledAnswers | None
    notes: tuple[str, ...]

    @property
    def run(self) -> Run:
        return self.inspector.run


_MOST_MODELS = 1000  # pairs: more take days even where a model takes a minute


def audit_run(
    run: Run,
    alpha: float = ALPHA,
    delta: float = DELTA,
    *,
    pairs: int | None = None,
    budget: float | None = None,
    processes: int = 1,
    together: int | None = None,
    threads: int | None = None,
    watch: Watch | None = None,
    tell: Tell = lambda _: None,
) -> Audit:
    """Audit a run. With pairs or a budget (minutes), first train further models.

    The risk bound: at most a share alpha of the answers is wrong, except with probability delta.
    `pairs` is the number of pairs of models that the audit then has; with a budget, fewer if they
    take longer. `processes` train as many models at once, `together` as many in one step.
    Models that an earlier audit retrained are used again. If no model can be trained, because the
    run's files have changed, the rest is audited, and `not_retrained` says why.
    """
    _check_training(pairs, budget, processes, together)
    open_inspector(run)
    find_judged(run)  # raises before any training if the run has nobody to report on
    if threads is not None:  # for the models that are retrained too
        run = Run(run.folder, structs.replace(run.recipe, threads=threads), run.workshop)
    use_threads(run.recipe.threads)
    in_pairs = pairs is not None or budget is not None
    stale = why_not_retrainable(run) if in_pairs else None
    if in_pairs and not stale:
        retrain_pairs(run, budget, watch, pairs or MOST_PAIRS, processes, tell, together)
    with lock_folder(run.path):
        run.folder.clean_up()
        return report_audit(run, (alpha, delta), find_retrained(run), stale, tell)


def _check_training(
    pairs: int | None, budget: float | None, processes: int, together: int | None
) -> None:
    """Refuse numbers of further models that cannot be trained."""
    if pairs is not None and not 1 <= pairs <= _MOST_MODELS:
        raise UsageError(f"pairs: expected 1 to {_MOST_MODELS:,}, found {pairs}")
    if processes > 1 and pairs is None and budget is None:
        raise UsageError("processes: expected pairs or a budget beside it, found none; add pairs")
    check_most(together)
    if budget is not None and not budget >= 0:
        raise UsageError(f"budget: expected minutes from 0, found {budget}")


def report_audit(
    run: Run,
    risk: tuple[float, float] = (ALPHA, DELTA),
    retrained: Sequence[Run] = (),
    not_retrained: WherefromError | None = None,
    tell: Tell = lambda _: None,
) -> Audit:
    """Compute all findings about a run, given its retrained models, and write them."""
    began = monotonic()
    with run.folder.transaction():  # the files of an audit are all of one audit
        investigation = investigate(run, retrained, tell)
        found = _report(investigation, risk, tell)
        found = replace(found, not_retrained=not_retrained)
        write_audit(investigation, found)
        # The time has a file of its own: the other files must not differ between equal audits.
        run.folder.write_json(TIMING, {"seconds": round(monotonic() - began, 1)})
    return found


def _report(
    investigation: Investigation,
    risk: tuple[float, float],
    tell: Tell,
) -> Audit:
    run, examined = investigation.run, investigation.examined
    inspector, notes = investigation.inspector, list(investigation.notes)
    tell("computing confidence and the risk bound")
    confidence = abstention = decoys = None
    if (policy := inspector.policy) is None:
        notes.append(NO_CALIBRATION)
    else:
        people, decoy_names = examined.rows(examined.select("calibration")), inspector.opened.decoys
        certify = partial(certify_policy, inspector.model, people, *risk, decoy_names)
        bound = _if_possible(notes, certify)
        confidence = confidence_sections.report_confidence(examined, policy)
        abstention = confidence_sections.report_abstention(examined, policy, bound)
        tiers = decoy_sections.ask_tiers(inspector)
        decoys = decoy_sections.report_decoys(tiers, examined, policy, bound)
        rows = decoy_sections.list_decoys(tiers, policy, bound)
        run.folder.write_jsonl(DECOYS, to_json(rows))
        unanswered = ask_unanswered(inspector)
        if unanswered is not None:
            replies = list(list_unanswered(inspector, unanswered, bound))
            run.folder.write_jsonl(REPLIES, to_json(replies))
    tell("computing evidence, source and exposures")
    opened = inspector.opened
    find_note = opened.find_note if run.recipe.notes else None
    evidence = source_sections.report_evidence(
        opened.fact_checker, examined, investigation.verdicts, find_note
    )
    if evidence is None:
        notes.append(NO_EVIDENCE)
    source = source_sections.report_source(investigation.labelled, inspector.predictor)
    exposures = _if_possible(notes, lambda: source_sections.report_exposures(run, examined))
    return Audit(
        recipe=run.recipe.name,
        seed=run.recipe.seed,
        model=run.recipe.primary,
        people=_count(examined),
        confidence=confidence,
        abstention=abstention,
        decoys=decoys,
        evidence=evidence,
        source=source,
        exposures=exposures,
        notes=tuple(notes),
    )


def _if_possible(notes: list[str], report: Callable[[], T]) -> T | None:
    """A part of the findings, or None and a note if the data set does not allow it."""
    try:
        return report()
    except BadData as error:
        notes.append(str(error))
        return None


def investigate(
    run: Run, retrained: Sequence[Run] = (), tell: Tell = lambda _: None
) -> Investigation:
    """Ask about everybody who can be judged; with retrained models, fit a source predictor."""
    inspector, notes = open_inspector(run), [line] if (line := run.changed_source()) else []
    people = find_judged(run)
    tell(f"asking about {len(people)} people")
    examined = judge(inspector.model, people)
    require_held_out(run, examined.known)
    notes += _note_questions(len(people), examined.known)
    if retrained:
        tell(f"comparing with {len(retrained)} models that were trained without people's text")
    verdicts = tuple(inspector.judge(examined))
    answers = [answer.text for answer in examined.answers]
    memorisation = find_memorisation(
        run.folder,
        retrained,
        examined.known,
        answers,
        inspector.model.word_texts(q.text for q in examined.known),
    )
    labelled = None
    if memorisation is None:
        notes.append(NO_SOURCE)
    else:
        examined = inspector.with_source_features(examined, verdicts)
        labelled = source_sections.label_answers(inspector, examined)
        try:
            predictor = labelled.fit()
            write_source_predictor(run.folder, predictor)
            inspector = inspector.with_predictor(predictor)
        except BadData as error:
            notes.append(str(error))
    return Investigation(inspector, examined, verdicts, labelled, tuple(notes))


def _note_questions(people: int, parsed: Sequence[Question]) -> Iterator[str]:
    """What a reader of the figures must know about the questions that they rest on."""
    if len(parsed) < people:
        yield (
            f"people: {people - len(parsed)} of {people} questions are left out: the model was not "
            "taught their form, or cannot read them"
        )
    if (subjects := len({q.subject for q in parsed})) < len(parsed):
        yield (
            f"people: the {len(parsed)} questions are about only {subjects} people; the intervals "
            "treat the questions as independent and are somewhat too narrow"
        )


def find_judged(run: Run) -> list[Question]:
    """The questions that were not trained on; their answers are known, or known to be missing."""
    held = (q for q in run.dataset.questions if q.split in NOT_TRAINED_ON)
    found = [q for q in held if q.answer is not None]
    require_held_out(run, found)
    return found


def require_held_out(run: Run, people: Sequence[Question]) -> None:
    if not any(q.split == "held-out" for q in people):
        raise BadData(
            f"{run.path}: expected held-out people to report on, found none; the data set needs "
            "questions that are neither trained on nor calibrated on"
        )


def _count(examined: AnswerTable) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for question in examined.known:
        row = table.setdefault(question.split, {})
        row[question.support] = row.get(question.support, 0) + 1
    return table


def ask_unanswered(inspector: Inspector) -> AnswerTable | None:
    """The run's questions whose right answers are not known here, answered; None if it has none."""
    asked = [q for q in inspector.run.dataset.questions if q.split == UNANSWERED]
    return _if_possible([], lambda: judge(inspector.model, asked))


def list_unanswered(
    inspector: Inspector, found: AnswerTable, bound: CertifiedPolicy | None
) -> Iterator[UnansweredQuestion]:
    """Replies to them, so that the audit's promise can be checked once the answers are known."""
    given = None if bound is None else bound.policy.answers(found.features, found.relations)
    for i, (reply, question) in enumerate(zip(inspector.compose(found), found.known, strict=True)):
        certified = None if given is None else bool(given[i])
        yield UnansweredQuestion(reply, found.features.row(i), certified, question.id)


# -- what is written -----------------------------------------------------------------


def write_audit(investigation: Investigation, found: Audit) -> None:
    folder = investigation.run.folder
    folder.write_jsonl(ANSWERS, to_json(list(audited_answers(investigation))))
    if investigation.labelled is not None:
        folder.write(LABELS, [pack_labelled(investigation.labelled)])
    draw_audit(found, folder)
    folder.write_json(FINDINGS, to_json(found))


def audited_answers(investigation: Investigation) -> Iterator[AuditedAnswer]:
    """For each answer: the reply, whether it is right, and the features behind it."""
    examined, labelled = investigation.examined, investigation.labelled
    replies = investigation.inspector.compose(examined, investigation.verdicts)
    for i, (reply, question) in enumerate(zip(replies, examined.known, strict=True)):
        m = np.nan if labelled is None else labelled.memorisation.m[i]
        yield AuditedAnswer.of(
            reply, question, examined.features.row(i), float(m) if np.isfinite(m) else None
        )


def draw_audit(found: Audit, folder: RunFolder) -> None:
    """Draw the calibration, and the risk against the coverage."""
    if (confidence := found.confidence) is not None:
        picture = draw_reliability(confidence.calibrated.diagram)
        folder.write("audit/reliability.svg", [picture])
        curves = {
            "calibrated": confidence.risk_coverage,
            "the model's own": confidence.risk_coverage_raw,
        }
        folder.write("audit/risk-coverage.svg", [draw_risk_coverage(curves)])
