"""Checks of what `pretrain` and `finetune` set up, without training."""

import math
from pathlib import Path
from typing import Any

import torch
from torch import nn

from wherefrom.course.doctor import names, programs
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.given_trainer import peak_share
from wherefrom.course.doctor.programs import counted, state_of
from wherefrom.course.doctor.submission import Submission
from wherefrom.course.doctor.years import Year

BLOCK = 128
WARMUP = 512 * 20
DOCUMENTS, NAMES = 2937, 2000  # in the course's data, which the schedules are made for
PEAK = {"pretrain": 6e-3, "finetune": 6e-4}
SMALL = {"n_layer": 1, "n_head": 2, "n_embd": 16}


def expected_config(stage: str, year: Year) -> dict[str, float]:
    """The hyperparameters that the assignment's comments ask for."""
    epochs = {"pretrain": 650, "finetune from scratch": 75, "finetune": 10}[stage]
    kind = stage.split()[0]
    return {
        "max_epochs": epochs,
        "batch_size": {"pretrain": 128, "finetune": 256}[kind],
        "learning_rate": PEAK[kind],
        "lr_decay": True,
        "warmup_tokens": WARMUP,
        "final_tokens": (year.passes if kind == "pretrain" else 200) * DOCUMENTS * BLOCK,
        "num_workers": year.num_workers,
    }


class Setup:
    """A small model and data, and what a stage sets up for them; `Trainer.train` only counts."""

    def __init__(self, submission: Submission, stage: str) -> None:
        self.config: Any = None
        self.trainer: Any = None
        self.stage = stage
        self.text = "\n".join([names.TEXT, *["Ada."] * (DOCUMENTS - len(names.ROWS))])
        self.data = submission.CharCorruptionDataset(self.text, BLOCK)
        self.saved: dict[str, torch.Tensor] = {}
        self.error: BaseException | None = None
        self.written: Path | None = None  # by run.py, which trains and saves by itself
        self.path = self._pretrained(submission) if stage == "finetune" else None
        if submission.package:
            self._call(submission)
        else:
            self._run(submission)

    def _call(self, submission: Submission) -> None:
        self.model = small_model(submission, self.data.vocab_size)
        self.before = state_of(self.model)
        with counted(submission) as calls:
            if self.stage == "pretrain":
                made = submission.pretrain(self.data, BLOCK, self.model)
            else:
                corpus = str(names.corpus_file(submission))
                made = submission.finetune(self.path, corpus, self.data, BLOCK, self.model)
            self.trained = len(calls)
        if not isinstance(made, tuple | list) or len(made) != 2 or None in made:
            name = self.stage.split()[0]
            if isinstance(made, tuple | list) and made and all(part is None for part in made):
                raise Finding("unwritten", f"{name}() sets up nothing yet")
            found = type(made).__name__ if not isinstance(made, tuple | list) else repr(made)[:60]
            raise Finding("form", f"{name}() should return a config and a trainer, not {found}")
        self.config, self.trainer = made

    def _run(self, submission: Submission) -> None:
        """What the functions would do, run.py does: set up, train, save."""
        name = self.stage.split()[0]
        options: list[str] = []
        if name == "finetune":
            options += ["--finetune_corpus_path", str(names.corpus_file(submission))]
        if self.path is not None:
            options += ["--reading_params_path", self.path]
        ran = programs.run(submission, name, "vanilla", self.text, SMALL, *options)
        self.trainer = ran.trainer(name)
        self.config = getattr(self.trainer, "config", None)
        self.model, self.before = ran.model("vanilla"), ran.before
        self.trained, self.written, self.error = ran.trained, ran.written, ran.error

    def _pretrained(self, submission: Submission) -> str:
        other = small_model(submission, self.data.vocab_size)
        with torch.no_grad():
            for parameter in other.parameters():
                parameter.add_(torch.randn_like(parameter))
        self.saved = state_of(other)
        path = (submission.scratch / "pretrained.params").resolve()
        torch.save(other.state_dict(), path)
        return str(path)


def setup(submission: Submission, stage: str) -> Setup:
    """What a stage sets up, once for all checks."""
    return submission.once(stage, lambda: Setup(submission, stage))


def check_config(submission: Submission, stage: str) -> str | None:
    made = setup(submission, stage)
    year = submission.year
    for name, value in expected_config(stage, year).items():
        found = getattr(made.config, name, None)
        if name == "num_workers" and not year.workers_matter:
            continue
        if found is None or not (found == value or math.isclose(found, value, rel_tol=1e-9)):
            raise Finding("config", f"{stage}: {name} is {found!r}, expected {value!r}")
    for name in ("betas", "grad_norm_clip", "weight_decay"):
        if not hasattr(made.config, name):
            raise Finding("config", f"{stage}: the config has no {name}")
    found = getattr(made.config, "num_workers", 0)
    if found != year.num_workers:
        return f"num_workers={found}, not {year.num_workers}: no matter"
    return None


def check_untrained(submission: Submission, stage: str) -> None:
    """The stage's function returns before any training, which is the task of `train`."""
    made = setup(submission, stage)
    if not submission.package:  # run.py is meant to train
        return
    name = stage.split()[0]
    if made.trained:
        text = f"{name}() trains by itself, and train() would train again"
        raise Finding("trained twice", text)
    if not made.saved and _differs(made.before, state_of(made.model)):
        raise Finding("trained twice", f"{name}() changes the model's weights")


def check_trains_once(submission: Submission) -> None:
    """`train`, or run.py, calls the trainer once and writes the model's parameters."""
    made = setup(submission, "finetune from scratch")
    if made.written is None:
        who, path = "train()", (submission.scratch / "written.params").resolve()
        with counted(submission) as calls:
            submission.train(made.model, str(path), made.trainer)
        times = len(calls)
    else:
        who, path, times = "run.py finetune", made.written, made.trained
    if times != 1:
        said = {0: "never", 2: "twice"}.get(times, f"{times} times")
        mistake = "trained twice" if times else "never trained"
        raise Finding(mistake, f"{who} calls trainer.train() {said}, expected once")
    if not path.is_file():
        if made.error is not None:
            raise made.error
        raise Finding("not written", f"{who} writes no parameters to writing_params_path")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        text = f"what {who} writes cannot be loaded with weights_only=True: {error}"
        raise Finding("not written", " ".join(text.split())[:200]) from error
    if _differs(state_of(made.model), state):
        raise Finding("not written", f"what {who} writes are not the model's parameters")


def check_loaded(submission: Submission) -> None:
    """With a path, the trainer's model holds what the file holds."""
    made = setup(submission, "finetune")
    held = getattr(made.trainer, "model", made.model)
    state = state_of(getattr(held, "module", held))
    if not _differs(made.saved, state):
        return
    if not _differs(made.before, state):
        text = "finetune() leaves the model as it was: the parameters of the file are not in it"
        raise Finding("not loaded", text)
    raise Finding("not loaded", "after finetune() the model does not hold the file's parameters")


def rate_at_end(config: Any, stage: str, year: Year) -> float:
    """The share of the peak rate after the last step: the course's cosine, which may rise again."""
    pretraining = stage == "pretrain"
    examples = DOCUMENTS if pretraining else NAMES
    tokens = config.max_epochs * examples * (year.sizes(BLOCK)[0] if pretraining else BLOCK - 1)
    return peak_share(tokens, config) if config.lr_decay else 1.0


def small_model(submission: Submission, vocabulary: int) -> nn.Module:
    """A vanilla model of the submission's."""
    if not submission.package:  # run.py may set more on its config than the sizes
        sizes = {**SMALL, "block_size": BLOCK}
        return programs.build(submission, "vanilla", sizes, vocabulary, 0)
    config = submission.GPTConfig(vocabulary, BLOCK, **SMALL)
    try:
        return submission.GPT(config)
    except TypeError:  # a student's own GPT may want more than its config
        return submission.initialize_vanilla_model(config)


def _differs(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    if not isinstance(b, dict) or a.keys() != b.keys():
        return True
    return any(a[k].shape != b[k].shape or not torch.equal(a[k], b[k]) for k in a)
