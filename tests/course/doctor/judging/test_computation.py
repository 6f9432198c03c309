"""The models that submissions are compared with; test_a5_mistakes.py has the usual mistakes."""

import pytest
import torch

from tests.course.files import A5, load
from wherefrom.course.doctor.judging.computation import READINGS, computed
from wherefrom.course.doctor.years import variant_of


@pytest.mark.parametrize("variant", ["vanilla", "synthesizer", "perceiver", "rope"])
def test_whole_models_are_the_librarys(variant):
    """The reference solution's models, through the library's code, give the same logits."""
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
