"""Attention and models on numbers that are done by hand, or by torch's own modules."""

import math

import pytest
import torch
from torch import nn

from wherefrom.course.doctor.judging.computation import READINGS, computed, turn
from wherefrom.course.doctor.years import variant_of

ONE = torch.eye(1)


def test_the_synthesizers_formula_by_hand():
    """One head of one dimension: scores are ReLU(x) w2 + b2, the first position sees itself."""
    state = {f"{name}.weight": ONE for name in ("w1", "value", "proj")}
    state |= {"w2": torch.tensor([[1.0, 0.0]]), "b2": torch.tensor([0.0, 1.0])}
    x = torch.tensor([[[-2.0], [3.0]]])
    first, second = computed(state, "synthesizer", 1).attention("", x).flatten().tolist()
    # Position 2 has the scores 3 w2 + b2 = (3, 1): weights e^3 and e^1 for the values -2 and 3.
    e2 = math.exp(2.0)
    assert first == pytest.approx(-2.0)
    assert second == pytest.approx((-2 * e2 + 3) / (e2 + 1))


def test_a_pair_is_turned_by_its_place():
    x = torch.zeros(1, 1, 3, 4, dtype=torch.double)
    x[..., 0], x[..., 3] = 1.0, 2.0  # (1, 0) and (0, 2)
    turned = turn(x)[0, 0]
    for t in range(3):
        slow = t / 100  # 10000 ** (-2 / 4)
        assert turned[t].tolist() == pytest.approx(
            [math.cos(t), math.sin(t), -2 * math.sin(slow), 2 * math.cos(slow)]
        )


def test_a_position_sees_the_others_positions_up_to_its_own():
    zero = torch.zeros(1, 1)  # all that is seen counts the same
    state = {"query.weight": zero, "key.weight": zero, "value.weight": ONE, "proj.weight": ONE}
    other = torch.tensor([[[1.0], [3.0], [8.0]]])
    mixed = computed(state, "vanilla", 1).attend("", torch.zeros(1, 4, 1), other)
    assert mixed[0, :, 0].tolist() == [1.0, 2.0, 4.0, 4.0]
    open_eyed = computed(state, "vanilla", 1, masked=False)
    assert open_eyed.attend("", torch.zeros(1, 2, 1), other)[0, 0].item() == 4.0


def test_softmax_may_go_over_what_it_should_not():
    """Two heads whose scores are all 0: over the heads, a position gets a half of each value."""
    zero, one = torch.zeros(2, 2), torch.eye(2)
    state = {"query.weight": zero, "key.weight": zero, "value.weight": one, "proj.weight": one}
    x = torch.tensor([[[1.0, 10.0], [3.0, 30.0]]])
    found = {over: computed(state, "vanilla", 2, over=over).attention("", x)[0].tolist()
             for over in ("keys", "heads", "queries")}  # fmt: skip
    assert found["keys"] == [[1.0, 10.0], [2.0, 20.0]]
    assert found["heads"] == [[2.0, 20.0], [2.0, 20.0]]
    assert found["queries"][0] == [0.5, 5.0]


def test_attention_is_torchs_own():
    torch.manual_seed(0)
    theirs = nn.MultiheadAttention(8, 2, batch_first=True)
    x, later = torch.randn(2, 5, 8), torch.ones(5, 5).triu(1).bool()
    wanted = theirs(x, x, x, attn_mask=later, need_weights=False)[0]
    names = ("query", "key", "value")
    state = {f"{n}.weight": w for n, w in zip(names, theirs.in_proj_weight.chunk(3), strict=True)}
    state |= {f"{n}.bias": b for n, b in zip(names, theirs.in_proj_bias.chunk(3), strict=True)}
    state |= {"proj.weight": theirs.out_proj.weight, "proj.bias": theirs.out_proj.bias}
    assert torch.allclose(computed(state, "vanilla", 2).attention("", x), wanted, atol=1e-6)


@pytest.mark.parametrize("variant", ["vanilla", "synthesizer", "perceiver", "rope"])
def test_whole_models_are_the_librarys(variant):
    """The reference solution's models, through the library's code, give the same logits."""
    from tests.course.files import A5, load

    (submission,) = load(A5, "submission")
    config = submission.GPTConfig(20, 16, n_layer=3, n_head=2, n_embd=8)
    torch.manual_seed(1)
    latents = {"bottleneck_dim": 5} if variant == "perceiver" else {}
    model = getattr(submission, f"initialize_{variant}_model")(config, **latents).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.5)
        ids = torch.randint(0, 20, (2, 11))
        state = dict(model.named_parameters())
        ours = computed(state, variant, 2)(ids)
        assert variant_of(state) == variant
        assert torch.allclose(ours, model(ids)[0], atol=1e-4 if variant == "rope" else 1e-9)
        if variant == "perceiver":
            assert len(READINGS) == 4
            other = computed(state, variant, 2, **READINGS[1])(ids)
            assert not torch.allclose(other, ours, atol=1e-3)
