"""Teacher-forced scoring: how probable a model finds a text that is already there.

Shapes: R rows, T characters, V vocabulary.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch.nn.functional as F
from torch import Tensor

from wherefrom.core.errors import BadData
from wherefrom.generation.batches import groups, pad, reading_budget
from wherefrom.generation.language_model import LanguageModel, device_of, reading
from wherefrom.training.rank_group import current_ranks

EVERY_BATCH = slice(None)
_FEWEST = 2  # batches for each rank: fewer are read sooner by one


@dataclass(frozen=True)
class ScoreRequest:
    """Texts that a model reads, and what is wanted of each: one row of `wanted` numbers or several.

    `scores`: the log-probability of each character from `starts` on. `scores and entropies`: the
    entropy of what the model expects there, in a second row. `following`: the probabilities of what
    may follow each of the last `count` characters, a row for each.
    """

    wanted: str
    sequences: Sequence[Sequence[int]]
    starts: Sequence[int] = ()
    count: int = 1
    batch_tokens: int | None = None

    @property
    def rows(self) -> int:
        return {"scores": 1, "scores and entropies": 2}.get(self.wanted, self.count)


def score(
    model: LanguageModel, sequences: Sequence[Sequence[int]], starts: Sequence[int] | None = None
) -> list[np.ndarray]:
    """Natural log-probability of each character from its sequence's start on, given all before.

    A start is at least 1 (the default): nothing comes before the first character.
    """
    asked = ScoreRequest("scores", sequences, _starts(sequences, starts))
    return [rows[0] for rows in _read(model, asked)]


def score_with_entropy(
    model: LanguageModel, sequences: Sequence[Sequence[int]], starts: Sequence[int] | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same, and the entropy of what the model expects at each of these characters, in nats."""
    asked = ScoreRequest("scores and entropies", sequences, _starts(sequences, starts))
    return [(rows[0], rows[1]) for rows in _read(model, asked)]


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
    return np.array(_read(model, ScoreRequest("following", sequences, (), count)))


def _starts(sequences: Sequence[Sequence[int]], starts: Sequence[int] | None) -> Sequence[int]:
    return [1] * len(sequences) if starts is None else starts


def _read(model: LanguageModel, asked: ScoreRequest) -> list[np.ndarray]:
    """The rows of every sequence, in order; one that has nothing to score has empty rows."""
    if asked.wanted != "following":
        _check(asked.sequences, asked.starts, model.max_input)
    ranks = current_ranks()
    if ranks is None or len(batches(model, asked)) < _FEWEST * ranks.size:
        rows = dict(read_batches(model, asked))
    else:  # a text is read beside the same others, and to the same bits, as by one process
        own = {i: found.tolist() for i, found in read_batches(model, asked, ranks.rows)}
        parts = ranks.exchange(asked, own)
        rows = {int(i): np.array(found, np.float32) for part in parts for i, found in part.items()}
    nothing = np.zeros((asked.rows, 0), dtype=np.float32)
    return [rows.get(i, nothing) for i in range(len(asked.sequences))]


def read_batches(
    model: LanguageModel, asked: ScoreRequest, part: slice = EVERY_BATCH
) -> Iterator[tuple[int, np.ndarray]]:
    """Which sequence it is, and its rows; of some of the batches, if not of all."""
    rows_of = _following_rows if asked.wanted == "following" else _scored_rows
    with reading(model):
        for members in batches(model, asked)[part]:
            tokens_RT = pad([asked.sequences[i] for i in members], device_of(model))
            yield from rows_of(model, asked, members, tokens_RT)


def _scored_rows(
    model: LanguageModel, asked: ScoreRequest, members: Sequence[int], tokens_RT: Tensor
) -> Iterator[tuple[int, np.ndarray]]:
    if tokens_RT.shape[1] < 2:
        return
    logits_RTV, targets_RT = model(tokens_RT[:, :-1]), tokens_RT[:, 1:]
    losses_RT = F.cross_entropy(logits_RTV.transpose(1, 2), targets_RT, reduction="none")
    rows = zip(members, losses_RT.cpu().numpy(), logits_RTV, strict=True)
    for i, losses_T, logits_TV in rows:
        here = slice(asked.starts[i] - 1, len(asked.sequences[i]) - 1)
        if asked.rows == 1:
            yield i, -losses_T[None, here]
            continue
        logs_TV = logits_TV[here].log_softmax(-1)
        entropy_T = -(logs_TV.exp() * logs_TV).sum(-1)
        yield i, np.stack([-losses_T[here], entropy_T.cpu().numpy()])


def _following_rows(
    model: LanguageModel, asked: ScoreRequest, members: Sequence[int], tokens_RT: Tensor
) -> Iterator[tuple[int, np.ndarray]]:
    for i, logits_TV in zip(members, model(tokens_RT), strict=True):
        end = len(asked.sequences[i])
        yield i, logits_TV[end - asked.count : end].softmax(-1).cpu().numpy()


def batches(model: LanguageModel, asked: ScoreRequest) -> list[list[int]]:
    """Which sequences are read at once: those of similar lengths."""
    sequences = asked.sequences
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    lengths = [len(sequences[i]) for i in order]
    budget = asked.batch_tokens or reading_budget(device_of(model))
    return [order[group] for group in groups(lengths, budget)]


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
