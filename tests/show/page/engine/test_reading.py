"""Character models in the page against the package's own reading of texts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from tests.support.engine import embed, pack
from wherefrom import api
from wherefrom.core.characters import fold
from wherefrom.experiments.comparing.run_perplexity import open_reader
from wherefrom.models.gru import GRU, GRUConfig
from wherefrom.runs.opened_run import Run, open_run

ENGINE = {"engine.js": "Engine, openModel"}
GPT = (
    "model.n_embd=16", "model.n_head=2", "model.n_layer=1", "model.block_size=32",
    "stages.train.steps=4", "stages.train.batch=2", "threads=1",
)  # fmt: skip
TEXTS = [
    *("To be, or not to be: that is the question.", "x", ""),
    "Ünïcode “quotes” — and 中文 here",
    "A longer text, which a small model cannot read at once. " * 3,
]


@pytest.fixture(scope="session")
def text_gpt(text_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A character GPT that reads 32 characters at once."""
    out = tmp_path_factory.mktemp("gpt") / "run"
    settings = [*GPT, f"data.folder={text_file}"]
    return Path(api.run("shakespeare-gpt", out=out, settings=settings).run)


@pytest.fixture(scope="module", params=["character_run", "text_gpt"])
def opened(request: pytest.FixtureRequest) -> tuple[Run, dict[str, Any]]:
    run = open_run(request.getfixturevalue(request.param))
    return run, embed(run)


@pytest.mark.parametrize("layers", [1, 3])
def test_a_grus_distributions_are_torchs(run_js, layers: int) -> None:
    torch.manual_seed(layers)
    model = GRU(GRUConfig(vocab_size=13, n_embd=5, n_hidden=6, n_layer=layers)).eval()
    texts = [[1, 2, 3, 4, 5, 6], [1, 2, 9], [7], [1, 2, 3, 8, 8, 8, 8]]
    code = """
    const model = openModel(given.manifest, given.weights);
    const tree = model.tree();
    const ends = given.texts.map((text) => tree.place(text));
    tree.expect(ends);
    return ends.map((node) => [...tree.distribution(node)]);
    """
    found = run_js(ENGINE, code, {**pack(model), "texts": texts})
    for text, row in zip(texts, found, strict=True):
        with torch.inference_mode():
            expected = model(torch.tensor([text]))[0, -1].log_softmax(-1).numpy()
        assert np.abs(np.array(row) - expected).max() < 1e-5


def test_bits_are_the_readers(run_js, opened: tuple[Run, dict[str, Any]]) -> None:
    run, given = opened
    code = """
    const engine = new Engine(given.data, given.weights);
    const next = (text, model) => engine.call('next', { text, model });
    return given.names.map((model) => given.texts.map((text) => next(text, model)));
    """
    names = [model.name for model in run.recipe.models]
    assert given["data"]["kind"] == "characters"
    found = run_js(ENGINE, code, {**given, "texts": TEXTS, "names": names})
    for name, rows in zip(names, found, strict=True):
        _, reader = open_reader(run, name)
        for text, here in zip(TEXTS, rows, strict=True):
            assert here["unknown"] == [c for c in dict.fromkeys(text) if fold(c).text != c]
            if len(here["form"]) < 2:
                continue
            reading = reader.read(text)
            assert here["form"] == reading.form
            nats = reading.nats[reading.scored]
            assert np.allclose(here["bits"], nats / np.log(2), atol=1e-4)
            assert here["total"] == pytest.approx(sum(here["bits"]))
        first = rows[0]["characters"]
        assert len(first) == 12
        assert first == sorted(first, key=lambda c: -c["probability"])
