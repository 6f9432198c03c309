"""Which models travel in a page, how exactly, and when they are too large."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from wherefrom.core.errors import BadData
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.runs.opened_run import open_run
from wherefrom.show.page import packed_models as models
from wherefrom.show.page.packed_models import pack_model, pack_models


def test_a_model_that_is_only_scored_is_not_in_the_page(relations_run: Path) -> None:
    names = [each.name for each in pack_models(open_run(relations_run), "int8")]
    assert names == ["with_pretraining", "without_pretraining"]


def test_the_less_room_there_is_the_fewer_bits(tiny_run: Path, monkeypatch) -> None:
    run = open_run(tiny_run)

    def choose(room: int) -> list[str]:
        monkeypatch.setattr(models, "COMFORTABLE", room)
        return [each.precision for each in pack_models(run, beside=1000)]

    def size(*precisions: str) -> int:
        names = ("with_pretraining", "without_pretraining")
        packed = [pack_model(n, run.model(n), p) for n, p in zip(names, precisions, strict=True)]
        return 1000 + sum(len(each.weights.base64) for each in packed)

    for kinds in (("fp16", "fp16"), ("int12", "int12"), ("int12", "int8"), ("int8", "int8")):
        assert choose(size(*kinds)) == list(kinds)
    assert choose(0) == ["int8", "int8"]
    # Models that no page can hold.
    monkeypatch.setattr(models, "LARGEST", 1000)
    monkeypatch.setattr(models, "COMFORTABLE", 1000)
    expected = "expected models of at most about .* million parameters together with precision"
    with pytest.raises(BadData, match=f"{expected} 'int8', found .*the report is made without"):
        pack_models(run)
    with pytest.raises(BadData, match=f"{expected} 'fp32', found .*use --precision int8"):
        pack_models(run, "fp32")


def test_a_mixer_that_the_page_does_not_know() -> None:
    model = GPT(GPTConfig(vocab_size=5, n_layer=1, n_embd=8, n_head=1))
    model.config = SimpleNamespace(**structs.asdict(model.config) | {"attention": "other"})
    with pytest.raises(BadData, match="expected an attention that the page can compute, found"):
        pack_model("model", model, "fp16")
