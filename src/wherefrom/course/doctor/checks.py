"""The checks of `wherefrom doctor submission`, and its hints.

A hint names the place and the idea, never the line to write.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from wherefrom.course.doctor import (
    given,
    given_trainer,
    models,
    names,
    perceiver,
    predictions,
    rotary,
    spans,
    training,
)
from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.submission import Submission

Check = Callable[[Submission], str | None]
FORMULAS: dict[str, Callable[[Submission], str]] = {
    "synthesizer": models.check_formula,
    "perceiver": perceiver.check_formula,
    "rope": rotary.check_formula,
}
_STAGES = ("pretrain", "finetune from scratch", "finetune")

HINTS: dict[str, str] = json.loads(Path(__file__).with_name("hints.json").read_text("utf-8"))


def in_turn(*checks: Check) -> Check:
    """All of them, and what each has to say."""

    def look(submission: Submission) -> str | None:
        return "; ".join(filter(None, [check(submission) for check in checks])) or None

    return look


def loss(submission: Submission) -> None:
    pretraining = submission.CharCorruptionDataset(names.TEXT, training.BLOCK)
    data = names.name_dataset(submission, pretraining)
    names.check_items(data, pretraining, training.BLOCK)


def rate(submission: Submission) -> str:
    """Compare the rate after the last step with that of the required hyperparameters."""
    told: list[str] = []
    for stage in _STAGES:
        config = training.setup(submission, stage).config
        if not getattr(config, "lr_decay", False):
            raise Finding("rate at the end", f"{stage}: the learning rate never decays")
        asked = training.expected_config(stage, submission.year)
        wanted = training.rate_at_end(SimpleNamespace(**asked), stage, submission.year)
        share = training.rate_at_end(config, stage, submission.year)
        end = share * config.learning_rate
        if abs(share - wanted) > 0.02 or abs(end - wanted * asked["learning_rate"]) > 0.02 * end:
            text = f"{stage} ends at a rate of {end:.2g}, {share:.0%} of its peak"
            raise Finding("rate at the end", f"{text}; the handout's settings end elsewhere")
        told.append(f"{stage} {share:.0%}")
    return "of the peak at the end: " + ", ".join(told)


def variant(submission: Submission) -> str:
    """The classes in the models; also in the perceiver, an optional part, if it left files."""
    names = _variants(submission)
    for name in names:
        models.check_variant(submission, name)
    left = [*submission.written("*.params"), *submission.written("*.predictions")]
    part_g = submission.year.variant == models.PERCEIVER
    if not part_g and any(path.name.startswith(f"{models.PERCEIVER}.") for path in left):
        models.check_perceiver(submission)
    return "; ".join(models.check_parameters(submission, name) for name in names)


def files(submission: Submission) -> str:
    known = [p for p in submission.written("*.params") if _variant_of(p.name)]
    if not known:
        raise NoTelling("there are no files of parameters yet")
    return ", ".join(_of_each(known, _saved))


def _saved(path: Path) -> str:
    models.check_saved(path, _variant_of(path.name))
    return path.name


def attention(submission: Submission) -> str:
    told = FORMULAS[submission.year.variant](submission)
    for name in _variants(submission):
        models.check_future(submission, name)
    return told


def once(submission: Submission) -> None:
    for stage in _STAGES:
        training.check_untrained(submission, stage)
    training.check_trains_once(submission)


def aligned(submission: Submission) -> str:
    """Every prediction file: its lines, whether they are aligned with the questions, its score."""
    found = submission.written("*.predictions")
    if not found:
        raise NoTelling("there are no files of predictions yet")
    # Files of other names are a student's own, such as the answers of london_baseline.py.
    named = [path for path in found if _split_of(path) and _variant_of(path.name)]
    return "; ".join(_of_each(named, partial(_placed, submission)))


def _split_of(path: Path) -> str:
    return next((split for split in predictions.QUESTIONS if f".{split}." in path.name), "")


def _placed(submission: Submission, path: Path) -> str:
    asked = predictions.read_asked(submission.data, _split_of(path))
    lines = predictions.read_predictions(path)
    predictions.check_form(lines, asked, path.name)
    predictions.check_aligned(lines, asked, path.name)
    scored = predictions.score(lines, asked)
    return f"{path.name} {scored}" if scored else f"{path.name} {len(lines)} lines"


def _of_each(paths: Sequence[Path], check: Callable[[Path], str]) -> list[str]:
    """What a check says of each file; one Finding tells what is wrong with any of them."""
    told: list[str] = []
    wrong: list[Finding] = []
    for path in paths:
        try:
            told.append(check(path))
        except Finding as finding:
            wrong.append(finding)
    if wrong:
        raise Finding(wrong[0].mistake, "; ".join(map(str, wrong)))
    return told


def _variants(submission: Submission) -> tuple[str, str]:
    return "vanilla", submission.year.variant


def _variant_of(name: str) -> str:
    start = name.split(".")[0]
    return start if start in (*models.ATTENTION, models.PERCEIVER) else ""


def given_parts(submission: Submission) -> None:
    """The model but for its attention: what was handed out still does what it did."""
    given.check_attention(submission)
    for variant in _variants(submission):
        for check in (
            given.check_forward,
            given.check_loss,
            given.check_dropout,
            given.check_start,
        ):
            check(submission, variant)


CHECKS: dict[str, Check] = {
    "import": lambda submission: submission.code and None,
    "vocabulary": spans.check_vocabulary,
    "shift": in_turn(spans.check_size, spans.check_shift),
    "masks": in_turn(spans.check_masks, spans.check_rebuilt),
    "random lengths": in_turn(spans.check_truncation, spans.check_spans),
    "loss on the answer": loss,
    "attention": attention,
    "variant built": variant,
    "parameter files": files,
    "trained once": once,
    "parameters loaded": training.check_loaded,
    "pretraining settings": partial(training.check_config, stage="pretrain"),
    "learning rate at the end": rate,
    "shuffling": given_trainer.check_order,
    "predictions aligned": aligned,
    "given model": given_parts,
    "given trainer": given_trainer.check_trainer,
    "given functions": in_turn(given.check_sample, given.check_scoring),
}
# These read what the submission's code wrote, and run none of it.
OF_FILES = ("parameter files", "predictions aligned")
