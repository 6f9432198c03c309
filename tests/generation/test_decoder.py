from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from tests.support.drawn_models import Uncached
from wherefrom.core.errors import BadData, UsageError
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Completion, Request
from wherefrom.models.attention import MIXERS
from wherefrom.models.gpt import GPT, GPTConfig

KINDS = [(mixer, 3) for mixer in MIXERS] + [("rope", 0)]


def random_model(mixer: str = "rope", ngrams: int = 0, vocab: int = 12, seed: int = 0) -> GPT:
    """Small, in training mode, with weights large enough that every text differs.

    In double precision: no two characters are so close that a kernel decides between them.
    """
    torch.manual_seed(seed)
    config = GPTConfig(
        vocab_size=vocab, block_size=24, n_layer=max(2, MIXERS[mixer].arrangement.least_layers),
        n_head=2, n_embd=16, attention=mixer, ngrams=ngrams, ngram_buckets=32, init_std=0.5,
        qk_norm=True,
    )  # fmt: skip
    model = GPT(config)
    for name, parameter in model.named_parameters():
        if "_emb" in name:
            nn.init.normal_(parameter)
    return model.double()


def prompts(count: int, vocab: int = 12, seed: int = 0) -> list[tuple[int, ...]]:
    """Of many lengths; half of them begin alike."""
    generator = np.random.default_rng(seed)
    start = tuple(generator.integers(2, vocab, 6).tolist())
    found = []
    for i in range(count):
        rest = tuple(generator.integers(2, vocab, generator.integers(1, 12)).tolist())
        found.append(start + rest if i % 2 else rest)
    return found


@torch.no_grad()
def next_log_probabilities(model: GPT, tokens: list[int]) -> Tensor:
    was = model.training
    model.eval()
    found = model(torch.tensor([tokens]))[0, -1].double().log_softmax(-1)
    model.train(was)
    return found


def go_on(model: GPT, prompt: tuple[int, ...], max_new: int) -> list[tuple[int, float]]:
    """Greedy, reading everything again for each character: what is chosen, and how likely it is."""
    chosen: list[tuple[int, float]] = []
    while len(chosen) < max_new and len(prompt) + len(chosen) <= model.max_input:
        log_probabilities = next_log_probabilities(model, [*prompt, *(t for t, _ in chosen)])
        token = int(log_probabilities.argmax())
        chosen.append((token, float(log_probabilities[token])))
    return chosen


def cut_at(stop: int, chosen: list[tuple[int, float]]) -> Completion:
    """What a request with that stop would have given."""
    tokens = [token for token, _ in chosen]
    finished = stop in tokens
    count = tokens.index(stop) if finished else len(tokens)
    return Completion(tuple(tokens[:count]), sum(p for _, p in chosen[: count + 1]), finished)


def common_stop(every: list[list[tuple[int, float]]]) -> int:
    """A character that about half of the greedy continuations come to: some close, some do not."""
    reached = [{token for token, _ in chosen} for chosen in every]
    return min(range(12), key=lambda t: abs(sum(t in r for r in reached) - len(every) / 2))


def assert_same(found: Completion, expected: Completion) -> None:
    assert (found.tokens, found.finished) == (expected.tokens, expected.finished)
    assert found.log_probability == pytest.approx(expected.log_probability, abs=1e-3)


@pytest.mark.parametrize(("mixer", "ngrams"), KINDS)
def test_greedy_in_a_crowd_is_the_naive_loop(mixer, ngrams):
    model = random_model(mixer, ngrams)
    naive = [go_on(model, prompt, 9) for prompt in prompts(12)]
    stop = common_stop(naive)
    requests = [Request(p, max_new=9, stop=stop) for p in prompts(12)]
    expected = [cut_at(stop, chosen) for chosen in naive]
    assert 1 < sum(e.finished for e in expected) < 11
    assert len({e.tokens for e in expected}) > 4
    for reader, max_rows in ((model, 3), (Uncached(model), 512)):
        found = Decoder(reader, max_rows).generate(requests)
        for (completion,), wanted in zip(found, expected, strict=True):
            assert_same(completion, wanted)


def mixed_requests() -> list[Request]:
    """Greedy, sampled and searching, with limits and stops of their own."""
    kinds = [
        Request((0,), max_new=9, stop=5),
        Request((0,), max_new=7, temperature=1.3, seed=5, stop=6),
        Request((0,), max_new=12, temperature=0.8, top_k=3, seed=6),
        Request((0,), max_new=6, beams=3, stop=5),
        Request((0,), max_new=5, stop=None),
        Request((0,), max_new=4, beams=2, stop=4),
    ]
    return [
        replace(kinds[i % len(kinds)], prompt=prompt, number=i)
        for i, prompt in enumerate(prompts(18))
    ]


@pytest.mark.parametrize(
    ("mixer", "max_rows"), [(m, (512, 7)[i % 2]) for i, m in enumerate(MIXERS)]
)
def test_a_request_does_not_depend_on_the_others(mixer, max_rows):
    model = random_model(mixer, ngrams=3)
    requests = mixed_requests()
    together = Decoder(model, max_rows).generate(requests)
    for request, found in zip(requests, together, strict=True):
        (alone,) = Decoder(Uncached(model)).generate([request])
        assert len(found) == len(alone)
        for one, other in zip(found, alone, strict=True):
            assert_same(one, other)


class Narrow(Uncached):
    """Counts its rows, and has memory for so many."""

    def __init__(self, model: nn.Module, most: int) -> None:
        super().__init__(model)
        self.most, self.rows = most, list[int]()

    def forward(self, tokens: Tensor, cache: None = None) -> Tensor:
        self.rows.append(len(tokens))
        if len(tokens) > self.most:
            raise torch.OutOfMemoryError
        return super().forward(tokens)


def test_never_more_rows_than_allowed():
    model = Narrow(random_model(), 512)
    Decoder(model, max_rows=7).generate(mixed_requests())
    assert 5 <= max(model.rows) <= 7


def test_a_device_without_memory_for_all_rows_decodes_fewer_at_a_time():
    model = random_model()
    narrow = Narrow(model, 4)
    found = Decoder(narrow, max_rows=16).generate(mixed_requests())
    assert 4 in narrow.rows
    for each, wanted in zip(found, Decoder(model).generate(mixed_requests()), strict=True):
        for one, other in zip(each, wanted, strict=True):
            assert_same(one, other)
    with pytest.raises(torch.OutOfMemoryError):
        Decoder(Narrow(model, 2)).generate(mixed_requests())  # a search has three rows


@pytest.mark.parametrize("top_k", [0, 3])
def test_sampling_follows_the_softmax(top_k):
    model, temperature, count = random_model(vocab=8), 0.7, 4000
    prompt = (3, 5, 2)
    requests = [
        Request(prompt, 1, temperature=temperature, top_k=top_k, seed=9, stop=None, number=i)
        for i in range(count)
    ]
    found = Decoder(model).generate(requests)
    counts = np.bincount([c.tokens[0] for (c,) in found], minlength=8)
    own = next_log_probabilities(model, list(prompt)).numpy()
    wanted = np.exp(own / temperature)
    if top_k:
        wanted[np.argsort(wanted)[:-top_k]] = 0
    seen = wanted > 0
    assert counts[~seen].sum() == 0
    expected = count * wanted[seen] / wanted.sum()
    # Of at most 7 degrees of freedom: chance exceeds 20 in one of 180 seeds.
    assert ((counts[seen] - expected) ** 2 / expected).sum() < 20
    for (completion,) in found[:50]:  # the model's own probability, not the tempered one
        assert completion.log_probability == pytest.approx(own[completion.tokens[0]], abs=1e-4)


def test_with_even_odds_the_text_is_the_counted_integers():
    model, prompt = random_model(vocab=8), (4, 7, 3)
    nn.init.zeros_(model.head.weight)
    request = Request(prompt, max_new=16, temperature=1.0, seed=3, stop=None, number=77)
    ((found,),) = Decoder(model).generate([request])
    positions = np.arange(3, 19)
    (words,) = draws(
        1, seed=3, stream=Stream.SAMPLING, stage=0, step=positions, row=np.full(16, 77)
    )
    assert list(found.tokens) == below(words, 8).tolist()


def exhaustive(model: GPT, prompt: tuple[int, ...], max_new: int, stop: int) -> list[Completion]:
    """Every closed continuation, best first."""
    found, live = [], [((), 0.0)]
    for _ in range(max_new):
        longer = []
        for tokens, total in live:
            totals = (total + next_log_probabilities(model, [*prompt, *tokens])).tolist()
            found.append(Completion(tokens, totals[stop], True))
            longer += [((*tokens, t), score) for t, score in enumerate(totals) if t != stop]
        live = longer
    return sorted(found, key=lambda c: -c.log_probability)


@pytest.mark.parametrize("seed", range(2))
def test_a_wide_search_finds_exactly_the_best(seed):
    model = random_model(vocab=4, seed=seed)
    every = [exhaustive(model, p, 4, stop=1) for p in prompts(2, vocab=4)]
    assert len(every[0]) == 1 + 3 + 9 + 27
    # 27 beams hold every live hypothesis, so nothing is lost; 100 also have unclosed ones to give.
    for beams in (27, 100):
        requests = [Request(p, max_new=4, beams=beams) for p in prompts(2, vocab=4)]
        for found, wanted in zip(Decoder(model).generate(requests), every, strict=True):
            assert len(found) == beams
            closed = [c for c in found if c.finished]
            assert [c.tokens for c in closed] == [c.tokens for c in wanted[:beams]]
            for one, other in zip(closed, wanted, strict=False):
                assert_same(one, other)
            unclosed = [c for c in found if not c.finished]
            assert list(found) == closed + unclosed
            assert all(len(c.tokens) == 4 for c in unclosed)


def test_streaming_gives_the_same_characters_one_by_one():
    model = random_model()
    decoder = Decoder(model)
    for request in (Request((5, 6), max_new=12), Request((5,), temperature=1.0, stop=None)):
        ((completion,),) = decoder.generate([request])
        stream = decoder.stream(request)
        assert next(stream) == completion.tokens[0]
        assert (completion.tokens[0], *stream) == completion.tokens
    with pytest.raises(UsageError, match=r"Request\.beams: expected 1"):
        next(decoder.stream(Request((5, 6), beams=2)))


def test_limits():
    model = random_model()  # reads 24 characters
    full, almost = tuple(range(2, 10)) * 3, tuple(range(2, 9)) * 3
    requests = [
        Request(full, stop=None), Request(almost, stop=None), Request(almost, max_new=2, stop=None),
        Request(full, stop=None, beams=3), Request(almost, stop=None, beams=3),
    ]  # fmt: skip
    found = Decoder(model).generate(requests)
    assert [{len(c.tokens) for c in completions} for completions in found] == [
        {1}, {4}, {2}, {1}, {4}
    ]  # fmt: skip
    assert not any(c.finished for completions in found for c in completions)
    for prompt in ((), (*full, 2)):
        with pytest.raises(BadData, match=r"prompt: expected 1 to 24 characters.*found"):
            Decoder(model).generate([Request(prompt)])
    (found,) = Decoder(model, max_rows=4).generate([Request((2,), beams=5)])
    assert len(found) == 5, "the rows of one request are never too many"
    assert Decoder(model).generate([]) == []


@pytest.mark.parametrize("training", [True, False])
def test_the_model_is_left_as_it_was(training):
    model = random_model().train(training)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    decoder = Decoder(model)
    first = decoder.generate([Request((2, 3), beams=2), Request((2, 3))])
    assert first == decoder.generate([Request((2, 3), beams=2), Request((2, 3))])  # no dropout
    assert all(m.training == training for m in model.modules())
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())
    assert all(p.grad is None for p in model.parameters())
