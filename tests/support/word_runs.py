"""A run of a model of words, which tests of perplexity share."""

from pathlib import Path

import numpy as np
import pytest

from wherefrom import api

TRAIN = "The\tDT\ncat\tNN\nsat\tVBD\n.\t.\n\n" * 30 + "A\tDT\ndog\tNN\nran\tVBD\n.\t.\n\n" * 20
WORDS = ("the", "UUUNKKK", "<s>", "</s>", "cat", ".", "sat", "DGDGDGDG")


@pytest.fixture(scope="session")
def word_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bigram network of eight words."""
    folder = tmp_path_factory.mktemp("words")
    (folder / "wsj_public_train.tsv").write_text(TRAIN)
    (folder / "ptb-dev.txt").write_text("the\tDT\ndog\tNN\nsat\tVBD\n")
    (folder / "vocab.ptb.txt").write_text("".join(f"{word}\n" for word in WORDS))
    np.save(folder / "glove.6B.50d.subset.npy", np.eye(4, 3, dtype=np.float32))
    (folder / "glove.6B.50d.subset.words.txt").write_text("the\ncat\n.\nsat\n")
    settings = [f"data.folder={folder}", f"data.words={len(WORDS)}", "model.width=3"]
    settings += ["stages.homework.steps=50", "stages.better.steps=20", "threads=1"]
    return Path(api.run("bigram", out=folder / "run", settings=settings))
