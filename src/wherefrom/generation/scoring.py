"""Teacher-forced scoring: how probable a model finds a text that is already there.

Shapes: R rows, T characters, V vocabulary.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from wherefrom.core.errors import BadData
from wherefrom.generation.batches import groups, pad, reading_budget
from wherefrom.generation.language_model import LanguageModel, device_of, reading


def score(
    model: LanguageModel,
    sequences: Sequence[Sequence[int]],
    starts: Sequence[int] | None = None,
    batch_tokens: int | None = None,
) -> list[np.ndarray]:
    """Natural log-probability of each character from its sequence's start on, given all before.

    A start is at least 1 (the default): nothing comes before the first character. `batch_tokens`
    is how many characters are read at once.
    """
    found = [np.zeros(0, dtype=np.float32)] * len(sequences)
    for i, losses_T, _ in _score(model, sequences, starts, batch_tokens):
        found[i] = -losses_T
    return found


def score_with_entropy(
    model: LanguageModel, sequences: Sequence[Sequence[int]], starts: Sequence[int] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same, and the entropy of what the model expects at each of these characters, in nats."""
    nothing = np.zeros(0, dtype=np.float32)
    found = [(nothing, nothing)] * len(sequences)
    for i, losses_T, logits_TV in _score(model, sequences, starts):
        logs_TV = logits_TV.log_softmax(-1)
        entropy_T = -(logs_TV.exp() * logs_TV).sum(-1)
        found[i] = -losses_T, entropy_T.cpu().numpy()
    return found


def _score(
    model: LanguageModel,
    sequences: Sequence[Sequence[int]],
    starts: Sequence[int] | None,
    batch_tokens: int | None = None,
) -> Iterator[tuple[int, np.ndarray, Tensor]]:
    """Each sequence that has something to score: which it is, its losses (T), its logits (T, V)."""
    starts = [1] * len(sequences) if starts is None else starts
    _check(sequences, starts, model.max_input)
    with reading(model):
        for members, tokens_RT in _batches(model, sequences, batch_tokens):
            if tokens_RT.shape[1] < 2:
                continue
            logits_RTV, targets_RT = model(tokens_RT[:, :-1]), tokens_RT[:, 1:]
            losses_RT = F.cross_entropy(logits_RTV.transpose(1, 2), targets_RT, reduction="none")
            rows = zip(members, losses_RT.cpu().numpy(), logits_RTV, strict=True)
            for i, losses_T, logits_TV in rows:
                here = slice(starts[i] - 1, len(sequences[i]) - 1)
                yield i, losses_T[here], logits_TV[here]


def following(
    model: LanguageModel, sequences: Sequence[Sequence[int]], count: int = 1
) -> np.ndarray:
    """Probabilities of what may follow the last `count` characters of each sequence, the last
    one's last: (N, count, V)."""
    for i, sequence in enumerate(sequences):
        if not count <= len(sequence) <= model.max_input:
            raise BadData(
                f"text {i}: expected {count} to {model.max_input} characters, which the model can "
                f"go on from, found {len(sequence)}"
            )
    found: list[np.ndarray] = [np.zeros(0)] * len(sequences)
    with reading(model):
        for members, tokens_RT in _batches(model, sequences):
            for i, logits_TV in zip(members, model(tokens_RT), strict=True):
                end = len(sequences[i])
                found[i] = logits_TV[end - count : end].softmax(-1).cpu().numpy()
    return np.array(found)


def _batches(
    model: LanguageModel, sequences: Sequence[Sequence[int]], batch_tokens: int | None = None
) -> Iterator[tuple[list[int], Tensor]]:
    """Sequences of similar lengths, padded: which they are, and their characters (R, T)."""
    device = device_of(model)
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    lengths = [len(sequences[i]) for i in order]
    for group in groups(lengths, batch_tokens or reading_budget(device)):
        yield order[group], pad([sequences[i] for i in order[group]], device)


def _check(sequences: Sequence[Sequence[int]], starts: Sequence[int], longest: int) -> None:
    for i, (sequence, start) in enumerate(zip(sequences, starts, strict=True)):
        if len(sequence) - 1 > longest:
            raise BadData(
                f"text {i}: expected at most {longest + 1} characters, the most that the model "
                f"scores, found {len(sequence)}"
            )
        if start < 1:
            raise BadData(
                f"text {i}: expected something before the characters to score, found nothing"
            )
