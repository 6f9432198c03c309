"""Right answers beside wrong ones: drawn by a seed, counted over all, of runs and of files."""

import shutil
from pathlib import Path
from statistics import median

import pytest

import wherefrom
from wherefrom.core.errors import BadData, MissingInput, UsageError

PLACES = "Oslo Rome Lima Bonn Cork Kyiv".split()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Twelve questions; no text lies beside them."""
    path = tmp_path / "questions.tsv"
    rows = [f"Where was Person {chr(65 + i)} born?\t{PLACES[i % 6]}\n" for i in range(12)]
    path.write_text("".join(rows), encoding="utf-8")
    return path


def predict(table: Path, wrong: set[int]) -> Path:
    """The answers of the table, but for some lines."""
    path = table.with_name("some.dev.predictions")
    rows = [line.split("\t")[1] for line in table.read_text("utf-8").splitlines()]
    said = ["Nowhere" if i in wrong else place for i, place in enumerate(rows)]
    path.write_text("\n".join(said), encoding="utf-8")
    return path


def test_a_file_beside_its_questions(table):
    found = wherefrom.examples(predict(table, {1, 4, 11}), questions=table, number=2)
    assert (found.questions, found.right_questions) == (12, 9)
    assert [len(found.right), len(found.wrong)] == [2, 2]
    assert all(each.right and each.prediction == each.answer for each in found.right)
    wrong = {each.question[17] for each in found.wrong}
    assert wrong < {"B", "E", "L"}
    assert {each.prediction for each in found.wrong} == {"Nowhere"}
    first = found.wrong[0]
    assert (first.model_probability, first.confidence, first.evidence) == (None, None, None)
    assert (found.right_probability, found.model) == (None, None)
    assert "no wiki.txt" in found.notes[0]


def test_a_seed_draws_the_same_again_and_another_seed_others(table):
    right = wherefrom.examples(predict(table, set()), questions=table)
    assert (len(right.right), right.wrong) == (5, ()), "nothing is wrong"
    path = predict(table, {0, 2, 4, 6, 8, 10})
    draws = [wherefrom.examples(path, questions=table, seed=s, number=2) for s in (0, 0, 1, 2, 3)]
    assert draws[0] == draws[1]
    assert len({each.wrong for each in draws}) > 1
    every = wherefrom.examples(path, questions=table, number=50)
    assert [len(every.right), len(every.wrong)] == [6, 6]
    assert [each.question[17] for each in every.wrong] == list("ACEGIK")


def test_a_file_of_another_length_or_without_questions_is_refused(table, tmp_path, monkeypatch):
    path = predict(table, set())
    path.write_text("Rome\n" * 11, encoding="utf-8")
    with pytest.raises(BadData, match=r"expected 12 lines, one for each question .* found 11"):
        wherefrom.examples(path, questions=table)
    monkeypatch.setenv("WHEREFROM_HOME", str(tmp_path / "home"))
    with pytest.raises(MissingInput, match="name them with --questions"):
        wherefrom.examples(predict(table, {1}))


def test_the_text_beside_the_questions_is_evidence(table):
    names = [line.split()[2:4] for line in table.read_text("utf-8").splitlines()]
    said = [f"{' '.join(n)} was born in {PLACES[i % 6]}.\n" for i, n in enumerate(names)]
    (table.parent / "wiki.txt").write_text("".join(said), encoding="utf-8")
    for name in ("birth_places_train.tsv", "birth_dev.tsv"):
        shutil.copy(table, table.with_name(name))
    found = wherefrom.examples(predict(table, {1, 4, 11}), questions=table)
    assert {each.evidence and each.evidence.label for each in found.right} == {"supported"}
    assert {each.evidence and each.evidence.label for each in found.wrong} == {"contradicted"}
    assert found.notes == ()


# -- runs ------------------------------------------------------------------------------------------


def test_a_run_shows_probabilities_and_evidence(tiny_run):
    run = wherefrom.open_run(tiny_run)
    found = wherefrom.examples(run, number=3)
    predictions = run.predictions(run.recipe.primary, run.recipe.tasks[0].name)
    stored = {p.question.text: p for p in predictions}
    assert found.questions == len(stored)
    assert found.right_questions == sum(p.correct for p in stored.values())
    for each in (*found.right, *found.wrong):
        own = stored[each.question]
        assert (each.prediction, each.right) == (own.answer.text, own.correct)
        assert each.model_probability == own.answer.probability
        assert each.evidence is not None
    assert found.wrong
    for right, shown in ((True, found.right_probability), (False, found.wrong_probability)):
        own = [p.answer.probability for p in stored.values() if p.correct == right]
        assert shown == (median(own) if own else None)
    (reply,) = wherefrom.ask(run, found.wrong[0].question)
    if reply.answer == found.wrong[0].prediction:
        assert found.wrong[0].confidence == reply.confidence
    other = wherefrom.examples(tiny_run, model="without_pretraining")
    assert other.model == "without_pretraining"
    assert {each.confidence for each in (*other.right, *other.wrong)} == {None}, "it has no policy"


def test_one_relation_of_several(relations_run, sentiment_run):
    every = wherefrom.examples(relations_run, number=100)
    relations = {each.relation for each in (*every.right, *every.wrong)}
    assert len(relations) == 2
    counted = 0
    for relation in sorted(relations):
        found = wherefrom.examples(relations_run, number=100, relation=relation)
        assert {each.relation for each in (*found.right, *found.wrong)} == {relation}
        counted += found.questions
    assert counted == every.questions
    # Reviews have no evidence.
    found = wherefrom.examples(sentiment_run, number=2)
    assert {each.evidence for each in (*found.right, *found.wrong)} == {None}
    assert found.right_probability is not None


def test_evidence_is_as_read_where_a_reply_says_so(relations_run):
    """The answers of the notes stand in the text once: where the reader read them."""
    found = wherefrom.examples(relations_run, model="open_book")
    assert found.right
    assert {each.evidence and each.evidence.shown for each in found.right} == {"as read"}
    found = wherefrom.examples(relations_run, number=20)
    shown = [*found.right, *found.wrong]
    replies = wherefrom.ask(relations_run, [each.question for each in shown])
    pairs = [(e, r) for e, r in zip(shown, replies, strict=True) if e.prediction == r.answer]
    assert pairs
    assert all(example.evidence == reply.evidence for example, reply in pairs)


def test_names_that_are_not_there_and_options_of_the_other_kind(tiny_run, table):
    for option in ("relation", "model", "task"):
        with pytest.raises(UsageError, match=f"--{option}: no {option} 'nothing'"):
            wherefrom.examples(tiny_run, **{option: "nothing"})
    with pytest.raises(UsageError, match="--relation: expected none"):
        wherefrom.examples(predict(table, {1}), questions=table, relation="birthplace")
    with pytest.raises(UsageError, match="--questions: expected none"):
        wherefrom.examples(tiny_run, questions=table)
