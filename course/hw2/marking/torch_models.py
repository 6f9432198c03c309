"""Looks at the character model and the averaging network, by what they compute.

The layers are found by their kind, not by their name. Of the averaging network a notebook often has
several versions, one a question: a test is passed if one of them passes it.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from marking.loading import AVERAGING, CHARACTERS, definitions
from marking.network import quiet
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

WORDS, CALLS, DROP = 12, 200, 0.5


def check_characters(submission: Submission) -> None:
    """A basic look: the class is there and can be built."""
    _character_model(submission)


def _character_model(submission: Submission) -> nn.Module:
    found = definitions(submission, CHARACTERS, "the character model").get("OurModel")
    if not found:
        raise Finding("missing", "there is no class OurModel")
    torch.manual_seed(0)
    return found[-1](11, 7, 11, 1).eval()


def _layer(model: nn.Module, kind: type[nn.Module]) -> Any:
    layer = next((m for m in model.modules() if isinstance(m, kind)), None)
    if layer is None:
        raise Finding("form", f"OurModel has no {kind.__name__}")
    return layer


@torch.no_grad()
def check_step(submission: Submission) -> None:
    model = _character_model(submission)
    embedding, gru = _layer(model, nn.Embedding), _layer(model, nn.GRU)
    linear = _layer(model, nn.Linear)
    state, wanted_state = torch.zeros(1, 1, 7), torch.zeros(1, 1, 7)
    for number, character in enumerate((3, 8, 3)):
        given = model(torch.tensor(character), state)
        if not isinstance(given, tuple | list) or len(given) != 2:
            raise Finding("form", "forward() gives no pair (output, hidden)")
        output, state = given
        read, wanted_state = gru(embedding(torch.tensor(character)).view(1, 1, -1), wanted_state)
        wanted = linear(read.view(1, -1))
        _compare(output, wanted, number)
        if state.shape != wanted_state.shape or not torch.allclose(state, wanted_state, atol=1e-5):
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


# -- the averaging network ---------------------------------------------------------------


def networks(submission: Submission) -> list[Any]:
    """The classes that read `input_ids` and `attention_masks`."""
    found = definitions(submission, AVERAGING, "the averaging network")
    classes = [c for cs in found.values() for c in cs if _is_network(c)]
    if not classes:
        raise Finding("missing", "there is no class DAN whose forward() takes attention_masks")
    return classes


def _is_network(found: Any) -> bool:
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        return False
    return "attention_masks" in inspect.signature(found.forward).parameters


def _glove() -> Tensor:
    """Word i has its own two numbers; word 0, with which texts are padded, has none."""
    vectors = np.zeros((WORDS, 2 * WORDS), np.float32)
    for word in range(1, WORDS):
        vectors[word, 2 * word : 2 * word + 2] = (1 + word, -2)
    return torch.from_numpy(vectors)


def _build(kind: Any, drop: float) -> nn.Module:
    np.save("glove.npy", _glove().numpy())
    names = inspect.signature(kind.__init__).parameters
    named = [n for n in names if "drop" in n.lower() or n == "p"]
    torch.manual_seed(0)
    return kind(**{named[0]: drop}) if named else kind()


class Probe:
    """A network that is asked, and what went into its first linear layer."""

    def __init__(self, model: nn.Module) -> None:
        self.model, self.seen = model, None
        linear = next((m for m in model.modules() if isinstance(m, nn.Linear)), None)
        if linear is None:
            raise Finding("form", "the averaging network has no nn.Linear")
        linear.register_forward_pre_hook(self._see)

    def _see(self, layer: nn.Module, given: Any) -> None:
        self.seen = given[0].detach().clone()

    @torch.no_grad()
    def ask(self, texts: list[list[int]]) -> Any:
        longest = max(map(len, texts))
        ids = torch.tensor([t + [0] * (longest - len(t)) for t in texts])
        masks = torch.tensor([[1] * len(t) + [0] * (longest - len(t)) for t in texts])
        return self.model(input_ids=ids, attention_masks=masks, labels=self.labels(texts))

    @staticmethod
    def labels(texts: list[list[int]]) -> Tensor:
        return torch.tensor([i % 2 for i in range(len(texts))])

    def means(self, texts: list[list[int]]) -> Tensor:
        self.ask(texts)
        if self.seen is None:
            raise Finding("form", "nothing goes through the network's linear layers")
        return self.seen.reshape(len(texts), -1)


TEXTS = [[1, 2, 3, 3], [5, 7], [4, 6, 8, 9, 10, 11]]


def best(look: Callable[[Any], str | None]) -> Callable[[Submission], str | None]:
    """Passed if one version of the network passes; what is said of the last one otherwise."""

    def judged(submission: Submission) -> str | None:
        last: Exception | None = None
        for kind in networks(submission):
            try:
                with quiet(submission.scratch / "dan"):
                    return look(kind)
            except Exception as error:
                rank = isinstance(error, Finding)
                last = error if last is None or rank else last
        assert last is not None
        raise last

    return judged


def look_at_mean(kind: Any) -> None:
    """The mean of the real words' vectors, in evaluation."""
    given = Probe(_build(kind, 0.0).eval()).means(TEXTS)
    vectors, longest = _glove(), max(map(len, TEXTS))
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


def look_at_loss(kind: Any) -> None:
    """Two logits, and the cross-entropy of them."""
    probe = Probe(_build(kind, 0.0).eval())
    given = probe.ask(TEXTS)
    if not isinstance(given, dict) or not {"loss", "logits"} <= set(given):
        raise Finding("form", "forward() gives no dict with 'loss' and 'logits'")
    logits = given["logits"]
    if tuple(logits.shape) != (len(TEXTS), 2):
        raise Finding("form", f"the logits are {tuple(logits.shape)}, not two for each text")
    if (logits >= 0).all() and torch.allclose(logits.sum(1), torch.ones(len(TEXTS)), atol=1e-5):
        raise Finding("softmax", "the logits are probabilities: the loss takes the softmax itself")
    wanted = F.cross_entropy(logits, probe.labels(TEXTS))
    if not torch.allclose(torch.as_tensor(given["loss"]).reshape(()), wanted, atol=1e-5):
        raise Finding("value", "the loss is not the cross-entropy of the logits")


def look_at_dropout(kind: Any) -> None:
    """Whole words go in training, about as many as asked for, and none in evaluation."""
    model = _build(kind, DROP)
    probe, text = Probe(model.train()), list(range(1, WORDS))
    seen = torch.cat([probe.means([text]) for _ in range(CALLS)]).reshape(CALLS, WORDS, 2)
    seen = seen[torch.isfinite(seen).all(2).all(1)][:, 1:]
    gone = seen == 0
    if not gone.any():
        raise Finding("none", "no word is ever dropped in training")
    if (gone[..., 0] != gone[..., 1]).any():
        raise Finding("elements", "single numbers of a vector are dropped, not whole words")
    share = gone[..., 0].float().mean().item()
    if not 0.35 < share < 0.65:
        raise Finding("rate", f"asked to drop half of the words, it drops {100 * share:.0f} %")
    still = Probe(model.eval())
    again = torch.cat([still.means([text]) for _ in range(20)]).reshape(20, WORDS, 2)[:, 1:]
    if (again == 0).any() or not torch.allclose(again, again[:1].expand_as(again)):
        raise Finding("evaluation", "words are dropped in evaluation too")
