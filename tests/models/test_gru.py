"""The GRU against torch's own, and its states against reading the text anew."""

import pytest
import torch
from msgspec.structs import replace
from torch import nn

from tests.support.drawn_models import Uncached, draw_weights
from wherefrom.generation.decoder import Decoder
from wherefrom.generation.requests import Request
from wherefrom.models.gru import GRU, GRUConfig, run_layer

SMALL = GRUConfig(vocab_size=11, n_embd=5, n_hidden=7, n_layer=2)


def random_model(config: GRUConfig = SMALL) -> GRU:
    """In training mode, with weights large enough that every text differs; double precision."""
    return draw_weights(GRU(config), 1.0)


@torch.no_grad()
def test_logits_are_those_of_torchs_layers():
    model = random_model()
    tokens = torch.randint(11, (3, 9), generator=torch.Generator().manual_seed(1))
    x = model.embedding(tokens)
    for layer in model.layers:
        x, _ = layer(x)
    torch.testing.assert_close(model(tokens), model.head(x), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize(("rows", "length"), [(1, 1), (1, 9), (5, 7)])
@pytest.mark.parametrize("begun", [False, True])
def test_states_and_gradients_are_those_of_torchs_layer(rows, length, begun):
    torch.manual_seed(0)
    layer = nn.GRU(4, 3, batch_first=True, dtype=torch.float64)
    for parameter in layer.parameters():
        nn.init.normal_(parameter)
    inputs = torch.randn(rows, length, 4, dtype=torch.float64, requires_grad=True)
    before = torch.randn(rows, 3, dtype=torch.float64, requires_grad=True) if begun else None
    weights = torch.randn(rows, length, 3, dtype=torch.float64)
    wanted = [p for p in (inputs, before, *layer.parameters()) if p is not None]
    ours = run_layer(layer, inputs, before)
    theirs, _ = layer(inputs, None if before is None else before[None])
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=1e-10)
    for mine, other in zip(
        torch.autograd.grad((ours * weights).sum(), wanted),
        torch.autograd.grad((theirs * weights).sum(), wanted),
        strict=True,
    ):
        torch.testing.assert_close(mine, other, atol=1e-12, rtol=1e-9)


def test_the_homeworks_network_has_its_shapes():
    model = GRU(GRUConfig(vocab_size=100))
    assert sum(p.numel() for p in model.parameters()) == 80_700
    assert model.embedding.weight.shape == model.head.weight.shape == (100, 100)
    assert model.layers[0].weight_ih_l0.shape == (300, 100)


@pytest.mark.parametrize("beams", [1, 3])
def test_decoding_with_states_is_decoding_without(beams):
    model = random_model().eval()
    prompts = [(1,), (2, 3, 4), (1, 5), (9, 8, 7, 6, 5), (2, 3, 4, 5), (10,)]
    drawn = {"temperature": 0.0 if beams > 1 else 1.3, "stop": 4, "beams": beams, "seed": 2}
    requests = [
        Request(prompt, max_new=3 + 4 * i, number=i, **drawn) for i, prompt in enumerate(prompts)
    ]
    kept = Decoder(model, max_rows=7).generate(requests)  # rows come, go and move
    anew = Decoder(Uncached(model), max_rows=7).generate(requests)
    for one, other in zip(kept, anew, strict=True):
        assert [c.tokens for c in one] == [c.tokens for c in other]
        for a, b in zip(one, other, strict=True):
            assert a.log_probability == pytest.approx(b.log_probability, abs=1e-4)


def test_dropout_falls_on_what_goes_into_each_layer_and_into_the_head():
    model, shares = random_model(replace(SMALL, dropout=0.5)), []
    model.drop.register_forward_hook(
        lambda *given: shares.append(float((given[2] == 0).double().mean()))
    )
    tokens = torch.randint(11, (40, 9), generator=torch.Generator().manual_seed(1))
    assert not torch.equal(model(tokens), model(tokens))
    assert shares == pytest.approx([0.5] * 6, abs=0.05)
    model.eval()
    assert torch.equal(model(tokens), model(tokens))
