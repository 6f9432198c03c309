"""Whole texts: every character scored once, with the characters before it that it should have."""

import numpy as np
import pytest
import torch

from tests.support.drawn_models import draw_gpt, draw_weights
from wherefrom.core.characters import PRINTABLE
from wherefrom.core.errors import BadData
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.generation.text_scorer import WINDOW, TextScorer, go_on
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.models.gru import GRU, GRUConfig

TEXT = "Whether 'tis nobler in the mind to suffer\nThe slings and arrows, or to take arms."


def gpt() -> GPT:
    config = GPTConfig(
        vocab_size=100, block_size=16, n_layer=2, n_head=2, n_embd=16, attention="rope"
    )
    return draw_gpt(config).eval()


def gru() -> GRU:
    return draw_weights(GRU(GRUConfig(vocab_size=100, n_embd=8, n_hidden=8)), 0.3).eval()


@torch.no_grad()
def by_hand(model, text: str, before: list[int]) -> list[float]:
    """Each character but the first, alone, after so many characters before it."""
    ids, found = PRINTABLE.encode(text), []
    for place, count in enumerate(before, 1):
        known = torch.tensor([ids[place - count : place]])
        found.append(float(model(known)[0, -1].double().log_softmax(-1)[ids[place]]))
    return found


def test_windows_overlap_so_that_every_character_has_half_a_window_before_it():
    model = gpt()
    # The first window scores 1 to 16; each further one eight characters, after 9 to 16 others.
    before = [place if place <= 16 else 9 + (place - 17) % 8 for place in range(1, len(TEXT))]
    expected = by_hand(model, TEXT, before)
    for length in (2, 3, 9, 16, 17, 18, 24, 25, 26, 33, len(TEXT)):
        found = TextScorer(model, PRINTABLE).log_probabilities(TEXT[:length])
        np.testing.assert_allclose(found, expected[: length - 1], atol=1e-4)


def test_blocks_stand_side_by_side():
    model = gpt()
    before = [1 + (place - 1) % 16 for place in range(1, len(TEXT))]
    scorer = TextScorer(model, PRINTABLE).overlapping(0.0)
    found = scorer.log_probabilities(TEXT)
    np.testing.assert_allclose(found, by_hand(model, TEXT, before), atol=1e-4)
    assert scorer.details == {"window": 16, "read_again": 0}


def test_a_model_without_end_reads_a_short_text_whole_and_a_long_one_in_windows():
    model = gru()
    scorer = TextScorer(model, PRINTABLE)
    found = scorer.log_probabilities(TEXT)
    whole = by_hand(model, TEXT, list(range(1, len(TEXT))))
    np.testing.assert_allclose(found, whole, atol=1e-5)
    assert scorer.details == {"window": WINDOW, "read_again": WINDOW // 2}
    assert len(scorer.log_probabilities(TEXT * 20)) == 20 * len(TEXT) - 1


def test_what_cannot_be_scored_is_refused():
    scorer = TextScorer(gru(), PRINTABLE)
    with pytest.raises(BadData, match="at least 2 characters"):
        scorer.log_probabilities("a")
    with pytest.raises(BadData, match="U\\+00E9"):
        scorer.log_probabilities("né")


@pytest.mark.parametrize("make", [gpt, gru])
def test_going_on_is_what_the_decoder_gives(make):
    model, prompt = make(), PRINTABLE.encode("Wh")
    drawn = {"temperature": 0.8, "top_k": 5, "seed": 3}
    (found,) = Decoder(model).generate([Request(tuple(prompt), 12, stop=None, **drawn)])
    assert tuple(go_on(model, prompt, 12, **drawn)) == found[0].tokens
    assert tuple(go_on(model, prompt, 12, temperature=1.0)) != found[0].tokens


def test_a_text_that_outgrows_the_model_goes_on_from_its_latest_half():
    model, prompt = gpt(), PRINTABLE.encode("Wh")
    found = list(go_on(model, prompt, 40, temperature=0.8, seed=1))
    assert len(found) == 40
    text = [*prompt, *found]
    first = 16 + 1  # as many as fit a block, and the one after them
    (rest,) = Decoder(model).generate(
        [Request(tuple(text[first - 8 : first]), 9, stop=None, temperature=0.8, seed=1, number=1)]
    )
    assert tuple(text[first : first + 9]) == rest[0].tokens
