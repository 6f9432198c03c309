"""What the first process has the others do: here, the others are scripted."""

import json
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from wherefrom.core.contracts import Dataset, Document
from wherefrom.core.errors import Mismatch, Unavailable
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.generation.scoring import Reading, batches, read_batches
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.recipes.catalogue import get_recipe
from wherefrom.runs.crew import Crew, current_crew, generate_own, helping_crew, read, read_together
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


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_several_processes_decode_has_the_bits_of_one(size: int):
    torch.manual_seed(0)
    shape = {"vocab_size": 12, "block_size": 12, "n_layer": 1, "n_head": 2, "n_embd": 8}
    model = GPT(GPTConfig(**shape)).eval()
    requests = [Request((3, 4, i), 5, beams) for i in range(2, 6) for beams in (1, 2, 4)]
    alone = [Decoder(model).generate([each])[0] for each in requests]
    for rank in range(size):
        member: Any = SimpleNamespace(rows=slice(rank, None, size))
        sent = json.loads(json.dumps(generate_own(member, model, requests)))
        assert [read(each) for each in sent] == [list(each) for each in alone[rank::size]]


def test_a_crew_shares_steps_or_trains_apart():
    steps, apart = Crew(Others()), Crew(Others(), apart=True)  # pyright: ignore
    assert (current_crew(), helping_crew()) == (None, None)
    with steps.leading():
        assert (current_crew(), helping_crew()) == (steps, None)
    with apart.leading():
        assert (current_crew(), helping_crew()) == (None, apart)
    assert (current_crew(), helping_crew()) == (None, None)


@pytest.mark.parametrize(("in_step", "deaf", "said"), [(True, False, 1), (False, False, 0)])
def test_others_are_only_told_to_end_if_they_listen(in_step: bool, deaf: bool, said: int):
    others = Others()
    others.in_step, others.deaf = in_step, deaf
    Crew(others).dismiss(79)  # pyright: ignore
    assert others.said == [{"do": "end", "code": 79}][:said]
    assert others.left is in_step


def test_a_crew_that_is_gone_is_dismissed_all_the_same():
    others = Others()
    others.deaf = True
    Crew(others).dismiss(0)  # pyright: ignore


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
        Reading("scores", TEXTS, [1, 2, 1, 3, 1, 1, 2], batch_tokens=12),
        Reading("scores and entropies", TEXTS, [1] * 7, batch_tokens=8),
        Reading("following", TEXTS[1:], (), 2, 12),
    ],
    ids=lambda asked: asked.wanted,
)
@pytest.mark.parametrize("size", [1, 2, 5])
def test_texts_that_several_processes_score_have_the_bits_of_one(asked: Reading, size: int):
    torch.manual_seed(0)
    shape = {"vocab_size": 12, "block_size": 12, "n_layer": 1, "n_head": 2, "n_embd": 8}
    model = GPT(GPTConfig(**shape)).eval()
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
