"""Teacher-forced scoring: how probable a model finds a text that is already there.

Shapes: R rows, T characters, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from wherefrom.core.errors import BadData
from wherefrom.generation.language_model import (
    LanguageModel,
    device_of,
    divide,
    groups,
    pad,
    reading,
)

Texts = Sequence[Sequence[int]]


def score(
    model: LanguageModel, sequences: Texts, starts: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Natural log-probability of each character from its sequence's start on, given all before.

    A start is at least 1 (the default): nothing comes before the first character.
    """
    return [rows[0] for rows in _score(model, sequences, starts, entropies=False)]


def score_with_entropy(
    model: LanguageModel, sequences: Texts, starts: Sequence[int] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same, and the entropy of what the model expects at each of these characters, in nats."""
    return [(rows[0], rows[1]) for rows in _score(model, sequences, starts, entropies=True)]


def following(model: LanguageModel, sequences: Texts, count: int = 1) -> np.ndarray:
    """Probabilities of what may follow the last `count` characters of each sequence, the last
    one's last: (N, count, V)."""
    for i, sequence in enumerate(sequences):
        if not count <= len(sequence) <= model.max_input:
            raise BadData(
                f"text {i}: expected {count} to {model.max_input} characters, which the model can "
                f"go on from, found {len(sequence)}"
            )

    def follow(members: Sequence[int], tokens_RT: Tensor) -> Iterator[np.ndarray]:
        for i, logits_TV in zip(members, model(tokens_RT), strict=True):
            end = len(sequences[i])
            yield logits_TV[end - count : end].softmax(-1).cpu().numpy()

    return np.array(_read(model, sequences, follow))


def _score(
    model: LanguageModel, sequences: Texts, starts: Sequence[int] | None, entropies: bool
) -> list[np.ndarray]:
    """A row of scores of each sequence, and one of entropies; empty where nothing is scored."""
    begins = [1] * len(sequences) if starts is None else starts
    for i, (sequence, begin) in enumerate(zip(sequences, begins, strict=True)):
        if len(sequence) - 1 > model.max_input:
            raise BadData(
                f"text {i}: expected at most {model.max_input + 1} characters, the most that the "
                f"model scores, found {len(sequence)}"
            )
        assert begin > 0, "nothing comes before the first character, so it cannot be scored"

    def score_batch(members: Sequence[int], tokens_RT: Tensor) -> Iterator[np.ndarray]:
        if tokens_RT.shape[1] < 2:
            yield from np.zeros((len(members), 1 + entropies, 0), dtype=np.float32)
            return
        logits_RTV, targets_RT = model(tokens_RT[:, :-1]), tokens_RT[:, 1:]
        losses_RT = F.cross_entropy(logits_RTV.transpose(1, 2), targets_RT, reduction="none")
        rows = zip(members, losses_RT.cpu().numpy(), logits_RTV, strict=True)
        for i, losses_T, logits_TV in rows:
            here = slice(begins[i] - 1, len(sequences[i]) - 1)
            found = [-losses_T[here]]
            if entropies:
                logs_TV = logits_TV[here].log_softmax(-1)
                found.append(-(logs_TV.exp() * logs_TV).sum(-1).cpu().numpy())
            yield np.stack(found)

    return _read(model, sequences, score_batch)


def _read(
    model: LanguageModel,
    sequences: Texts,
    wanted: Callable[[Sequence[int], Tensor], Iterator[np.ndarray]],
) -> list[np.ndarray]:
    """What is wanted of every sequence, in order; those of similar lengths are read at once.

    `wanted` takes the numbers of some sequences and their characters, padded, (R, T). Ranks divide
    whole batches: a text is read beside the same others, and to the same bits, as by one process.
    """
    device = device_of(model)
    texts = sorted(enumerate(sequences), key=lambda text: len(text[1]))
    parts = groups([len(sequence) for _, sequence in texts], device)
    batches = [texts[part] for part in parts]

    def read(own: Sequence[list[tuple[int, Sequence[int]]]]) -> list[list[np.ndarray]]:
        with reading(model):
            pairs = (zip(*batch, strict=True) for batch in own)
            return [list(wanted(members, pad(found, device))) for members, found in pairs]

    found = divide(batches, read, lambda rows: [row.tolist() for row in rows])
    every = zip(chain(*batches), chain(*found), strict=True)
    rows = {
        i: np.array(row, None if isinstance(row, np.ndarray) else np.float32)
        for (i, _), row in every
    }
    return [rows[i] for i in range(len(sequences))]
