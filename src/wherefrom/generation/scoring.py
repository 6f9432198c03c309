"""Teacher-forced scoring: how probable a model finds a text that is already there.

Shapes: R rows, T characters, V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from wherefrom.core.errors import BadData
from wherefrom.generation.language_model import (
    LanguageModel,
    device_of,
    groups,
    pad,
    reading,
    reading_budget,
)
from wherefrom.training.rank_group import current_ranks

_FEWEST = 2  # batches for each rank: fewer are read sooner by one

Texts = Sequence[Sequence[int]]
# What is wanted of some of the texts, given their numbers and the texts padded, (R, T).
Wanted = Callable[[Sequence[int], Tensor], Iterator[np.ndarray]]


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
    return np.array(_read(model, sequences, partial(_follow, model, sequences, count)))


def _follow(
    model: LanguageModel, sequences: Texts, count: int, members: Sequence[int], tokens_RT: Tensor
) -> Iterator[np.ndarray]:
    for i, logits_TV in zip(members, model(tokens_RT), strict=True):
        end = len(sequences[i])
        yield logits_TV[end - count : end].softmax(-1).cpu().numpy()


def _score(
    model: LanguageModel, sequences: Texts, starts: Sequence[int] | None, entropies: bool
) -> list[np.ndarray]:
    """A row of scores of each sequence, and one of entropies; empty where nothing is scored."""
    begins = [1] * len(sequences) if starts is None else starts
    _check(sequences, model.max_input)
    return _read(model, sequences, partial(_score_batch, model, sequences, begins, entropies))


def _score_batch(
    model: LanguageModel,
    sequences: Texts,
    starts: Sequence[int],
    entropies: bool,
    members: Sequence[int],
    tokens_RT: Tensor,
) -> Iterator[np.ndarray]:
    if tokens_RT.shape[1] < 2:
        yield from np.zeros((len(members), 1 + entropies, 0), dtype=np.float32)
        return
    logits_RTV, targets_RT = model(tokens_RT[:, :-1]), tokens_RT[:, 1:]
    losses_RT = F.cross_entropy(logits_RTV.transpose(1, 2), targets_RT, reduction="none")
    rows = zip(members, losses_RT.cpu().numpy(), logits_RTV, strict=True)
    for i, losses_T, logits_TV in rows:
        here = slice(starts[i] - 1, len(sequences[i]) - 1)
        found = [-losses_T[here]]
        if entropies:
            logs_TV = logits_TV[here].log_softmax(-1)
            found.append(-(logs_TV.exp() * logs_TV).sum(-1).cpu().numpy())
        yield np.stack(found)


def _read(model: LanguageModel, sequences: Texts, wanted: Wanted) -> list[np.ndarray]:
    """What is wanted of every sequence, in order; those of similar lengths are read at once."""
    device, ranks = device_of(model), current_ranks()
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    parts = groups([len(sequences[i]) for i in order], reading_budget(device))
    batches = [order[part] for part in parts]
    if ranks is not None and len(batches) < _FEWEST * ranks.size:
        ranks = None
    rows: dict[int, np.ndarray] = {}
    with reading(model):
        for members in batches if ranks is None else batches[ranks.rows]:
            tokens_RT = pad([sequences[i] for i in members], device)
            rows |= dict(zip(members, wanted(members, tokens_RT), strict=True))
    if (
        ranks is not None
    ):  # a text is read beside the same others, and to the same bits, as by one process
        own = {i: found.tolist() for i, found in rows.items()}
        found = [part.items() for part in ranks.exchange(sequences, own)]
        rows = {int(i): np.array(row, np.float32) for part in found for i, row in part}
    return [rows[i] for i in range(len(sequences))]


def _check(sequences: Texts, longest: int) -> None:
    for i, sequence in enumerate(sequences):
        if len(sequence) - 1 > longest:
            raise BadData(
                f"text {i}: expected at most {longest + 1} characters, the most that the model "
                f"scores, found {len(sequence)}"
            )
