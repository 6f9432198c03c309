"""Answering again with the submission's own model, where the grader's does not explain its answers.

A student whose attention has a mistake has honest predictions all the same: the mistake costs the
test of the model, not those of the predictions. So the submission's own model gets the submitted
parameters and answers, under the grader's reading of greedy. It must need the parameters: with
random ones in their place it may not give the same answers, as a table of answers would.
"""

import json

import torch
from torch import Tensor, nn

from grading import again, rebuilt, scores
from wherefrom.core.files import read_text
from wherefrom.course.doctor import predictions, programs
from wherefrom.course.doctor.comparison import logits
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.submission import Submission


def answer(submission: Submission, model: str, split: str) -> str:
    """Tell whether the submission's own model gives the lines that the note names."""
    asked = json.loads(submission.note)
    questions, lines = asked["drawn"][f"{model}.{split}"]
    state = rebuilt.read_state(submission.find(scores.parameters_of(model)))
    if submission.data is None:
        raise NoTelling("wiki.txt is not there")
    text = read_text(submission.data / predictions.WIKI).replace("\r\n", "\n")
    own, numbers = _build(submission, model.split(".")[0], state, text)

    def read(ids: Tensor) -> Tensor:
        return logits(own(ids))

    found = again.compare(read, numbers, questions, lines)
    told = scores.tell(found, "the submission's own model", asked["draw"])
    _scramble(own)
    without = again.compare(read, numbers, questions, lines)
    if 2 * without.same > without.asked:
        text = f"with random parameters the submission's own model still gives {without} lines"
        raise Finding("answers without parameters", text)
    return f"{told}; it is not the course's, so look at it"


def _build(
    submission: Submission, variant: str, state: dict[str, Tensor], text: str
) -> tuple[nn.Module, dict[str, int]]:
    data = submission.CharCorruptionDataset(text, rebuilt.BLOCK)
    try:
        sizes = rebuilt.sizes(state)
    except rebuilt.Unfit:
        sizes = {"n_layer": 4, "n_head": 8, "n_embd": 256}
    kept = {name: sizes[name] for name in ("n_layer", "n_head", "n_embd")}
    block = sizes.get("block_size", rebuilt.BLOCK)
    if submission.package:
        config = submission.GPTConfig(data.vocab_size, block, **kept)
        extra = {"bottleneck_dim": sizes["bottleneck_dim"]} if "bottleneck_dim" in sizes else {}
        model = getattr(submission, f"initialize_{variant}_model")(config, **extra)
    else:
        own = {**kept, "block_size": block}
        latents = sizes.get("bottleneck_dim", 0)
        model = programs.build(submission, variant, own, data.vocab_size, latents)
    if not isinstance(model, nn.Module):
        raise Finding("no model", f"initialize_{variant}_model gives {type(model).__name__}")
    try:
        model.load_state_dict(state)
    except RuntimeError as error:
        text = " ".join(str(error).split())[:160]
        raise Finding("parameters", f"they do not fit the submission's own model: {text}") from None
    return model.eval(), dict(data.stoi)


def _scramble(model: nn.Module) -> None:
    """Random numbers, so large that the model has an opinion."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            spread = 3.0 / max(1, parameter.shape[-1] if parameter.dim() else 1) ** 0.5
            parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
