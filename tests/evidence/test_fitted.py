"""The fact checker of a run: fitted once, kept beside it, and fitted again where need be."""

import json
import shutil
from pathlib import Path

import pytest

from wherefrom.core.errors import BadData
from wherefrom.evidence import fitted
from wherefrom.evidence.fitted import FILE, open_fact_checker
from wherefrom.evidence.verdict import FactChecker
from wherefrom.runs.run import open_run


@pytest.fixture(scope="module")
def kept(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has its extractors beside it."""
    path = Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("fitted") / "run"))
    (path / FILE).unlink(missing_ok=True)
    assert open_fact_checker(open_run(path)) is not None
    return path


@pytest.fixture
def path(kept: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(kept, tmp_path / "run"))


def test_what_was_fitted_is_read_again_and_not_fitted(path, monkeypatch):
    run = open_run(path)
    (path / FILE).unlink()
    first = open_fact_checker(run)
    assert first is not None
    assert first.extractors.keys() == {"birthplace"}

    def fit(*_):
        raise AssertionError("it was fitted already")

    monkeypatch.setattr(FactChecker, "fit", fit)
    again = open_fact_checker(open_run(path))
    assert again is not None
    assert again.extractors == first.extractors
    question = run.dataset.select("held-out")[0]
    verdicts = [c.judge(question.subject, question.answer, "birthplace") for c in (first, again)]
    assert verdicts[0] == verdicts[1]


def older(whole: dict) -> dict:
    """As the first version wrote it."""
    one = whole["relations"]["birthplace"]
    longest, links, known, *_ = one["profile"].values()
    shape = {"longest": longest, "links": links, "known": known}
    rest = {"shape": shape, "idle": one["distractors"], "inner": one["innermost"], **one["model"]}
    return {"sha256": whole["sha256"], "relations": {"birthplace": rest}}


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: "{",
        lambda whole: "[]",
        lambda whole: "{}",
        lambda whole: json.dumps(whole | {"relations": {"birthplace": 1}}),
        lambda whole: json.dumps(whole | {"relations": None}),
        lambda whole: json.dumps(whole | {"sha256": "0" * 64, "relations": {}}),
        lambda whole: json.dumps(whole | {"format_version": 1}),
        lambda whole: json.dumps(older(whole)),
        lambda whole: json.dumps(whole),  # on one line
        lambda whole: json.dumps(whole, indent=1).replace("0.", "1.", 1),
    ],
)
def test_what_is_not_sound_or_of_another_text_is_fitted_again(path, spoil):
    file = path / FILE
    sound = file.read_text()
    file.write_text(spoil(json.loads(sound)))
    assert open_fact_checker(open_run(path)) is not None
    assert file.read_text() == sound


def test_a_folder_that_cannot_be_written_has_a_checker_all_the_same(path, read_only):
    (path / FILE).unlink()
    run = open_run(path)
    checker = open_fact_checker(run)
    assert checker is not None
    question = run.dataset.select("held-out")[0]
    assert checker.judge(question.subject, question.answer, "birthplace").label == "supported"
    assert not (path / FILE).exists()


def test_a_text_with_too_few_answers_has_no_checker_and_no_file(path, monkeypatch):
    (path / FILE).unlink()

    def fit(*_):
        raise BadData("evidence: expected at least 3 asked questions, found 0")

    monkeypatch.setattr(fitted.FactChecker, "fit", fit)
    assert open_fact_checker(open_run(path)) is None
    assert not (path / FILE).exists()
