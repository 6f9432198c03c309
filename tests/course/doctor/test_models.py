"""Models of a plain solution with one thing changed; as it is, test_checks.py finds it sound."""

import pytest
import torch

from wherefrom.course.doctor import models
from wherefrom.course.doctor.findings import Finding

MASKED = "scores = scores.masked_fill(self.mask[..., :length, :length] == 0, -1e10)"


def test_the_formula_on_numbers_done_by_hand():
    """One head of one dimension: scores are ReLU(x) w2 + b2, the first position sees itself."""

    class Layer:
        w1 = value = proj = staticmethod(lambda x: x)
        w2, b2 = torch.tensor([[1.0, 0.0]]), torch.tensor([0.0, 1.0])

    x = torch.tensor([[[-2.0], [3.0]]])
    first, second = models.synthesize(Layer, x, heads=1).flatten().tolist()
    # Position 2 has the scores 3 w2 + b2 = (3, 1): weights e^3 and e^1 for the values -2 and 3.
    e2 = torch.tensor(2.0).exp().item()
    assert first == pytest.approx(-2.0)
    assert second == pytest.approx((-2 * e2 + 3) / (e2 + 1))


@pytest.mark.parametrize(
    ("old", "new", "mistake"),
    [
        ("torch.relu(self.w1(x))", "self.w1(x)", "no relu"),
        (" + self.b2[:length]", "", "formula"),
        ("self.w2[:, :length] +", "self.w2[:, :length] / x.shape[-1] ** 0.5 +", "formula"),
    ],
)
def test_other_formulas_have_names(plain, old, new, mistake):
    with pytest.raises(Finding) as caught:
        models.check_formula(plain("attention.py", old, new))
    assert caught.value.mistake == mistake


def test_a_model_that_sees_the_future(plain):
    submission = plain("attention.py", MASKED, "pass")
    for variant in ("vanilla", "synthesizer"):
        with pytest.raises(Finding, match="later characters change the logits of earlier ones"):
            models.check_future(submission, variant)


def test_a_flag_that_is_never_set_changes_the_count_of_parameters(plain):
    submission = plain("helper.py", "mconf.synthesizer = True", "pass")
    with pytest.raises(Finding, match="has 3,323,392 parameters, not 3,076,988 or 3,077,120"):
        models.check_parameters(submission, "synthesizer")


def test_other_trees(plain):
    submission = plain("model.py", "nn.GELU()", "nn.ReLU()")
    with pytest.raises(Finding, match=r"shows '.*ReLU\(\)' where '.*GELU"):
        models.check_tree(submission, "vanilla")
    submission = plain(
        "model.py", "self.block_size = c", "self.more = nn.Identity(); self.block_size = c"
    )
    with pytest.raises(Finding, match="modules, expected"):
        models.check_tree(submission, "vanilla")


def test_a_function_that_returns_no_model(plain):
    submission = plain(
        "helper.py",
        "    return GPT(mconf)\n\n\ndef initialize_s",
        "    GPT(mconf)\n\n\ndef initialize_s",
    )
    with pytest.raises(Finding, match="initialize_vanilla_model gives NoneType") as caught:
        models.build(submission, "vanilla")
    assert caught.value.mistake == "no model"


def test_parameter_files_are_compared_with_their_names(tmp_path):
    path = tmp_path / "synthesizer.pretrain.params"
    for names, holds in (
        (["blocks.0.attn.key.weight"], "a rope model"),
        (["_orig_mod.pos_emb", "_orig_mod.blocks.0.attn.key.weight"], "a vanilla model"),
        (["blocks.0.ln1.weight"], "no such attention"),
        (["down_block.attn.key.weight"], "a perceiver model"),
    ):
        torch.save({name: torch.zeros(1) for name in names}, path)
        with pytest.raises(Finding, match=f"holds {holds}, not a synthesizer model"):
            models.check_saved(path, "synthesizer")
    torch.save({"_orig_mod.blocks.0.attn.w2": torch.zeros(1)}, path)
    models.check_saved(path, "synthesizer")
    path.write_bytes(b"\x80\x02cos\nsystem\n.")  # a pickle that would run a command
    with pytest.raises(Finding, match="cannot be loaded with weights_only=True") as caught:
        models.check_saved(path, "synthesizer")
    assert caught.value.mistake == "parameters file"
