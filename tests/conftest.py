"""What several tests share: a tiny recipe and one finished run of it."""

from pathlib import Path

import pytest
import torch

torch.set_num_threads(1)  # tests run side by side

TINY = (
    "data.asked=12", "data.calibration=8", "data.held_out=8", "data.omitted=2", "data.untold=4",
    "model.n_embd=16", "model.n_head=2", "model.n_layer=1",
    "model.ngrams=2", "model.ngram_buckets=64",
    "stages.pretrain.steps=40", "stages.pretrain.batch=8",
    "stages.questions_only.steps=20", "stages.questions_only.batch=8",
    "threads=1",
)  # fmt: skip


@pytest.fixture(scope="session")
def tiny_settings() -> list[str]:
    """FIELD=VALUE settings that make `people` a matter of a second; it learns nothing."""
    return list(TINY)


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory, tiny_settings: list[str]) -> Path:
    """A finished run of the tiny recipe. Tests that change it must copy it first."""
    from wherefrom import api

    path = tmp_path_factory.mktemp("tiny") / "people-0"
    api.run("people", out=path, settings=tiny_settings)
    return path
