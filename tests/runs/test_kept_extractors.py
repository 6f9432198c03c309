"""The fact checker of a run: fitted once, kept beside it, and fitted again where need be."""

import json
import shutil
from pathlib import Path

import pytest

from wherefrom.core.artifact import publish_folder
from wherefrom.core.config import to_json
from wherefrom.core.errors import BadData
from wherefrom.reading import index as index_module
from wherefrom.reading.index import Index
from wherefrom.reading.verdict import FactChecker
from wherefrom.runs import kept_extractors as evidence
from wherefrom.runs.kept_extractors import FILE, index_run, open_fact_checker
from wherefrom.runs.layout import EVIDENCE, INDEX
from wherefrom.runs.opened_run import open_run


@pytest.fixture(scope="module")
def kept(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has its extractors beside it."""
    path = Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("fitted") / "run"))
    shutil.rmtree(path / EVIDENCE, ignore_errors=True)
    assert open_fact_checker(open_run(path)) is not None
    return path


@pytest.fixture
def path(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "run"))


def test_what_was_fitted_is_read_again_and_not_fitted(path, monkeypatch):
    run = open_run(path)
    shutil.rmtree(path / EVIDENCE)
    first = open_fact_checker(run)
    assert first.extractors.keys() == {"birthplace"}

    def fit(*_):
        raise AssertionError("it was fitted already")

    monkeypatch.setattr(FactChecker, "fit", fit)
    again = open_fact_checker(open_run(path))
    assert again.extractors == first.extractors
    question = run.dataset.select("held-out")[0]
    verdicts = [c.judge(question.subject, question.answer, "birthplace") for c in (first, again)]
    assert verdicts[0] == verdicts[1]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: "{",
        lambda whole: json.dumps(whole | {"relations": {"birthplace": 1}}),
        lambda whole: json.dumps(whole | {"sha256": "0" * 64, "relations": {}}),
        lambda whole: json.dumps(whole | {"format_version": 1}),
    ],
)
def test_what_is_not_sound_or_of_another_text_is_fitted_again(path, spoil):
    """By itself, and as the content of a folder that is whole."""
    file = path / EVIDENCE / FILE
    sound = file.read_text()
    spoilt = spoil(json.loads(sound))
    file.write_text(spoilt)
    assert open_fact_checker(open_run(path)) is not None
    assert file.read_text() == sound
    with publish_folder(path / EVIDENCE, {}) as folder:
        (folder / FILE).write_text(spoilt)
    assert open_fact_checker(open_run(path)) is not None
    assert json.loads(file.read_text()).keys() == json.loads(sound).keys()


def test_a_folder_that_cannot_be_written_has_a_checker_all_the_same(path, read_only):
    """Its index is in memory."""
    for folder in (EVIDENCE, INDEX):
        shutil.rmtree(path / folder)
    run = open_run(path)
    checker = open_fact_checker(run)
    question = run.dataset.select("held-out")[0]
    assert checker.judge(question.subject, question.answer, "birthplace").label == "supported"
    assert not (path / EVIDENCE).exists()
    assert not (path / INDEX).exists()


def test_a_text_with_too_few_answers_has_no_checker_and_no_file(path, monkeypatch):
    shutil.rmtree(path / EVIDENCE)

    def fit(*_):
        raise BadData("evidence: expected at least 3 asked questions, found 0")

    monkeypatch.setattr(evidence.FactChecker, "fit", fit)
    assert open_fact_checker(open_run(path)) is None
    assert not (path / EVIDENCE).exists()


def test_a_run_has_its_index_beside_it_and_a_new_one_for_other_text(own_run):
    run = open_run(own_run)
    index = index_run(run)
    person = run.dataset.select("held-out")[0].subject
    assert [index.document(i).text for i in index.about(person)] == [
        d.text for d in run.dataset.documents if d.subject and d.subject.of(d.text) == person
    ]
    without_text = run.dataset.select("held-out", ("none",))
    assert {index.about(q.subject) for q in without_text} == {()}
    file = own_run / INDEX / index_module.FILE
    written = file.stat().st_mtime_ns
    index_run(run).close()
    assert file.stat().st_mtime_ns == written
    for spoil in (
        lambda: Index.build(own_run / INDEX, [], "other").close(),
        lambda: file.write_bytes(b"x"),
    ):
        spoil()
        assert len(index_run(run)) == len(run.dataset.documents)


def test_what_the_reader_of_notes_learnt_is_kept_for_the_fact_checker(relations_run: Path):
    """It is what the checker would learn from the index: of each relation, the same extractor."""
    run = open_run(relations_run)
    stored = json.loads((relations_run / "evidence" / "extractors.json").read_text())
    fitted = FactChecker.fit(index_run(run), run.dataset.asked)
    assert len(fitted.extractors) == 2
    assert stored["relations"] == json.loads(json.dumps(to_json(fitted.extractors)))
