"""The tests of each year, and what they are worth: XCS224N's own, from its public points.json.

CS224N has no such file: its hand-outs give the points of the written parts, and 5, 10, 10 and 10
for the parts d to g, divided here as XCS224N divides its own. What a basic test looks at is here; a
hidden one is in `hidden`, which students do not have.

Every test rests on something that is computed again. Settings, calls and data that were only
counted or copied earn nothing without it; class names and workers are notes.
"""

import importlib.util
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from wherefrom.core.errors import UsageError
from wherefrom.course.doctor.checks import in_turn
from wherefrom.course.doctor.findings import NoTelling, attempt
from wherefrom.course.doctor.judging import given_trainer, models, spans, training
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.judging.training import FINETUNE, PRETRAIN, SCRATCH
from wherefrom.course.doctor.marks import Test
from wherefrom.course.doctor.order import Request
from wherefrom.course.doctor.years import Year, year_name

WRITTEN = "written"
Asks = Callable[[Year, int], list[Request]]


@dataclass(frozen=True)
class Kind:
    """What a test looks at: what it asks of the code, and how the claims are judged.

    One that `reads` predictions names the start of the file and the split; it is given the files.
    """

    what: str
    asks: Asks
    look: Callable[[Any], str | None]
    reads: tuple[str, str] | None = None
    by_hand: bool = False


def trains(claims: Claims) -> str | None:
    """The examples, the settings, one training that is saved, by the trainer as it was given."""
    return in_turn(
        training.check_names,
        partial(training.check_config, stage=SCRATCH),
        training.check_trains_once,
        given_trainer.check_trainer,
    )(claims)


def pretrains(claims: Claims) -> str | None:
    """Settings and data of pretraining; finetuning afterwards starts from the file."""
    return in_turn(
        training.check_corpus,
        partial(training.check_config, stage=PRETRAIN),
        training.check_loaded,
        finetuning_noted,
    )(claims)


def finetuning_noted(claims: Claims) -> str | None:
    """The settings of finetuning after pretraining, which only some years' tests compare."""
    found = attempt(partial(training.check_config, stage=FINETUNE), claims)
    return found.text if found.mistake == "config" else None


def finetunes(claims: Claims) -> str | None:
    """The model of part g, set up for finetuning from its own file."""
    variant = claims.year.variant
    return in_turn(
        partial(models.check_variant, variant=variant),
        partial(models.check_parameters, variant=variant),
        partial(models.check_forward, variant=variant),
        partial(models.check_loss, variant=variant),
        partial(training.check_config, stage=FINETUNE, name="finetune-g"),
        partial(training.check_loaded, name="finetune-g"),
        partial(models.note_tree, variant=variant),
    )(claims)


def by_hand(_: object) -> str:
    raise NoTelling("written: a person marks it")


def asks_for(*names: str) -> Asks:
    """Those of all requests whose names begin so."""
    return lambda year, draw: [
        request
        for request in (*training.requests(year, draw), *models.requests(year, draw))
        if request.name.startswith(names)
    ]


def _spans(_: Year, draw: int) -> list[Request]:
    return spans.requests(draw)


def _training(year: Year, draw: int) -> list[Request]:
    return [*asks_for("finetune-from")(year, draw), *given_trainer.requests(draw)]


def part_g(claims: Claims) -> str | None:
    return in_turn(finetunes, models.check_formula)(claims)


_VARIANTS = ("finetune-g", "model-", "start-")
BASIC: dict[str, Kind] = {
    "truncation": Kind("every length of text occurs", _spans, spans.check_truncation),
    "layout": Kind(
        "prefix, suffix, span, pads; documents come back whole; vocabulary", _spans,
        in_turn(spans.check_masks, spans.check_rebuilt, spans.check_vocabulary),
    ),
    "x and y": Kind(
        "x and y: their form, and y is x moved on by one", _spans,
        in_turn(spans.check_size, spans.check_shift),
    ),
    "spans": Kind("spans: a quarter on average, anywhere", _spans, spans.check_spans),
    "finetuning": Kind("finetuning: names, settings, one training, saved", _training, trains),
    "pretraining": Kind(
        "pretraining's settings and data; finetune() loads its parameters",
        asks_for("pretrain", "finetune"), pretrains,
    ),
    "finetuning of part g": Kind("part g: its model, set up", asks_for(*_VARIANTS), finetunes),
    "part g": Kind("part g: its attention and its model", asks_for("layer-", *_VARIANTS), part_g),
    WRITTEN: Kind("a written answer", lambda year, draw: [], by_hand, by_hand=True),
}  # fmt: skip


def kinds() -> dict[str, Kind]:
    """What is known here: a student's starter has the basic ones alone."""
    if importlib.util.find_spec("grading.hidden") is None:
        return BASIC
    from grading.hidden import HIDDEN

    return BASIC | HIDDEN


def tests_of(year: str) -> dict[str, Test]:
    """The tests of a year, by id."""
    table = json.loads(Path(__file__).with_name("points.json").read_text("utf-8"))
    name, known = year_name(year), kinds()
    rows = table[name].items()
    kept = [(test, points, known[kind]) for test, (points, kind) in rows if kind in known]
    found = {test: Test(kind.what, points, kind) for test, points, kind in kept}
    if not found:
        raise UsageError(f"--year: there are no tests of {name} here")
    return found
