"""What is looked at in a submission of the birthplaces assignment, by the doctor and by the grader.

Every kind rests on something that is computed again. Settings, calls and data that were only
counted or copied are nothing without it; the number of workers is a note. A hint names the place
and the idea, never the line to write.
"""

import json
import secrets
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from wherefrom.course.doctor.child_requests import Asking, ask
from wherefrom.course.doctor.exercises import Request
from wherefrom.course.doctor.findings import Result, attempt, expect
from wherefrom.course.doctor.isolation import Limits, new_place
from wherefrom.course.doctor.judging import handed_out, models, predictions, spans, training
from wherefrom.course.doctor.judging.claims import Claims, Files
from wherefrom.course.doctor.judging.training import PART_G, PRETRAIN, SCRATCH
from wherefrom.course.doctor.layouts import is_package
from wherefrom.course.doctor.marks import Look, Test, Tests
from wherefrom.course.doctor.years import Year, find_year

HINTS: dict[str, str] = json.loads(Path(__file__).with_name("hints.json").read_text("utf-8"))


def requests(kinds: Iterable[Test], year: Year, draw: int) -> list[Request]:
    """What the code is asked for these kinds."""
    wanted = tuple(name for kind in kinds for name in kind.asks)
    every = [*spans.requests(draw), *training.requests(year, draw), *models.requests(year, draw),
             *handed_out.requests(draw)]  # fmt: skip
    return [request for request in every if request.name.startswith(wanted)]


def look_at(
    kinds: Tests, files: Files, year: str, *, limits: Limits, isolation: str,
    draw: int | None = None,
) -> tuple[dict[str, Result], Claims]:  # fmt: skip
    """Ask a submission's code, read its files, and judge what is claimed.

    The results by the names of the kinds, and what was claimed; all is drawn by the `draw`.
    """
    draw = secrets.randbelow(10**9) if draw is None else draw
    named = find_year(year)
    with new_place() as held:
        asking = Asking(files.folder, held / "code", year, limits, isolation=isolation)
        wanted = requests(kinds.values(), named, draw)
        imported = "import" in kinds  # which is asked before everything else
        told = ask(asking, wanted) if wanted or imported else {}
        claims = Claims(named, draw, is_package(files.folder), told, files)
        return {name: attempt(kind.look, claims) for name, kind in kinds.items()}, claims


def can_be_imported(claims: Claims) -> None:
    errors = claims["import"].check().value("errors", dict)
    text = "; ".join(f"{file} cannot be imported: {why}" for file, why in errors.items())
    expect(not errors, "import", text[:600])


def _of(variant: str, *checks: Callable[[Claims, str], str | None]) -> tuple[Look, ...]:
    """Checks of a variant's model; "" is that of part g."""
    return tuple(lambda claims, check=check: check(claims, variant or claims.year.variant)
                 for check in checks)  # fmt: skip


def _predictions(what: str, model: str, split: str, *first: Look) -> Test:
    asks = ("layer-", "model-") if model == predictions.OWN else ("model-vanilla",)
    judge = partial(predictions.judge, model=model, split=split)
    return Test(what, (*asks, *(_GIVEN if first else ())), (*first, judge), (model, split))


_GIVEN = ("sample", "scoring")
_VARIANTS = (PART_G, "model-", "start-")
_ANSWERING = (handed_out.check_sample, handed_out.check_scoring)
_PART_G: tuple[Look, ...] = (
    *_of("", models.check_variant, models.check_parameters, models.check_forward,
         models.check_loss),
    partial(training.check_config, stage=PART_G),
    partial(training.check_loaded, stage=PART_G),
)  # fmt: skip
KINDS: dict[str, Test] = {
    "import": Test("its files can be imported", (), (can_be_imported,)),
    "truncation": Test("every length of text occurs", ("spans",), (spans.check_truncation,)),
    "layout": Test(
        "prefix, suffix, span, pads; documents come back whole; vocabulary", ("spans",),
        (spans.check_masks, spans.check_rebuilt, spans.check_vocabulary),
    ),
    "x and y": Test(
        "x and y: their form, and y is x moved on by one", ("spans",),
        (spans.check_size, spans.check_shift),
    ),
    "spans": Test("spans: a quarter on average, anywhere", ("spans",), (spans.check_spans,)),
    "finetuning": Test(
        "finetuning: names, settings, one training, saved", ("finetune-from", "trainer"),
        (training.check_names, partial(training.check_config, stage=SCRATCH),
         handed_out.check_trainer, training.check_trains_once),
    ),
    "pretraining": Test(
        "pretraining's settings and data; finetune() loads its parameters",
        ("pretrain", "finetune"),
        (training.check_corpus, partial(training.check_config, stage=PRETRAIN),
         training.check_loaded),
    ),
    "vanilla model": Test(
        "the vanilla model", ("model-vanilla", "start-vanilla"),
        (*_of("vanilla", models.check_variant, models.check_forward, models.check_parameters,
         models.check_loss), models.check_dropout, models.check_start),
    ),
    "finetuning of part g": Test("part g: its model, set up", _VARIANTS, _PART_G),
    "attention of part g": Test(
        "part g: its attention is the hand-out's formula", ("layer-",), (models.check_formula,)
    ),
    "part g": Test(
        "part g: its attention and its model", ("layer-", *_VARIANTS),
        (*_PART_G, models.check_formula),
    ),
    "given functions": Test("sample() and evaluate_places()", _GIVEN, _ANSWERING),
    "dev without pretraining": _predictions(
        "dev without pretraining, by the given sample()", predictions.ALONE, "dev", *_ANSWERING
    ),
    "test without pretraining": _predictions("test without pretraining", predictions.ALONE, "test"),
    "dev with pretraining": _predictions("dev with pretraining", predictions.AFTER, "dev"),
    "test with pretraining": _predictions("test with pretraining", predictions.AFTER, "test"),
    "dev of part g": _predictions("dev with the model of part g", predictions.OWN, "dev"),
    "test of part g": _predictions("test with the model of part g", predictions.OWN, "test"),
    "written": Test("a written answer"),
}  # fmt: skip
