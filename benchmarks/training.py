"""Training at the course's sizes on a CPU, against a Transformers GPT-2 loop.

The work is the same rows of span-corrupted text for both, 128 a step. What counts is useful
tokens: targets that are not padding. The peer is a plain loop: rows padded to the block, dropout
0.1 as it comes, exact GELU as in the course, every position through the head. Ours sorts the rows
of a step by length into buckets, crops each, and computes the loss of real targets only; without
dropout, as our own recipes train the blocks.

Each contestant has a process of its own, as its user would start it, and they take turns:
`wherefrom` tells torch's allocator to keep freed pages, and waiting threads to sleep, so ours run
with both and the peer without; what the pages alone are worth is shown by a run of each the other
way round. Beside them,
ours with the peer's dropout, and with the squared ReLU and bias-free layers of our own recipes.
"""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from measure import Watch, finish, parser, ratio, report, take_turns
from program import launch

from wherefrom.core.contracts import Document
from wherefrom.core.environment import ALLOCATOR, WAITING
from wherefrom.core.randomness import Stream, below, draws
from wherefrom.core.recipe import Schedule, Share, Stage
from wherefrom.core.vocabulary import Vocabulary
from wherefrom.models.gpt import GPT, GPTConfig
from wherefrom.objectives.corpus import index_corpus
from wherefrom.objectives.span_corruption import Documents, SpanCorruptionConfig
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
    """GPT-2 of Transformers, of the same sizes, in a plain loop."""

    def __init__(self, model: GPTConfig, rows: Documents) -> None:
        from transformers import GPT2Config, GPT2LMHeadModel

        torch.manual_seed(0)
        self.rows, self.block = rows, model.block_size
        self.model = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=model.vocab_size, n_positions=model.block_size, n_embd=model.n_embd,
                n_layer=model.n_layer, n_head=model.n_head, activation_function="gelu",
                tie_word_embeddings=False,
            )
        )  # fmt: skip
        self.optimiser = torch.optim.AdamW(
            self.model.parameters(), lr=6e-4, betas=(0.9, 0.95), weight_decay=0.1
        )
        self.model.train()

    def __call__(self, turn: int) -> float:
        batch = self.rows.render(self.rows.plan(turn, 1), 0)
        missing = self.block - batch.inputs.shape[1]
        inputs, targets = (F.pad(t, (0, missing)) for t in (batch.inputs, batch.targets))
        logits = self.model(inputs, use_cache=False).logits
        loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)
        self.optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return float((batch.weights > 0).sum())


OURS, LEAN, DROPPING = "ours", "ours, squared ReLU, no biases", "ours, dropout 0.1"
PEER, UNTOUCHED = "GPT-2, padded", "ours, allocator as it comes"
KEEPING = "GPT-2, padded, allocator keeps pages"


class Worker:
    """A contestant in a process of its own; a turn's number goes in, the work done comes out."""

    def __init__(self, name: str, arguments: list[str]) -> None:
        command = [sys.executable, __file__, *arguments, "--worker", name]
        keeps = {} if name in (PEER, UNTOUCHED) else ALLOCATOR
        waits = {} if name in (PEER, KEEPING) else WAITING
        self.process = subprocess.Popen(
            command, env=os.environ | keeps | waits, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip

    def __call__(self, turn: int) -> float:
        into, out = self.process.stdin, self.process.stdout
        assert into is not None
        assert out is not None
        into.write(f"{turn}\n")
        into.flush()
        return float(out.readline())


def contestant(name: str, data: Path | None, tiny: bool) -> Ours | Peer:
    lines = [x for x in data.read_text("utf-8").split("\n") if x] if data else make_lines(2900)
    size = {"n_layer": 1, "n_embd": 32, "n_head": 2, "block_size": 32} if tiny else {}
    vocabulary = Vocabulary.from_text(lines)
    drop = 0.1 if name == DROPPING else 0.0
    lean = {"activation": "relu2", "bias": False} if name == LEAN else {}
    config = GPTConfig(
        vocab_size=len(vocabulary), embd_pdrop=drop, resid_pdrop=drop, attn_pdrop=drop,
        **size, **lean,
    )  # fmt: skip
    corpus = index_corpus([Document(line) for line in lines], vocabulary)
    rows = Documents(
        SpanCorruptionConfig(), corpus, block_size=config.block_size, rows=16 if tiny else 128,
        seed=0, stage=0,
    )  # fmt: skip
    if name in (PEER, KEEPING):
        return Peer(config, rows)
    return Ours(config, rows, buckets=4 if tiny else 16)


def main(arguments: list[str] | None = None) -> dict:
    arguments = sys.argv[1:] if arguments is None else arguments
    options = parser(__doc__)
    options.add_argument("--data", type=Path, help="a text file, one document a line")
    options.add_argument("--worker", help="be one contestant: turns on standard input")
    given = options.parse_args(arguments)
    torch.set_num_threads(given.threads or torch.get_num_threads())
    if given.worker:
        work = contestant(given.worker, given.data, given.tiny)
        for turn in sys.stdin:
            print(work(int(turn)), flush=True)
        return {}
    names = [OURS, LEAN, DROPPING, UNTOUCHED]
    if peers := find_spec("transformers"):
        names += [PEER, KEEPING]
    else:
        print("no ratios: GPT-2 needs Transformers, which `make bench` installs")
    # At a tiny size speeds mean nothing: only the two that every ratio needs have a process.
    inside = set(names) - {OURS, PEER} if given.tiny else ()
    watch = Watch()
    workers = {name: Worker(name, arguments) for name in names if name not in inside}
    others = {name: contestant(name, given.data, given.tiny) for name in inside}
    speeds = take_turns(workers | others, given.turns)
    for worker in workers.values():
        worker.process.communicate()
    pairs = [(name, PEER) for name in (OURS, LEAN, DROPPING, UNTOUCHED)] + [(OURS, KEEPING)]
    ratios = [ratio(speeds, *pair) for pair in pairs if peers]
    title = "training, 4 layers of 256, batch 128"
    return finish(given, report(title, "useful tokens/s", speeds, ratios, watch))


if __name__ == "__main__":
    launch(main)
