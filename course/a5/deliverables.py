"""What each year's hand-out asks to be handed in, and what is wrong with a file of it.

XCS224N wants the files of `submission/` side by side in an archive. CS224N's own script packs the
folder `src/`, and beside it what the code wrote; until 2023 the data too.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import commands

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.layouts import expected_files, is_package, parse
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, year_name

LINES = {"dev": 500, "test": 437}  # questions of birth_dev.tsv and birth_test_inputs.tsv
DATA = ("birth_dev.tsv", "birth_places_train.tsv", "wiki.txt")
LONDON = "london_baseline_accuracy.txt"
EMPTY = "empty, the first of them line"  # such a file can be handed in, and loses those questions


@dataclass(frozen=True)
class Collected:
    """What a year's archive has besides code, finetuned parameters and predictions."""

    archive: str = "assignment5_submission.zip"
    code: str = ""  # the code's folder in the archive; "": side by side with the rest
    pretrained: bool = True  # the parameters after pretraining too
    data: bool = False
    london: bool = False


_SRC = {"code": "src/", "pretrained": False}
COLLECTED = {
    "cs224n2021": Collected(data=True, **_SRC),
    "cs224n2023": Collected(data=True, **_SRC),
    "cs224n2024": Collected("assignment4_submission.zip", london=True, **_SRC),
}


def collected(year: str) -> Collected:
    """All years of XCS224N ask for the same."""
    return COLLECTED.get(year_name(year), Collected())


@dataclass(frozen=True)
class Deliverable:
    """A file: its name in the archive, what it is, and the command that makes it, if one does."""

    name: str
    kind: str  # code, parameters, predictions, data, figure
    command: str | None = None

    @property
    def file(self) -> str:
        return self.name.rpartition("/")[2]


def deliverables(year: str, code: Path) -> list[Deliverable]:
    """Everything that the year asks for, in the order of the hand-out."""
    year = year_name(year)
    asked = collected(year)
    found = [Deliverable(f"{asked.code}{name}", "code") for name in _code(code, asked)]
    package = is_package(code)
    for variant in ("vanilla", YEARS[year].variant):
        for name in _written(variant, asked):
            found.append(Deliverable(name, _kind(name), _maker(name, year, package)))
    if asked.data:
        found += [Deliverable(name, "data") for name in DATA]
    if asked.london:
        place = os.path.relpath((code.parent if code.name == "src" else code) / LONDON)
        found.append(Deliverable(LONDON, "figure", f"python london_baseline.py --out {place}"))
    return found


def _code(folder: Path, asked: Collected) -> list[str]:
    """The course's files; where a whole folder is packed, every other Python file in it too."""
    wanted = expected_files(folder)
    others = sorted(p.name for p in folder.glob("*.py")) if asked.code else []
    return list(dict.fromkeys([*wanted, *others]))


def _written(variant: str, asked: Collected) -> list[str]:
    names = [f"{variant}.finetune.params"]
    if asked.pretrained:
        names.insert(0, f"{variant}.pretrain.params")
    names += [f"{variant}.pretrain.{split}.predictions" for split in LINES]
    if variant == "vanilla":
        alone = [f"vanilla.nopretrain.{split}.predictions" for split in LINES]
        names = ["vanilla.model.params", *alone, *names]
    return names


def _kind(name: str) -> str:
    return "parameters" if name.endswith(".params") else "predictions"


def _maker(name: str, year: str, package: bool) -> str | None:
    said = "" if year == DEFAULT_YEAR or not package else f" --year {year}"
    for command, does in commands.COMMANDS.items():
        if name in (does.writes, does.predicts):
            return f"{commands.typed(command, package)}{said}"
    return None


# -- what is wrong with a file ------------------------------------------------------------------


def fault(asked: Deliverable, path: Path) -> str | None:
    """Why this file cannot be handed in as it is; None if it can."""
    size = path.stat().st_size
    if asked.kind == "predictions":
        return _fault_of_predictions(path, LINES[asked.file.split(".")[-2]])
    if not size and asked.file != "__init__.py":
        return "expected something in it, found an empty file"
    if asked.kind == "code":
        return _fault_of_code(path)
    return _fault_of_parameters(path) if asked.kind == "parameters" else None


def _fault_of_predictions(path: Path, wanted: int) -> str | None:
    try:
        lines = read_text(path).removesuffix("\n").split("\n")
    except WherefromError as error:
        return str(error)
    empty = [number for number, line in enumerate(lines, 1) if not line.strip()]
    if len(empty) == len(lines):
        return f"expected {wanted} lines with a place on each, found no place in it"
    if len(lines) != wanted:
        return f"expected {wanted} lines, one for each question, found {len(lines)}"
    if empty:
        return f"expected a place on each line, found {len(empty)} of {wanted} {EMPTY} {empty[0]}"
    return None


def _fault_of_code(path: Path) -> str | None:
    try:
        parse(path)
    except WherefromError as error:
        return str(error).partition(": ")[2].partition("; ")[0]
    return None


def _fault_of_parameters(path: Path) -> str | None:
    """torch.save writes a zip, and wrote a pickle once; nothing is loaded here."""
    with path.open("rb") as file:
        start = file.read(4)
    if start[:2] == b"PK" or start[:1] == b"\x80":
        return None
    return "expected what torch.save writes, found something else"
