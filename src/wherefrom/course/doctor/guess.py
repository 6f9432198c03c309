"""Which year's hand-out a submission was made from, guessed from what its files still say.

Students leave the headers and comments of a hand-out mostly as they were. Each trait speaks for
some years and against the others; the year with the most weight for it is the guess. Years that
no file tells apart, such as CS224N's 2021 and 2022, share a row of the table.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from wherefrom.core.errors import WherefromError
from wherefrom.core.files import read_text
from wherefrom.course.doctor.years import DEFAULT_YEAR, YEARS, Year, year_name

_LARGEST = 1 << 20
_READ = ("attention", "dataset", "helper", "model", "models", "run", "utils")


@dataclass(frozen=True)
class Guess:
    """A year of the table, and the traits that speak for it; `wanted` if the user named it."""

    year: str
    because: tuple[str, ...] = ()
    wanted: bool = False

    def __str__(self) -> str:
        title = YEARS[self.year].title
        if self.wanted:
            return f"taken as {title} ({self.year})"
        if not self.because:
            return (
                f"nothing in its files says which hand-out; taken for {title} ({self.year}); "
                "--year NAME chooses another"
            )
        traits = ", ".join(self.because)
        return f"looks like {title}: {self.year} ({traits}); --year NAME chooses another"


@dataclass(frozen=True)
class Trait:
    """A pattern in one of the files (a glob of their names), and the years that it speaks for."""

    files: str
    pattern: str
    weight: int
    says: str
    fits: Callable[[str, Year], bool]


def _named(*names: str) -> Callable[[str, Year], bool]:
    return lambda name, _: name in names


def _variant(variant: str) -> Callable[[str, Year], bool]:
    return lambda _, year: year.variant == variant


def _xcs(name: str, _: Year) -> bool:
    return name.startswith("xcs")


def _cs(name: str, _: Year) -> bool:
    return name.startswith("cs224n")


TRAITS = (
    Trait("model", r"CS224N 2022-23: Homework", 6, "header '2022-23'", _named("cs224n2023")),
    Trait("model", r"CS224N 2023-24: Homework", 6, "header '2023-24'", _named("cs224n2024")),
    Trait(
        "model", r"XCS224N ?: Homework", 4, "header 'XCS224N'",
        lambda name, year: name.startswith("xcs") and year.variant != "synthesizer",
    ),
    Trait(
        "dataset", r"no more than int\(self\.block_size ?\* ?7/8\)", 3,
        "7/8 in dataset.py's comment", lambda _, year: year.longest == 7 / 8,
    ),
    Trait(
        "dataset", r"no more than int\(self\.block_size ?\* ?3/4\)", 3,
        "3/4 in dataset.py's comment", lambda _, year: year.longest == 3 / 4,
    ),
    Trait(
        "dataset", r"#? +self\.block_size \+ 1\.", 3, "block_size + 1 in dataset.py's comment",
        lambda _, year: year.more == 1,
    ),
    Trait(
        "dataset", r"MASK_CHAR \[masked_content\] MASK_CHAR \[pads\]", 1, "a third mask in it",
        lambda _, year: year.third_mask,
    ),
    Trait(
        "dataset", r"MASK_CHAR \[masked_content\] \[pads\]", 1, "no third mask in its template",
        lambda _, year: not year.third_mask,
    ),
    Trait("*", r"class SynthesizerAttention", 3, "SynthesizerAttention", _variant("synthesizer")),
    Trait("*", r"class DownProjectBlock", 3, "DownProjectBlock", _variant("perceiver")),
    Trait("*", r"def precompute_rotary_emb", 3, "precompute_rotary_emb", _variant("rope")),
    Trait("helper", r"", 3, "helper.py", _xcs),
    Trait("models", r"", 4, "models.py", _named("cs224n2024")),
    Trait("run", r"argparse", 2, "run.py with argparse", _cs),
    Trait("dataset", r"max_context_size|masking_percent", 1, "max_context_size", _xcs),
    Trait("dataset", r"def __init__\(self, pretraining_dataset", 1, "NameDataset's order", _cs),
    Trait("dataset", r"def __init__\(self, data, pretraining", 1, "NameDataset's order", _xcs),
)  # fmt: skip
_OWN = re.compile(r'^YEAR = "(\w+)"', re.MULTILINE)  # what our starter writes into its utils.py


def guess_year(folder: Path) -> Guess:
    """The year whose hand-out the files in the folder look most like."""
    texts = {name: text for name in _READ if (text := _text(folder / f"{name}.py")) is not None}
    if own := _OWN.search(texts.get("utils", "")):
        try:
            return Guess(year_name(own[1]), ("YEAR in utils.py",))
        except WherefromError:
            pass  # someone else's constant
    seen = [trait for trait in TRAITS if _shows(trait, texts)]
    weights = {
        name: sum(trait.weight for trait in seen if trait.fits(name, year))
        for name, year in YEARS.items()
    }
    best = max(weights, key=lambda name: (weights[name], name == DEFAULT_YEAR))
    if not weights[best]:
        return Guess(DEFAULT_YEAR)
    return Guess(best, tuple(_telling(seen, best)))


def decide_year(named: str | None, folder: Path) -> Guess:
    """The year that the user named, or the guess."""
    return guess_year(folder) if named is None else Guess(year_name(named), wanted=True)


def _telling(seen: Iterable[Trait], year: str) -> list[str]:
    """The weightiest traits that speak for the year, three at most."""
    fitting = [trait for trait in seen if trait.fits(year, YEARS[year])]
    ordered = sorted(fitting, key=lambda trait: -trait.weight)
    return list(dict.fromkeys(trait.says for trait in ordered))[:3]


def _shows(trait: Trait, texts: Mapping[str, str]) -> bool:
    wanted = [trait.files, f"{trait.files}s"] if trait.files == "model" else [trait.files]
    where = texts.values() if trait.files == "*" else [texts[n] for n in wanted if n in texts]
    return any(re.search(trait.pattern, text) for text in where)


def _text(path: Path) -> str | None:
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        return read_text(path)
    except (OSError, WherefromError):
        return None
