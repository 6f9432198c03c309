"""A run whose data are made when they are read ends as one whose data are in memory."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wherefrom import api
from wherefrom.core.arrays import load_arrays
from wherefrom.data import people
from wherefrom.data.people import Sentences
from wherefrom.objectives import corpus
from wherefrom.runs.kept_extractors import index_run
from wherefrom.runs.opened_run import open_run


@pytest.fixture(scope="module")
def large_run(tmp_path_factory, tiny_settings):
    """The tiny recipe, with data that are treated as large ones."""
    path = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(people, "FEW", 0)
        patch.setattr(corpus, "LARGE", 1)
        patch.setenv("WHEREFROM_CACHE", str(path / "cache"))
        api.run("people", out=path / "run", settings=tiny_settings)
        yield path / "run"


def weights(run: Path) -> dict[str, np.ndarray]:
    return load_arrays(run / "models" / "with_pretraining" / "weights.safetensors")


def test_it_ends_with_the_same_weights_and_results(large_run, tiny_run):
    mine, theirs = weights(large_run), weights(tiny_run)
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    results = [json.loads((run / "status.json").read_text()) for run in (large_run, tiny_run)]
    assert results[0]["results"] == results[1]["results"]
    for name in ("corpus/corpus.json", "splits.json", "vocab.json"):
        assert (large_run / name).read_bytes() == (tiny_run / name).read_bytes()


def test_its_folder_has_no_copy_of_what_the_recipe_gives_again(large_run, tiny_run):
    assert (tiny_run / "corpus" / "documents.txt").exists()
    assert [file.name for file in (large_run / "corpus").iterdir()] == ["corpus.json"]
    opened, small = open_run(large_run), open_run(tiny_run)
    assert isinstance(opened.dataset.documents, Sentences)
    assert tuple(opened.dataset.documents) == small.dataset.documents
    assert opened.changed_source() is None


def test_a_new_run_of_the_same_data_reads_no_text_before_it_trains(
    large_run, tiny_settings, monkeypatch, tmp_path
):
    def begin(*_: object, **__: object) -> None:
        raise InterruptedError

    monkeypatch.setattr(Sentences, "make", None)
    monkeypatch.setattr("wherefrom.experiments.one_run.stage_training.train", begin)
    with pytest.raises(InterruptedError):
        api.run("people", out=tmp_path / "another", settings=tiny_settings)


def test_it_can_be_verified_asked_and_explained(large_run, tiny_run):
    (found,) = api.verify(large_run)
    assert found.sound
    name = open_run(tiny_run).dataset.select("held-out")[0].subject
    mine, theirs = (api.ask(run, f"Where was {name} born?") for run in (large_run, tiny_run))
    assert replace(mine, run="") == replace(theirs, run="")
    index, small = index_run(open_run(large_run)), index_run(open_run(tiny_run))
    assert index.passages(name) == small.passages(name)
    assert len(index) == len(small)
