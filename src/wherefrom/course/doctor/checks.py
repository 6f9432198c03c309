"""The checks of `wherefrom doctor`, and its hints.

A hint names the place and the idea, never the line to write.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from wherefrom.course.doctor.findings import Finding, NoTelling
from wherefrom.course.doctor.judging import (
    functions,
    given_trainer,
    models,
    predictions,
    spans,
    training,
)
from wherefrom.course.doctor.judging.claims import Claims
from wherefrom.course.doctor.layouts import written
from wherefrom.course.doctor.order import Request
from wherefrom.course.doctor.years import Year, variant_of

Check = Callable[[Any], str | None]
HINTS: dict[str, str] = json.loads(Path(__file__).with_name("hints.json").read_text("utf-8"))


def requests(year: Year, draw: int) -> list[Request]:
    """All that a submission's code is asked."""
    return [
        *spans.requests(draw),
        *training.requests(year, draw),
        *models.requests(year, draw),
        *given_trainer.requests(draw),
        *functions.requests(draw),
    ]


def in_turn(*checks: Check) -> Check:
    """All of them, and what each has to say."""

    def look(claims: Any) -> str | None:
        return "; ".join(filter(None, [check(claims) for check in checks])) or None

    return look


def can_be_imported(claims: Claims) -> None:
    claim = claims["import"].check()
    errors = claim.value("errors", dict)
    if errors:
        text = "; ".join(f"{file} cannot be imported: {why}" for file, why in errors.items())
        raise Finding("import", text[:600])


def variant(claims: Claims) -> str:
    """The attention in the models."""
    for name in _variants(claims):
        models.check_variant(claims, name)
    notes = [models.note_tree(claims, name) for name in _variants(claims)]
    counts = [models.check_parameters(claims, name) for name in _variants(claims)]
    return "; ".join([*counts, *filter(None, notes)])


def attention(claims: Claims) -> str:
    told = models.check_formula(claims)
    for name in _variants(claims):
        models.check_future(claims, name)
    return told


def given_parts(claims: Claims) -> None:
    """The model but for its attention: what was handed out still does what it did."""
    models.check_attention(claims)
    for variant in _variants(claims):
        for check in (
            models.check_forward,
            models.check_loss,
            models.check_dropout,
            models.check_start,
        ):
            check(claims, variant)


def _variants(claims: Claims) -> tuple[str, str]:
    return "vanilla", claims.year.variant


CHECKS: dict[str, Check] = {
    "import": can_be_imported,
    "vocabulary": spans.check_vocabulary,
    "shift": in_turn(spans.check_size, spans.check_shift),
    "masks": in_turn(spans.check_masks, spans.check_rebuilt),
    "random lengths": in_turn(spans.check_truncation, spans.check_spans),
    "loss on the answer": training.check_names,
    "attention": attention,
    "variant built": variant,
    "trained once": training.check_trains_once,
    "parameters loaded": training.check_loaded,
    "pretraining settings": partial(training.check_config, stage="pretrain"),
    "learning rate at the end": training.check_rate,
    "shuffling": given_trainer.check_order,
    "given model": given_parts,
    "given trainer": given_trainer.check_trainer,
    "given functions": in_turn(functions.check_sample, functions.check_scoring),
}


# -- what the submission's code wrote, and none of it runs -----------------------------------------


class Files:
    """A submission's folder, the course's data, and the names in its files of parameters."""

    def __init__(self, folder: Path, data: Path | None, claims: Claims) -> None:
        self.folder, self.data, self.claims = folder, data, claims


def parameter_requests(folder: Path) -> list[Request]:
    found = [path for path in written(folder, "*.params") if _variant_of(path.name)]
    return [
        Request(f"parameters{i}", "parameters", {"path": str(path), "numbers": False})
        for i, path in enumerate(found)
    ]


def files(look: Files) -> str:
    """Every file of parameters holds the variant that its name promises."""
    known = [path for path in written(look.folder, "*.params") if _variant_of(path.name)]
    if not known:
        raise NoTelling("there are no files of parameters yet")
    return ", ".join(_of_each(list(enumerate(known)), partial(_saved, look.claims)))


def _saved(claims: Claims, entry: tuple[int, Path]) -> str:
    number, path = entry
    check_saved([name for name, _ in claims[f"parameters{number}"].shapes()], path.name)
    return path.name


def check_saved(names: list[str], file: str) -> None:
    """The parameters are those of the variant that the file's name promises."""
    meant, held = _variant_of(file), variant_of(names)
    if held != meant:
        holds = f"a {held} model" if held else "no such attention"
        raise Finding("flag never set", f"{file} holds {holds}, not a {meant} model")


def aligned(look: Files) -> str:
    """Every prediction file: its lines, whether they are aligned with the questions, its score."""
    found = written(look.folder, "*.predictions")
    if not found:
        raise NoTelling("there are no files of predictions yet")
    # Files of other names are a student's own, such as the answers of london_baseline.py.
    named = [path for path in found if _split_of(path) and _variant_of(path.name)]
    return "; ".join(_of_each(named, partial(_placed, look)))


def _split_of(path: Path) -> str:
    return next((split for split in predictions.QUESTIONS if f".{split}." in path.name), "")


def _placed(look: Files, path: Path) -> str:
    asked = predictions.read_asked(look.data, _split_of(path))
    lines = predictions.read_predictions(path)
    predictions.check_form(lines, asked, path.name)
    predictions.check_aligned(lines, asked, path.name)
    scored = predictions.score(lines, asked)
    return f"{path.name} {scored}" if scored else f"{path.name} {len(lines)} lines"


def _of_each(entries: Sequence[Any], check: Callable[[Any], str]) -> list[str]:
    """What a check says of each file; one Finding tells what is wrong with any of them."""
    told: list[str] = []
    wrong: list[Finding] = []
    for entry in entries:
        try:
            told.append(check(entry))
        except Finding as finding:
            wrong.append(finding)
    if wrong:
        raise Finding(wrong[0].mistake, "; ".join(map(str, wrong)))
    return told


def _variant_of(name: str) -> str:
    start = name.split(".")[0]
    return start if start in models.ATTENTION else ""


OF_FILES: dict[str, Check] = {"parameter files": files, "predictions aligned": aligned}
ORDER = (*list(CHECKS)[:8], "parameter files", *list(CHECKS)[8:13], "predictions aligned",
         *list(CHECKS)[13:])  # fmt: skip
