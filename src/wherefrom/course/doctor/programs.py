"""What a submission sets up and trains: by the functions of helper.py, or by CS224N's run.py.

run.py has no functions to call, so it is run as its command line runs it; a package is run as the
hand-out's own run.py does it. Either has a small corpus, and classes that tell what is made of
them. A trainer only counts, unless a shrunken training is asked for.
"""

import inspect
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from torch import nn

from wherefrom.course.doctor.findings import Finding, expect
from wherefrom.course.doctor.submission import Submission

FILE, BLOCK = "run.py", 128
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

    @property
    def model(self) -> nn.Module:
        """The model that the trainer was given, or else the last one that was built."""
        held = getattr(self.trainers[-1], "model", None) if self.trainers else None
        held = getattr(held, "module", held)
        if isinstance(held, nn.Module):
            return held
        if self.models:
            return self.models[-1]
        raise self.error or Finding("no model", "it builds no model")

    def hold(self) -> None:
        """The parameters before any training; some load a file after they made the trainer."""
        if not self.trained:
            named = self.model.named_parameters()
            self.loaded = {name: value.detach().clone() for name, value in named}


def build(submission: Submission, how: Any, **settings: float) -> nn.Module:
    """The model of a variant, with its sizes and other settings; `latents` are a perceiver's."""
    # Two of the symbols are pad and mask; the text has all others once.
    text = "".join(chr(0x3400 + i) for i in range(how.vocabulary - 2))
    own = {"text": text, "sizes": how.sizes | settings, "shrunken": None, "fields": ()}
    return run(submission, "build", SimpleNamespace(**vars(how) | own)).model


def run(
    submission: Submission,
    function: str,
    how: Any,
    files: Mapping[str, Path] = MappingProxyType({}),
    prepare: Callable[[nn.Module], Any] = id,
) -> Ran:
    """Build, pretrain or finetune a variant on a text, in a folder of its own.

    A model of other sizes shows the same mistakes in a hundredth of the time. `files` are by the
    names of the command line's options. `prepare` is done to every model that is built.
    """
    own = Path(tempfile.mkdtemp(dir=submission.scratch))
    ran = Ran(own / f"{how.variant}.model.params")
    program = _by_functions if submission.package else _by_command
    with watched(submission, ran, how, prepare), chdir(own):
        try:
            program(submission, function, how, files, ran)
        except Finding:
            raise
        except (Exception, SystemExit) as error:
            ran.error = error
    if ran.error and submission.package and function == "build":
        raise ran.error
    return ran


def _by_functions(
    submission: Submission, function: str, how: Any, files: Mapping[str, Path], ran: Ran
) -> None:
    """`finetune` and `pretrain` set up and return, `train` trains."""
    name = f"initialize_{how.variant}_model"
    make, config = getattr(submission, name), submission.GPTConfig(how.vocabulary, BLOCK)
    # Others than a perceiver's, and some perceivers', take no such argument.
    takes = "bottleneck_dim" in inspect.signature(make).parameters
    made = make(config, **({"bottleneck_dim": how.latents} if takes else {}))
    unwritten, text = made is None, f"{name} gives {type(made).__name__}, not a model"
    expect(isinstance(made, nn.Module), "unwritten" if unwritten else "no model", text)
    ran.models.append(made)
    if function == "build":
        return
    data = submission.CharCorruptionDataset(how.text, BLOCK)
    if function == "pretrain":
        got = submission.pretrain(data, BLOCK, made)
    else:
        paths = (files.get(f"{kind}_path") for kind in ("reading_params", "finetune_corpus"))
        got = submission.finetune(*(path and str(path) for path in paths), data, BLOCK, made)
    several = isinstance(got, tuple | list)
    nothing = several and got and all(part is None for part in got)
    expect(not nothing, "unwritten", f"{function}() sets up nothing yet")
    kind = repr(got)[:60] if several else type(got).__name__
    said = f"{function}() should return a config and a trainer, not {kind}"
    expect(several and len(got) == 2 and None not in got, "form", said)
    ran.hold()
    if how.shrunken is not None:
        submission.train(ran.model, str(ran.written), got[1])


def _by_command(
    submission: Submission, function: str, how: Any, files: Mapping[str, Path], ran: Ran
) -> None:
    """`python run.py FUNCTION VARIANT CORPUS --writing_params_path ...`.

    The files are named as the hand-out's commands name them. A model is built on the way to its
    pretraining.
    """
    own, path = Path.cwd(), submission.folder / FILE
    (own / "wiki.txt").write_text(how.text, encoding="utf-8")
    function, source = function.replace("build", "pretrain"), path.read_bytes()
    argv = [function, how.variant, "wiki.txt", "--writing_params_path", ran.written.name]
    if how.variant == "perceiver" and b"bottleneck_dim" in source:  # some take no such option
        argv += ["--bottleneck_dim", str(how.latents)]
    for option, file in files.items():
        shutil.copyfile(file, own / file.name)
        argv += [f"--{option}", file.name]
    with patch.object(sys, "argv", [str(path), *argv]):
        try:
            code = compile(source, str(path), "exec")
            exec(code, {"__name__": "__main__", "__file__": str(path)})
        except SystemExit as end:
            if end.code not in (None, 0):
                said = f"run.py {function} {how.variant} gives up with code {end.code}"
                ran.error = Finding("program", f"{said}: {' '.join(argv)[:80]}")


@contextmanager
def watched(
    submission: Submission, ran: Ran, how: Any, prepare: Callable[[nn.Module], Any]
) -> Iterator[None]:
    """The submission's classes tell what is made of them."""
    config, model, shrunken = submission.GPTConfig, submission.GPT, how.shrunken or {}
    make_config, make_model = config.__init__, model.__init__
    trains = how.fields or not submission.package  # else a broken trainer.py is no matter
    trainer: Any = submission.Trainer if trains else None
    make_trainer, really_train = getattr(trainer, "__init__", id), getattr(trainer, "train", id)

    def new_config(self: Any, vocab_size: int, block_size: int, *rest: Any, **given: Any) -> None:
        own = dict(how.sizes)
        make_config(self, vocab_size, own.pop("block_size", block_size), *rest, **(given | own))

    def new_model(self: Any, *given: Any, **named: Any) -> None:
        make_model(self, *given, **named)
        prepare(self)
        ran.models.append(self)

    def new_trainer(self: Any, *given: Any, **named: Any) -> None:
        make_trainer(self, *given, **named)
        ran.trainers.append(self)
        ran.data, settings = getattr(self, "train_dataset", None), getattr(self, "config", None)
        ran.config = {name: getattr(settings, name, None) for name in how.fields}
        ran.hold()
        for name, value in shrunken.items():
            setattr(self.config, name, value)
        if shrunken and ran.data is not None and len(ran.data) > _MANY:
            self.train_dataset = torch.utils.data.Subset(ran.data, range(_MANY))

    def train(self: Any, *given: Any, **named: Any) -> Any:
        ran.hold()
        ran.trained += 1
        return really_train(self, *given, **named) if shrunken else None

    with ExitStack() as stack:
        stack.enter_context(patch.object(config, "__init__", new_config))
        stack.enter_context(patch.object(model, "__init__", new_model))
        if trains:
            stack.enter_context(patch.multiple(trainer, __init__=new_trainer, train=train))
        yield
