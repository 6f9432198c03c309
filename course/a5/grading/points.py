"""The tests and their points: 4, 6, 20, 20 and 14 for the parts 1c to 1g.

A basic test shows that the hidden ones can run; it is worth nothing, so that what the course
hands out is worth nothing either. Tests over many random draws fail a right solution less than
once in a million times; `wherefrom.course.doctor.spans` has the arithmetic.
"""

from dataclasses import dataclass
from functools import partial

from grading import own, scores
from wherefrom.course.doctor import (
    given,
    given_trainer,
    models,
    names,
    spans,
    training,
)
from wherefrom.course.doctor.checks import FORMULAS, in_turn
from wherefrom.course.doctor.checks import Check as Look
from wherefrom.course.doctor.comparison import logits
from wherefrom.course.doctor.findings import Finding
from wherefrom.course.doctor.submission import Submission

SCRATCH, PRETRAIN, FINETUNE = "finetune from scratch", "pretrain", "finetune"
ALONE = "vanilla.nopretrain"  # the model that was never pretrained


@dataclass(frozen=True)
class Test:
    """What is tested, by running the submission's code, by reading its files, or by both.

    The two happen in different processes: whatever the code does, it cannot change what is
    thought of the files, and the answers are not where the code is.
    """

    what: str
    points: int
    code: Look | None = None
    files: Look | None = None

    __test__ = False  # for pytest, which would collect it


def returns(submission: Submission, stage: str) -> None:
    training.setup(submission, stage)


def sets_up(stage: str) -> Look:
    """The exact config, and nothing trained yet."""
    return in_turn(
        partial(training.check_untrained, stage=stage), partial(training.check_config, stage=stage)
    )


def items(submission: Submission) -> None:
    """The examples that the finetuning trainer was given."""
    made = training.setup(submission, SCRATCH)
    data = getattr(made.trainer, "train_dataset", None)
    names.check_items(data, made.data, training.BLOCK)


def corpus(submission: Submission) -> None:
    made = training.setup(submission, PRETRAIN)
    held = getattr(made.trainer, "train_dataset", None)
    if held is made.data:
        return
    # run.py makes the data set by itself: it should have the same documents.
    if submission.package or getattr(held, "data", None) != made.data.data:
        raise Finding("data", "the trainer of pretraining does not hold the pretraining data set")


def model(variant: str) -> Look:
    """The classes inside, their number of parameters, `str(model)`, the future hidden, and what
    was handed out unchanged in what it does."""
    checks = (
        models.check_variant,
        models.check_tree,
        models.check_future,
        models.check_parameters,
        given.check_forward,
        given.check_loss,
        given.check_dropout,
        given.check_start,
    )
    looks = [partial(check, variant=variant) for check in checks]
    return in_turn(*looks, *([given.check_attention] if variant == "vanilla" else []))


def saved(variant: str) -> Look:
    """The files of parameters that are there; without them nothing is lost."""

    def look(submission: Submission) -> None:
        for path in submission.written(f"{variant}.*.params"):
            models.check_saved(path, variant)

    return look


def attends(submission: Submission) -> None:
    """A basic look: the layer can be built and gives something of the right form."""
    import torch

    variant = submission.year.variant
    latents = 3 if variant == models.PERCEIVER else 0
    config = models.small_config(rope=variant == "rope", latents=latents)
    name = "DownProjectBlock" if latents else models.ATTENTION[variant]
    found = logits(getattr(submission, name)(config)(torch.zeros(2, 5, config.n_embd)))
    if getattr(found, "shape", None) != (2, latents or 5, config.n_embd):
        raise Finding("form", f"{name} gives {type(found).__name__}, not (B, T, C)")


def formula(submission: Submission) -> str:
    return FORMULAS[submission.year.variant](submission)


def own_model(submission: Submission) -> str | None:
    """The model of part g, which is another one in another year."""
    return model(submission.year.variant)(submission)


def own_saved(submission: Submission) -> str | None:
    return saved(submission.year.variant)(submission)


def predicts(model: str, split: str) -> Look:
    """`model` is the start of the file's name; "" is that of part g."""
    return lambda submission: scores.judge(
        submission, model or f"{submission.year.variant}.pretrain", split
    )


def tools(submission: Submission) -> None:
    """What was handed out to answer and to score; code that cannot be imported loses elsewhere."""
    try:
        _ = submission.code
    except Finding:
        return
    given.check_sample(submission)
    given.check_scoring(submission)


def there(*names: str) -> Look:
    return lambda submission: scores.check_there(submission, *names)


TESTS: dict[str, Test] = {
    "1c-0-basic": Test("finetune() returns", 0, partial(returns, stage=SCRATCH)),
    "1c-1-hidden": Test("finetuning's settings; nothing is trained yet", 1, sets_up(SCRATCH)),
    "1c-2-hidden": Test(
        "train() trains once, as the given trainer does, and saves", 1,
        in_turn(training.check_trains_once, given_trainer.check_trainer),
    ),
    "1c-3-hidden": Test("the vanilla model", 1, model("vanilla"), saved("vanilla")),
    "1c-4-hidden": Test("examples of names, and where the loss falls", 1, items),
    "1d-0-basic": Test("files of predictions are there", 0, files=there(ALONE)),
    "1d-1-hidden": Test(
        "dev without pretraining, by the given sample()", 3, tools, predicts(ALONE, "dev")
    ),
    "1d-2-hidden": Test("test without pretraining", 3, files=predicts(ALONE, "test")),
    "1e-0-basic": Test("examples have the right form and size", 0, spans.check_size),
    "1e-1-hidden": Test("masks: prefix, suffix, span, pads", 4, spans.check_masks),
    "1e-2-hidden": Test("y is x moved on by one", 4, in_turn(spans.check_size, spans.check_shift)),
    "1e-3-hidden": Test("every length of text occurs", 4, spans.check_truncation),
    "1e-4-hidden": Test("spans: a quarter on average, anywhere", 4, spans.check_spans),
    "1e-5-hidden": Test(
        "documents come back whole; vocabulary; IndexError past the end", 4,
        in_turn(spans.check_rebuilt, spans.check_vocabulary, spans.check_end),
    ),
    "1f-0-basic": Test("pretrain() returns", 0, partial(returns, stage=PRETRAIN)),
    "1f-1-hidden": Test("pretraining's settings and data", 4, in_turn(sets_up(PRETRAIN), corpus)),
    "1f-2-hidden": Test(
        "finetune() loads the pretrained parameters", 4,
        in_turn(sets_up(FINETUNE), training.check_loaded),
    ),
    "1f-3-hidden": Test("dev with pretraining", 8, files=predicts("vanilla.pretrain", "dev")),
    "1f-4-hidden": Test("test with pretraining", 4, files=predicts("vanilla.pretrain", "test")),
    "1g-0-basic": Test("the attention of part g runs", 0, attends),
    "1g-1-hidden": Test("it is the hand-out's formula", 5, formula),
    "1g-2-hidden": Test("its model", 3, own_model, own_saved),
    "1g-3-hidden": Test("dev with that model", 4, files=predicts("", "dev")),
    "1g-4-hidden": Test("test with that model", 2, files=predicts("", "test")),
}  # fmt: skip

LOOKS: dict[str, Look] = {
    name: in_turn(*filter(None, (test.code, test.files))) for name, test in TESTS.items()
}
CODE: dict[str, Look] = {name: test.code for name, test in TESTS.items() if test.code}
FILES: dict[str, Look] = {name: test.files for name, test in TESTS.items() if test.files}


def answers_itself(model: str, split: str) -> Look:
    """The submission's own model has the lines that the grader's model does not have."""
    return lambda submission: own.answer(
        submission, model or f"{submission.year.variant}.pretrain", split
    )


# Which predictions a test is about: the start of the file's name ("": part g) and the split.
PREDICTIONS = {
    "1d-1-hidden": (ALONE, "dev"),
    "1d-2-hidden": (ALONE, "test"),
    "1f-3-hidden": ("vanilla.pretrain", "dev"),
    "1f-4-hidden": ("vanilla.pretrain", "test"),
    "1g-3-hidden": ("", "dev"),
    "1g-4-hidden": ("", "test"),
}
OWN: dict[str, Look] = {name: answers_itself(*which) for name, which in PREDICTIONS.items()}
