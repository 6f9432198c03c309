"""CS224N's run.py: it builds the models, sets up the training, trains and saves.

It has no functions to call, so it is run as its command line runs it, on a small corpus and with
a trainer that only counts. What it built is looked at afterwards.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

FILE = "run.py"


@dataclass
class Ran:
    """What a run of run.py left: models and trainers in the order in which it made them."""

    written: Path
    models: list[nn.Module] = field(default_factory=list)
    before: dict[str, torch.Tensor] = field(default_factory=dict)  # the last model, once built
    trainers: list[Any] = field(default_factory=list)
    trained: int = 0
    error: BaseException | None = None

    def trainer(self, function: str) -> Any:
        """The trainer that it made; its error, or a Finding, if it made none."""
        lacking = Finding("unwritten", f"run.py {function} makes no Trainer: write this part first")
        return self._last(self.trainers, lacking)

    def model(self, variant: str) -> nn.Module:
        """The model that the trainer was given, or else the last one that was built."""
        held = getattr(self.trainers[-1], "model", None) if self.trainers else None
        held = getattr(held, "module", held)
        if isinstance(held, nn.Module):
            return held
        return self._last(self.models, Finding("no model", f"run.py builds no {variant} model"))

    def _last(self, made: list[Any], lacking: Finding) -> Any:
        if not made:
            raise self.error or lacking
        return made[-1]


def run(
    submission: Submission,
    function: str,
    variant: str,
    text: str,
    sizes: Mapping[str, float] | None = None,
    *options: str,
) -> Ran:
    """`python run.py FUNCTION VARIANT CORPUS --writing_params_path ...`, with other sizes if given.

    A model of the small sizes shows the same mistakes in a hundredth of the time.
    """
    corpus = submission.scratch / "wiki.txt"
    corpus.write_text(text, encoding="utf-8")
    # Each run has a file of its own: what one wrote is compared with its model later.
    own = Path(tempfile.mkdtemp(prefix=f"{function}-", dir=submission.scratch.resolve()))
    ran = Ran(own / f"{variant}.params")
    arguments = [function, variant, str(corpus.resolve()), "--writing_params_path"]
    path = submission.folder / FILE
    code = compile(path.read_bytes(), str(path), "exec")
    argv = [str(path), *arguments, str(ran.written), *options]
    with (
        watched(submission, ran, sizes or {}),
        patch.object(sys, "argv", argv),
        chdir(submission.scratch),  # some name the course's files without their folder
    ):
        try:
            exec(code, {"__name__": "__main__", "__file__": str(path)})
        except SystemExit as end:
            if end.code not in (None, 0):
                text = f"run.py {function} {variant} gives up with code {end.code}"
                ran.error = Finding("program", f"{text}: {' '.join(argv[4:])[:80]}")
        except Exception as error:
            ran.error = error
    return ran


def build(
    submission: Submission, variant: str, sizes: Mapping[str, float], vocabulary: int, latents: int
) -> nn.Module:
    """The model of a variant, as run.py builds it; `latents` are a perceiver's."""
    # Two of the symbols are pad and mask; the text has all others once.
    text = "".join(chr(0x3400 + i) for i in range(vocabulary - 2))
    takes = b"bottleneck_dim" in (submission.folder / FILE).read_bytes()
    options = ["--bottleneck_dim", str(latents)] if variant == "perceiver" and takes else []
    return run(submission, "pretrain", variant, text, sizes, *options).model(variant)


@contextmanager
def watched(submission: Submission, ran: Ran, sizes: Mapping[str, float]) -> Iterator[None]:
    """The submission's classes tell what is made of them, and its trainer does not train."""
    config, model, trainer = submission.GPTConfig, submission.GPT, submission.Trainer
    make_config, make_model, make_trainer = config.__init__, model.__init__, trainer.__init__

    def new_config(self: Any, vocab_size: int, block_size: int, *rest: Any, **given: Any) -> None:
        own = dict(sizes)
        make_config(self, vocab_size, own.pop("block_size", block_size), *rest, **(given | own))

    def new_model(self: Any, *given: Any, **named: Any) -> None:
        make_model(self, *given, **named)
        ran.models.append(self)
        ran.before = state_of(self)

    def new_trainer(self: Any, *given: Any, **named: Any) -> None:
        make_trainer(self, *given, **named)
        ran.trainers.append(self)

    with (
        patch.object(config, "__init__", new_config),
        patch.object(model, "__init__", new_model),
        patch.object(trainer, "__init__", new_trainer),
        counted(submission) as calls,
    ):
        yield
    ran.trained = len(calls)


@contextmanager
def counted(submission: Submission) -> Iterator[list[None]]:
    """Make the trainers of a submission count their calls of `train` instead of training."""
    calls: list[None] = []

    def train(self: Any, *_: Any, **__: Any) -> None:
        calls.append(None)
        # The course's trainer saves after training if its config has a path for it.
        path = getattr(getattr(self, "config", None), "ckpt_path", None)
        if path is not None and hasattr(self, "save_checkpoint"):
            self.save_checkpoint()

    with patch.object(submission.Trainer, "train", train):
        yield calls


def state_of(model: nn.Module) -> dict[str, torch.Tensor]:
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}
