"""What a submission sets up and trains: by the functions of helper.py, or by CS224N's run.py.

run.py has no functions to call, so it is run as its command line runs it, on a small corpus. A
trainer only counts, unless a shrunken training is asked for.
"""

import inspect
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

from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.submission import Submission

FILE = "run.py"
_MANY = 10  # examples: with more, the first ones are enough


@dataclass
class Ran:
    """What was set up and trained, in the order of its making."""

    written: Path
    models: list[nn.Module] = field(default_factory=list)
    trainers: list[Any] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)  # its fields before they were shrunken
    loaded: dict[str, torch.Tensor] = field(default_factory=dict)  # what a trainer was given
    data: Any = None  # the trainer's data set before it was shrunken
    trained: int = 0
    error: BaseException | None = None

    def check_trainer(self, function: str) -> None:
        """Its error, or a Finding, if it made no trainer."""
        if not self.trainers:
            text = f"run.py {function} makes no Trainer: write this part first"
            raise self.error or Finding("unwritten", text)

    def model(self, variant: str) -> nn.Module:
        """The model that the trainer was given, or else the last one that was built."""
        held = getattr(self.trainers[-1], "model", None) if self.trainers else None
        held = getattr(held, "module", held)
        if isinstance(held, nn.Module):
            return held
        if self.models:
            return self.models[-1]
        raise self.error or Finding("no model", f"run.py builds no {variant} model")

    def keep(self, trainer: Any, settings: Any, fields: Sequence[str]) -> None:
        """A trainer that was made, its settings, data and parameters."""
        self.trainers.append(trainer)
        self.data = getattr(trainer, "train_dataset", None)
        self.config = {name: _plain(getattr(settings, name, None)) for name in fields}
        named = self.model("").named_parameters()
        self.loaded = {name: value.detach().clone() for name, value in named}


def build(submission: Submission, how: Any, **settings: float) -> nn.Module:
    """The model of a variant, with its sizes and other settings; `latents` are a perceiver's."""
    sizes = how.sizes | settings
    if not submission.package:
        # Two of the symbols are pad and mask; the text has all others once.
        text = "".join(chr(0x3400 + i) for i in range(how.vocabulary - 2))
        return run(submission, "pretrain", how, text, sizes).model(how.variant)
    config = submission.GPTConfig(how.vocabulary, sizes.pop("block_size"), **sizes)
    name = f"initialize_{how.variant}_model"
    make = getattr(submission, name)
    # Others than a perceiver's, and some perceivers', take no such argument.
    takes = "bottleneck_dim" in inspect.signature(make).parameters
    model = make(config, **({"bottleneck_dim": how.latents} if takes else {}))
    text = f"{name} gives {type(model).__name__}, not a model"
    if isinstance(model, nn.Module):
        return model
    raise Finding("unwritten" if model is None else "no model", text)


def call(
    submission: Submission, how: Any, pretraining: Any, made: nn.Module, files: Mapping[str, Path]
) -> Ran:
    """The hand-out's functions: `finetune` and `pretrain` set up and return, `train` trains."""
    own = Path(tempfile.mkdtemp(dir=submission.scratch))
    ran = Ran(own / f"{how.stage.replace(' ', '-')}.params", [made])
    name = how.stage.split()[0]
    with counted(submission) as calls:
        if name == "pretrain":
            got = submission.pretrain(pretraining, 128, made)
        else:
            paths = (files.get(f"{kind}_path") for kind in ("reading_params", "finetune_corpus"))
            paths = [None if path is None else str(path) for path in paths]
            got = submission.finetune(*paths, pretraining, 128, made)
    several = isinstance(got, tuple | list)
    nothing = several and got and all(part is None for part in got)
    expect(not nothing, "unwritten", f"{name}() sets up nothing yet")
    kind = repr(got)[:60] if several else type(got).__name__
    said = f"{name}() should return a config and a trainer, not {kind}"
    expect(several and len(got) == 2 and None not in got, "form", said)
    said = f"{name}() trains by itself, and train() would train again"
    expect(not calls, "trained twice", said)
    settings, trainer = got
    ran.keep(trainer, settings, how.fields)
    if how.shrunken is None:
        return ran
    for config in filter(None, (settings, getattr(trainer, "config", None))):
        shrink(config, trainer, how.shrunken)
    with counted(submission, really=True) as calls:
        try:
            submission.train(ran.model(""), str(ran.written), trainer)
        except (Exception, SystemExit) as error:
            ran.error = error
    ran.trained = len(calls)
    return ran


def run(
    submission: Submission,
    function: str,
    how: Any,
    text: str,
    sizes: Mapping[str, float],
    files: Mapping[str, Path] = MappingProxyType({}),
    shrunken: Mapping[str, Any] | None = None,
    prepare: Callable[[nn.Module], Any] = id,
    fields: Sequence[str] = (),
) -> Ran:
    """`python run.py FUNCTION VARIANT CORPUS --writing_params_path ...`, with other sizes.

    A model of small sizes shows the same mistakes in a hundredth of the time. `prepare` is done to
    every model that is built.
    """
    # Each run has a folder of its own, with files named as the hand-out's commands name them.
    own, path = Path(tempfile.mkdtemp(dir=submission.scratch)), submission.folder / FILE
    (own / "wiki.txt").write_text(text, encoding="utf-8")
    submission.files |= {"wiki.txt": own / "wiki.txt"}
    ran, source = Ran(own / f"{how.variant}.model.params"), path.read_bytes()
    argv = [function, how.variant, "wiki.txt", "--writing_params_path", ran.written.name]
    if how.variant == "perceiver" and b"bottleneck_dim" in source:  # some take no such option
        argv += ["--bottleneck_dim", str(how.latents)]
    for option, file in files.items():
        shutil.copyfile(file, own / file.name)
        argv += [f"--{option}", file.name]
    with (
        watched(submission, ran, sizes, shrunken, prepare, fields),
        patch.object(sys, "argv", [str(path), *argv]),
        chdir(own),
    ):
        try:
            code = compile(source, str(path), "exec")
            exec(code, {"__name__": "__main__", "__file__": str(path)})
        except SystemExit as end:
            if end.code not in (None, 0):
                said = f"run.py {function} {how.variant} gives up with code {end.code}"
                ran.error = Finding("program", f"{said}: {' '.join(argv)[:80]}")
        except Exception as error:
            ran.error = error
    return ran


@contextmanager
def watched(
    submission: Submission,
    ran: Ran,
    sizes: Mapping[str, float],
    shrunken: Mapping[str, Any] | None,
    prepare: Callable[[nn.Module], Any],
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
        settings = getattr(self, "config", None)
        ran.keep(self, settings, fields)
        shrink(settings, self, shrunken or {})

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
        return original(self, *given, **named) if really else None

    with patch.object(submission.Trainer, "train", train):
        yield calls


def shrink(config: Any, trainer: Any, shrunken: Mapping[str, Any]) -> None:
    """Make a training short, whatever it is that the trainer was given to read."""
    for name, value in shrunken.items():
        setattr(config, name, value)
    held = getattr(trainer, "train_dataset", None)
    if shrunken and held is not None and len(held) > _MANY:
        trainer.train_dataset = torch.utils.data.Subset(held, range(_MANY))


def _plain(value: Any) -> Any:
    """A config's field as JSON can say it."""
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value][:10]
    return value if isinstance(value, bool | int | float | None) else repr(value)[:60]
