"""What the first process has the others do: here, the others are scripted."""

import json
from contextlib import nullcontext
from signal import SIGTERM
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.errors import Mismatch, Unavailable
from wherefrom.experiments.recipes.recipe_catalogue import get_recipe
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.generation.scoring import ScoreRequest, batches, read_batches
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.runs.crew import (
    Crew,
    LedLearner,
    SpreadAnswerer,
    current_crew,
    generate_own,
    read,
    read_together,
)
from wherefrom.runs.descriptions import describe

TEXTS = [[5], [3, 4, 7], [2, 9, 9, 1], [4, 4, 4, 4, 4], [6, 2], [8, 3, 1, 1, 2, 2], [7, 7, 7]]


class Others:
    """Processes that have read `data`, and what was said to them."""

    def __init__(self, data: Dataset | None = None) -> None:
        self.data, self.said, self.rank, self.size = data, [], 0, 2
        self.in_step, self.left, self.deaf = True, False, False

    def tell(self, message: dict[str, Any]) -> None:
        if self.deaf:
            raise Unavailable("gone")
        self.said.append(message)

    def gather(self, value: Any) -> list[Any]:
        return [value, value]

    def leave(self) -> None:
        self.left = True


@pytest.fixture(scope="module")
def model() -> GPT:
    torch.manual_seed(0)
    shape = {"vocab_size": 12, "block_size": 12, "n_layer": 1, "n_head": 2, "n_embd": 8}
    return GPT(GPTConfig(**shape)).eval()


class Decoding(Others):
    """The first of several processes; the others decode their rows as it gathers its own."""

    def __init__(self, size: int, model: GPT, requests: list[Request]) -> None:
        super().__init__()
        self.size, self.rows, self.together = size, slice(0, None, size), nullcontext
        self.model, self.requests = model, requests

    def share(self, tensors: list[torch.Tensor]) -> None:
        self.shared = tensors

    def gather(self, value: Any) -> list[Any]:
        others: list[Any] = [
            SimpleNamespace(rows=slice(rank, None, self.size)) for rank in range(1, self.size)
        ]
        found = [value, *(generate_own(each, self.model, self.requests) for each in others)]
        return json.loads(json.dumps(found))


@pytest.mark.parametrize("size", [1, 2, 3])
def test_several_processes_decode_what_one_does(model: GPT, size: int):
    """Their batches are smaller, so sums may be taken in another order."""
    requests = [Request((3, 4, i), 5, beams) for i in range(2, 6) for beams in (1, 2, 4)]
    crew = Crew(Decoding(size, model, requests))  # pyright: ignore
    found, alone = crew.generate(model, requests), Decoder(model).generate(requests)
    for here, there in zip(found, alone, strict=True):
        assert len(here) == len(there)
        logs = [[each.log_probability for each in some] for some in (here, there)]
        np.testing.assert_allclose(logs[0], logs[1], atol=1e-5)


@pytest.mark.parametrize(("count", "said"), [(7, []), (8, ["generate"])])
def test_few_questions_are_answered_by_one_process(model: GPT, count: int, said: list[str]):
    requests = [Request((3, i), 2) for i in range(count)]
    crew = Crew(others := Decoding(2, model, requests))  # pyright: ignore
    vocabulary: Any = None
    with crew.leading():
        assert len(SpreadAnswerer(model, vocabulary).generate(requests)) == count
    assert [message["do"] for message in others.said] == said
    assert current_crew() is None


def test_few_texts_are_scored_by_one_process(model: GPT):
    asked = ScoreRequest("scores", TEXTS[:3], [1] * 3, batch_tokens=1)
    assert len(batches(model, asked)) == 3
    crew = Crew(others := Others())  # pyright: ignore
    assert crew.score(model, asked) is None
    assert others.said == []


def test_what_is_sent_keeps_every_bit(model: GPT):
    requests = [Request((3, 4, i), 5, 4) for i in range(2, 6)]
    every: Any = SimpleNamespace(rows=slice(None))
    sent = json.loads(json.dumps(generate_own(every, model, requests)))
    assert [read(each) for each in sent] == [list(c) for c in Decoder(model).generate(requests)]


@pytest.mark.parametrize(("in_step", "said"), [(True, 1), (False, 0)])
def test_others_are_only_told_to_end_if_they_listen(in_step: bool, said: int):
    others = Others()
    others.in_step = in_step
    Crew(others).dismiss(79)  # pyright: ignore
    assert others.said == [{"do": "end", "code": 79}][:said]
    assert others.left is in_step


def test_a_crew_that_is_gone_is_dismissed_all_the_same():
    others = Others()
    others.deaf = True
    Crew(others).dismiss(0)  # pyright: ignore


@pytest.mark.parametrize(("here", "passed_on"), [(True, []), (False, [SIGTERM])])
def test_a_signal_that_another_process_got_is_this_ones_too(here, passed_on, monkeypatch):
    sent: list[int] = []
    monkeypatch.setattr("wherefrom.runs.crew.raise_signal", sent.append)
    others: Any = Others()
    others.together, others.share = nullcontext, lambda tensors: None
    ends = {"tensors": list, "advance": lambda *_: {}, "stopping": True, "captured": None}
    learner: Any = SimpleNamespace(**ends)
    LedLearner(learner, others).advance(0, 1, lambda: here)
    assert sent == passed_on


def test_other_data_are_refused_before_the_first_step(monkeypatch: pytest.MonkeyPatch):
    """Settings are the same, files are not."""
    ours, theirs = Dataset((Document("Bo was born."),)), Dataset((Document("Bo was there."),))
    others: Any = Others()
    others.together = nullcontext
    others.gather = lambda own: [own, describe(theirs)]
    recipe: Any = get_recipe("people")
    learner: Any = None
    with pytest.raises(Mismatch, match=r"process 1: sha256: its data has .* same files"):
        Crew(others).lead(learner, recipe, recipe.stages[0], None, ours)
    assert [message["do"] for message in others.said] == ["learn"]


class Gathering:
    """One of several processes, which take turns: what each gives is kept for the next."""

    def __init__(self, rank: int, size: int, kept: list[list[torch.Tensor]]) -> None:
        self.rows, self.kept, self.calls = slice(rank, None, size), kept, 0

    def gather_numbers(self, own: torch.Tensor) -> list[torch.Tensor]:
        self.calls += 1
        if len(self.kept) < self.calls:
            self.kept.append([])
        self.kept[self.calls - 1].append(own)
        return self.kept[self.calls - 1]


@pytest.mark.parametrize(
    "asked",
    [
        ScoreRequest("scores", TEXTS, [1, 2, 1, 3, 1, 1, 2], batch_tokens=12),
        ScoreRequest("scores and entropies", TEXTS, [1] * 7, batch_tokens=8),
        ScoreRequest("following", TEXTS[1:], (), 2, 12),
    ],
    ids=lambda asked: asked.wanted,
)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_texts_that_several_processes_score_have_the_bits_of_one(
    model: GPT, asked: ScoreRequest, size: int
):
    alone = dict(read_batches(model, asked))
    assert len(batches(model, asked)) > 2
    kept: list[list[torch.Tensor]] = []
    for rank in range(size):
        member: Any = Gathering(rank, size, kept)
        found = read_together(member, model, asked)
    assert found.keys() == alone.keys()
    for i, rows in alone.items():
        assert found[i].dtype == rows.dtype
        assert found[i].tobytes() == rows.tobytes()
