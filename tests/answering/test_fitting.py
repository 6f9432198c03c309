"""The answering policy: fitted on some people, reported on others, kept in a file."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support.made_up import ask
from wherefrom.answering.features import (
    FAMILIARITY,
    FEATURES,
    MEASURES,
    NO_FORMS,
    STATEMENT,
    FamiliarityReference,
    StatementForm,
    StatementForms,
)
from wherefrom.answering.fitting import (
    UNANSWERABLE,
    certify_policy,
    fit_policy,
    judge,
    rate_guesses,
    report_policy,
)
from wherefrom.answering.policy import FILE, find_policy, write_policy
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.config import to_json
from wherefrom.core.contracts import WITH_TEXT, Answer, Question
from wherefrom.core.errors import BadData, Damaged
from wherefrom.core.forms import Form, ParsedQuestion
from wherefrom.evaluation.intervals import wilson
from wherefrom.runs.folder import RunFolder

BORN = Form("Where was ", " born?")
REFERENCE = FamiliarityReference(dict.fromkeys(MEASURES, -1.5), dict.fromkeys(MEASURES, 0.1))


class Scripted:
    """Stands for a closed-book model: each question has its features and its answer given."""

    reference, forms, likelihood = REFERENCE, NO_FORMS, None
    relations = frozenset({"birthplace"})
    known_supports = WITH_TEXT

    def __init__(self, rows: dict[str, tuple[Answer, tuple[float, ...]]]) -> None:
        self.rows = rows
        self.unknown: set[str] = set()

    def try_parse(self, text: str) -> ParsedQuestion | None:
        if text in self.unknown:
            return None
        return ParsedQuestion(text, BORN, BORN.subject(text) or "", "birthplace")

    def answer(self, questions: Sequence[ParsedQuestion]) -> AnswerTable:
        answers, features = zip(*(self.rows[q.text] for q in questions), strict=True)
        return AnswerTable(tuple(questions), answers, table(*features))

    def familiarity(self, names: Sequence[str]) -> FeatureTable:
        """Nobody of nowhere is familiar; everyone else is."""
        values = [[-6.0, -6.0] if n.endswith("of nowhere") else [0.0, 0.0] for n in names]
        return FeatureTable.from_matrix(np.array(values), FAMILIARITY)

    def features(self, questions: Sequence[Question]) -> FeatureTable:
        return table(*(self.rows[q.text][1] for q in questions))


def table(*rows: tuple[float, ...]) -> FeatureTable:
    """Of answers that no wording of the text tells apart."""
    names = ("log_probability", "margin", *FAMILIARITY)
    found = FeatureTable.from_matrix(np.array(rows), names)
    return found.join(FeatureTable.from_matrix(np.zeros((len(rows), len(STATEMENT))), STATEMENT))


def row(right: bool, familiar: float) -> tuple[Answer, tuple[float, ...]]:
    return Answer("Oslo" if right else "Rome", 0.9), (-0.1, 2.0, familiar, familiar)


def world() -> tuple[Scripted, dict[str, list[Question]]]:
    """Familiar people are answered rightly, others wrongly; surely so in both cases."""
    groups = {
        "calibration": [(True, 1.0)] * 30 + [(False, -4.0)] * 20,
        "stated": [(True, 1.0)] * 7 + [(False, 1.0)] + [(False, -4.0)] * 2,
        "omitted": [(False, 1.0)] + [(False, -4.0)] * 3,
        "none": [(False, -4.0)] * 5,
    }
    rows, questions = {}, {}
    for group, people in groups.items():
        support = "stated" if group == "calibration" else group
        questions[group] = [ask(f"{group} {i}", support=support) for i in range(len(people))]
        for asked, (right, familiar) in zip(questions[group], people, strict=True):
            rows[asked.text] = row(right, familiar)
    return Scripted(rows), questions


# --- fitting and reporting ---------------------------------------------------------------------


def test_a_policy_is_fitted_on_people_whose_answers_are_known():
    model, questions = world()
    policy = fit_policy(model, judge(model, questions["calibration"]), 0.9)
    assert policy.calibration.features == FEATURES
    assert policy.threshold.answered_share == 0.6
    assert policy.threshold.precision == 1.0
    assert policy.threshold.n == 50
    assert policy.reference is REFERENCE, "the features are in its units"
    confidence = policy.confidence(model.features(questions["calibration"]), ["birthplace"] * 50)
    assert (confidence[:30] > 0.9).all()
    assert (confidence[30:] < 0.1).all()


def test_a_guess_is_as_good_as_wrong_answers_are_for_others():
    """Rome is wrong twice; of the four other questions each time, one has it as its answer."""
    answers = {"a": "Oslo", "b": "Rome", "c": "Rome", "d": "Oslo", "e": "Rome"}
    golds = {"a": "Oslo", "b": "Oslo", "c": "Oslo", "d": "Oslo", "e": "Rome"}
    model = Scripted({BORN.fill(n): (Answer(a, 0.9), (0, 0, 0, 0)) for n, a in answers.items()})
    judged = judge(model, [ask(name, gold) for name, gold in golds.items()])
    assert rate_guesses(judged, range(5)) == 0.25
    assert rate_guesses(judged, [0, 3, 4]) == 0, "no answer is wrong"
    assert rate_guesses(judged, [1, 4]) == 0, "the wrong answer is right for every other"


def test_masked_people_teach_the_curve_and_do_not_make_the_others_doubtful():
    """Ten people whose text omits the answer look much like those whose text states it."""
    rng = np.random.default_rng(0)
    rows: dict[str, tuple[Answer, tuple[float, ...]]] = {}

    def draw(count: int, right: bool, centre: float, support: str) -> list[Question]:
        drawn = [ask(f"{support} {len(rows) + i}", support=support) for i in range(count)]
        values = rng.normal(centre, 1.0, count)
        rows.update((q.text, row(right, x)) for q, x in zip(drawn, values, strict=True))
        return drawn

    people = [*draw(80, True, 1.0, "stated"), *draw(10, False, -1.0, "omitted")]
    masked = draw(200, False, -1.0, "omitted")
    model = Scripted(rows)
    policy = fit_policy(model, judge(model, people), 0.9, masked=judge(model, masked))
    confidence = policy.confidence(model.features(people), ["birthplace"] * 90)
    assert confidence.mean() == pytest.approx(80 / 90, abs=0.03), "as often right as they are"
    assert policy.threshold.n == 90, "masked people are nobody's natural questions"
    # The odds of a stated person are 8 to 1 at 0, and e to the power of 2x of that at x.
    at = model.features(masked[:3])
    values = at.join(FeatureTable(dict.fromkeys(FAMILIARITY, np.array([-2.0, -1.0, 0.0]))))
    expected = 1 / (1 + np.exp(-(np.log(8) + 2 * np.array([-2.0, -1.0, 0.0]))))
    assert policy.confidence(values, ["birthplace"] * 3) == pytest.approx(expected, abs=0.12)


def test_a_policy_is_reported_by_what_the_text_says():
    model, questions = world()
    policy = fit_policy(model, judge(model, questions.pop("calibration")), 0.9)
    groups = {support: judge(model, own) for support, own in questions.items()}
    found = report_policy(policy, groups)
    assert {name: (score.value, score.n) for name, score in found.items()} == {
        "answered_share": (0.8, 10),
        "precision": (7 / 8, 8),
        "refused_omitted": (0.75, 4),
        "refused_without_text": (1.0, 5),
        "precision_everyone": (7 / 9, 9),  # one answer more, about a person whose text omits it
    }
    assert all(s.interval == wilson(round(s.value * s.n), s.n) for s in found.values())
    silent = [replace(q, answer="") for q in questions["omitted"]]
    alone = report_policy(policy, {UNANSWERABLE: judge(model, silent)})
    assert {name: (score.value, score.n) for name, score in alone.items()} == {
        "refused_unanswerable": (0.75, 4)
    }


def test_people_that_cannot_be_asked_about_are_left_out():
    """Somebody kept back may have a question of a form that nobody was asked in."""
    model, questions = world()
    model.unknown = {questions["calibration"][0].text, questions["none"][0].text}
    people = judge(model, questions["calibration"]).known
    assert people == tuple(questions["calibration"][1:]), "who was asked"
    policy = fit_policy(model, judge(model, questions["calibration"]), 0.9)
    assert policy.threshold.n == 49
    without = {"none": judge(model, questions["none"])}
    assert report_policy(policy, without)["refused_without_text"].n == 4
    found = certify_policy(model, judge(model, questions["calibration"]), 0.2, 0.2)
    assert found.certificate.certified
    assert found.policy.threshold.value == found.certificate.threshold
    assert found.policy.reference is REFERENCE
    model.unknown = {q.text for q in questions["calibration"]}
    with pytest.raises(BadData, match="expected questions that the model can be asked, found none"):
        fit_policy(model, judge(model, questions["calibration"]), 0.9)


def test_no_verified_answer_has_less_than_the_least_confidence():
    """Three in five right, and no more asked for than half: still none is verified."""
    people = [ask(f"x {i}") for i in range(100)]
    model = Scripted({q.text: row(i % 5 < 3, 0.0) for i, q in enumerate(people)})
    threshold = fit_policy(model, judge(model, people), 0.5).threshold
    assert (threshold.unverified or threshold.why_not or "").startswith("no answer to the 100")


# --- several relations -------------------------------------------------------------------------

HAND = Form("Which hand did ", " use?")
FORMS = {"birthplace": BORN, "hand": HAND}


class ScriptedRelations(Scripted):
    """The same for two relations."""

    relations = frozenset(FORMS)

    def try_parse(self, text: str) -> ParsedQuestion | None:
        form = HAND if text.startswith(HAND.prefix) else BORN
        relation = "hand" if form is HAND else "birthplace"
        return ParsedQuestion(text, form, form.subject(text) or "", relation)


def ball_players(n: int, start: int, seed: int) -> tuple[dict[str, Any], list[Question]]:
    """The hand is guessed, rightly for 81 % and always surely; of the places, 40 % are known.

    Nothing tells a right guess from a wrong one. Of the places that are known, 97 % are right,
    and the model is rather sure of them; of the others one in ten.
    """
    generator = np.random.default_rng(seed)
    rows: dict[str, Any] = {}
    asked: list[Question] = []
    for i in range(start, start + n):
        known = generator.random() < 0.4
        for relation, form in FORMS.items():
            asked.append(
                Question(form.fill(f"x {i}"), f"x {i}", relation, "Oslo", "calibration", "stated")
            )
            if relation == "hand":
                chance, sure = 0.81, (-0.15, 2.0)
            else:
                chance, sure = (0.97, (-0.4, 3.0)) if known else (0.1, (-2.5, 0.5))
            right = generator.random() < chance
            noise = generator.normal(size=4) * (0.1, 0.4, 0.5, 0.5)
            features = tuple(np.add((*sure, 0.0, 0.0), noise).tolist())
            rows[asked[-1].text] = Answer("Oslo" if right else "Rome", 0.8), features
    return rows, asked


def test_each_relation_has_its_confidence_its_threshold_and_its_reason():
    rows, people = ball_players(200, 0, 0)
    model = ScriptedRelations(rows)
    policy = fit_policy(model, judge(model, people), 0.9)
    assert policy.relations.keys() == {"birthplace", "hand"}
    features = table((-0.2, 2.5, 0.0, 0.0), (-0.2, 2.5, 0.0, 0.0), (-0.2, 2.5, 0.0, 0.0))
    asked = ["birthplace", "hand", "height"]
    place, hand, _ = policy.confidence(features, asked)
    assert place > 0.9
    assert 0.7 < hand < 0.9, "the same features mean less for a guess"
    assert policy.answers(features, asked).tolist() == [True, False, False]
    thresholds = policy.thresholds
    assert thresholds.of("birthplace").why_not is None
    assert (thresholds.of("birthplace").n, policy.threshold.n) == (200, 400)
    refused = thresholds.of("hand").why_not
    assert refused.startswith("no threshold reaches 90 % on the 200 calibration questions")
    assert thresholds.of("height").why_not == "no calibration question asks for this"
    score = report_policy(policy, {"stated": judge(model, people)})["answered_share"].as_json()
    assert score["by_relation"]["hand"]["why_not"] == refused
    assert score["by_relation"]["birthplace"]["answered_share"] > 0.3


def test_one_of_the_relations_alone_is_not_taken_for_all():
    """Calibration questions about the place verify nothing of the hand, which it knows too."""
    rows, people = ball_players(200, 0, 0)
    places = [q for q in people if q.relation == "birthplace"]
    model = ScriptedRelations(rows)
    policy = fit_policy(model, judge(model, places), 0.9)
    features = table((-0.2, 2.5, 0.0, 0.0), (-0.2, 2.5, 0.0, 0.0))
    asked = ["birthplace", "hand"]
    assert policy.answers(features, asked).tolist() == [True, True]
    assert policy.unverified(asked).tolist() == [False, True]


# --- names that the model does not know --------------------------------------------------------


class Decoys:
    """One decoy for each name."""

    def of(self, name: str) -> tuple[str, ...]:
        return (f"{name} of nowhere",)

    def invented(self, likelihood: Any) -> tuple[str, ...]:
        return ("invented of nowhere",)


def people_with_text() -> tuple[Scripted, list[Question]]:
    """All familiar, and right where the model is sure."""
    people = [ask(f"x {i}") for i in range(200)]
    rows = {
        q.text: (Answer("Oslo" if i % 2 else "Rome", 0.9), (-0.1 if i % 2 else -3.0, 2.0, z, z))
        for i, q in enumerate(people)
        for z in ((i % 5) / 5,)
    }
    return Scripted(rows), people


def test_a_name_that_was_not_read_is_refused_however_sure_the_model_is():
    model, people = people_with_text()
    features, asked = table((-0.1, 2.0, 0.5, 0.5), (-0.1, 2.0, -6.0, -6.0)), ["birthplace"] * 2
    judged = judge(model, people)
    alone, policy = (fit_policy(model, judged, 0.9, decoys) for decoys in (None, Decoys()))
    assert alone.names is None
    assert alone.score(features, asked)[1] > 0.5, "nothing taught the curve to mind"
    known, unknown = policy.score(features, asked)
    assert (known > 0.9, unknown) == (True, 0.0)
    assert (policy.confidence(features, asked) == alone.confidence(features, asked)).all()
    assert policy.answers(features, asked).tolist() == [True, False]
    assert policy.knows_name(features).tolist() == [True, False]
    assert alone.knows_name(features) is None, "nothing tells known names from others there"
    without_text = [replace(q, support="none") for q in people]
    assert fit_policy(model, judge(model, without_text), 0.9, Decoys()).names is None
    # So is it by a promise.
    found = certify_policy(model, judge(model, people), 0.1, 0.1, Decoys())
    assert found.certificate.certified
    assert found.policy.names is not None
    assert found.policy.score(table((-0.1, 2.0, -6.0, -6.0)), ["birthplace"])[0] == 0.0


# --- the file beside a run ---------------------------------------------------------------------


def a_run(folder: Path) -> Any:
    return SimpleNamespace(path=folder, folder=RunFolder(folder))


def test_a_policy_is_written_and_read_to_the_bit(tmp_path):
    """Of two relations, with a gate, a reference and a wording."""
    rows, people = ball_players(200, 0, 0)
    model = ScriptedRelations(rows)
    fitted = fit_policy(model, judge(model, people), 0.9, Decoys())
    form = StatementForm("", " was born in ", ".", masked=True, searched=True)
    policy = replace(fitted, forms=StatementForms({"birthplace": (form,)}))
    assert find_policy(a_run(tmp_path)) is None
    write_policy(RunFolder(tmp_path), policy)
    written = json.loads((tmp_path / FILE).read_text())
    assert written["format_version"] == 9
    assert written["relations"]["hand"]["threshold"]["precision"] is None
    assert find_policy(a_run(tmp_path)) == policy
    # A file of another version is named.
    RunFolder(tmp_path).write_json(FILE, to_json(policy) | {"format_version": 5})
    with pytest.raises(Damaged, match=r"policy\.format_version: Invalid enum value 5") as error:
        find_policy(a_run(tmp_path))
    assert str(error.value).startswith(str(tmp_path / FILE))
