"""CS224N's run.py: it builds the models, sets up the training, trains and saves.

It has no functions to call, so it is run as its command line runs it, on a small corpus. Its
trainer only counts, unless a shrunken training is asked for.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

FILE = "run.py"
_MANY = 10  # examples: with more, the first ones are enough


@dataclass
class Ran:
    """What was set up and trained, by functions or by run.py, in the order of its making."""

    written: Path
    models: list[nn.Module] = field(default_factory=list)
    trainers: list[Any] = field(default_factory=list)
    settings: Any = None  # the config that was returned beside the trainer
    config: dict[str, Any] = field(default_factory=dict)  # its fields before they were shrunken
    loaded: dict[str, torch.Tensor] = field(default_factory=dict)  # what a trainer was given
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
    sizes: Mapping[str, float],
    *options: str,
    files: Mapping[str, Path] = MappingProxyType({}),
    shrunken: Mapping[str, Any] | None = None,
    prepare: Callable[[nn.Module], None] | None = None,
    fields: Sequence[str] = (),
) -> Ran:
    """`python run.py FUNCTION VARIANT CORPUS --writing_params_path ...`, with other sizes.

    A model of small sizes shows the same mistakes in a hundredth of the time. `prepare` is done to
    every model that is built.
    """
    # Each run has a folder of its own, with files named as the hand-out's commands name them.
    own = Path(tempfile.mkdtemp(prefix=f"{function}-", dir=submission.scratch))
    (own / "wiki.txt").write_text(text, encoding="utf-8")
    submission.files |= {"wiki.txt": own / "wiki.txt"}
    for option, file in files.items():
        shutil.copyfile(file, own / file.name)
        options = (*options, f"--{option}", file.name)
    ran, path = Ran(own / f"{variant}.model.params"), submission.folder / FILE
    arguments = [function, variant, "wiki.txt", "--writing_params_path", ran.written.name]
    argv = [str(path), *arguments, *options]
    code = compile(path.read_bytes(), str(path), "exec")
    with (
        watched(submission, ran, sizes, shrunken, prepare or (lambda model: None), fields),
        patch.object(sys, "argv", argv),
        chdir(own),
    ):
        try:
            exec(code, {"__name__": "__main__", "__file__": str(path)})
        except SystemExit as end:
            if end.code not in (None, 0):
                text = f"run.py {function} {variant} gives up with code {end.code}"
                ran.error = Finding("program", f"{text}: {' '.join(argv[1:])[:80]}")
        except Exception as error:
            ran.error = error
    return ran


def build(
    submission: Submission, variant: str, sizes: Mapping[str, float], vocabulary: int, latents: int
) -> nn.Module:
    """The model of a variant, as run.py builds it; `latents` are a perceiver's."""
    # Two of the symbols are pad and mask; the text has all others once.
    text = "".join(chr(0x3400 + i) for i in range(vocabulary - 2))
    options = latents_option(submission, variant, latents)
    return run(submission, "pretrain", variant, text, sizes, *options).model(variant)


def latents_option(submission: Submission, variant: str, latents: int) -> list[str]:
    """How run.py is told the latents of a perceiver; some perceivers' take no such option."""
    takes = b"bottleneck_dim" in (submission.folder / FILE).read_bytes()
    return ["--bottleneck_dim", str(latents)] if variant == "perceiver" and takes else []


@contextmanager
def watched(
    submission: Submission,
    ran: Ran,
    sizes: Mapping[str, float],
    shrunken: Mapping[str, Any] | None,
    prepare: Callable[[nn.Module], None],
    fields: Sequence[str],
) -> Iterator[None]:
    """The submission's classes tell what is made of them."""
    config, model, trainer = submission.GPTConfig, submission.GPT, submission.Trainer
    make_config, make_model, make_trainer = config.__init__, model.__init__, trainer.__init__

    def new_config(self: Any, vocab_size: int, block_size: int, *rest: Any, **given: Any) -> None:
        own = dict(sizes)
        make_config(self, vocab_size, own.pop("block_size", block_size), *rest, **(given | own))

    def new_model(self: Any, *given: Any, **named: Any) -> None:
        make_model(self, *given, **named)
        prepare(self)
        ran.models.append(self)

    def new_trainer(self: Any, *given: Any, **named: Any) -> None:
        make_trainer(self, *given, **named)
        ran.trainers.append(self)
        ran.settings = getattr(self, "config", None)
        ran.config = fields_of(ran.settings, fields)
        held = ran.model("")
        ran.loaded = {name: p.detach().clone() for name, p in held.named_parameters()}
        shrink(ran.settings, self, shrunken or {})

    with (
        patch.object(config, "__init__", new_config),
        patch.object(model, "__init__", new_model),
        patch.object(trainer, "__init__", new_trainer),
        counted(submission, really=shrunken is not None) as calls,
    ):
        yield
    ran.trained = len(calls)


@contextmanager
def counted(submission: Submission, really: bool = False) -> Iterator[list[None]]:
    """Count the calls of a trainer's `train`, which trains only if it `really` should."""
    calls: list[None] = []
    original = submission.Trainer.train

    def train(self: Any, *given: Any, **named: Any) -> Any:
        calls.append(None)
        if really:
            return original(self, *given, **named)
        # The course's trainer saves after training if its config has a path for it.
        path = getattr(getattr(self, "config", None), "ckpt_path", None)
        if path is not None and hasattr(self, "save_checkpoint"):
            self.save_checkpoint()

    with patch.object(submission.Trainer, "train", train):
        yield calls


def shrink(config: Any, trainer: Any, shrunken: Mapping[str, Any]) -> None:
    """Make a training short, whatever it is that the trainer was given to read."""
    for name, value in shrunken.items():
        setattr(config, name, value)
    held = getattr(trainer, "train_dataset", None)
    if shrunken and held is not None and len(held) > _MANY:
        trainer.train_dataset = torch.utils.data.Subset(held, range(_MANY))


def fields_of(config: Any, names: Sequence[str]) -> dict[str, Any]:
    """A config's fields as JSON can say them."""
    return {name: _plain(getattr(config, name, None)) for name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value][:10]
    return value if isinstance(value, bool | int | float | None) else repr(value)[:60]
