"""Training at the course's sizes on a CPU, against a Transformers GPT-2 loop.

The work is the same rows of span-corrupted text for both, 128 a step. What counts is useful
tokens: targets that are not padding. The peer is the loop one writes with that library: rows
padded to the block, an attention mask, labels of -100 on padding, dropout as it comes. Ours sorts the rows of a
step by length into buckets, crops each, and computes the loss of real targets only. It is
measured without dropout, as our own recipes train the blocks, and with the peer's 0.1.
"""

import sys
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from measure import finish, parser, ratio, report, take_turns

from wherefrom.core.contracts import Document
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.spans import Documents, SpanCorruptionConfig
from wherefrom.training.optimisers import AdamWConfig
from wherefrom.training.torch_learner import TorchLearner


def make_lines(count: int) -> list[str]:
    """Lines with lengths like one-line biographies' (40 to 240, mean 140) over 254 characters."""
    row = np.arange(count, dtype=np.int64)
    (word,) = draws(1, seed=0, stream=Stream.WORLD, stage=0, step=0, row=row)
    lengths = 40 + below(word, 201)
    cells = np.arange(int(lengths.sum()), dtype=np.int64)
    (word,) = draws(1, seed=0, stream=Stream.WORLD, stage=1, step=0, row=cells)
    text = "".join(chr(0x100 + int(i)) for i in below(word, 254))
    ends = np.cumsum(lengths)
    return [text[end - length : end] for end, length in zip(ends, lengths, strict=True)]


class Ours:
    """The library's learner with so many buckets."""

    def __init__(self, model: GPTConfig, rows: Documents, buckets: int) -> None:
        torch.manual_seed(0)
        shares = (Share("spans", SpanCorruptionConfig()),)
        stage = Stage(
            "train", shares, AdamWConfig(rate=6e-4), Schedule(), 1000, rows.rows, buckets=buckets
        )
        self.learner = TorchLearner(GPT(model), rows, stage, number=0, seed=0)

    def __call__(self, turn: int) -> float:
        return float(self.learner.advance(turn, 1)["targets"].sum())


class Peer:
    """GPT-2 of Transformers, of the same sizes, in the loop its users write."""

    def __init__(self, model: GPTConfig, rows: Documents, activation: str) -> None:
        from transformers import GPT2Config, GPT2LMHeadModel

        torch.manual_seed(0)
        self.rows, self.block = rows, model.block_size
        self.model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=model.vocab_size, n_positions=model.block_size, n_embd=model.n_embd,
                n_layer=model.n_layer, n_head=model.n_head, activation_function=activation,
                tie_word_embeddings=False,
            )
        )  # fmt: skip
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1
        )
        self.model.train()

    def __call__(self, turn: int) -> float:
        batch = self.rows.render(self.rows.plan(turn, 1), 0)
        # The model shifts by itself: the row whole, and -100 where a label does not count.
        row = F.pad(torch.cat((batch.inputs[:, :1], batch.targets), 1), (0, self.block))
        row = row[:, : self.block]
        seen = torch.arange(self.block) <= batch.lengths[:, None]
        labels = torch.where(seen, row, -100)
        loss = self.model(input_ids=row, attention_mask=seen.long(), labels=labels).loss
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return float((batch.weights > 0).sum())


def main(arguments: list[str] | None = None) -> dict:
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="a text file, one document a line")
    options.add_argument("--buckets", type=int, nargs="+", default=[8, 16])
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads or torch.get_num_threads())
    lines = given.data.read_text("utf-8").split("\n") if given.data else make_lines(2900)
    lines = [line for line in lines if line]
    size = {"n_layer": 1, "n_embd": 32, "n_head": 2, "block_size": 32} if given.tiny else {}
    vocabulary = Vocabulary.from_text(lines)
    corpus = index_corpus([Document(line) for line in lines], vocabulary)
    plain = GPTConfig(
        vocab_size=len(vocabulary), embd_pdrop=0.0, resid_pdrop=0.0, attn_pdrop=0.0, **size
    )
    dropping = GPTConfig(vocab_size=len(vocabulary), **size)
    count = 16 if given.tiny else 128
    rows = Documents(
        SpanCorruptionConfig(), corpus, block_size=plain.block_size, rows=count, seed=0, stage=0
    )
    most = max(given.buckets)
    contestants = {f"ours, {b} buckets": Ours(plain, rows, b) for b in given.buckets}
    contestants[f"ours, {most} buckets, dropout 0.1"] = Ours(dropping, rows, most)
    contestants["GPT-2, padded, dropout 0.1"] = Peer(plain, rows, "gelu")
    contestants["GPT-2, padded, dropout 0.1, its own gelu_new"] = Peer(plain, rows, "gelu_new")
    speeds = take_turns(contestants, given.turns)
    *mine, peer, default = contestants
    ratios = [ratio(speeds, name, peer) for name in mine]
    ratios += [ratio(speeds, name, default) for name in mine]
    return finish(given, report("training, 4 x 256 x 8", "useful tokens/s", speeds, ratios))


if __name__ == "__main__":
    sys.exit(not main())
