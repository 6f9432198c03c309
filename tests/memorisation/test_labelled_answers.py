"""The file of labelled answers: what is written is read, and the figures are those of the audit."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wherefrom.answering.source import SOURCE_FEATURES
from wherefrom.core.answer_table import AnswerTable, FeatureTable
from wherefrom.core.contracts import Answer, Question
from wherefrom.core.errors import BadData, Damaged, MissingInput
from wherefrom.memorisation.labelled_answers import LabelledAnswers, pack_labelled, read_labelled
from wherefrom.memorisation.predictor import fit_source_predictor

N, K = 60, 6


@pytest.fixture(scope="module")
def labelled() -> LabelledAnswers:
    """Answers that are recalled where the first feature is high; one of each pair had the text."""
    chance = np.random.default_rng(0)
    values = chance.normal(size=(N, len(SOURCE_FEATURES)))
    has_text = np.zeros((K, N), dtype=bool)
    for pair in range(0, K, 2):
        has_text[pair] = chance.random(N) < 0.5
        has_text[pair + 1] = ~has_text[pair]
    recalled = values[:, 0] > 0
    p = np.where(has_text & recalled, 0.9, 0.2) + 0.01 * chance.normal(size=(K, N))
    answers = tuple(Answer("Zürich" if i % 3 else "Oslo", chance.random()) for i in range(N))
    known = tuple(
        Question(
            text=f"Where was A{i} born?",
            subject="",  # the file does not say it
            relation="birthplace",
            answer=answers[i].text if recalled[i] else None,
            split="calibration" if i % 2 else "held-out",
            support="none" if i % 10 < 2 else "stated",
        )
        for i in range(N)
    )
    columns = {"confidence": chance.random(N), "p": p.T, "with": has_text.T}
    features = FeatureTable.from_matrix(values, SOURCE_FEATURES)
    models = tuple(f"without-{i // 2}-{('first', 'second')[i % 2]}" for i in range(K))
    return LabelledAnswers("people-0", models, AnswerTable((), answers, features, known, columns))


def change(labelled: LabelledAnswers, **columns: np.ndarray) -> LabelledAnswers:
    table = labelled.table
    return replace(labelled, table=replace(table, columns={**table.columns, **columns}))


def test_what_is_written_is_read_again(labelled: LabelledAnswers, tmp_path: Path):
    (tmp_path / "a.gz").write_bytes(pack_labelled(labelled))
    found = read_labelled(tmp_path / "a.gz")
    one, other = labelled.table, found.table
    assert (other.known, found.models, found.run) == (one.known, labelled.models, "people-0")
    assert [a.text for a in other.answers] == [a.text for a in one.answers]
    for name, column in (*one.columns.items(), *one.features.columns.items()):
        np.testing.assert_allclose({**other.columns, **other.features.columns}[name], column, 1e-4)
    (tmp_path / "b.gz").write_bytes(pack_labelled(found))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_an_unknown_number_stays_unknown(labelled: LabelledAnswers, tmp_path: Path):
    p = labelled.p_KN.copy()
    p[3, 5] = np.nan
    missing = change(labelled, p=p.T, confidence=np.full(N, np.nan))
    (tmp_path / "a.gz").write_bytes(pack_labelled(missing))
    found = read_labelled(tmp_path / "a.gz")
    assert np.argwhere(np.isnan(found.p_KN)).tolist() == [[3, 5]]
    assert np.isnan(found.table.columns["confidence"]).all()
    measured = found.measure(found.fit(), found.select("held-out"))
    assert measured.confidence_alone is None


def test_the_file_is_enough_for_every_figure(labelled: LabelledAnswers, tmp_path: Path):
    """The predictor that is fitted on calibration people knows the first feature."""
    (tmp_path / "a.gz").write_bytes(pack_labelled(labelled))
    found = read_labelled(tmp_path / "a.gz")
    predictor = found.fit()
    assert predictor.models == K
    for nobody in (
        replace(found, table=found.table.rows(found.select("held-out"))),
        change(found, p=np.full((N, K), np.nan)),
    ):  # fmt: skip
        with pytest.raises(BadData, match="expected calibration people with text and a measured m"):
            nobody.fit()
    here = found.select("calibration") & found.in_corpus
    assert here.sum() == 24
    expected = fit_source_predictor(found.table.features.rows(here), found.memorisation.m[here], K)
    assert found.predict(predictor) == pytest.approx(found.predict(expected))
    measured = found.measure(predictor, found.select("held-out"))
    assert measured.auroc_with_text.value > 0.9
    assert measured.auroc_with_text.n == 24, "held-out people with text"
    assert measured.reliability.pairs == 3


def test_a_file_that_is_missing_or_damaged(labelled: LabelledAnswers, tmp_path: Path):
    path = tmp_path / "labels.jsonl.gz"
    with pytest.raises(MissingInput, match="expected labelled answers, found"):
        read_labelled(path)
    path.write_bytes(pack_labelled(labelled))
    whole = path.read_bytes()
    head, *rows = gzip.decompress(whole).decode().splitlines()
    other = json.dumps(json.loads(head) | {"format_version": 9})
    short = json.dumps(json.loads(rows[0]) | {"p": [0.1]})
    for content in (
        whole[:100] + bytes(50) + whole[150:],
        gzip.compress(b"{}\n"),
        gzip.compress("\n".join([other, *rows]).encode()),
        gzip.compress("\n".join([head, short]).encode()),
        gzip.compress(head.encode()),
    ):
        path.write_bytes(content)
        with pytest.raises(Damaged, match=r"labels\.jsonl\.gz"):
            read_labelled(path)
