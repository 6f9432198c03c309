"""The findings of an audit, as audit.json has them; docs/AUDIT-JSON.md explains every field.

`core/config.py` encodes them all: each field is written under its own name.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from wherefrom.answering.certificate import Certificate
from wherefrom.core.config import from_json
from wherefrom.core.contracts import Question
from wherefrom.core.errors import BadData, Damaged, WherefromError
from wherefrom.core.notebook import make_frame, table
from wherefrom.core.replies import Reply
from wherefrom.evaluation.calibration_measures import CalibrationScores
from wherefrom.evaluation.evaluator import Score
from wherefrom.evaluation.selective import AreaDifference, RiskCoverage
from wherefrom.memorisation.source_measures import MeasuredSource
from wherefrom.runs.opened_run import Run

FINDINGS, ANSWERS = "audit/audit.json", "audit/answers.jsonl"


@dataclass(frozen=True)
class ConfidenceFindings:
    """The calibrated probability beside the model's own, on held-out people.

    Here and below, `by_relation` has the same for each relation; it is empty if there is only one.
    """

    calibrated: CalibrationScores
    raw: CalibrationScores
    risk_coverage: RiskCoverage
    risk_coverage_raw: RiskCoverage
    area_difference: AreaDifference
    by_relation: Mapping[str, "ConfidenceFindings"] = field(
        default_factory=dict[str, "ConfidenceFindings"]
    )


@dataclass(frozen=True)
class SupportFindings:
    """People whose text states the answer, omits it, or who have none: how many are answered.

    `risk` is the share of wrong answers among those given; None if none is given.
    """

    answered_share: Score
    risk: Score | None


@dataclass(frozen=True)
class ThresholdFindings:
    """A threshold, the precision that it was set for, and what it does to held-out people.

    `precision` is None if the threshold answers nothing; `why_not` says why no threshold reaches
    the target. `pooled`: it was chosen on the questions of several relations together. `unverified`
    says why the answers are given as unverified, if they are; the threshold is then one on the
    model's own probability. `threshold` is None over several relations, each of which has its own.
    `by_support` has the same for each kind of support among held-out people.
    """

    threshold: float | None
    target: float
    answered_share: Score
    precision: Score | None
    why_not: str | None = None
    by_relation: Mapping[str, "ThresholdFindings"] = field(
        default_factory=dict[str, "ThresholdFindings"]
    )
    by_support: Mapping[str, SupportFindings] = field(default_factory=dict[str, SupportFindings])
    pooled: bool = False
    unverified: str | None = None


@dataclass(frozen=True)
class AbstentionFindings:
    """Thresholds that were set on calibration people.

    `in_use` is the threshold that `ask` applies; unlike the others, it is never below 0.7,
    unless the answers are unverified.
    `raw_probability` has thresholds on the model's own probability. `certificate`, `certified` and
    `uncertified` are None if there were too few people for a risk bound.
    """

    in_use: ThresholdFindings
    thresholds: Mapping[str, ThresholdFindings]
    raw_probability: Mapping[str, ThresholdFindings]
    certificate: Certificate | None = None
    certified: ThresholdFindings | None = None
    uncertified: ThresholdFindings | None = None
    advice: str | None = None


@dataclass(frozen=True)
class DecoyFindings:
    """One tier of decoys: the share declined by the threshold in use, and by the certified one.

    `refused` and `refused_at_bound` are what `ask` does. `refused_closed_book` leaves out the list
    of the names in the text and is a property of the model alone; names that the model cannot read
    are declined there too. `offered` is the share for which a name of the text is offered.
    `auroc` says how well the score separates the decoys from held-out people whose text states the
    answer. If nothing was certified, everything would be declined, and `refused_at_bound` is None.
    With several relations, each decoy is asked about one of them in turn.
    """

    n: int
    refused: Score
    auroc: Score | None
    refused_at_bound: Score | None
    refused_closed_book: Score | None = None
    offered: Score | None = None


@dataclass(frozen=True)
class UnansweredQuestion:
    """One line of unanswered.jsonl: the reply to a question whose right answer is not known here.

    `answered_at_bound` is whether the certified threshold gives the answer; None without a bound.
    With the right answers, these lines show whether the audit's promise holds.
    """

    reply: Reply
    features: Mapping[str, float]
    answered_at_bound: bool | None
    id: str = ""


@dataclass(frozen=True)
class AuditedDecoy:
    """One line of decoys.jsonl: a name that was asked about, and what became of it.

    `read`: the model has seen all its letters. `score`: what the threshold is applied to.
    `passes`: name gate and threshold let it pass. `answered`: and nobody else was probably meant.
    """

    tier: str
    name: str
    relation: str
    read: bool
    score: float
    passes: bool
    did_you_mean: tuple[str, ...]
    answered: bool
    answered_at_bound: bool | None


@dataclass(frozen=True)
class LabelCount:
    """Held-out answers with a label, and how many of them are right."""

    answers: int
    right: int


@dataclass(frozen=True)
class NoteFindings:
    """Notes about held-out questions, compared with the known answers.

    The fact checker is the reader that wrote the notes, so it calls its own mistakes supported:
    `wrong_supported` of `wrong` says how often. A label "supported" on a note confirms nothing.
    """

    right: int
    right_supported: int
    wrong: int
    wrong_supported: int


@dataclass(frozen=True)
class EvidenceFindings:
    """The verdicts on held-out answers.

    `as_read` are those of the supported answers whose support is the note's own reading. `notes`
    compares the notes with what the fact checker says about them. Both are None if the run took no
    notes.
    """

    held_out_answers: Mapping[str, LabelCount]
    as_read: LabelCount | None = None
    notes: "NoteFindings | None" = None
    by_relation: Mapping[str, "EvidenceFindings"] = field(
        default_factory=dict[str, "EvidenceFindings"]
    )


@dataclass(frozen=True)
class SourceFindings:
    """The sources of held-out answers; `measured` is None if nobody's m is known."""

    models: int
    held_out_answers: Mapping[str, LabelCount]
    measured: MeasuredSource | None = None
    by_relation: Mapping[str, "SourceFindings"] = field(default_factory=dict[str, "SourceFindings"])


@dataclass(frozen=True)
class ExposureFindings:
    """How often training showed held-out facts.

    `mean` is over the facts that were shown at least once, by kind of exposure.
    """

    examples: int
    mean: Mapping[str, float]
    by_relation: Mapping[str, "ExposureFindings"] = field(
        default_factory=dict[str, "ExposureFindings"]
    )


@dataclass(frozen=True)
class Audit:
    """All findings about a run. A part that cannot be computed is None, and `notes` says why.

    `people` counts the questions that were judged, by split and support. `not_retrained` says why
    no model was retrained although the caller asked for it.
    """

    format_version: Literal[3] = field(default=3, kw_only=True)

    recipe: str
    seed: int
    model: str
    people: Mapping[str, Mapping[str, int]]
    confidence: ConfidenceFindings | None
    abstention: AbstentionFindings | None
    decoys: Mapping[str, DecoyFindings] | None
    evidence: EvidenceFindings | None
    source: SourceFindings | None
    exposures: ExposureFindings | None
    not_retrained: WherefromError | None = None
    notes: tuple[str, ...] = ()

    def _list_labels(self) -> list[dict[str, Any]]:
        """The held-out answers by evidence and by source, and how many of each are right."""
        parts = {"evidence": self.evidence, "source": self.source}
        return [
            {"by": part, "label": label, "answers": count.answers, "right": count.right}
            for part, found in parts.items()
            if found is not None
            for label, count in found.held_out_answers.items()
        ]

    def __repr__(self) -> str:
        asked = sum(self.people.get("held-out", {}).values())
        rows = (f"{row['label']} {row['answers']}" for row in self._list_labels())
        return f"<Audit of {self.recipe}, seed {self.seed}: {asked} held-out; {', '.join(rows)}>"

    def _repr_html_(self) -> str:
        return table(repr(self).strip("<>"), self._list_labels())

    def to_frame(self) -> Any:
        """A pandas DataFrame of the held-out answers by evidence and by source."""
        return make_frame(self._list_labels())


@dataclass(frozen=True)
class AuditedAnswer:
    """One line of answers.jsonl: a reply, and what is known about its question.

    `m` is the counterfactual memorisation of the answer, or None if it was not measured. `id` is
    what the user's file calls the question, and `accepted` are further right answers.
    """

    reply: Reply
    gold: str
    right: bool
    split: str
    support: str
    features: Mapping[str, float]
    m: float | None
    id: str = ""
    accepted: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, reply: Reply, question: Question, features: Mapping[str, float], m: float | None
    ) -> "AuditedAnswer":
        return cls(
            reply=reply,
            gold=question.answer or "",
            right=question.accepts(reply.answer),
            split=question.split,
            support=question.support,
            features=features,
            m=m,
            id=question.id,
            accepted=question.accepted,
        )


def read_findings(run: Run) -> Mapping[str, Any] | None:
    """audit.json, if it has the format that this version writes."""
    if not run.folder.has(FINDINGS):
        return None
    found: Any = run.folder.read_json(FINDINGS)
    if found.get("format_version") != Audit.format_version:
        return None
    try:
        from_json(Audit, found, "audit")
    except BadData as error:
        raise Damaged(f"{run.path / FINDINGS}: {error}; audit the run again") from error
    return found
