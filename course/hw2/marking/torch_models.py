"""Judges the character model and the averaging network, by what they computed.

The layers are found by their kind, not by their name. Of the averaging network a notebook often has
several versions, one a question: a test is passed if one of them passes it.
"""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from probing import texts
from probing.texts import TEXTS
from torch import Tensor, nn

from marking.asked import Asked
from wherefrom.course.doctor.exercises import weights
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.judging.claims import Claim, Claims

STEPS = [3, 8, 3]


def _layer(claim: Claim, kind: Callable[..., Any], draw: int, *sizes: int) -> Any:
    """A layer of ours with the weights that the submission's layer of that kind was given."""
    named = [str(path) for path, name in claim.value("layers", list) if name == kind.__name__]
    if not named:
        raise Finding("form", f"OurModel has no {kind.__name__}")
    layer = kind(*sizes)
    with torch.no_grad():
        for name, parameter in layer.named_parameters():
            parameter.copy_(weights(f"{named[0]}.{name}", parameter.shape, draw, 0.5))
    return layer


@torch.no_grad()
def check_step(claims: Claims) -> None:
    claim, draw = claims["steps"], claims.draw
    embedding = _layer(claim, nn.Embedding, draw, 11, 7)
    gru, linear = _layer(claim, nn.GRU, draw, 7, 7), _layer(claim, nn.Linear, draw, 7, 11)
    outputs, states, state = claim.array("outputs"), claim.array("states"), torch.zeros(1, 1, 7)
    for number, character in enumerate(STEPS):
        read, state = gru(embedding(torch.tensor(character)).view(1, 1, -1), state)
        _compare(outputs[number].float(), linear(read.view(1, -1)), number)
        held = states[number].float()
        if held.numel() != 7 or not torch.allclose(held, state.flatten(), atol=1e-5):
            raise Finding("hidden", "the hidden state that forward() gives is not the GRU's next")


def _compare(output: Tensor, wanted: Tensor, number: int) -> None:
    if output.numel() != wanted.numel():
        said = f"forward() gives {tuple(output.shape)}, not a number for each of 11 characters"
        raise Finding("form", said)
    flat = output.reshape(1, -1)
    if torch.allclose(flat, wanted, atol=1e-5):
        return
    if torch.allclose(flat, wanted.log_softmax(1), atol=1e-5):  # the loss is the same
        return
    if torch.allclose(flat, wanted.softmax(1), atol=1e-5):
        raise Finding("softmax", "forward() gives probabilities; CrossEntropyLoss takes logits")
    when = "of the first character" if number == 0 else "after the first character"
    raise Finding("value", f"the output {when} is not that of embedding, GRU and output layer")


def _glove(draw: int) -> Tensor:
    return torch.from_numpy(texts.glove(draw))


def best(look: Callable[[Claims, str], str | None]) -> Asked:
    """Passed if one version of the network passes; what is said of the last one otherwise."""

    def judged(claims: Claims) -> str | None:
        claim = claims["networks"]
        errors = claim.value("errors", list)
        last: Finding | None = None
        for number, error in enumerate(map(str, errors)):
            try:
                if error:
                    mistake, _, text = error.partition(":")
                    raise Finding(mistake, text)
                return look(claims, str(number))
            except Finding as finding:
                last = finding if last is None or finding.mistake != "crash" else last
        raise last or Finding("missing", "there is no averaging network")

    return Asked("networks", judged)


def look_at_mean(claims: Claims, number: str) -> None:
    """The mean of the real words' vectors, in evaluation."""
    given, vectors = claims["networks"].array(f"means{number}").float(), _glove(claims.draw)
    longest = max(map(len, TEXTS))
    wanted = torch.stack([vectors[text].mean(0) for text in TEXTS])
    sums = torch.stack([vectors[text].sum(0) for text in TEXTS])
    if given.shape != wanted.shape:
        said = f"what goes into the first layer is {tuple(given.shape)}, not {tuple(wanted.shape)}"
        raise Finding("form", said)
    if torch.allclose(given, wanted, atol=1e-4):
        return
    if torch.allclose(given, sums, atol=1e-4):
        raise Finding("sum", "the words' vectors are summed, not averaged")
    if torch.allclose(given, sums / longest, atol=1e-4):
        raise Finding("padding", "the mean counts padding: a text's length is not its mask's sum")
    raise Finding("value", "what goes into the first layer is not the mean of the words' vectors")


def look_at_loss(claims: Claims, number: str) -> None:
    """Two logits, and the cross-entropy of them; worth something if the words are read at all."""
    claim, vectors = claims["networks"], _glove(claims.draw)
    try:
        logits, loss = (claim.array(f"{name}{number}").float() for name in ("logits", "loss"))
    except Finding:
        raise Finding("form", "forward() gives no dict with 'loss' and 'logits'") from None
    if tuple(logits.shape) != (len(TEXTS), 2):
        raise Finding("form", f"the logits are {tuple(logits.shape)}, not two for each text")
    if (logits >= 0).all() and torch.allclose(logits.sum(1), torch.ones(len(TEXTS)), atol=1e-5):
        raise Finding("softmax", "the logits are probabilities: the loss takes the softmax itself")
    wanted = F.cross_entropy(logits, torch.tensor([i % 2 for i in range(len(TEXTS))]))
    if not torch.allclose(loss.reshape(()), wanted, atol=1e-5):
        raise Finding("value", "the loss is not the cross-entropy of the logits")
    read = claim.array(f"means{number}").float()
    words = torch.stack([vectors[text].sum(0) != 0 for text in TEXTS])
    if read.shape != words.shape or not torch.equal(read != 0, words):
        raise Finding("value", "what goes into the first layer are not the words of the texts")


def look_at_dropout(claims: Claims, number: str) -> None:
    """Whole words go in training, about as many as asked for, and none in evaluation."""
    rows = claims["networks"].array(f"dropped{number}").float()
    (calls, still), words = texts.TRIES, texts.VECTORS
    if rows.shape != (calls + still, 2 * words):
        raise Finding("form", f"what goes into the first layer is {tuple(rows.shape)}")
    vectors = _glove(claims.draw)[1:].sum(0).view(words, 2)[1:]
    seen = rows[:calls].reshape(calls, words, 2)
    seen = seen[torch.isfinite(seen).all(2).all(1)][:, 1:]
    gone = seen == 0
    if not gone.any():
        raise Finding("none", "no word is ever dropped in training")
    if (gone[..., 0] != gone[..., 1]).any():
        raise Finding("elements", "single numbers of a vector are dropped, not whole words")
    share = gone[..., 0].float().mean().item()
    if not 0.35 < share < 0.65:
        raise Finding("rate", f"asked to drop half of the words, it drops {100 * share:.0f} %")
    ratio = seen / vectors  # of words that stay, the two numbers have the same share in the mean
    if not torch.allclose(ratio[..., 0], ratio[..., 1], atol=1e-4):
        raise Finding("value", "what stays are not the vectors of the words")
    again = rows[calls:].reshape(still, words, 2)[:, 1:]
    if (again == 0).any() or not torch.allclose(again, again[:1].expand_as(again)):
        raise Finding("evaluation", "words are dropped in evaluation too")


LOOKS: dict[str, tuple[Asked, ...]] = {
    "3b-1-step": (Asked("steps", check_step, "characters", {"steps": STEPS}),),
    "4a-1-mean": (best(look_at_mean),),
    "4a-2-loss": (best(look_at_loss),),
    "4b-1-dropout": (best(look_at_dropout),),
}
