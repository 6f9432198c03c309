"""The witness: what it knows of a run, what it keeps beside it, and what it says."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wherefrom import api
from wherefrom.answering import asking
from wherefrom.answering.policy import STRANGERS
from wherefrom.auditing.inspector import Examined, Witness, open_witness
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, Mismatch, MissingInput
from wherefrom.evidence import fitted
from wherefrom.evidence.index import FILE
from wherefrom.memorisation.predictor import SOURCE_FEATURES, Source, read_source
from wherefrom.runs.run import open_run


@pytest.fixture(scope="module")
def path(tiny_run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("witness") / "people-0"))


@pytest.fixture(scope="module")
def witness(path: Path) -> Witness:
    return open_witness(open_run(path))


def copy_of(path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(path, tmp_path / "run"))


def ask(name: str, split: str, support: str) -> Question:
    return Question(f"Where was {name} born?", name, "birthplace", "Oslo", split, support)


# --- who was examined ------------------------------------------------------------------------


def test_people_are_selected_by_split_and_support():
    questions = (
        ask("A", "calibration", "stated"), ask("B", "held-out", "none"),
        ask("C", "held-out", "stated"), ask("D", "held-out", "omitted"),
    )  # fmt: skip
    empty = np.zeros((4, 0))
    found = Examined(questions, (Answer("", 0.0),) * 4, empty, empty, np.zeros(4, dtype=bool))
    assert found.select("held-out").tolist() == [False, True, True, True]
    assert found.select("held-out", ("stated",)).tolist() == [False, False, True, False]
    assert found.where("held-out") == [1, 2, 3]
    assert found.where("asked") == []


def test_examining_says_what_the_model_answers_and_whether_it_is_right(witness: Witness):
    people = witness.run.dataset.select("held-out")
    said = witness.run.predictor().answer([q.text for q in people])
    known = [Question(q.text, q.subject, q.relation, a.text, q.split)
             for q, a in zip(people, said, strict=True)]  # fmt: skip
    assert witness.examine(known).right.all()
    found = witness.examine(people)
    assert [a.text for a in found.answers] == [a.text for a in said]
    assert found.right.tolist() == [a.text == q.answer for a, q in zip(said, people, strict=True)]
    assert found.source_features.shape == (len(people), len(SOURCE_FEATURES))
    assert (found.source_features[:, : found.features.shape[1]] == found.features).all()


# --- testimony -------------------------------------------------------------------------------


def test_testimony_has_the_reply_of_asking_and_evidence_and_source(witness: Witness):
    people = witness.run.dataset.select("held-out")[:3]
    texts = [q.text for q in people]
    found = witness.testify(texts)
    assert [each.reply for each in found] == asking.ask(witness.run, texts)
    for question, each in zip(people, found, strict=True):
        assert each.evidence is not None
        assert each.quote is not None
        assert question.subject in each.quote
        assert each.evidence.span is not None
        assert each.evidence.span.of(each.quote) == each.evidence.stated
        assert each.source.label == ("recalled" if each.source.probability > 0.5 else "guessed")
        assert json.loads(json.dumps(each.as_json()))["evidence"]["quote"] == each.quote
    assert witness.testify([]) == []


def test_a_stranger_has_no_text_and_nothing_to_quote(witness: Witness):
    (stranger,) = witness.run.dataset.select("held-out", ("none",))[:1]
    (found,) = witness.testify([stranger.text])
    assert found.evidence is not None
    assert (found.evidence.label, found.quote) == ("no text", None)


def test_testimony_without_a_reader_has_no_evidence(witness: Witness):
    (found,) = witness.testify([witness.run.dataset.questions[0].text])
    assert replace(found, evidence=None, quote=None).as_json() == {
        "evidence": None,
        "source": found.source.as_json(),
        "taught": found.taught,
    }


def test_a_question_that_was_trained_on_is_said_to_be(witness: Witness):
    dataset = witness.run.dataset
    asked, held = dataset.asked[0], dataset.select("held-out")[0]
    assert [t.taught for t in witness.testify([asked.text, held.text])] == [True, False]


def test_without_text_there_is_nothing_to_recall(witness: Witness, monkeypatch):
    """However sure the predictor is: training without a text that is not there changes nothing."""
    sure = lambda *_: [Source("recalled", 0.99)]  # noqa: E731
    monkeypatch.setattr(type(witness.predictor), "predict", sure)
    told, untold = (witness.run.dataset.select("held-out", (s,))[0] for s in ("stated", "none"))
    (found,) = witness.testify([told.text])
    assert (found.source.label, found.source.probability) == ("recalled", 0.99)
    (found,) = witness.testify([untold.text])
    assert (found.source.label, found.source.probability) == ("guessed", 0.0)


def test_a_question_is_about_a_subject_and_a_relation(witness: Witness):
    assert witness.topic("Where was Ada Lund born?") == ("Ada Lund", "birthplace")
    for asked in ("Who was Ada Lund?", "Where was Zoë born?"):
        with pytest.raises(BadData, match="expected"):
            witness.topic(asked)
        assert not witness.asker.can_ask(asked)
        with pytest.raises(BadData, match="expected"):
            witness.testify([asked])


def test_a_relation_that_was_not_learnt_has_no_evidence(witness: Witness):
    assert witness.judge("Ada Lund", "Oslo", "deathplace") is None


# --- strangers -------------------------------------------------------------------------------


def test_strangers_are_nobody_and_can_be_asked_about(witness: Witness):
    dataset = witness.run.dataset
    text = "\n".join(d.text for d in dataset.documents)
    asked = [q.text for q in dataset.questions[:5]]
    for question, names in zip(dataset.questions, witness.strangers(asked), strict=False):
        assert 1 < len(names) == len(set(names)) <= STRANGERS
        for name in names:
            assert witness.asker.spells(name)
            assert name not in text
            assert set(name.split()) & set(question.subject.split()), "a namesake"
        assert not set(names) & {q.subject for q in dataset.questions}


def test_subjects_of_one_word_are_asked_about_like_any_other(tmp_path: Path, tiny_settings):
    """Nothing can be recombined there, and what the text is about may be nobody's name."""
    words = "Arno Beck Cole Dorn Eder Falk Gard Holm Iser Jost Kern Lund Moor Nies".split()
    (tmp_path / "c.txt").write_text("".join(f"{w} runs by Oslo.\n" for w in words))
    (tmp_path / "q.tsv").write_text("".join(f"What does {w} run by?\tOslo\n" for w in words))
    small = [setting for setting in tiny_settings if not setting.startswith("data.")]
    files = [f"data.corpus={tmp_path}/c.txt", f"data.questions={tmp_path}/q.tsv"]
    api.run("facts", out=tmp_path / "run", settings=[*small, *files])
    witness = open_witness(open_run(tmp_path / "run"))
    (names,) = witness.strangers(["What does Arno run by?"])
    assert names
    assert not set(names) & set(words)
    (found,) = witness.testify(["What does Arno run by?"])
    assert 0 <= found.source.probability <= 1


# --- what is kept beside a run ---------------------------------------------------------------


def test_a_folder_that_cannot_be_written_is_asked_all_the_same(
    tiny_run: Path, tmp_path: Path, read_only: None
):
    copy = copy_of(tiny_run, tmp_path)
    for file in (copy / FILE, copy / "audit" / fitted.FILE):
        file.unlink(missing_ok=True)
    before = sorted(copy.rglob("*"))
    witness = open_witness(open_run(copy))
    question = witness.run.dataset.select("held-out")[0]
    (found,) = witness.testify([question.text])
    assert found.evidence is not None
    assert found.evidence.stated == question.answer
    assert sorted(copy.rglob("*")) == before


def test_a_run_without_a_predictor_of_its_own_borrows_one(witness: Witness, path: Path):
    assert witness.predictor.borrowed
    assert witness.predictor == read_source(path / "audit")


# --- doubt -----------------------------------------------------------------------------------


def test_doubt_that_was_not_written_is_learnt_from_calibration_people(path: Path, tmp_path: Path):
    copy = copy_of(path, tmp_path)
    written = Witness(open_run(copy)).doubt
    (copy / "audit" / "confidence.json").unlink()
    learnt = Witness(open_run(copy)).doubt
    assert written is not None
    assert learnt is not None
    assert learnt.calibration.weights == pytest.approx(written.calibration.weights)
    assert learnt.threshold.n == written.threshold.n == 8 + 2 + 4
    assert not (copy / "audit" / "confidence.json").exists()


def test_without_calibration_people_every_answer_is_given_and_none_is_sure(facts_folder: Path):
    witness = open_witness(open_run(facts_folder / "run"))
    assert witness.doubt is None
    (found,) = witness.testify(["Where was Ada Lund born?"])
    assert (found.reply.confidence, found.reply.known) == (None, True)
    assert found.evidence is not None
    assert found.evidence.stated == "Oslo"


def test_a_calibration_over_other_features_is_another_versions(path: Path, tmp_path: Path):
    copy = copy_of(path, tmp_path)
    file = copy / "audit" / "confidence.json"
    doubt = json.loads(file.read_text())
    for name in ("features", "mean", "scale", "weights"):
        doubt["calibration"][name] = doubt["calibration"][name][:3]
    file.write_text(json.dumps(doubt))
    with pytest.raises(Mismatch, match="found another version's; 'wherefrom evaluate"):
        _ = Witness(open_run(copy)).doubt


# --- runs that cannot be asked ---------------------------------------------------------------


def test_a_run_that_is_not_finished_is_no_witness(path: Path, tmp_path: Path):
    copy = copy_of(path, tmp_path)
    (copy / "status.json").write_text('{"state": "unfinished", "seconds": 1.0}')
    with pytest.raises(MissingInput, match="expected a finished run"):
        open_witness(open_run(copy))


def test_a_run_that_answers_nothing_is_no_witness(tmp_path: Path):
    small = ["data.sentences=100", "stages.train.steps=5", "threads=1"]
    api.run("bigram-tiny", out=tmp_path / "b", settings=small)
    with pytest.raises(BadData, match="expected a run that answers questions, found bigram-tiny"):
        open_witness(open_run(tmp_path / "b"))
