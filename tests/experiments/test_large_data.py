"""A run whose text is mapped from files ends as one whose text is in memory."""

import json
from pathlib import Path

import numpy as np
import pytest

from wherefrom import api
from wherefrom.core.files import read_arrays
from wherefrom.objectives import corpus


@pytest.fixture(scope="module")
def large_run(tmp_path_factory, tiny_settings):
    """The tiny recipe, with a text that is treated as a large one."""
    path = tmp_path_factory.mktemp("large")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(corpus, "LARGE", 1)
        patch.setenv("WHEREFROM_CACHE", str(path / "cache"))
        api.run("people", out=path / "run", settings=tiny_settings)
        assert any((path / "cache").glob("corpus-*"))
        yield path / "run"


def weights(run: Path) -> dict[str, np.ndarray]:
    return read_arrays(run / "models" / "with_pretraining" / "weights.safetensors")


def test_it_ends_with_the_same_weights_and_results(large_run, tiny_run):
    mine, theirs = weights(large_run), weights(tiny_run)
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    results = [json.loads((run / "status.json").read_text()) for run in (large_run, tiny_run)]
    assert results[0]["results"] == results[1]["results"]
    for name in ("corpus/corpus.json", "splits.json", "vocab.json"):
        assert (large_run / name).read_bytes() == (tiny_run / name).read_bytes()
